#include "entities/script_functions.h"

#include <gtest/gtest.h>

namespace wright::entities {
namespace {

CodeEntity script_entity(std::string name, std::string type, int line, std::string parent = {}) {
  CodeEntity made;
  made.name = name;
  made.qualified_name = parent.empty() ? name : parent + "." + name;
  made.type = std::move(type);
  made.language = "TypeScript";
  made.parent = std::move(parent);
  made.start_line = line;
  return made;
}

TEST(ScriptFunctions, are_functions_though_a_constant_holds_them) {
  constexpr std::string_view kText =
      "export const connect = async (port) => { return port; };\n"
      "const one = x => x;\n"
      "const typed: (a: number) => string = (a) => `${a}`;\n"
      "let old = function () {};\n"
      "const many = (\n  a: number,\n  b = f(1),\n): string => {\n  return '';\n};\n"
      "const limit = (3 + 4) * 5;\n"
      "const port: number = 3;\nconst other = () => 1;\n"
      "const called = make(() => 1);\n";
  const SourceLines lines(kText);
  std::vector<CodeEntity> entities{
      script_entity("connect", "constant", 1), script_entity("one", "constant", 2),
      script_entity("typed", "constant", 3),   script_entity("old", "variable", 4),
      script_entity("many", "constant", 5),    script_entity("limit", "constant", 11),
      script_entity("port", "constant", 12),   script_entity("called", "constant", 14)};
  correct_script_functions(entities, lines);
  std::vector<std::string> types;
  for (const CodeEntity& entity : entities) types.push_back(entity.type);
  EXPECT_EQ(types, (std::vector<std::string>{"function", "function", "function", "function",
                                             "function", "constant", "constant", "constant"}));
}

TEST(ScriptFunctions, are_no_methods_of_the_class_before) {
  constexpr std::string_view kText =
      "function over(x: string): string; function over(x: any) { return x; }\n"
      "class A { go() {} }\n"
      "A.prototype.bar = function bar() {};\n";
  const SourceLines lines(kText);
  std::vector<CodeEntity> entities{script_entity("over", "method", 1, "A"),
                                   script_entity("go", "method", 2, "A"),
                                   script_entity("bar", "method", 3, "A")};
  correct_script_functions(entities, lines);
  EXPECT_EQ(entities[0].type, "function");
  EXPECT_EQ(entities[0].parent, "");
  EXPECT_EQ(entities[0].qualified_name, "over");
  EXPECT_EQ(entities[1].type, "method");
  EXPECT_EQ(entities[2].type, "method");
  EXPECT_EQ(entities[2].parent, "A");
}

}  // namespace
}  // namespace wright::entities
