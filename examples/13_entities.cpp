// Asks an index of a code base directly, without a model: which classes are the largest?
#include <wright/tools.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

// A small code base to ask about.
void write_files(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "shop.py") << "class Basket:\n"
                                       "    def add(self, item):\n"
                                       "        self.items.append(item)\n"
                                       "\n"
                                       "    def total(self):\n"
                                       "        return sum(item.price for item in self.items)\n"
                                       "\n"
                                       "\n"
                                       "class Item:\n"
                                       "    price = 0\n";
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "wright-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const std::filesystem::path base(folder);
  write_files(base / "code");

  // Nothing is read before the first question.
  const auto tools = wright::code_entity_tools({.base = base / "code", .folder = base / "index"});
  if (!tools) {
    std::cerr << tools.error().message << '\n';
    return 1;
  }
  const wright::ToolCall call{
      "1", "query_entities",
      R"({"entity_type": "class", "order_by": {"field": "line_count", "direction": "DESC"}})"};
  const wright::ToolOutcome outcome = wright::execute(*tools, {}, call, {});
  std::filesystem::remove_all(base);
  if (outcome.result.is_error) {
    std::cerr << outcome.error_message() << '\n';
    return 1;
  }
  for (const wright::Json& entity : outcome.response.at("entities").as_array()) {
    std::cout << entity.at("name").as_string().c_str() << " in "
              << entity.at("file").as_string().c_str() << ":" << entity.at("start_line") << ", "
              << entity.at("line_count") << " lines\n";
  }
}
