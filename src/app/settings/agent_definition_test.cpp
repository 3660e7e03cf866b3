#include "app/settings/agent_definition.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace wright::app {
namespace {

const std::vector<std::string> kTools{"read_file", "grep", "bash"};

Result<ReadDefinition> parse(std::string_view toml,
                             const std::filesystem::path& path = "helper.toml",
                             const std::filesystem::path& confined_to = {}) {
  static const Environment environment(Environment::Variables{{"MODEL", "openai:gpt-5-mini"}});
  return parse_agent_definition(toml, {path, environment, kTools, confined_to});
}

std::string error_in_definition(std::string_view toml) {
  const auto read = parse(toml);
  return read ? "no error" : read.error().message;
}

TEST(AgentDefinition, has_everything_that_a_file_may_say) {
  const auto read = parse(R"(
name = "Code_Review"
description = "Reads."
model = "${MODEL}"
instructions = "Be ${TONE:-brief}; $${literal}."
tools = ["grep", "read_file"]
specialists = ["sqlite-analysis"]
enabled = false
primary = true
[parameters]
temperature = 0
top_p = 0.5
max_tokens = 100
reasoning = "low"
[limits]
max_iterations = 3
context_tokens = 9000
[permissions]
"z*" = "ask"
"a*" = "deny"
)");
  ASSERT_TRUE(read) << read.error().message;
  const AgentDefinition& made = read->definition;
  EXPECT_EQ(made.name, "code-review");
  EXPECT_EQ(made.model, "openai:gpt-5-mini");
  EXPECT_EQ(made.instructions, "Be brief; ${literal}.");
  EXPECT_EQ(made.tools, (std::vector<std::string>{"grep", "read_file"}));
  EXPECT_EQ(made.specialists, (std::vector<std::string>{"sqlite-analysis"}));
  EXPECT_FALSE(made.is_enabled);
  EXPECT_TRUE(made.is_primary);
  EXPECT_EQ(made.temperature, 0);
  EXPECT_EQ(made.top_p, 0.5);
  EXPECT_EQ(made.max_tokens, 100);
  EXPECT_EQ(made.reasoning, ReasoningEffort::low);
  EXPECT_EQ(made.max_iterations, 3);
  EXPECT_EQ(made.context_tokens, 9'000);
  ASSERT_EQ(made.permissions.size(), 2U);
  EXPECT_EQ(made.permissions[0].tool, "z*") << "the order of the file counts";
  EXPECT_EQ(made.permissions[1].permission, intercept::Permission::deny);
}

TEST(AgentDefinition, is_named_by_its_file_and_needs_instructions_only) {
  const auto read = parse("instructions = 'x'", "/somewhere/My_Helper.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->definition.name, "my-helper");
  EXPECT_TRUE(read->definition.is_enabled);
  EXPECT_TRUE(read->definition.tools.empty());
  EXPECT_EQ(error_in_definition(""), "helper.toml:1: instructions: is missing");
}

TEST(AgentDefinition, lists_everything_that_is_wrong_with_line_and_key) {
  EXPECT_EQ(error_in_definition(R"(instructions = "x"
temprature = 0.5
tols = []
tools = ["reed_file", 7]
enabled = "yes"
model = "${NOT_SET}"
name = "a b"
[parameters]
temperature = 9
max_tokens = 0
max_iterations = 4
reasoning = "much"
[limits]
max_iteration = 3
[permissions]
"x" = "perhaps"
)"),
            R"(helper.toml:2: temprature: unknown key; did you mean 'parameters.temperature'?
helper.toml:3: tols: unknown key; did you mean 'tools'?
helper.toml:4: tools: must be a string in quotes, not an integer
helper.toml:4: tools: unknown tool 'reed_file'; did you mean 'read_file'?
helper.toml:5: enabled: must be true or false, not a string
helper.toml:6: model: the environment variable NOT_SET is not set; set it, or give a default: ${NOT_SET:-…}
helper.toml:7: name: 'a b' may consist of letters, digits and -, and begin with no -
helper.toml:9: parameters.temperature: must be between 0 and 2
helper.toml:10: parameters.max_tokens: must be between 1 and 10000000
helper.toml:11: parameters.max_iterations: unknown key; did you mean 'limits.max_iterations'?
helper.toml:12: parameters.reasoning: must be none, low, medium or high, not 'much'
helper.toml:14: limits.max_iteration: unknown key; did you mean 'limits.max_iterations'?
helper.toml:16: permissions.x: must be allow, deny or ask, not 'perhaps')");
}

TEST(AgentDefinition, says_where_a_file_is_not_toml) {
  EXPECT_TRUE(error_in_definition("instructions = \"x\"\n[broken")
                  .starts_with("helper.toml:2: not valid TOML"))
      << error_in_definition("instructions = \"x\"\n[broken");
  for (const std::string& odd :
       {std::string("\xFF\xFE"), std::string("a\0b", 3), std::string(5000, '['),
        std::string("instructions = \"\\u0000\""),
        std::string("parameters = 3\ninstructions = 'x'"),
        std::string("permissions = []\ninstructions = 'x'"), std::string("instructions = '  '"),
        std::string("instructions = 'x'\nspecialists = ['helper']"),
        std::string("instructions = 'x'\ntools = ['grep', 'grep']"),
        std::string("instructions = 'x'\n[parameters]\ntemperature = nan")}) {
    EXPECT_NE(error_in_definition(odd), "no error") << odd;
  }
}

class AgentDefinitionFolder : public ::testing::Test {
 protected:
  AgentDefinitionFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wright-agent-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directory(folder_ / "agents");
  }
  ~AgentDefinitionFolder() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path folder_;
};

TEST_F(AgentDefinitionFolder, reads_instructions_from_a_file_beside_it) {
  write("agents/x.md", "Be brief.");
  const auto read = parse("instructions_file = 'x.md'", folder_ / "agents/x.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->definition.instructions, "Be brief.");
  EXPECT_NE(read->content.find("Be brief."), std::string::npos) << "it is part of what is trusted";
  EXPECT_FALSE(parse("instructions_file = 'y.md'", folder_ / "agents/x.toml"));
  EXPECT_FALSE(parse("instructions_file = 'x.md'\ninstructions = 'z'", folder_ / "agents/x.toml"));
}

TEST_F(AgentDefinitionFolder, confines_the_instructions_of_a_project) {
  write("secret", "key");
  write("agents/x.md", "fine");
  std::filesystem::create_symlink(folder_ / "secret", folder_ / "agents/link.md");
  const auto confined = [&](const std::string& file) {
    return parse("instructions_file = '" + file + "'", folder_ / "agents/x.toml",
                 folder_ / "agents")
        .has_value();
  };
  EXPECT_TRUE(confined("x.md"));
  for (const char* path : {"../secret", "link.md", "/etc/hostname", "../agents-not/x"}) {
    EXPECT_FALSE(confined(path)) << path;
  }
}

TEST(AgentDefinition, can_be_read_from_the_template) {
  const std::vector<std::string> tools{"list_files", "read_file", "grep"};
  const Environment environment;
  const auto read = parse_agent_definition(agent_definition_template("my-agent", tools),
                                           {"my-agent.toml", environment, tools, {}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->definition.name, "my-agent");
  EXPECT_EQ(read->definition.tools, tools);
}

TEST(AgentDefinition, reads_debug_and_metadata_and_says_what_is_wrong_with_them) {
  const auto read = [](const std::string& more) { return parse("instructions = \"x\"\n" + more); };
  const auto all = read(R"(domain = "billing"
[debug]
enabled = true
[debug.tool_feedback]
include_reasoning = false
[metadata]
nothing = []
when = 2026-03-01T12:00:00Z
at = 07:30:00
odd = [nan, inf, 1, "x"]
inner = { a = { b = 1 } }
)");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->definition.domain, "billing");
  EXPECT_EQ(all->definition.debug,
            (std::map<std::string, bool, std::less<>>{
                {"debug.enabled", true}, {"debug.tool_feedback.include_reasoning", false}}));
  EXPECT_EQ(to_text(all->definition.metadata),
            R"({"at":"07:30:00","inner":{"a":{"b":1}},"nothing":[],"odd":["nan","inf",1,"x"],)"
            R"("when":"2026-03-01T12:00:00Z"})");
  for (const auto& [more, words] : std::vector<std::pair<std::string, std::string>>{
           {"debug = true", "helper.toml:2: debug: must be a section [debug], not"},
           {"[debug]\nenabled = 1", "helper.toml:3: debug.enabled: must be true or false, not"},
           {"[debug]\nenabeld = true", "did you mean 'debug.enabled'?"},
           {"[debug]\ntool_feedback = true", "must be a section [debug.tool_feedback], not"},
           {"include_reasoning = true", "did you mean 'debug.tool_feedback.include_reasoning'?"},
           {"domain = 7", "domain: must be a string in quotes, not"},
           {"metadata = \"x\"", "metadata: must be a section [metadata], not"},
           {"[metadata]\na = \"" + std::string(20'000, 'a') + "\"", "metadata: is larger than"}}) {
    const auto wrong = read(more);
    ASSERT_FALSE(wrong) << more;
    EXPECT_NE(wrong.error().message.find(words), std::string::npos) << wrong.error().message;
  }
}

TEST(AgentDefinition, template_comments_are_true) {
  const std::vector<std::string> tools{"list_files", "read_file", "grep"};
  const Environment environment;
  std::string uncommented;
  std::istringstream lines(agent_definition_template("my-agent", tools));
  for (std::string line; std::getline(lines, line);) {
    const bool is_setting = line.starts_with("# ") && line.find(" = ") != std::string::npos &&
                            (line[2] == '"' || (line[2] >= 'a' && line[2] <= 'z'));
    uncommented += (is_setting ? line.substr(2) : line) + "\n";
  }
  const auto read = parse_agent_definition(uncommented, {"my-agent.toml", environment, tools, {}});
  ASSERT_TRUE(read) << read.error().message << uncommented;
  EXPECT_EQ(read->definition.model, "openai:gpt-5-mini");
  EXPECT_EQ(read->definition.permissions.size(), 1U);
  EXPECT_TRUE(read->definition.is_primary);
}

TEST(AgentDefinition, names_are_checked) {
  for (const char* good : {"a", "code-review", "Code_Review", "a1"}) {
    EXPECT_EQ(problem_with_agent_name(good), "") << good;
  }
  for (const char* bad : {"", "-a", "a b", "../a", "a/b", "é", "a.b"}) {
    EXPECT_NE(problem_with_agent_name(bad), "") << bad;
  }
  EXPECT_NE(problem_with_agent_name(std::string(65, 'a')), "");
}

}  // namespace
}  // namespace wright::app
