// One test for each sentence of what the conveniences have to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "wright/interceptors.h"
#include "wright/testing.h"

namespace {

struct Place {
  std::string city;
  int days = 1;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city), WRIGHT_FIELD(days).with_default())

struct Weather {
  std::string sky;
  bool success = true;
};
WRIGHT_DESCRIBE(Weather, WRIGHT_FIELD(sky), WRIGHT_FIELD(success))

}  // namespace

namespace wright {
namespace {

using testing::call;

struct Logged {
  LogLevel level;
  std::string message;
  std::map<std::string, std::string> texts;
  std::map<std::string, double> numbers;
};

class Conveniences : public ::testing::Test {
 protected:
  Logger logger(LogLevel minimum = LogLevel::debug) {
    return Logger(
        [this](const LogRecord& record) {
          Logged logged{record.level, std::string(record.message), {}, {}};
          for (const LogField& field : record.fields) {
            const std::string name(field.name);
            if (const auto* text = std::get_if<std::string_view>(&field.value)) {
              logged.texts[name] = *text;
            } else if (const auto* number = std::get_if<double>(&field.value)) {
              logged.numbers[name] = *number;
            }
          }
          log_.push_back(std::move(logged));
        },
        minimum);
  }

  std::vector<std::string> messages() const {
    std::vector<std::string> texts;
    for (const Logged& each : log_) texts.push_back(each.message);
    return texts;
  }

  ToolOutcome run(const Tool& tool, const std::string& arguments,
                  const ToolExecutionOptions& options = {}) {
    Agent agent{.tools = {tool}};
    add_conveniences(agent, options, logger());
    return execute(agent, call(tool.spec.name, arguments, "c1"), Context{.agent_name = "helper"});
  }

  // A plain callable over a hand-written schema: nothing to inherit from, nothing to implement.
  static Tool raw_tool() {
    return *tool({.name = "search",
                  .description = "Searches",
                  .parameters = *parse_json(
                      R"({"type":"object","properties":{"query":{"type":"string"},
                          "limit":{"type":"integer"}},"required":["query"]})")},
                 [](const Json& arguments, const Context&) -> Result<Json> {
                   return JsonObject{{"found", arguments.at("query")}, {"success", true}};
                 });
  }

  std::vector<Logged> log_;
};

// --- before the execution ----------------------------------------------------------------------

TEST_F(Conveniences, validate_tool_arguments_against_the_tool_definition) {
  EXPECT_FALSE(run(raw_tool(), R"({"query":"x","limit":3})").result.is_error);
  EXPECT_TRUE(run(raw_tool(), R"({"query":"x","limit":"3"})").result.is_error);
}

TEST_F(Conveniences, check_that_required_parameters_are_present) {
  EXPECT_EQ(run(raw_tool(), "{}").error_message(), "Missing required parameter: query");
}

TEST_F(Conveniences, validate_that_parameter_types_match) {
  EXPECT_EQ(run(raw_tool(), R"({"query":5})").error_message(),
            "Parameter query must be a string, not an integer");
}

TEST_F(Conveniences, validation_can_be_disabled) {
  const auto outcome = run(raw_tool(), R"({"query":5})", {.enable_validation = false});
  EXPECT_FALSE(outcome.result.is_error);
  EXPECT_EQ(outcome.response.at("found"), Json(5));
}

TEST_F(Conveniences, log_the_tool_name_when_it_starts) {
  run(raw_tool(), R"({"query":"x"})");
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[0].message, "[TOOL EXECUTION] Starting search");
  EXPECT_EQ(log_[0].level, LogLevel::debug);
  EXPECT_EQ(log_[0].texts.at("agent"), "helper");
  EXPECT_EQ(log_[0].texts.at("call_id"), "c1");
}

TEST_F(Conveniences, log_the_arguments_passed) {
  run(raw_tool(), R"({"query":"x"})");
  EXPECT_EQ(log_[0].texts.at("arguments"), R"({"query":"x"})");
  log_.clear();
  run(raw_tool(), R"({"query":"x"})", {.log_arguments = false});
  EXPECT_FALSE(log_[0].texts.contains("arguments"));
}

TEST_F(Conveniences, truncate_large_payloads_in_logs_and_never_cut_a_character) {
  std::string query;
  for (int i = 0; i < 200; ++i) query += "é";
  const std::string arguments = R"({"query":")" + query + "\"}";
  run(raw_tool(), arguments);
  const std::string logged = log_[0].texts.at("arguments");
  EXPECT_TRUE(is_valid_utf8(logged));
  // 100 characters: the 10 of {"query":" and 90 letters of two bytes.
  EXPECT_EQ(logged, arguments.substr(0, 10 + 90 * 2) + "...");
  log_.clear();
  run(raw_tool(), arguments, {.truncate_logs = std::nullopt});
  EXPECT_EQ(log_[0].texts.at("arguments"), arguments);
  log_.clear();
  run(raw_tool(), R"({"query":"x"})", {.truncate_logs = 13});
  EXPECT_EQ(log_[0].texts.at("arguments"), R"({"query":"x"})") << "exactly as long as allowed";
}

// --- after the execution -----------------------------------------------------------------------

TEST_F(Conveniences, log_completion_with_a_duration_of_two_decimals) {
  run(raw_tool(), R"({"query":"x"})");
  EXPECT_TRUE(std::regex_match(
      log_[1].message, std::regex(R"(\[TOOL EXECUTION\] Completed search \(\d+\.\d\dms\))")))
      << log_[1].message;
  EXPECT_EQ(log_[1].level, LogLevel::debug);
}

TEST_F(Conveniences, include_the_same_duration_in_logs_and_metadata) {
  const auto outcome = run(raw_tool(), R"({"query":"x"})");
  const double stamped =
      outcome.response.at("_execution_metadata").at("duration_ms").to_number<double>();
  const double logged = log_[1].numbers.at("duration_ms");
  EXPECT_EQ(stamped, logged);
  EXPECT_EQ(stamped, std::round(stamped * 100) / 100);
}

TEST_F(Conveniences, log_failure_when_the_result_says_so) {
  const Tool failing =
      tool("fetch", "", [] { return Weather{.sky = "unknown", .success = false}; });
  EXPECT_FALSE(run(failing, "").result.is_error) << "the result itself is passed on";
  EXPECT_TRUE(std::regex_match(log_[1].message,
                               std::regex(R"(\[TOOL EXECUTION\] Failed fetch \(\d+\.\d\dms\))")))
      << log_[1].message;
  EXPECT_EQ(log_[1].level, LogLevel::warning);
}

TEST_F(Conveniences, a_success_that_is_not_a_boolean_is_no_failure) {
  for (const Json& success : {Json(nullptr), Json("false"), Json(0), Json(true)}) {
    log_.clear();
    run(*tool(ToolSpec{.name = "odd"},
              [&](const Json&, const Context&) -> Result<Json> {
                return JsonObject{{"success", success}};
              }),
        "");
    EXPECT_NE(log_.at(1).message.find("Completed odd"), std::string::npos) << to_text(success);
  }
}

TEST_F(Conveniences, add_metadata_to_results_that_are_objects) {
  const auto outcome = run(raw_tool(), R"({"query":"x"})");
  const JsonObject& stamped = outcome.response.at("_execution_metadata").as_object();
  EXPECT_EQ(stamped.size(), 4U);
  EXPECT_TRUE(stamped.at("duration_ms").is_double());
  EXPECT_EQ(stamped.at("tool_name"), Json("search"));
  EXPECT_EQ(stamped.at("agent_name"), Json("helper"));
  EXPECT_TRUE(std::regex_match(std::string(stamped.at("timestamp").as_string()),
                               std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)")));
}

TEST_F(Conveniences, preserve_the_original_result) {
  const auto outcome = run(raw_tool(), R"({"query":"x"})");
  EXPECT_EQ(outcome.response.at("found"), Json("x"));
  EXPECT_EQ(outcome.response.as_object().begin()->key(), "found") << "the stamp comes last";
  const Tool text = tool("say", "", [] { return std::string("plain"); });
  EXPECT_EQ(run(text, "").response, Json("plain"));
  const Tool list = tool("list", "", [] { return std::vector<int>{1, 2}; });
  EXPECT_EQ(run(list, "").response, (Json{1, 2}));
}

TEST_F(Conveniences, an_existing_key_is_not_lost) {
  const auto stamped_by = [](Json existing) {
    return *tool(ToolSpec{.name = "own"}, [existing](const Json&, const Context&) -> Result<Json> {
      return JsonObject{{"_execution_metadata", existing}};
    });
  };
  const auto merged = run(stamped_by(JsonObject{{"duration_ms", "mine"}, {"extra", 1}}), "");
  EXPECT_EQ(merged.response.at("_execution_metadata").at("duration_ms"), Json("mine"));
  EXPECT_EQ(merged.response.at("_execution_metadata").at("extra"), Json(1));
  EXPECT_EQ(merged.response.at("_execution_metadata").at("tool_name"), Json("own"));
  EXPECT_EQ(run(stamped_by("text"), "").response.at("_execution_metadata"), Json("text"));
}

TEST_F(Conveniences, log_errors_with_their_message) {
  const Tool failing = tool("fetch", "", []() -> Result<int> {
    return fail(ErrorCode::unavailable, "The host is down");
  });
  const auto outcome = run(failing, "");
  EXPECT_EQ(log_[1].message, "[TOOL EXECUTION] Error in fetch: The host is down");
  EXPECT_EQ(log_[1].level, LogLevel::error);
  EXPECT_EQ(log_[1].texts.at("code"), "unavailable");
  EXPECT_FALSE(log_[1].texts.contains("stack")) << "a returned error has no stack";
  EXPECT_EQ(outcome.error_message(), "The host is down");
}

TEST_F(Conveniences, log_exceptions_with_the_first_frames_and_pass_them_on) {
  const Tool throwing = tool("boom", "", []() -> int { throw std::runtime_error("kaboom"); });
  const auto outcome = run(throwing, "");
  EXPECT_EQ(log_[1].message, "[TOOL EXECUTION] Error in boom: kaboom");
  const std::string stack = log_[1].texts.at("stack");
  EXPECT_FALSE(stack.empty());
  EXPECT_LE(std::ranges::count(stack, '<') - std::ranges::count(stack, '>'), 5);
  EXPECT_EQ(outcome.error_message(), "kaboom");
  EXPECT_TRUE(outcome.result.is_error);
}

TEST_F(Conveniences, pass_errors_on_unchanged) {
  Error seen;
  auto list = conveniences({}, logger());
  list.insert(list.begin(),
              intercept::after([&](const Invocation&, const Context&, Result<ToolReply>& reply) {
                seen = reply.error();
              }));
  const Tool failing = tool("fetch", "", []() -> Result<int> {
    return fail(ErrorCode::protocol, "bad answer", JsonObject{{"status", 502}});
  });
  execute({&failing, 1}, list, call("fetch"), {});
  EXPECT_EQ(seen, (Error{ErrorCode::protocol, "bad answer", JsonObject{{"status", 502}}}));
}

TEST_F(Conveniences, refused_arguments_are_logged_as_errors) {
  run(raw_tool(), "{}");
  EXPECT_EQ(messages(),
            (std::vector<std::string>{
                "[TOOL EXECUTION] Starting search",
                "[TOOL EXECUTION] Error in search: Missing required parameter: query"}));
}

// --- configuration -----------------------------------------------------------------------------

TEST_F(Conveniences, have_the_defaults_of_the_specification) {
  const ToolExecutionOptions options;
  EXPECT_TRUE(options.enable_validation);
  EXPECT_TRUE(options.enable_logging);
  EXPECT_TRUE(options.enable_metadata);
  EXPECT_TRUE(options.log_arguments);
  EXPECT_EQ(options.truncate_logs, 100U);
}

TEST_F(Conveniences, logging_can_be_disabled) {
  run(raw_tool(), R"({"query":"x"})", {.enable_logging = false});
  EXPECT_TRUE(log_.empty());
}

TEST_F(Conveniences, metadata_can_be_disabled) {
  const auto outcome = run(raw_tool(), R"({"query":"x"})", {.enable_metadata = false});
  EXPECT_FALSE(outcome.response.as_object().contains("_execution_metadata"));
}

TEST_F(Conveniences, with_everything_off_are_nothing_at_all) {
  EXPECT_TRUE(
      conveniences({.enable_validation = false, .enable_logging = false, .enable_metadata = false},
                   logger())
          .empty());
}

TEST_F(Conveniences, a_logger_that_is_off_hears_nothing) {
  const Tool tool = raw_tool();
  const auto outcome = execute({&tool, 1}, conveniences({}, logger(LogLevel::off)),
                               call("search", R"({"query":"x"})"), {});
  EXPECT_FALSE(outcome.result.is_error);
  EXPECT_TRUE(log_.empty());
}

// --- tools that see to it themselves, and plain agents -------------------------------------------

TEST_F(Conveniences, a_tool_that_provides_them_is_not_logged_validated_or_stamped_twice) {
  Tool wrapped = raw_tool();
  wrapped.spec.options.provides = {.logging = true, .metadata = true};
  wrapped.check = [](const Json&) -> Result<void> { return {}; };
  const auto outcome = run(wrapped, R"({"query":7})");
  EXPECT_FALSE(outcome.result.is_error) << "its own check decides";
  EXPECT_TRUE(log_.empty());
  EXPECT_EQ(outcome.response, (Json{{"found", 7}, {"success", true}}));
}

TEST_F(Conveniences, a_tool_of_a_struct_is_checked_once_by_its_decoding) {
  const Tool typed = tool("weather", "", [](const Place& p) { return Weather{.sky = p.city}; });
  EXPECT_EQ(run(typed, R"({"city":5})").error_message(),
            "Parameter city must be a string, not an integer");
  EXPECT_EQ(run(typed, R"({"city":"Oslo"})").response.at("sky"), Json("Oslo"));
  ASSERT_EQ(log_.size(), 4U);
  EXPECT_EQ(log_[1].message,
            "[TOOL EXECUTION] Error in weather: Parameter city must be a string, not an integer");
}

TEST_F(Conveniences, an_agent_without_them_checks_arguments_and_does_nothing_else) {
  const Tool tool = raw_tool();
  const auto outcome = execute({&tool, 1}, {}, call("search", R"({"query":"x"})"), {});
  EXPECT_EQ(outcome.response, (Json{{"found", "x"}, {"success", true}}));
  EXPECT_TRUE(execute({&tool, 1}, {}, call("search", R"({"query":5})"), {}).result.is_error);
}

TEST_F(Conveniences, a_renamed_tool_is_logged_and_stamped_by_its_new_name) {
  const auto outcome = run(raw_tool().as("perplexity_search"), R"({"query":"x"})");
  EXPECT_EQ(log_[0].message, "[TOOL EXECUTION] Starting perplexity_search");
  EXPECT_EQ(outcome.response.at("_execution_metadata").at("tool_name"), Json("perplexity_search"));
}

TEST_F(Conveniences, secrets_in_arguments_and_errors_are_not_logged) {
  const Tool failing = tool("login", "", [](const Place& p) -> Result<int> {
    return fail(ErrorCode::tool_failed, "no entry with " + p.city);
  });
  execute({&failing, 1}, conveniences({}, logger(), Redactor({"pa\"ss\nword"})),
          call("login", R"({"city":"pa\"ss\nword"})"), {});
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[0].texts.at("arguments"), R"({"city":"[REDACTED]"})");
  EXPECT_EQ(log_[1].message, "[TOOL EXECUTION] Error in login: no entry with [REDACTED]");
}

TEST_F(Conveniences, a_call_that_waits_for_a_person_is_no_error) {
  const Tool asking = tool("ask", "", [] { return Waiting{.shown = "Sure?"}; });
  EXPECT_TRUE(run(asking, "").waiting);
  EXPECT_EQ(log_[1].level, LogLevel::info);
  EXPECT_EQ(log_[1].message, "[TOOL EXECUTION] Waiting for a person: ask");
  run(tool("hand_on", "", [] { return Delegate{"Do it"}; }), "");
  EXPECT_EQ(log_[3].message, "[TOOL EXECUTION] Waiting for a specialist: hand_on");
}

TEST_F(Conveniences, hooks_of_ones_own_are_three_lines) {
  std::string seen;
  auto list = conveniences({}, logger());
  list.push_back(intercept::before(
      [&](const Invocation& invocation, const Context&) { seen += invocation.call.name; }));
  list.push_back(
      intercept::before([](const Invocation& invocation, const Context&) -> Result<void> {
        if (invocation.arguments.at("query") == Json("forbidden")) {
          return fail(ErrorCode::permission_denied, "not that");
        }
        return {};
      }));
  list.push_back(intercept::after([](const Invocation&, const Context&, Result<ToolReply>& reply) {
    if (Output* output = intercept::output_of(reply)) {
      output->value.as_object()["checked"] = true;
    }
  }));
  const Tool tool = raw_tool();
  EXPECT_EQ(
      execute({&tool, 1}, list, call("search", R"({"query":"forbidden"})"), {}).error_message(),
      "not that");
  const auto outcome = execute({&tool, 1}, list, call("search", R"({"query":"x"})"), {});
  EXPECT_EQ(outcome.response.at("checked"), Json(true));
  EXPECT_EQ(seen, "searchsearch");
}

}  // namespace
}  // namespace wright
