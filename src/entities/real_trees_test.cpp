// Answers about two large trees that a Debian machine with a compiler and Python has, checked
// against what ctags, wc and find say about them.
#include <map>

#include "entities/entity_testing.h"

namespace wright::entities {
namespace {

using tools::output_of;
using tools::shell_word;
using tools::Strings;

struct Tree {
  std::string name;
  std::filesystem::path path;
};

std::vector<Tree> trees() {
  return {{"python", "/usr/lib/python3.11"}, {"headers", "/usr/include/c++/12"}};
}

// One index and one run of ctags for all tests of a tree.
class Studied {
 public:
  explicit Studied(const std::filesystem::path& base) : base_(base) {
    CodeIndexOptions options;
    options.base = base;
    options.folder = folder_.path();
    options.recheck_after = std::chrono::hours(1);
    tools_ = code_entity_tools(std::move(options)).value();
    // Hidden files and links are no part of the tree to list_files either; binary files have no
    // entities.
    output_of("cd " + shell_word(base.native()) +
              " && find . -type f -not -path '*/.*' -not -name '*.pyc' -not -name '*.so' -print0 | "
              "xargs -0 -n 1000 ctags --options=NONE --output-format=json --fields=NFKlneSazsp "
              "--kinds-C=+p --kinds-C++=+p --sort=no --languages=-JSON,-XML,-Yaml,-Iniconf -f - "
              "2>/dev/null > " +
              shell_word(tags().native()));
  }

  const std::vector<Tool>& tools() const { return tools_; }
  std::filesystem::path tags() const { return folder_ / "tags.json"; }

  // How many lines of ctags' output match.
  std::int64_t tags_like(const std::string& pattern) const {
    return std::stoll(
        output_of("grep -c -E " + shell_word(pattern) + " " + shell_word(tags().native()), 1));
  }
  std::string shell(const std::string& command) const {
    return output_of("cd " + shell_word(base_.native()) + " && " + command, 1);
  }

 private:
  std::filesystem::path base_;
  TemporaryFolder folder_;
  std::vector<Tool> tools_;
};

class RealTree : public ::testing::TestWithParam<Tree> {
 protected:
  static void TearDownTestSuite() { all().clear(); }

  void SetUp() override {
    ASSERT_TRUE(std::filesystem::is_directory(GetParam().path))
        << "packaging/debian-packages.txt names the package";
    auto& studied = all()[GetParam().name];
    if (studied == nullptr) studied = std::make_unique<Studied>(GetParam().path);
    tree_ = studied.get();
  }

  Json ask(std::string_view tool, std::string_view arguments) const {
    return asked(tree_->tools(), tool, arguments);
  }
  std::int64_t total(std::string_view type, std::string_view condition = "") const {
    const Json answer =
        ask("query_entities",
            fmt::format(R"({{"entity_type":"{}","conditions":[{}],"limit":1}})", type, condition));
    return answer.is_object() ? answer.at("total").as_int64() : -1;
  }

  const Studied* tree_ = nullptr;

 private:
  static std::map<std::string, std::unique_ptr<Studied>>& all() {
    static std::map<std::string, std::unique_ptr<Studied>> studied;
    return studied;
  }
};

TEST_P(RealTree, has_as_many_entities_of_each_kind_as_ctags_finds) {
  std::int64_t checked = 0;
  const Json groups =
      ask("aggregate_entities", R"({"entity_type":"any","operation":"COUNT","group_by":"kind"})");
  for (const Json& group : groups.at("groups").as_array()) {
    const std::string kind(group.at("group").as_string());
    if (kind == "file" || kind == "field") continue;  // ctags has no fields of Python
    EXPECT_EQ(group.at("count").as_int64(), tree_->tags_like(fmt::format(R"("kind": "{}")", kind)))
        << kind;
    checked += group.at("count").as_int64();
  }
  EXPECT_GT(checked, 10'000) << "no large tree";
}

TEST_P(RealTree, has_every_file_that_find_finds) {
  EXPECT_EQ(total("file"), std::stoll(tree_->shell("find . -type f -not -path '*/.*' | wc -l")));
}

TEST_P(RealTree, counts_lines_as_wc_does) {
  const Json longest = ask(
      "query_entities",
      R"({"entity_type":"file","order_by":{"field":"line_count","direction":"DESC"},"limit":20})");
  ASSERT_EQ(longest.at("count").to_number<int>(), 20);
  for (const Json& file : longest.at("entities").as_array()) {
    const std::string path(file.at("file").as_string());
    EXPECT_EQ(file.at("line_count").as_int64(),
              std::stoll(tree_->shell("wc -l < " + shell_word(path))))
        << path;
  }
}

TEST_P(RealTree, ranks_classes_by_the_ends_that_ctags_tells) {
  const Json answer = ask(
      "query_entities",
      R"({"entity_type":"class","order_by":{"field":"line_count","direction":"DESC"},"limit":1})");
  const std::int64_t longest = answer.at("entities").at(0).at("line_count").as_int64();
  std::int64_t expected = 0;
  for (const std::string& line : tools::split(tools::content_of(tree_->tags()), '\n')) {
    const auto tag = parse_json(line);
    if (!tag || tag->at("kind") != "class" || !tag->as_object().contains("end")) continue;
    expected = std::max(expected, tag->at("end").as_int64() - tag->at("line").as_int64() + 1);
  }
  EXPECT_EQ(longest, expected);
  EXPECT_GT(longest, 200);
  EXPECT_EQ(ask("number_range_search",
                fmt::format(R"({{"entity_type":"class","field":"line_count","operator":"gte",)"
                            R"("value":{}}})",
                            longest))
                .at("entities")
                .at(0)
                .at("name"),
            answer.at("entities").at(0).at("name"));
}

TEST_P(RealTree, finds_names_that_ctags_has) {
  EXPECT_EQ(total("any", R"({"field":"name","operator":"STARTS WITH","value":"get"},
                            {"field":"kind","operator":"!=","value":"field"},
                            {"field":"type","operator":"!=","value":"file"})"),
            tree_->tags_like(R"("name": "get)"));
  EXPECT_EQ(total("any", R"({"field":"name","operator":"REGEX","value":"^is_[a-z]+$"},
                            {"field":"kind","operator":"!=","value":"field"},
                            {"field":"type","operator":"!=","value":"file"})"),
            tree_->tags_like(R"("name": "is_[a-z]+")"));
}

INSTANTIATE_TEST_SUITE_P(, RealTree, ::testing::ValuesIn(trees()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wright::entities
