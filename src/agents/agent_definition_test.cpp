#include "agents/agent_definition.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_folder_testing.h"

namespace wright {
namespace {

const std::vector<std::string> kTools{"read_file", "grep", "bash"};
constexpr auto kAliases = std::to_array<tools::ToolAlias>({{"search", "grep"}, {"bash", "grep"}});

Result<ReadDefinition> parse(std::string_view toml,
                             const std::filesystem::path& path = "helper.toml",
                             const std::filesystem::path& confined_to = {}) {
  static const ExpansionValues variables{{"MODEL", "openai:gpt-5-mini"}};
  return parse_agent_definition(toml, {path, variables, kTools, kAliases, confined_to, {}});
}

std::string error_in_definition(std::string_view toml) {
  const auto read = parse(toml);
  return read ? "no error" : read.error().message;
}

// Of a project that nobody trusts: it must not bring the program down.
TEST(TomlFile, refuses_a_key_without_end) {
  std::string text = "# one\na";
  for (int i = 0; i < 200'000; ++i) text += ".a";
  constexpr const char* kRefused = "helper.toml:2: not valid TOML: more than 1000 levels";
  EXPECT_EQ(error_in_definition(text + " = 1\n"), kRefused);
  std::string quoted = "# one\na";
  for (int i = 0; i < 2'000; ++i) quoted += R"(."=")";
  EXPECT_EQ(error_in_definition(quoted + " = 1\n"), kRefused);
  std::string nested = "# one\n";
  for (int i = 0; i < 200; ++i) nested += "a.a.a.a.a.a.a.a.a.a = {";
  EXPECT_EQ(error_in_definition(nested), kRefused);
}

TEST(AgentDefinition, has_everything_that_a_file_may_say) {
  const auto read = parse(R"(
name = "Code_Review"
description = "Reads."
model = "${MODEL}"
instructions = "Be ${TONE:-brief}; $${literal}."
tools = ["grep", "read_file"]
specialists = ["sqlite-analysis"]
labels = ["gpu", "repository=shop"]
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
  EXPECT_EQ(made.labels, (std::vector<std::string>{"gpu", "repository=shop"}));
  EXPECT_EQ(agent_without_tools(made).labels, made.labels);
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

TEST(AgentDefinition, refuses_labels_that_are_none) {
  const auto read = parse("instructions = \"x\"\nlabels = [\"gpu\", \"a b\"]\n");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find(":2: labels: 'a b' is no label"), std::string::npos)
      << read.error().message;
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
  AgentDefinitionFolder() { folder_.make_folder("agents"); }

  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name) << text;
  }

  const TemporaryFolder folder_;
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
  EXPECT_EQ(all->definition.values,
            (OwnValues{{"debug.enabled", true}, {"debug.tool_feedback.include_reasoning", false}}));
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

TEST(AgentDefinition, calls_tools_by_any_of_their_names) {
  const auto read = parse(R"(instructions = "x"
tools = ["search", "bash"]
[parameters]
tool_choice = "search"
)");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->definition.tools, (std::vector<std::string>{"grep", "bash"}))
      << "an own name comes before another's other name";
  EXPECT_EQ(read->definition.tool_choice, ToolChoice::one("grep"));
  EXPECT_EQ(error_in_definition("instructions = 'x'\ntools = ['grep', 'search']"),
            "helper.toml:2: tools: 'search' is there twice: it means grep");
}

TEST(AgentDefinition, says_how_its_model_shall_answer) {
  const auto read = parse(R"(instructions = "x"
tools = ["grep"]
[parameters]
stop_sequences = ["END", "\n\n"]
tool_choice = "grep"
[parameters.response_format]
name = "review"
schema = '{"type": "object", "properties": {"verdict": {"type": "string"}}}'
)");
  ASSERT_TRUE(read) << read.error().message;
  const AgentDefinition& made = read->definition;
  EXPECT_EQ(made.stop_sequences, (std::vector<std::string>{"END", "\n\n"}));
  EXPECT_EQ(made.tool_choice, ToolChoice::one("grep"));
  EXPECT_EQ(made.response_format.kind, ResponseFormat::Kind::json_schema);
  EXPECT_EQ(made.response_format.name, "review");
  EXPECT_EQ(to_text(made.response_format.schema),
            R"({"type":"object","properties":{"verdict":{"type":"string"}}})");

  const auto plain = parse(R"(instructions = "x"
specialists = ["sqlite-analysis"]
[parameters]
tool_choice = "required"
response_format = "json_object"
)");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->definition.tool_choice, ToolChoice::required());
  EXPECT_EQ(plain->definition.response_format.kind, ResponseFormat::Kind::json_object);

  const auto table = parse(R"(instructions = "x"
[parameters.response_format.schema]
type = "object"
)");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->definition.response_format.name, "helper") << "the agent's, unless it is said";
  EXPECT_EQ(to_text(table->definition.response_format.schema), R"({"type":"object"})");
}

TEST(AgentDefinition, says_what_is_wrong_with_answers_and_calls) {
  const auto wrong = [](const std::string& more) {
    return error_in_definition("instructions = 'x'\ntools = ['grep']\n" + more);
  };
  for (const auto& [more, words] : std::vector<std::pair<std::string, std::string>>{
           {"[parameters]\nstop_sequences = 'END'",
            "helper.toml:4: parameters.stop_sequences: must be an array of strings in quotes, not "
            "a string"},
           {"[parameters]\nstop_sequences = ['']",
            "helper.toml:4: parameters.stop_sequences: must not hold an empty string"},
           {"[parameters]\ntool_choice = 'grap'",
            "helper.toml:4: parameters.tool_choice: must be auto, required, none or a tool of the "
            "agent, not 'grap'; did you mean 'grep'?"},
           {"[parameters]\ntool_choice = 'bash'",
            "helper.toml:4: parameters.tool_choice: must be auto, required, none or a tool of the "
            "agent, not 'bash'"},
           {"[parameters]\nresponse_format = 'xml'",
            "helper.toml:4: parameters.response_format: must be text, json_object or a section "
            "[parameters.response_format] with a schema, not 'xml'"},
           {"[parameters.response_format]\nname = 'a b'",
            "helper.toml:3: parameters.response_format.schema: is missing\n"
            "helper.toml:4: parameters.response_format.name: may consist of letters, digits, _ and "
            "-, at most 64"},
           {"[parameters.response_format]\nschema = '{'",
            "helper.toml:4: parameters.response_format.schema: "},
           {"[parameters.response_format]\nschema = '{\"type\": 7}'",
            "helper.toml:4: parameters.response_format.schema: is no JSON schema: "},
           {"[parameters.response_format]\nschema = 7",
            "helper.toml:4: parameters.response_format.schema: must be a section "
            "[parameters.response_format.schema] or JSON in quotes, not an integer"},
           {"[parameters]\nvendor_tools = 'web_search'",
            "helper.toml:4: parameters.vendor_tools: must be an array, not a string"},
           {"[parameters]\nvendor_tools = [1]",
            "helper.toml:4: parameters.vendor_tools: must be an array of names in quotes or "
            "tables, "
            "not an integer"},
           {"stop_sequences = ['END']",
            "helper.toml:3: stop_sequences: unknown key; did you mean "
            "'parameters.stop_sequences'?"},
           {"[tool_execution]\nenable_logging = 1",
            "helper.toml:4: tool_execution.enable_logging: must be true or false, not an integer"},
           {"[tool_execution]\ntruncate_logs = -1",
            "helper.toml:4: tool_execution.truncate_logs: must be between 0 and 1000000000"},
           {"[tool_execution]\ntruncate_logs = 'all'",
            "helper.toml:4: tool_execution.truncate_logs: must be an integer, not a string"},
           {"[tool_execution]\nenable_loging = true",
            "helper.toml:4: tool_execution.enable_loging: unknown key; did you mean "
            "'tool_execution.enable_logging'?"},
           {"[tool_execution]\nretry_pause = '1s'",
            "helper.toml:4: tool_execution.retry_pause: unknown key; [tool_execution] in the file "
            "of an agent has enable_validation, enable_logging, enable_metadata, log_arguments, "
            "truncate_logs"},
           {"[debug.bogus]\nx = 1",
            "helper.toml:3: debug.bogus: unknown key; [debug] in the file of an agent has "
            "enabled, "},
           {"[limits]\nmax_iterations = 1000001",
            "helper.toml:4: limits.max_iterations: must be between 1 and 1000000"},
           {"tool_execution = true",
            "helper.toml:3: tool_execution: must be a section [tool_execution], not a boolean"}}) {
    EXPECT_TRUE(wrong(more).starts_with(words)) << wrong(more) << "\n" << words;
  }
  EXPECT_EQ(error_in_definition("instructions = 'x'\n[parameters]\ntool_choice = 'required'"),
            "helper.toml:3: parameters.tool_choice: the agent has no tools that it could call");
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
}  // namespace wright
