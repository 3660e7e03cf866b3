#include "entities/python_fields.h"

#include <gtest/gtest.h>

#include <string>

namespace wright::entities {
namespace {

CodeEntity python_class(std::string name, int start, int end) {
  CodeEntity made;
  made.qualified_name = name;
  made.name = std::move(name);
  made.type = "class";
  made.language = "Python";
  made.start_line = start;
  made.end_line = end;
  return made;
}

TEST(PythonFields, are_those_without_a_value_and_those_of_self) {
  constexpr std::string_view kText =
      "class Item:\n"
      "    \"\"\"A text: with a colon.\n"
      "    key: value\n"
      "    \"\"\"\n"
      "    sku: str\n"
      "    price: float = 0.0\n"
      "    if True: pass\n"
      "    def __init__(self, name,\n"
      "                 size: int = 3):\n"
      "        self.name = name  # self.not_this = 1\n"
      "        self._left, self.right = 1, 2\n"
      "        self.typed: dict[str, int] = {}\n"
      "        if self.name == 'x':\n"
      "            self.name = 'self.text = 1'\n"
      "        self.call(size=3)\n"
      "        other.field = 1\n"
      "    class Inner:\n"
      "        depth: int\n"
      "x: int\n";
  const SourceLines lines(kText);
  std::vector<CodeEntity> entities{python_class("Item", 1, 18), python_class("Inner", 17, 18)};
  entities[1].qualified_name = "Item.Inner";
  CodeEntity price = python_class("price", 6, 6);
  price.type = "variable";
  price.parent = "Item";
  entities.push_back(price);
  add_python_fields(entities, lines);
  std::string found;
  for (std::size_t i = 3; i < entities.size(); ++i)
    found += entities[i].qualified_name + ":" + std::to_string(entities[i].start_line) + " ";
  EXPECT_EQ(found,
            "Item.sku:5 Item.name:10 Item._left:11 Item.right:11 Item.typed:12 "
            "Item.Inner.depth:18 ");
  EXPECT_EQ(entities[5].visibility, "protected");
  EXPECT_EQ(entities[4].type, "field");
}

}  // namespace
}  // namespace wright::entities
