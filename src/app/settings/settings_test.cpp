#include "app/settings/settings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/settings/paths.h"
#include "app/settings/url_password.h"
#include "core/temporary_folder_testing.h"

namespace wright::app {
namespace {

class SettingsTest : public testing::Test {
 protected:
  std::filesystem::path write_config(std::string_view toml) {
    const auto path = home_ / ".config" / "wright" / "config.toml";
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << toml;
    return path;
  }

  Environment environment(Environment::Variables variables = {}) const {
    variables.emplace("HOME", home_.path().string());
    return Environment(std::move(variables));
  }

  const TemporaryFolder home_;
};

TEST_F(SettingsTest, have_defaults_without_a_file) {
  const auto settings = load_settings({}, environment());
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_FALSE(settings->file());
  EXPECT_EQ(settings->database_path(), home_ / ".local/share/wright/agents.db");
  EXPECT_EQ(settings->base_path(), ".");
  EXPECT_EQ(settings->model(), "offline");
  EXPECT_EQ(settings->max_iterations(), std::nullopt);
  EXPECT_EQ(settings->get(keys::kModel).origin.text(), "default");
  EXPECT_EQ(std::get<bool>(settings->get(keys::kZaiCodingPlan).value), true);
}

TEST_F(SettingsTest, do_not_take_the_model_that_answers_for_the_one_that_makes_vectors) {
  SettingFlags flags;
  flags.model = "openai:gpt-5-mini";
  const auto settings = load_settings(flags, environment());
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->model(), "openai:gpt-5-mini");
  EXPECT_EQ(settings->text(keys::kEmbeddingModel), "");
  write_config("[entities.embeddings]\nmodel = 'openai:text-embedding-3-small'\ntime = '5s'\n");
  const auto set = load_settings({}, environment());
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->model(), "offline");
  EXPECT_EQ(set->text(keys::kEmbeddingModel), "openai:text-embedding-3-small");
  EXPECT_EQ(set->duration(keys::kEmbeddingTime), std::chrono::seconds(5));
}

TEST_F(SettingsTest, prefer_flag_over_environment_over_file_over_default) {
  const auto path = write_config("[agent]\nmodel = 'from-file'\nmax_iterations = 3\n");
  const auto from_file = load_settings({}, environment());
  ASSERT_TRUE(from_file) << from_file.error().message;
  EXPECT_EQ(from_file->model(), "from-file");
  EXPECT_EQ(from_file->get(keys::kModel).origin.text(), path.string() + ":2");
  EXPECT_EQ(from_file->max_iterations(), 3);

  const Environment set =
      environment({{"WRIGHT_MODEL", "from-env"}, {"WRIGHT_MAX_ITERATIONS", "4"}});
  const auto from_environment = load_settings({}, set);
  ASSERT_TRUE(from_environment);
  EXPECT_EQ(from_environment->model(), "from-env");
  EXPECT_EQ(from_environment->get(keys::kModel).origin.text(), "environment WRIGHT_MODEL");
  EXPECT_EQ(from_environment->max_iterations(), 4);

  SettingFlags flags;
  flags.model = "from-flag";
  flags.max_iterations = 5;
  const auto from_flag = load_settings(flags, set);
  ASSERT_TRUE(from_flag);
  EXPECT_EQ(from_flag->model(), "from-flag");
  EXPECT_EQ(from_flag->get(keys::kModel).origin.text(), "flag --model");
  EXPECT_EQ(from_flag->max_iterations(), 5);
}

TEST_F(SettingsTest, limit_a_run_on_top_of_the_agent_s_own_limits) {
  const Limits own{.max_iterations = 7, .max_depth = 2};
  const auto usual = load_settings({}, environment());
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(usual->limits(own), own);
  write_config("[limits]\ntool_calls = 3\ntokens = 5000\ncents = 25\ntime = '90s'\nrepeats = 0\n");
  const auto limited = load_settings({}, environment());
  ASSERT_TRUE(limited) << limited.error().message;
  EXPECT_EQ(limited->limits(own), (Limits{.max_iterations = 7,
                                          .max_tool_calls = 3,
                                          .max_tokens = 5000,
                                          .max_cost_usd = 0.25,
                                          .max_time = std::chrono::seconds(90),
                                          .max_repeats = {},
                                          .max_depth = 2}));
}

TEST_F(SettingsTest, take_an_empty_variable_for_none) {
  const auto settings = load_settings({}, environment({{"WRIGHT_MODEL", ""}}));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->model(), "offline");
}

TEST_F(SettingsTest, read_keys_from_the_environment_of_the_vendor) {
  write_config("[api_keys]\nopenai_api_key = 'from-file'\nxai_api_key = '${UNSET:-}'\n");
  const auto settings = load_settings({}, environment({{"OPENAI_API_KEY", "from-env"}}));
  ASSERT_TRUE(settings) << settings.error().message;
  const ConfigKey openai = keys::secret("openai_api_key", "", "");
  EXPECT_EQ(std::get<std::string>(settings->get(openai).value), "from-env");
  const ConfigKey xai = keys::secret("xai_api_key", "", "");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(settings->get(xai).value));
}

TEST_F(SettingsTest, give_each_agent_its_tool_execution) {
  write_config(
      "[tool_execution]\nenable_logging = false\ntruncate_logs = 7\n"
      "[agents.codebase-analysis.tool_execution]\nenable_metadata = false\ntruncate_logs = 0\n");
  const auto settings = load_settings({}, environment());
  ASSERT_TRUE(settings) << settings.error().message;
  const ToolExecutionOptions other = settings->tool_execution("other");
  EXPECT_FALSE(other.enable_logging);
  EXPECT_TRUE(other.enable_metadata);
  EXPECT_EQ(other.truncate_logs, 7U);
  const OwnValues file{{"tool_execution.enable_logging", true},
                       {"tool_execution.truncate_logs", std::int64_t{9}}};
  EXPECT_EQ(settings->tool_execution("other", file).truncate_logs, 9U) << "the agent's own file";
  EXPECT_TRUE(settings->tool_execution("codebase-analysis", file).enable_logging);
  EXPECT_EQ(settings->tool_execution("codebase-analysis", file).truncate_logs, std::nullopt)
      << "what the settings say of this agent";
  SettingFlags flags;
  flags.set = {"tool_execution.truncate_logs=11"};
  EXPECT_EQ(load_settings(flags, environment())->tool_execution("other", file).truncate_logs, 11U)
      << "what is said for this once";
  const ToolExecutionOptions own = settings->tool_execution("codebase-analysis");
  EXPECT_FALSE(own.enable_logging) << "inherited";
  EXPECT_FALSE(own.enable_metadata) << "its own";
  EXPECT_TRUE(own.enable_validation);
  EXPECT_EQ(own.truncate_logs, std::nullopt);
}

TEST_F(SettingsTest, take_any_key_for_this_once) {
  write_config(
      "[agent]\nmodel = 'from-file'\n[tool_execution]\ntimeout = '9s'\n"
      "[agents.helper.tool_execution]\ntimeout = '8s'\nretry_attempts = 4\n");
  const auto timeout_of = [](const Settings& settings, std::string_view agent) {
    return std::get<std::string>(settings.get(keys::kTimeout, agent).value);
  };
  SettingFlags flags;
  const auto from_file = load_settings(flags, environment());
  ASSERT_TRUE(from_file) << from_file.error().message;
  EXPECT_EQ(timeout_of(*from_file, "other"), "9s");
  EXPECT_EQ(timeout_of(*from_file, "helper"), "8s");

  flags.set = {"tool_execution.timeout=5s", "agent.model=a=b", "tool_execution.timeout=7s"};
  const auto general = load_settings(flags, environment({{"WRIGHT_MODEL", "from-env"}}));
  ASSERT_TRUE(general) << general.error().message;
  EXPECT_EQ(general->model(), "a=b");
  EXPECT_EQ(general->get(keys::kModel).origin.text(), "flag --set agent.model");
  EXPECT_EQ(timeout_of(*general, "other"), "7s") << "the last one counts";
  EXPECT_EQ(timeout_of(*general, "helper"), "7s") << "over the agent's section in the file";
  EXPECT_EQ(std::get<std::int64_t>(general->get(keys::kRetryAttempts, "helper").value), 4);

  flags.set.push_back("agents.helper.tool_execution.timeout=6s");
  const auto own = load_settings(flags, environment());
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(timeout_of(*own, "helper"), "6s");
  EXPECT_EQ(timeout_of(*own, "other"), "7s");

  flags.model = "from-flag";
  EXPECT_EQ(load_settings(flags, environment())->model(), "from-flag") << "what has its own flag";
}

TEST_F(SettingsTest, put_rules_for_this_once_before_those_of_the_file) {
  using intercept::Permission;
  write_config("[permissions]\ngrep = \"deny\"\n[bash.rules]\n\"touch *\" = \"deny\"\n");
  SettingFlags flags;
  flags.set = {"permissions.read_*=ask", "permissions.grep=allow", "bash.rules.touch *=allow",
               "bash.rules.CC=* make *=ask"};
  const auto settings = load_settings(flags, environment());
  ASSERT_TRUE(settings) << settings.error().message;
  const auto permissions = settings->permissions();
  ASSERT_EQ(permissions.size(), 3U);
  EXPECT_EQ(permissions[0].tool, "read_*");
  EXPECT_EQ(permissions[0].permission, Permission::ask);
  EXPECT_EQ(permissions[1].tool, "grep");
  EXPECT_EQ(permissions[1].permission, Permission::allow);
  EXPECT_EQ(permissions[2].permission, Permission::deny);
  EXPECT_EQ(settings->command_rules(), (std::vector<CommandRule>{{"touch *", Permission::allow},
                                                                 {"CC=* make *", Permission::ask},
                                                                 {"touch *", Permission::deny}}));
}

TEST_F(SettingsTest, refuse_rules_that_are_none) {
  for (const char* wrong : {"permissions.grep=maybe", "permissions.=allow",
                            "bash.rules.ls *=", "bash.rules.=deny", "bash.rules.'ls=allow"}) {
    SettingFlags flags;
    flags.set = {wrong};
    const auto settings = load_settings(flags, environment());
    ASSERT_FALSE(settings) << wrong;
    EXPECT_TRUE(settings.error().message.starts_with(std::string("--set ") + wrong))
        << settings.error().message;
  }
  SettingFlags flags;
  flags.set = {"bash.rules.=deny"};
  EXPECT_EQ(load_settings(flags, environment()).error().message,
            "--set bash.rules.=deny: nothing stands between 'bash.rules.' and the last '='");
}

TEST_F(SettingsTest, refuse_what_cannot_be_set_and_name_the_key) {
  const auto error_of = [&](const char* assignment) {
    SettingFlags flags;
    flags.set = {assignment};
    const auto settings = load_settings(flags, environment());
    return settings ? "accepted" : settings.error().message;
  };
  EXPECT_EQ(error_of("tool_execution.timeout"),
            "--set needs KEY=VALUE, such as tool_execution.timeout=30s, not "
            "'tool_execution.timeout'");
  EXPECT_EQ(error_of("=5"), "--set needs KEY=VALUE, such as tool_execution.timeout=30s, not '=5'");
  EXPECT_EQ(error_of("tool_execution.timeuot=5s"),
            "--set tool_execution.timeuot: unknown key; did you mean 'tool_execution.timeout'?");
  EXPECT_EQ(error_of("weather=5"), "--set weather: unknown key; `wright config` lists the keys");
  EXPECT_EQ(error_of("agents..tool_execution.timeout=5s").find("--set agents..tool"), 0U);
  EXPECT_EQ(error_of("tool_execution.timeout="), "--set tool_execution.timeout must not be empty");
  EXPECT_EQ(error_of("tool_execution.coercion=yes"),
            "--set tool_execution.coercion must be true or false, not 'yes'");
  EXPECT_EQ(
      error_of("agents.helper.tool_execution.cache_entries=-1"),
      "--set agents.helper.tool_execution.cache_entries must be from 0 to 1000000000, not -1");
  EXPECT_EQ(error_of("api_keys.xai_api_key=x"),
            "--set api_keys.xai_api_key: other users can read a command line; use the environment "
            "variable XAI_API_KEY");
}

TEST_F(SettingsTest, have_the_conveniences_on_by_default) {
  const auto settings = load_settings({}, environment());
  ASSERT_TRUE(settings);
  const ToolExecutionOptions options = settings->tool_execution("any");
  EXPECT_TRUE(options.enable_validation && options.enable_logging && options.enable_metadata &&
              options.log_arguments);
  EXPECT_EQ(options.truncate_logs, 100U);
  EXPECT_TRUE(settings->permissions().empty());
}

TEST_F(SettingsTest, know_every_secret) {
  write_config("[api_keys]\nopenai_api_key = 'from-file'\n");
  const auto settings = load_settings({}, environment({{"XAI_API_KEY", "from-env"}}));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->secrets(), (std::vector<std::string>{"from-file", "from-env"}));
}

TEST_F(SettingsTest, take_the_password_in_a_url_for_a_secret) {
  write_config("[web]\nproxy = 'http://ann:s3cret-word@proxy.example:3128'\n");
  const auto settings = load_settings({}, environment({}));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->secrets(), std::vector<std::string>{"s3cret-word"});
  EXPECT_EQ(without_password(settings->text(keys::kWebProxy)), "http://ann:…@proxy.example:3128");
  for (const char* plain : {"http://proxy.example:3128", "http://ann@proxy.example:3128/a:b@c",
                            "src/a:b@c", "", "://", "http://"}) {
    EXPECT_EQ(without_password(plain), plain);
  }
}

TEST_F(SettingsTest, expand_the_home_folder_in_paths) {
  write_config("[agent]\nbase_path = '~/src'\n");
  SettingFlags flags;
  flags.database_path = "~/x.db";
  const auto settings = load_settings(flags, environment());
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->base_path(), home_ / "src");
  EXPECT_EQ(settings->database_path(), home_ / "x.db");
}

TEST_F(SettingsTest, follow_the_xdg_variables_when_they_are_absolute) {
  EXPECT_EQ(default_config_file(environment({{"XDG_CONFIG_HOME", "/conf"}})),
            "/conf/wright/config.toml");
  EXPECT_EQ(default_database_file(environment({{"XDG_DATA_HOME", "/data"}})),
            "/data/wright/agents.db");
  EXPECT_EQ(default_config_file(environment({{"XDG_CONFIG_HOME", "relative"}})),
            home_ / ".config/wright/config.toml");
  EXPECT_EQ(default_config_file(Environment()), "");
}

TEST_F(SettingsTest, refuse_a_file_that_was_asked_for_and_is_missing) {
  SettingFlags flags;
  flags.config = "/nonexistent.toml";
  EXPECT_EQ(load_settings(flags, environment()).error().message,
            "/nonexistent.toml: cannot read the configuration: No such file or directory");
  EXPECT_FALSE(load_settings({}, environment({{"WRIGHT_CONFIG", "/nonexistent.toml"}})));
}

TEST_F(SettingsTest, refuse_bad_values_and_name_their_source) {
  const auto error_of = [&](const char* value) {
    return load_settings({}, environment({{"WRIGHT_MAX_ITERATIONS", value}})).error().message;
  };
  EXPECT_EQ(error_of("many"), "WRIGHT_MAX_ITERATIONS must be a whole number, not 'many'");
  EXPECT_EQ(error_of("10x"), "WRIGHT_MAX_ITERATIONS must be a whole number, not '10x'");
  EXPECT_EQ(error_of("-1"), "WRIGHT_MAX_ITERATIONS must be from 1 to 1000000, not -1");
  SettingFlags flags;
  flags.model = "";
  EXPECT_EQ(load_settings(flags, environment()).error().message, "--model must not be empty");
}

TEST(Masking, keeps_just_enough_to_recognise_a_key) {
  EXPECT_EQ(masked("sk-proj-0123456789abcdefc3f2"), "sk-…c3f2");
  EXPECT_EQ(masked("short"), "…");
  EXPECT_EQ(masked("fifteen-letters"), "…");
  EXPECT_EQ(masked("ключ-ключ-ключ-ключ"), "…");
  EXPECT_EQ(masked("has spaces and\x1b[31mescapes"), "…");
}

}  // namespace
}  // namespace wright::app
