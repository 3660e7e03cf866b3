#include "app/settings/config.h"

#include <gtest/gtest.h>

#include <ostream>

namespace wright::app {
namespace {

const Environment kNothing;

std::string error_of(std::string_view toml, const Environment& environment = kNothing) {
  const auto file = parse_config(toml, "wright.toml", environment);
  return file ? "accepted" : file.error().message;
}

struct BadConfig {
  const char* name;
  const char* toml;
  const char* expected;
};
void PrintTo(const BadConfig& bad, std::ostream* out) {
  *out << bad.name;
}

class BadConfigs : public testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigs, are_refused_with_file_line_and_key) {
  EXPECT_EQ(error_of(GetParam().toml), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Config, BadConfigs,
    testing::Values(
        BadConfig{"log_level_that_is_none", "[log]\nlevel = 'zzz'\nformat = 'yyy'\n",
                  "wright.toml:2: log.level: must be debug, info, warning, error or off, not "
                  "'zzz'\nwright.toml:3: log.format: must be text or json, not 'yyy'"},
        BadConfig{"no_try_at_all", "[tool_execution]\nretry_attempts = 0\n",
                  "wright.toml:2: tool_execution.retry_attempts: must be from 1 to 1000000000, not "
                  "0"},
        BadConfig{"unknown_key", "[agent]\n\nmodle = \"offline\"\n",
                  "wright.toml:3: agent.modle: unknown key; did you mean 'agent.model'?"},
        BadConfig{"unknown_key_far_from_all", "[agent]\ntemperature = 1\n",
                  "wright.toml:2: agent.temperature: unknown key; [agent] has database_path, "
                  "base_path, model, max_iterations, fallback, max_tokens, context_tokens, "
                  "reasoning, vendor_tools, readable, writable, undo, database"},
        BadConfig{"key_of_another_section", "[agent]\nopenai_api_key = \"x\"\n",
                  "wright.toml:2: agent.openai_api_key: unknown key; openai_api_key belongs below "
                  "the section [api_keys]"},
        BadConfig{"key_without_section", "model = \"offline\"\n",
                  "wright.toml:1: model: belongs below the section [agent]"},
        BadConfig{"unknown_section", "\n[agnet]\nmodel = \"x\"\n",
                  "wright.toml:2: agnet: unknown section; did you mean [agent]?"},
        BadConfig{"agents_for_agent", "[agents]\nmodel = \"x\"\n",
                  "wright.toml:2: agents.model: belongs below the section [agent]"},
        BadConfig{"agent_that_is_a_value", "[agents]\nhelper = 1\n",
                  "wright.toml:2: agents.helper: must be a section "
                  "[agents.helper.tool_execution], not an integer"},
        BadConfig{"unknown_section_of_an_agent", "[agents.helper.log]\nlevel = \"off\"\n",
                  "wright.toml:1: agents.helper.log: unknown section; there is "
                  "[agents.helper.tool_execution] and [agents.helper.debug]"},
        BadConfig{"unknown_key_of_an_agent",
                  "[agents.helper.tool_execution]\nlog_argument = true\n",
                  "wright.toml:2: agents.helper.tool_execution.log_argument: unknown key; did you "
                  "mean 'tool_execution.log_arguments'?"},
        BadConfig{"text_for_a_flag", "[tool_execution]\nenable_logging = \"yes\"\n",
                  "wright.toml:2: tool_execution.enable_logging: must be true or false, not a "
                  "string"},
        BadConfig{
            "negative_count", "[tool_execution]\ntruncate_logs = -1\n",
            "wright.toml:2: tool_execution.truncate_logs: must be from 0 to 1000000000, not -1"},
        BadConfig{"number_for_a_duration", "[tool_execution]\ntimeout = 30\n",
                  "wright.toml:2: tool_execution.timeout: must be a duration in quotes, such as "
                  "\"30s\", not an integer"},
        BadConfig{
            "bad_duration", "[tool_execution]\ntimeout = \"soon\"\n",
            "wright.toml:2: tool_execution.timeout: must be a duration from 1ms to 1000h, such "
            "as 250ms, 30s, 5m or 1h, or tool or off, not 'soon'"},
        BadConfig{"bad_choice_of_an_agent",
                  "[agents.helper.tool_execution]\nstrictness = \"loose\"\n",
                  "wright.toml:2: agents.helper.tool_execution.strictness: must be strict or "
                  "lenient, not 'loose'"},
        BadConfig{
            "bad_rate", "[tool_execution]\nrate_limit = \"5\"\n",
            "wright.toml:2: tool_execution.rate_limit: must be a rate such as 5/s, 100/min or "
            "1000/h, or off, not '5'"},
        BadConfig{"text_for_a_list", "[agent]\nreadable = \"a, b\"\n",
                  "wright.toml:2: agent.readable: must be an array of names in quotes, not a "
                  "string"},
        BadConfig{"numbers_in_a_list", "[agent]\nreadable = [\"a\", 1]\n",
                  "wright.toml:2: agent.readable: must be an array of names in quotes, not one "
                  "with something else in it"},
        BadConfig{"name_twice_in_a_list", "[agent]\nreadable = [\"a\", \"a\"]\n",
                  "wright.toml:2: agent.readable: names 'a' twice"},
        BadConfig{"empty_list", "[agent]\nreadable = []\n",
                  "wright.toml:2: agent.readable: must not be empty"},
        BadConfig{"an_order_that_is_fixed", "[tool_execution]\norder = [\"retry\"]\n",
                  "wright.toml:2: tool_execution.order: unknown key; [tool_execution] has "
                  "enable_validation, strictness, coercion, retry_budget, enable_logging, "
                  "log_arguments, truncate_logs, enable_metadata, timeout, retry_attempts, "
                  "retry_pause, retry_longest_pause, circuit_breaker_failures, "
                  "circuit_breaker_pause, rate_limit, rate_limit_burst, rate_limit_action, "
                  "cache_entries, cache_age, output_limit, redaction"},
        BadConfig{"unknown_permission", "[permissions]\n\"*\" = \"maybe\"\n",
                  "wright.toml:2: permissions.*: must be allow, deny or ask, not 'maybe'"},
        BadConfig{"permission_that_is_no_text", "[permissions]\ngrep = true\n",
                  "wright.toml:2: permissions.grep: must be a string in quotes, not a boolean"},
        BadConfig{"unknown_permission_of_a_command", "[bash.rules]\n\"ls *\" = \"maybe\"\n",
                  "wright.toml:2: bash.rules.ls *: must be allow, deny or ask, not 'maybe'"},
        BadConfig{"malformed_rule", "[bash.rules]\n\"ls 'x\" = \"allow\"\n",
                  "wright.toml:2: bash.rules.ls 'x: The rule 'ls 'x' has an open quote"},
        BadConfig{"rules_that_are_a_value", "[bash]\nrules = 1\n",
                  "wright.toml:2: bash.rules: must be a section [bash.rules], not an integer"},
        BadConfig{"unknown_key_of_bash", "[bash]\nprest = \"x\"\n",
                  "wright.toml:2: bash.prest: unknown key; did you mean 'bash.preset'?"},
        BadConfig{
            "unknown_section_far_from_all", "[server]\nport = 1\n",
            "wright.toml:1: server: unknown section; there are [agent], [limits], [sessions], "
            "[tool_execution], "
            "[debug], [debug.tool_feedback], "
            "[log], [http], [bash], [hooks], [terminal], [acp], [web], [entities], "
            "[entities.embeddings], [api_keys], "
            "[permissions], [agents], "
            "[vendors], "
            "[models], [mcp]"},
        BadConfig{"section_that_is_a_value", "agent = 3\n",
                  "wright.toml:1: agent: must be a section [agent], not an integer"},
        BadConfig{"number_for_text", "[agent]\nmodel = 5\n",
                  "wright.toml:2: agent.model: must be a string in quotes, not an integer"},
        BadConfig{"text_for_number", "[agent]\nmax_iterations = \"10\"\n",
                  "wright.toml:2: agent.max_iterations: must be an integer, not a string"},
        BadConfig{"fraction_for_number", "[agent]\nmax_iterations = 1.5\n",
                  "wright.toml:2: agent.max_iterations: must be an integer, not a number with a "
                  "fraction"},
        BadConfig{"zero_iterations", "[agent]\nmax_iterations = 0\n",
                  "wright.toml:2: agent.max_iterations: must be from 1 to 1000000, not 0"},
        BadConfig{"too_many_iterations", "[agent]\nmax_iterations = 9223372036854775807\n",
                  "wright.toml:2: agent.max_iterations: must be from 1 to 1000000, not "
                  "9223372036854775807"},
        BadConfig{"text_for_flag", "[api_keys]\nzai_coding_plan = \"yes\"\n",
                  "wright.toml:2: api_keys.zai_coding_plan: must be true or false, not a string"},
        BadConfig{"array_for_key", "[api_keys]\nxai_api_key = [\"a\"]\n",
                  "wright.toml:2: api_keys.xai_api_key: must be a string in quotes, not an array"},
        BadConfig{"empty_path", "[agent]\nbase_path = \"\"\n",
                  "wright.toml:2: agent.base_path: must not be empty"},
        BadConfig{"nul_in_path", "[agent]\nbase_path = \"a\\u0000b\"\n",
                  "wright.toml:2: agent.base_path: must not contain a NUL character"},
        BadConfig{"unset_variable", "[api_keys]\n\n\nxai_api_key = \"${NOPE}\"\n",
                  "wright.toml:4: api_keys.xai_api_key: the environment variable NOPE is not set; "
                  "set it, or give a default: ${NOPE:-…}"},
        BadConfig{
            "open_brace", "[agent]\nmodel = \"${NOPE\"\n",
            "wright.toml:2: agent.model: '${' has no closing '}'; write $${ for a literal ${"},
        BadConfig{"no_variable_name", "[agent]\nmodel = \"${1 2}\"\n",
                  "wright.toml:2: agent.model: '${1 2}' does not name an environment variable; "
                  "write $${ for a literal ${"},
        BadConfig{"several_problems_in_file_order",
                  "[api_keys]\nopenai_key = \"x\"\n[agent]\nmodel = true\nbase = \".\"\n",
                  "wright.toml:2: api_keys.openai_key: unknown key; did you mean "
                  "'api_keys.openai_api_key'?\n"
                  "wright.toml:4: agent.model: must be a string in quotes, not a boolean\n"
                  "wright.toml:5: agent.base: unknown key; did you mean 'agent.base_path'?"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Config, says_where_the_toml_is_broken) {
  EXPECT_TRUE(error_of("[agent]\nmodel = \n").starts_with("wright.toml:2: not valid TOML: "))
      << error_of("[agent]\nmodel = \n");
  EXPECT_TRUE(error_of("[agent\n").starts_with("wright.toml:1: not valid TOML: "));
  EXPECT_TRUE(error_of("[agent]\nmodel='a'\nmodel='b'\n").starts_with("wright.toml:3: "));
  EXPECT_TRUE(error_of("\xff\xfe garbage").starts_with("wright.toml:1: not valid TOML: "));
  EXPECT_TRUE(error_of(std::string(100'000, '[')).starts_with("wright.toml:1: not valid TOML: "));
}

TEST(Config, reads_every_key_with_its_line) {
  const auto file = parse_config(
      "# comment\n[agent]\nmodel = 'offline'\nmax_iterations = 7\n"
      "[api_keys]\nzai_coding_plan = false\nopenai_api_key = 'sk-1'\n",
      "wright.toml", kNothing);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->values.size(), 4U);
  EXPECT_EQ(std::get<std::string>(file->values.at("agent.model").value), "offline");
  EXPECT_EQ(file->values.at("agent.model").line, 3);
  EXPECT_EQ(std::get<std::int64_t>(file->values.at("agent.max_iterations").value), 7);
  EXPECT_EQ(std::get<bool>(file->values.at("api_keys.zai_coding_plan").value), false);
  EXPECT_EQ(file->values.at("api_keys.openai_api_key").line, 7);
}

TEST(Config, keeps_rules_for_commands_in_the_order_of_the_file) {
  const auto file = parse_config(
      "[bash]\npreset = 'minimal'\n[bash.rules]\n'rm *' = 'deny'\n'git *' = 'ask'\n'*' = 'allow'\n",
      "wright.toml", kNothing);
  ASSERT_TRUE(file) << file.error().message;
  using enum intercept::Permission;
  EXPECT_EQ(file->command_rules,
            (std::vector<CommandRule>{{"rm *", deny}, {"git *", ask}, {"*", allow}}));
}

TEST(Config, keeps_permissions_in_the_order_of_the_file) {
  const auto file = parse_config(
      "[permissions]\nwrite_x = 'allow'\n'write_*' = 'ask'\n'*' = 'deny'\nalpha = 'allow'\n",
      "wright.toml", Environment());
  ASSERT_TRUE(file) << file.error().message;
  std::vector<std::string> names;
  for (const auto& rule : file->permissions) names.push_back(rule.tool);
  EXPECT_EQ(names, (std::vector<std::string>{"write_x", "write_*", "*", "alpha"}));
  EXPECT_EQ(file->permissions[1].permission, intercept::Permission::ask);
}

TEST(Config, expands_variables_and_defaults) {
  const Environment environment(
      Environment::Variables{{"NAME", "value"}, {"EMPTY", ""}, {"NESTED", "${NAME}"}});
  const auto model_of = [&](const std::string& text) {
    const auto file = parse_config("[agent]\nmodel = '" + text + "'\n", "wright.toml", environment);
    return file ? std::get<std::string>(file->values.at("agent.model").value)
                : file.error().message;
  };
  EXPECT_EQ(model_of("${NAME}"), "value");
  EXPECT_EQ(model_of("a-${NAME}-${NAME}-b"), "a-value-value-b");
  EXPECT_EQ(model_of("${MISSING:-other}"), "other");
  EXPECT_EQ(model_of("${EMPTY:-other}"), "other");
  EXPECT_EQ(model_of("x${EMPTY}"), "x");
  EXPECT_EQ(model_of("$${NAME}"), "${NAME}");
  EXPECT_EQ(model_of("$NAME costs 5$"), "$NAME costs 5$");
  EXPECT_EQ(model_of("${NESTED}"), "${NAME}");
  EXPECT_EQ(model_of("${MISSING:-${NAME}}"), "value");
  EXPECT_EQ(model_of("${MISSING:-a${EMPTY:-${NAME}-b}c}d}"), "avalue-bcd}");
  EXPECT_EQ(model_of("${MISSING:-${NESTED}}"), "${NAME}") << "values are not expanded again";
  EXPECT_EQ(model_of("${NAME:-${MISSING}}"), "value") << "a default that is not needed";
  EXPECT_EQ(model_of("${MISSING:-$${NAME}}"), "${NAME}");
  const auto says = [&](const std::string& text, std::string_view part) {
    EXPECT_NE(model_of(text).find(part), std::string::npos) << model_of(text);
  };
  says("${MISSING:-${ABSENT}}", "the environment variable ABSENT is not set");
  says("${MISSING:-${NAME}", "has no closing '}'");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "${A:-";
  says(deep + std::string(100, '}'), "more than 20 '${' stand inside of one another");
}

TEST(Config, knows_whether_secrets_stand_in_the_file_itself) {
  const Environment environment(Environment::Variables{{"KEY", "sk-123"}});
  const auto holds = [&](std::string_view toml) {
    return parse_config(toml, "wright.toml", environment)->holds_secrets();
  };
  EXPECT_TRUE(holds("[api_keys]\nxai_api_key = 'sk-123'\n"));
  EXPECT_FALSE(holds("[api_keys]\nxai_api_key = '${KEY}'\n"));
  EXPECT_FALSE(holds("[api_keys]\nxai_api_key = ''\n"));
  EXPECT_FALSE(holds("[agent]\nmodel = 'offline'\n"));
}

TEST(Config, refuses_files_that_cannot_be_read) {
  EXPECT_EQ(read_config("/nonexistent/wright.toml", kNothing).error().message,
            "/nonexistent/wright.toml: cannot read the configuration: No such file or directory");
  EXPECT_EQ(read_config("/", kNothing).error().message,
            "/: cannot read the configuration: Is a directory");
  EXPECT_EQ(read_config("/dev/zero", kNothing).error().message,
            "/dev/zero: the configuration is larger than 1 MB");
}

TEST(Config, writes_a_template_that_is_valid_and_names_every_key) {
  const std::string text = config_template();
  const auto untouched = parse_config(text, "wright.toml", kNothing);
  ASSERT_TRUE(untouched) << untouched.error().message;
  EXPECT_TRUE(untouched->values.empty());

  // With every comment sign before a key removed, every key is set.
  std::string filled;
  Environment::Variables variables;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    at = end + 1;
    for (const ConfigKey& key : kConfigKeys) {
      variables.emplace(key.environment_variable, "x");
      if (line.starts_with("# " + std::string(key.name) + " =")) line.erase(0, 2);
    }
    filled += line + "\n";
  }
  const auto all = parse_config(filled, "wright.toml", Environment(variables));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->values.size(), kConfigKeys.size());
}

}  // namespace
}  // namespace wright::app
