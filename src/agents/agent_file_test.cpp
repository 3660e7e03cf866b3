// Agents of TOML files as a program loads them: by what they then do.
#include "wright/agents.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include <fstream>

#include "core/temporary_folder_testing.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::call;
using testing::ScriptedModel;

Tool named_tool(const std::string& name) {
  return tool(name, "", []() -> Json { return {{"said", "hello"}}; });
}

class AgentFileTest : public ::testing::Test {
 protected:
  // The options of a program that has one model, two tools and one specialist.
  AgentFileOptions options() {
    AgentFileOptions made;
    made.find_model = [this](std::string_view id) {
      asked_for_ = id;
      return script_.model();
    };
    made.default_model = "usual";
    made.tools = {named_tool("greet"), named_tool("part")};
    made.specialists = {Agent{.name = "painter", .model = script_.model()}};
    made.variables = {{"TONE", "kind"}};
    made.logger = Logger([this](const LogRecord& record) { logged_.emplace_back(record.message); },
                         LogLevel::debug);
    return made;
  }

  std::string error_of(std::string_view toml) {
    const auto agent = agent_from_toml(toml, options());
    return agent ? "no error" : agent.error().message;
  }

  ScriptedModel script_{{testing::says("done")}};
  std::string asked_for_;
  std::vector<std::string> logged_;
};

TEST_F(AgentFileTest, becomes_an_agent_with_all_that_the_file_says) {
  const auto agent = agent_from_toml(R"(
name = "host"
description = "Greets."
instructions = "Be ${TONE}."
model = "gw:large"
tools = ["greet"]
specialists = ["Painter"]
domain = "manners"
[parameters]
temperature = 0.5
max_tokens = 10
stop_sequences = ["END"]
tool_choice = "greet"
response_format = "json_object"
[limits]
max_iterations = 3
context_tokens = 5000
[debug]
enabled = true
[debug.tool_feedback]
include_reasoning = false
)",
                                     options());
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(asked_for_, "gw:large");
  EXPECT_EQ(agent->name, "host");
  EXPECT_EQ(agent->instructions, "Be kind.");
  EXPECT_EQ(agent->domain, "manners");
  ASSERT_EQ(agent->tools.size(), 2U);
  EXPECT_EQ(agent->tools[0].spec.name, "greet");
  EXPECT_EQ(agent->tools[1].spec.name, "painter") << "the specialist";
  EXPECT_EQ(agent->sampling.temperature, 0.5);
  EXPECT_EQ(agent->sampling.max_tokens, 10);
  EXPECT_EQ(agent->sampling.stop_sequences, std::vector<std::string>{"END"});
  EXPECT_EQ(agent->sampling.tool_choice, ToolChoice::one("greet"));
  EXPECT_EQ(agent->sampling.response_format.kind, ResponseFormat::Kind::json_object);
  EXPECT_EQ(agent->limits.max_iterations, 3);
  EXPECT_EQ(agent->context_tokens, 5000);
  ASSERT_TRUE(agent->debug);
  EXPECT_TRUE(agent->debug->enabled);
  EXPECT_FALSE(agent->debug->tool_feedback.include_reasoning);
}

TEST_F(AgentFileTest, surrounds_its_calls_as_tool_execution_and_permissions_say) {
  const auto outcome_with = [&](const std::string& more) {
    const auto agent =
        agent_from_toml("instructions = 'x'\ntools = ['greet', 'part']\n" + more, options());
    EXPECT_TRUE(agent) << agent.error().message;
    logged_.clear();
    return execute(*agent, call("greet"), Context{});
  };
  const auto has_metadata = [](const ToolOutcome& outcome) {
    return outcome.response.is_object() &&
           outcome.response.get_object().contains("_execution_metadata");
  };
  EXPECT_TRUE(has_metadata(outcome_with("")));
  EXPECT_FALSE(logged_.empty());
  EXPECT_FALSE(has_metadata(
      outcome_with("[tool_execution]\nenable_metadata = false\nenable_logging = false")));
  EXPECT_TRUE(logged_.empty());
  EXPECT_EQ(outcome_with("[permissions]\n'gr*' = 'deny'").error->code,
            ErrorCode::permission_denied);
}

TEST_F(AgentFileTest, takes_the_model_of_the_program_where_the_file_names_none) {
  ASSERT_TRUE(agent_from_toml("instructions = 'x'", options()));
  EXPECT_EQ(asked_for_, "usual");
  AgentFileOptions without = options();
  without.default_model.clear();
  const auto none = agent_from_toml("instructions = 'x'", without);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "agent.toml: model: the file names none, and nobody else does");
  const auto nobody = agent_from_toml("instructions = 'x'\nmodel = 'offline'", {});
  ASSERT_FALSE(nobody);
  EXPECT_NE(nobody.error().message.find("has no find_model"), std::string::npos);
}

TEST_F(AgentFileTest, refuses_what_nobody_has_and_what_is_not_enabled) {
  EXPECT_EQ(error_of("instructions = 'x'\ntools = ['great']"),
            "agent.toml:2: tools: unknown tool 'great'; did you mean 'greet'?");
  EXPECT_EQ(error_of("instructions = 'x'\nspecialists = ['paintr']"),
            "agent.toml:2: specialists: unknown agent 'paintr'; did you mean 'painter'?");
  EXPECT_EQ(error_of("instructions = '${HOME}'"),
            "agent.toml:1: instructions: the environment variable HOME is not set; set it, or give "
            "a default: ${HOME:-…}")
      << "nothing is taken from the environment of the process";
  const auto off = agent_from_toml("instructions = 'x'\nenabled = false", options());
  ASSERT_FALSE(off);
  EXPECT_EQ(off.error().code, ErrorCode::permission_denied);
}

TEST_F(AgentFileTest, is_loaded_from_disk_with_its_instructions_beside_it) {
  const TemporaryFolder folder;
  folder.write("Host.toml", "instructions_file = 'host.md'\ntools = ['greet']\n");
  folder.write("host.md", "Be brief.");
  const auto agent = load_agent(folder / "Host.toml", options());
  const auto missing = load_agent(folder / "none.toml", options());
  AgentFileOptions confined = options();
  confined.instructions_below = folder / "inner";
  const auto outside = load_agent(folder / "Host.toml", confined);
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->name, "host");
  EXPECT_EQ(agent->instructions, "Be brief.");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_FALSE(outside);
}

}  // namespace
}  // namespace wright
