// Debug mode, `wright feedback` and `wright stats` on the real program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

constexpr const char* kAgent = "codebase-analysis";
constexpr const char* kLongFunctions = "Which functions have more than 200 lines?";
constexpr const char* kWithCalls = "Where is alpha_function defined?";  // also without the index

TEST(DebugMode, tells_beside_the_answer_and_never_in_it) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  const Finished plain = home.wright({"run", kAgent, kLongFunctions});
  EXPECT_FALSE(has(plain.error, "DEBUG MODE")) << plain.error;
  const Finished debug = home.wright({"run", kAgent, kLongFunctions, "--debug"});
  EXPECT_EQ(debug.exit_code, 0);
  EXPECT_EQ(debug.output, plain.output);
  EXPECT_TRUE(has(debug.error, "[DEBUG MODE ACTIVE]\nTool Feedback:\n")) << debug.error;
  EXPECT_TRUE(has(debug.error, "codebase-analysis: Set entities.index to true\n")) << debug.error;
  const Finished called = home.wright({"run", kAgent, kWithCalls, "--debug"});
  EXPECT_TRUE(has(called.error, "How the answer was constructed:\n   - Called ")) << called.error;
  const Finished quiet = home.wright({"run", kAgent, kLongFunctions, "--debug", "--quiet"});
  EXPECT_TRUE(quiet.error.starts_with("\n[DEBUG MODE ACTIVE]\n")) << quiet.error;
}

TEST(DebugMode, is_a_member_of_the_json) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  const Json plain = home.wright({"run", kAgent, kLongFunctions, "--json"}).json();
  EXPECT_FALSE(plain.as_object().contains("tool_feedback"));
  const Json debug = home.wright({"run", kAgent, kLongFunctions, "--json", "--debug"}).json();
  const JsonObject& feedback = debug.at("tool_feedback").as_object();
  for (const char* member :
       {"tools_used", "tools_considered", "limitations", "suggestions", "answer_quality"}) {
    EXPECT_TRUE(feedback.contains(member)) << member;
  }
  EXPECT_EQ(feedback.at("suggestions").at(0).at("config_change").at("example"),
            "[entities]\nindex = true");
  EXPECT_TRUE(feedback.contains("construction"));
  EXPECT_FALSE(plain.as_object().contains("reasoning"));
  const Json called = home.wright({"run", kAgent, kWithCalls, "--json", "--debug"}).json();
  EXPECT_TRUE(called.at("reasoning").is_string()) << to_text(called.at("reasoning"));
  // What the tracker saw is what was done.
  std::size_t tracked = 0;
  for (const Json& tool : debug.at("feedback_record").at("usage").as_array()) {
    tracked += static_cast<std::size_t>(tool.at("calls").as_int64());
  }
  EXPECT_EQ(tracked, debug.at("tool_calls").as_array().size());
}

bool gives_feedback(const Home& home, Arguments more) {
  Arguments arguments{"run", kAgent, kLongFunctions, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished finished = home.wright(arguments);
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  return finished.json().as_object().contains("tool_feedback");
}

TEST(DebugMode, is_switched_by_flag_over_file_over_environment) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  EXPECT_FALSE(gives_feedback(home, {}));
  home.environment["WRIGHT_AGENT_DEBUG"] = "true";
  EXPECT_TRUE(gives_feedback(home, {}));
  home.environment["WRIGHT_AGENT_DEBUG"] = "1";
  EXPECT_TRUE(gives_feedback(home, {}));
  EXPECT_FALSE(gives_feedback(home, {"--no-debug"}));
  home.write_config("[debug]\nenabled = false\n");
  EXPECT_FALSE(gives_feedback(home, {}));
  EXPECT_TRUE(gives_feedback(home, {"--debug"}));
  EXPECT_TRUE(gives_feedback(home, {"--set", "debug.enabled=true"}));
  home.write_config("[agents.codebase-analysis.debug]\nenabled = true\n[debug]\nenabled = false\n");
  EXPECT_TRUE(gives_feedback(home, {}));
  home.environment["WRIGHT_AGENT_DEBUG"] = "0";
  EXPECT_TRUE(gives_feedback(home, {}));
  home.write_config("[debug]\nenabled = true\n[debug.tool_feedback]\nenabled = false\n");
  EXPECT_FALSE(gives_feedback(home, {}));
}

TEST(DebugMode, follows_the_options_of_the_file) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  home.write_config(
      "[debug]\nenabled = true\ntrack_performance = true\n[debug.tool_feedback]\n"
      "include_reasoning = false\ninclude_limitations = false\ninclude_suggestions = false\n"
      "include_alternatives = true\n");
  const Json json = home.wright({"run", kAgent, kWithCalls, "--json"}).json();
  const Json& feedback = json.at("tool_feedback");
  EXPECT_EQ(feedback.at("tools_used").at(0).at("purpose"), "");
  EXPECT_TRUE(feedback.at("limitations").as_array().empty());
  EXPECT_TRUE(feedback.at("suggestions").as_array().empty());
  EXPECT_TRUE(feedback.as_object().contains("alternatives"));
  EXPECT_TRUE(json.at("feedback_record").at("usage").at(0).as_object().contains("total_ms"));
  const Finished verbose =
      home.wright({"run", kAgent, kWithCalls, "--quiet", "--set", "debug.verbose_logging=true"});
  EXPECT_TRUE(has(verbose.error, "[TOOL FEEDBACK] A call ended")) << verbose.error;
}

TEST(DebugMode, refuses_settings_that_mean_nothing) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  home.environment["WRIGHT_AGENT_DEBUG"] = "perhaps";
  const Finished unclear = home.wright({"run", kAgent, kLongFunctions});
  EXPECT_EQ(unclear.exit_code, 2);
  EXPECT_TRUE(has(unclear.error, "WRIGHT_AGENT_DEBUG")) << unclear.error;
  home.environment.erase("WRIGHT_AGENT_DEBUG");
  home.write_config("[debug.tool_feedback]\ninclude_everything = true\n");
  const Finished unknown = home.wright({"run", kAgent, kLongFunctions});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(has(unknown.error, "debug.tool_feedback.include_everything: unknown key"))
      << unknown.error;
}

TEST(DebugMode, is_kept_with_the_session) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  home.wright({"run", kAgent, kLongFunctions, "--debug"});
  EXPECT_TRUE(has(home.wright({"sessions", "show", "last"}).output, "[DEBUG MODE ACTIVE]"));
  const Json exported = home.wright({"sessions", "export", "last"}).json();
  EXPECT_EQ(exported.at("session")
                .at("feedback")
                .at("tool_feedback")
                .at("suggestions")
                .at(0)
                .at("config_change")
                .at("change"),
            "Set entities.index to true");
  const std::string markdown =
      home.wright({"sessions", "export", "last", "--format", "markdown"}).output;
  EXPECT_TRUE(has(markdown, "\n## Tool feedback\n\n```\n[DEBUG MODE ACTIVE]\n")) << markdown;
  home.wright({"run", kAgent, kLongFunctions});
  EXPECT_FALSE(has(home.wright({"sessions", "show", "last"}).output, "DEBUG MODE"));
  EXPECT_TRUE(
      home.wright({"sessions", "export", "last"}).json().at("session").at("feedback").is_null());
}

// Every setting that is proposed can be set.
TEST(DebugMode, proposes_settings_that_exist) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";
  home.write_config("[permissions]\nread_file = \"deny\"\n");
  for (const char* question :
       {kLongFunctions, "Which functions changed in the last week?", "Read /etc/hostname",
        "Show me the file alpha.cpp", "How many functions call main, without tests?"}) {
    const Json json = home.wright({"run", kAgent, question, "--json", "--debug"}).json();
    for (const Json& each : json.at("tool_feedback").at("suggestions").as_array()) {
      const Json* change = each.as_object().if_contains("config_change");
      if (change == nullptr) continue;
      const std::string example(change->at("example").as_string());
      if (!example.starts_with('[')) continue;
      home.write_file("proposed.toml", example);
      const Finished taken = home.wright({"config", "--config", "proposed.toml"});
      EXPECT_EQ(taken.exit_code, 0) << example << "\n" << taken.error;
    }
  }
}

TEST(DebugMode, is_there_in_chats_and_when_sessions_go_on) {
  Home home;
  const Finished chat = home.wright({"chat", kAgent, "--debug", "-q"},
                                    "Where is alpha_function defined?\nWhat is in README.md?\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  EXPECT_FALSE(has(chat.output, "DEBUG MODE"));
  const std::size_t first = chat.error.find("[DEBUG MODE ACTIVE]");
  ASSERT_NE(first, std::string::npos) << chat.error;
  EXPECT_NE(chat.error.find("[DEBUG MODE ACTIVE]", first + 1), std::string::npos)
      << "after every answer";
  EXPECT_FALSE(has(home.wright({"chat", kAgent}, "hello\n").error, "DEBUG MODE"));

  home.write_config("[permissions]\ngrep = \"ask\"\n[debug]\nenabled = true\n");
  EXPECT_TRUE(has(home.wright({"chat", kAgent, "--no-input"}, "hello\n").error, "DEBUG MODE"));
  EXPECT_FALSE(has(home.wright({"chat", kAgent, "--no-debug"}, "hello\n").error, "DEBUG MODE"));
  home.write_config("[permissions]\ngrep = \"ask\"\n");
  ASSERT_EQ(home.wright({"run", kAgent, "Where is alpha_function defined?"}).exit_code, 3);
  ASSERT_EQ(home.wright({"answer", "last", "--approve", "session"}).exit_code, 0);
  const Finished resumed = home.wright({"resume", "last", "--debug"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_TRUE(has(resumed.error, "[DEBUG MODE ACTIVE]\nTool Feedback:\n")) << resumed.error;
}

TEST(DebugMode, may_be_said_in_the_file_of_an_agent) {
  Home home;
  const auto file = home.path() / ".config/wright/agents/counter.toml";
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << R"(
description = "Counts"
domain = "arithmetic"
instructions = "Count."
tools = ["grep"]
[debug]
enabled = true
[debug.tool_feedback]
include_alternatives = true
[metadata]
owner = "tests"
since = 2026-03-01
levels = [1, 2.5, true]
)";
  const auto feedback = [&](Arguments more) {
    Arguments arguments{"run", "counter", "Functions with more than 200 lines?", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = home.wright(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.error;
    const JsonObject json = finished.json().as_object();
    return json.contains("tool_feedback") ? json.at("tool_feedback") : Json(nullptr);
  };
  const Json told = feedback({});
  ASSERT_TRUE(told.is_object());
  EXPECT_TRUE(told.as_object().contains("alternatives"));
  // It has no number_range_search, because its file does not name it.
  EXPECT_EQ(told.at("suggestions").at(0).at("config_change").at("change"),
            "Add number_range_search to the tools in the file of the agent");
  EXPECT_EQ(told.at("suggestions").at(0).at("config_change").at("example"),
            "tools = [\"grep\", \"number_range_search\"]");
  EXPECT_TRUE(feedback({"--no-debug"}).is_null());
  EXPECT_TRUE(feedback({"--set", "debug.enabled=false"}).is_null());
  home.environment["WRIGHT_AGENT_DEBUG"] = "false";
  EXPECT_TRUE(feedback({}).is_object()) << "the file is nearer than the environment";
  home.write_config("[debug]\nenabled = false\n");
  EXPECT_TRUE(feedback({}).is_object()) << "and nearer than what is said of all agents";
  home.write_config("[agents.counter.debug]\nenabled = false\n");
  EXPECT_TRUE(feedback({}).is_null()) << "what is said of this one comes first";

  const Json agent = home.wright({"agents", "show", "counter", "--json"}).json();
  EXPECT_EQ(agent.at("domain"), "arithmetic");
  EXPECT_EQ(agent.at("metadata"),
            (Json{{"levels", {1, 2.5, true}}, {"owner", "tests"}, {"since", "2026-03-01"}}));
  EXPECT_TRUE(has(home.wright({"agents", "show", "counter"}).output, "arithmetic"));
  const Json session = home.wright({"sessions", "export", "last"}).json().at("session");
  EXPECT_EQ(session.at("config").at("domain"), "arithmetic");
  EXPECT_EQ(session.at("config").at("metadata").at("owner"), "tests");

  std::ofstream(file, std::ios::app) << "[debug.other]\nx = 1\n";
  const Finished refused = home.wright({"run", "counter", "hello"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(has(refused.error, "debug.other: unknown key")) << refused.error;
}

TEST(FeedbackCommand, ranks_what_sessions_ask_for) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  home.wright({"run", kAgent, "Which files changed in the last week?", "--debug"});
  home.wright({"run", kAgent, kLongFunctions, "--debug"});
  home.wright({"run", kAgent, kLongFunctions, "--debug"});
  home.wright({"run", kAgent, "Convert 3 miles", "--debug"});
  home.wright({"run", kAgent, "Convert 5 miles", "--debug"});
  home.wright({"run", kAgent, "Where is alpha_function defined?"});
  const Json json = home.wright({"feedback", "--json"}).json();
  EXPECT_EQ(json.at("sessions"), 6);
  EXPECT_EQ(json.at("with_feedback"), 5);
  // What is there is not to be built.
  EXPECT_EQ(json.at("improvements").at(0).at("config_change").at("change"),
            "Set entities.index to true");
  EXPECT_EQ(json.at("improvements").at(0).at("sessions"), 3);
  JsonArray names;
  for (const Json& wish : json.at("tools_to_build").as_array()) {
    names.push_back(wish.at("tool_spec").at("name"));
    EXPECT_EQ(wish.at("sessions"), 2);
    EXPECT_EQ(wish.at("examples"), Json({5, 4}));
    EXPECT_EQ(wish.at("draft").at("parameters").at("required").at(0), "value");
  }
  EXPECT_EQ(names, JsonArray{"convert_units"}) << to_text(names);
  const Finished text = home.wright({"feedback"});
  EXPECT_TRUE(
      text.output.starts_with("6 sessions, 5 with feedback\n\nTools to build\n  1. convert_units"))
      << text.output;
  EXPECT_TRUE(has(text.output, "convert_units  2 sessions, ")) << text.output;
  EXPECT_TRUE(has(text.output, "see sessions 5, 4\n")) << text.output;
  EXPECT_EQ(home.wright({"feedback", "--json", "--agent", "nobody"}).json().at("sessions"), 0);
  EXPECT_EQ(home.wright({"feedback", "--json", "--since", "2999-01-01"}).json().at("sessions"), 0);
  EXPECT_EQ(home.wright({"feedback", "--since", "soon"}).exit_code, 2);
}

TEST(StatsCommand, counts_calls_and_runs) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  home.wright({"run", kAgent, "Where is alpha_function defined?"});
  home.wright({"run", kAgent, "something else", "--model", "openai:x"});
  const Json json = home.wright({"stats", "--json"}).json();
  const Json session = home.wright({"sessions", "export", "1"}).json();
  EXPECT_EQ(json.at("all").at("runs").at("count"), 2);
  EXPECT_EQ(json.at("all").at("runs").at("failed"), 1);
  EXPECT_EQ(json.at("all").at("calls").at("count").as_int64(),
            static_cast<std::int64_t>(session.at("tool_calls").as_array().size()));
  EXPECT_EQ(json.at("models").as_array().size(), 2U);
  EXPECT_EQ(json.at("agents").at(0).at("name"), kAgent);
  EXPECT_EQ(json.at("agents").at(0).at("usage").at("input_tokens"),
            session.at("session").at("usage").at("input_tokens"));
  const Finished text = home.wright({"stats"});
  EXPECT_TRUE(text.output.starts_with("2 runs, ")) << text.output;
  EXPECT_TRUE(has(text.output, "  AGENT              RUNS  FAILED")) << text.output;
  EXPECT_FALSE(has(text.output, "█")) << "bars are for terminals";
  const Finished terminal = home.wright_on_terminal({"stats"});
  EXPECT_TRUE(has(terminal.output, "████████████████████")) << terminal.output;
}

TEST(StatsCommand, cuts_long_names) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  home.wright({"run", kAgent, "Where is alpha_function defined?"});
  change(home.database(),
         "UPDATE agent_tool_calls SET tool_name = replace(hex(zeroblob(2500)), '0', 'x')");
  const Finished text = home.wright({"stats"});
  EXPECT_TRUE(has(text.output, "xxxx…  ")) << text.output;
  EXPECT_LT(text.output.size(), 4000U) << text.output;
}

TEST(WithoutDatabase, there_is_nothing_to_tell_and_none_is_made) {
  Home home;
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";  // without the tools that it asks for
  for (const char* command : {"feedback", "stats"}) {
    const Finished none = home.wright({command});
    EXPECT_EQ(none.exit_code, 0);
    EXPECT_EQ(none.output, "");
    EXPECT_TRUE(none.error.starts_with("No sessions.")) << none.error;
  }
  EXPECT_FALSE(std::filesystem::exists(home.database()));
}

}  // namespace
}  // namespace wright::cli
