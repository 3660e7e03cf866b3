// Runs the table in cases/*.txt. A line is one of
//
//   # a comment
//   schema DRAFT JSON    the schema of the lines that follow; DRAFT is 7, 2020-12 or both, and
//                        +formats behind it makes `format` a rule
//   ok JSON              the schema accepts it
//   no JSON              the schema refuses it
//   bad DRAFT JSON       compiling it fails
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "wright/json.h"

namespace wright {
namespace {

std::pair<std::string, std::string> first_word(const std::string& line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  return {line.substr(0, space), line.substr(std::min(space + 1, line.size()))};
}

std::vector<SchemaOptions> options_named(std::string name) {
  SchemaOptions options;
  if (name.ends_with("+formats")) {
    options.formats = Formats::assert;
    name.erase(name.find('+'));
  }
  std::vector<SchemaOptions> result;
  if (name == "7" || name == "both") {
    result.push_back(options);
    result.back().default_draft = SchemaDraft::draft7;
  }
  if (name == "2020-12" || name == "both") result.push_back(options);
  EXPECT_FALSE(result.empty()) << "no such draft: " << name;
  return result;
}

struct Table {
  int cases = 0;
  std::vector<JsonSchema> schemas;  // the current schema, once for each draft
};

void run_line(Table& table, const std::string& word, const std::string& rest) {
  if (word == "schema" || word == "bad") {
    const auto [draft, text] = first_word(rest);
    const auto source = parse_json(text);
    ASSERT_TRUE(source) << source.error().message;
    table.schemas.clear();
    for (const SchemaOptions& options : options_named(draft)) {
      auto schema = JsonSchema::compile(*source, options);
      ASSERT_EQ(schema.has_value(), word == "schema") << (schema ? "" : schema.error().message);
      if (schema) table.schemas.push_back(std::move(*schema));
      if (word == "bad") ++table.cases;
    }
    return;
  }
  ASSERT_TRUE(word == "ok" || word == "no") << "no such word: " << word;
  ASSERT_FALSE(table.schemas.empty()) << "no schema yet";
  const auto value = parse_json(rest);
  ASSERT_TRUE(value) << value.error().message;
  for (const JsonSchema& schema : table.schemas) {
    ++table.cases;
    EXPECT_EQ(schema.accepts(*value), word == "ok");
    EXPECT_EQ(schema.violations(*value).empty(), word == "ok");
  }
}

class CaseTable : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CaseTable, holds) {
  std::ifstream file(GetParam());
  Table table;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    SCOPED_TRACE(GetParam().filename().string() + ":" + std::to_string(number) + ": " + line);
    const auto [word, rest] = first_word(line);
    run_line(table, word, rest);
  }
  EXPECT_GE(table.cases, 20) << "an almost empty table proves little";
}

std::vector<std::filesystem::path> files() {
  std::set<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(WRIGHT_CASES)) {
    found.insert(entry.path());
  }
  return {found.begin(), found.end()};
}

INSTANTIATE_TEST_SUITE_P(JsonSchema, CaseTable, ::testing::ValuesIn(files()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace wright
