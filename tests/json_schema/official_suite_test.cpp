// The official JSON Schema test suite, where the build was told of a checkout. Every required test
// must hold. Of the optional ones, those may fail that docs/json_schema.md lists; no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "wright/json.h"

namespace wright {
namespace {

namespace fs = std::filesystem;

Json load(const fs::path& file) {
  const std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  auto parsed = parse_json(text.str());
  EXPECT_TRUE(parsed) << file;
  return parsed.value_or(JsonArray{});
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

struct Figures {
  int passed = 0;
  int failed = 0;
  std::set<std::string> files_with_failures;
};

class OfficialSuite : public ::testing::Test {
 protected:
  void SetUp() override {
    if (root().empty()) GTEST_SKIP() << "WRIGHT_JSON_SCHEMA_SUITE is not set";
    ASSERT_TRUE(fs::is_directory(root() / "tests")) << root();
    for (const auto& entry : fs::recursive_directory_iterator(root() / "remotes")) {
      if (entry.path().extension() != ".json") continue;
      const std::string path = fs::relative(entry.path(), root() / "remotes").generic_string();
      remotes_["http://localhost:1234/" + path] = load(entry.path());
    }
  }

  static fs::path root() { return WRIGHT_JSON_SCHEMA_SUITE; }

  Figures run(const std::string& draft, const std::string& folder, Formats formats) {
    const SchemaOptions options{
        .default_draft = draft == "draft7" ? SchemaDraft::draft7 : SchemaDraft::draft2020_12,
        .formats = formats,
        .documents = remotes_};
    Figures figures;
    for (const fs::path& file : json_files(root() / "tests" / draft / folder)) {
      const int failed_before = figures.failed;
      const Json groups = load(file);
      for (const Json& group : groups.as_array()) run_group(group, options, figures);
      if (figures.failed > failed_before) figures.files_with_failures.insert(file.stem().string());
    }
    std::cout << draft << (folder.empty() ? "" : "/") << folder << ": " << figures.passed
              << " passed, " << figures.failed << " failed\n";
    EXPECT_GT(figures.passed, 0);
    return figures;
  }

 private:
  static void run_group(const Json& group, const SchemaOptions& options, Figures& figures) {
    const auto schema = JsonSchema::compile(group.at("schema"), options);
    for (const Json& test : group.at("tests").as_array()) {
      const bool is_valid = test.at("valid").as_bool();
      const bool holds = schema && schema->accepts(test.at("data")) == is_valid &&
                         schema->violations(test.at("data")).empty() == is_valid;
      ++(holds ? figures.passed : figures.failed);
    }
  }

  std::map<std::string, Json> remotes_;
};

TEST_F(OfficialSuite, every_required_test_of_draft_7_holds) {
  EXPECT_EQ(run("draft7", "", Formats::annotate).failed, 0);
}

TEST_F(OfficialSuite, every_required_test_of_draft_2020_12_holds) {
  EXPECT_EQ(run("draft2020-12", "", Formats::annotate).failed, 0);
}

TEST_F(OfficialSuite, optional_tests_fail_only_where_the_documentation_says_so) {
  using Names = std::set<std::string>;
  EXPECT_EQ(run("draft7", "optional", Formats::annotate).files_with_failures, Names{"content"});
  EXPECT_EQ(run("draft2020-12", "optional", Formats::annotate).files_with_failures,
            Names{"cross-draft"});
  for (const char* draft : {"draft7", "draft2020-12"}) {
    EXPECT_EQ(run(draft, "optional/format", Formats::assert).files_with_failures,
              (Names{"hostname", "idn-hostname"}));
  }
}

}  // namespace
}  // namespace wright
