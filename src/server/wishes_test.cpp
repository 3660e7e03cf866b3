// How vendors' programs want the model to answer: kept, or refused by name.
#include "server/wishes.h"

#include <fmt/format.h>

#include "server/conversation.h"
#include "server/service_testing.h"

namespace wright::server {
namespace {

JsonObject parsed(std::string_view text) {
  return parse_json(text).value().as_object();
}

TEST(Wishes, of_chat_completions_are_read) {
  const auto wishes = wishes_from_chat(parsed(
      R"({"max_completion_tokens":7,"temperature":0.5,"top_p":0.25,"stop":["A","B"],"seed":null,
          "reasoning_effort":"minimal","parallel_tool_calls":true,"presence_penalty":0.0,
          "tool_choice":{"type":"function","function":{"name":"f"}},
          "response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}})"));
  ASSERT_TRUE(wishes) << wishes.error().message;
  EXPECT_EQ(wishes->max_tokens, 7);
  EXPECT_EQ(wishes->temperature, 0.5);
  EXPECT_EQ(wishes->top_p, 0.25);
  EXPECT_EQ(wishes->stop_sequences, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(wishes->reasoning, ReasoningEffort::low);
  EXPECT_EQ(wishes->tool_choice, ToolChoice::one("f"));
  EXPECT_EQ(wishes->format.kind, ResponseFormat::Kind::json_schema);
  EXPECT_EQ(to_text(wishes->format.schema), R"({"type":"object"})");
  const auto stop =
      wishes_from_chat(parsed(R"({"stop":"END","response_format":{"type":"json_object"}})"));
  EXPECT_EQ(stop->stop_sequences, std::vector<std::string>{"END"});
  EXPECT_EQ(stop->format.kind, ResponseFormat::Kind::json_object);
}

TEST(Wishes, of_responses_are_read) {
  const auto wishes = wishes_from_responses(parsed(
      R"({"max_output_tokens":9,"temperature":2,"top_p":1,"reasoning":{"effort":"high"},
          "tool_choice":{"type":"function","name":"f"},
          "text":{"format":{"type":"json_schema","name":"n","schema":{"type":"array"},"strict":true}}})"));
  ASSERT_TRUE(wishes) << wishes.error().message;
  EXPECT_EQ(wishes->max_tokens, 9);
  EXPECT_EQ(wishes->temperature, 2);
  EXPECT_EQ(wishes->top_p, 1);
  EXPECT_EQ(wishes->reasoning, ReasoningEffort::high);
  EXPECT_EQ(wishes->tool_choice, ToolChoice::one("f"));
  EXPECT_EQ(to_text(wishes->format.schema), R"({"type":"array"})");
}

TEST(Wishes, of_messages_are_read) {
  const auto wishes = wishes_from_messages(parsed(
      R"({"max_tokens":11,"temperature":1,"top_p":0.5,"stop_sequences":["X"],
          "thinking":{"type":"enabled","budget_tokens":5000},"tool_choice":{"type":"any"},
          "output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}})"));
  ASSERT_TRUE(wishes) << wishes.error().message;
  EXPECT_EQ(wishes->max_tokens, 11);
  EXPECT_EQ(wishes->top_p, 0.5);
  EXPECT_EQ(wishes->stop_sequences, std::vector<std::string>{"X"});
  EXPECT_EQ(wishes->reasoning, ReasoningEffort::medium);
  EXPECT_EQ(wishes->tool_choice, ToolChoice::required());
  EXPECT_EQ(wishes->format.kind, ResponseFormat::Kind::json_schema);
  EXPECT_EQ(wishes_from_messages(parsed(R"({"output_config":{"effort":"max"}})"))->reasoning,
            ReasoningEffort::high);
}

struct Unkeepable {
  Result<Wishes> (*read)(const JsonObject&);
  const char* body;
  const char* member;
};

TEST(Wishes, that_cannot_be_kept_are_refused_by_name) {
  const Unkeepable all[] = {
      {wishes_from_chat, R"({"seed":7})", "seed"},
      {wishes_from_chat, R"({"n":2})", "n"},
      {wishes_from_chat, R"({"logprobs":true})", "logprobs"},
      {wishes_from_chat, R"({"logit_bias":{"1":2}})", "logit_bias"},
      {wishes_from_chat, R"({"frequency_penalty":0.5})", "frequency_penalty"},
      {wishes_from_chat, R"({"modalities":["text","audio"]})", "modalities"},
      {wishes_from_chat, R"({"functions":[{"name":"f"}]})", "functions"},
      {wishes_from_chat, R"({"parallel_tool_calls":"no"})", "parallel_tool_calls"},
      {wishes_from_chat, R"({"temperature":3})", "temperature"},
      {wishes_from_chat, R"({"temperature":"hot"})", "temperature"},
      {wishes_from_chat, R"({"top_p":-1})", "top_p"},
      {wishes_from_chat, R"({"max_tokens":0})", "max_tokens"},
      {wishes_from_chat, R"({"max_tokens":"many"})", "max_tokens"},
      {wishes_from_chat, R"({"stop":[1]})", "stop"},
      {wishes_from_chat, R"({"stop":""})", "stop"},
      {wishes_from_chat, R"({"reasoning_effort":"huge"})", "reasoning_effort"},
      {wishes_from_chat, R"({"tool_choice":"perhaps"})", "tool_choice"},
      {wishes_from_chat, R"({"tool_choice":{"type":"allowed_tools"}})", "tool_choice"},
      {wishes_from_chat, R"({"response_format":{"type":"grammar"}})", "response_format"},
      {wishes_from_chat, R"({"response_format":{"type":"json_schema"}})", "response_format"},
      {wishes_from_chat, R"({"response_format":"json"})", "response_format"},
      {wishes_from_responses, R"({"background":true})", "background"},
      {wishes_from_responses, R"({"conversation":"conv_1"})", "conversation"},
      {wishes_from_responses, R"({"max_tool_calls":1})", "max_tool_calls"},
      {wishes_from_responses, R"({"text":{"verbosity":"low"}})", "text.verbosity"},
      {wishes_from_responses, R"({"tool_choice":{"type":"web_search"}})", "tool_choice"},
      {wishes_from_messages, R"({"top_k":5})", "top_k"},
      {wishes_from_messages, R"({"temperature":1.5})", "temperature"},
      {wishes_from_messages, R"({"mcp_servers":[{"url":"x"}]})", "mcp_servers"},
      {wishes_from_messages, R"({"thinking":{"type":"enabled"}})", "thinking"},
      {wishes_from_chat, R"({"store":false})", "store"},
      {wishes_from_chat, R"({"service_tier":"flex"})", "service_tier"},
      {wishes_from_chat, R"({"moderation":{"model":"x"}})", "moderation"},
      {wishes_from_chat, R"({"max_output_tokens":5})", "max_output_tokens"},
      {wishes_from_chat, R"({"tempreature":0})", "tempreature"},
      {wishes_from_responses, R"({"store":false})", "store"},
      {wishes_from_responses, R"({"include":["message.output_text.logprobs"]})", "include"},
      {wishes_from_responses, R"({"include":"all"})", "include"},
      {wishes_from_responses, R"({"context_management":[{"type":"compaction"}]})",
       "context_management"},
      {wishes_from_responses, R"({"max_tokens":5})", "max_tokens"},
      {wishes_from_messages, R"({"inference_geo":"us"})", "inference_geo"},
      {wishes_from_messages, R"({"service_tier":"priority"})", "service_tier"},
      {wishes_from_messages, R"({"instructions":"x"})", "instructions"},
  };
  for (const Unkeepable& each : all) {
    const auto wishes = each.read(parsed(each.body));
    ASSERT_FALSE(wishes) << each.body;
    const Json* param = wishes.error().find("param");
    ASSERT_NE(param, nullptr) << each.body;
    EXPECT_EQ(*param, Json(each.member)) << each.body;
    EXPECT_NE(wishes.error().message.find(each.member), std::string::npos)
        << wishes.error().message;
  }
}

TEST(Wishes, that_change_no_answer_are_taken) {
  EXPECT_TRUE(wishes_from_chat(
      parsed(R"({"store":true,"service_tier":"auto","user":"me","metadata":{"a":"b"},
                 "prompt_cache_key":"k","safety_identifier":"s","unheard_of":null})")));
  EXPECT_TRUE(wishes_from_responses(
      parsed(R"({"store":true,"service_tier":"default","include":["reasoning.encrypted_content"],
                 "truncation":"auto","stream_options":{"include_obfuscation":false}})")));
  EXPECT_TRUE(
      wishes_from_messages(parsed(R"({"service_tier":"standard_only","metadata":{"user_id":"u"},
                 "cache_control":{"type":"ephemeral"},"inference_geo":"global"})")));
}

TEST(Wishes, reach_the_model) {
  std::optional<Sampling> seen;
  const auto answer = [&](const wright::Request& request,
                          const ModelCall&) -> Result<wright::Response> {
    seen = *request.sampling;
    return testing::calls({testing::call("weather", "{}")});
  };
  ServedService served({.model = model_from("test", "seen", answer)});
  const Answered answered = served.ask(
      "POST", "/v1/chat/completions",
      R"({"model":"parrot","messages":[{"role":"user","content":"x"}],"top_p":0.5,"stop":"END",
          "temperature":0.25,"max_tokens":77,"reasoning_effort":"low","tool_choice":"required",
          "tools":[{"type":"function","function":{"name":"weather"}}],
          "response_format":{"type":"json_schema","json_schema":{"name":"place","schema":
            {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}})");
  ASSERT_EQ(answered.status, 200) << answered.body;
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->top_p, 0.5);
  EXPECT_EQ(seen->temperature, 0.25);
  EXPECT_EQ(seen->max_tokens, 77);
  EXPECT_EQ(seen->stop_sequences, std::vector<std::string>{"END"});
  EXPECT_EQ(seen->reasoning, ReasoningEffort::low);
  EXPECT_EQ(seen->tool_choice, ToolChoice::one("weather")) << "the agent has tools of its own";
  EXPECT_EQ(seen->response_format.kind, ResponseFormat::Kind::json_schema);
  // Whoever goes on with the session finds them.
  const Session session = served.store().get_session(1).value();
  EXPECT_EQ(session.config.at("top_p"), Json(0.5));
  EXPECT_EQ(session.config.at("stop_sequences"), Json(JsonArray{"END"}));
  EXPECT_EQ(session.config.at("reasoning"), Json("low"));
  EXPECT_TRUE(session.config.at("response_format").at("schema").is_object());
}

TEST(Wishes, for_a_schema_hold_for_the_answer) {
  ServedService served;  // says again what it is told
  const std::string format =
      R"(,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":
         {"type":"object","required":["city"]}}}})";
  const auto ask = [&](std::string_view words) {
    return served.ask("POST", "/v1/chat/completions",
                      R"({"model":"parrot","messages":[{"role":"user","content":")" +
                          std::string(words) + R"("}])" + format);
  };
  const Answered fits = ask(R"({\"city\":\"Oslo\"})");
  EXPECT_EQ(fits.status, 200) << fits.body;
  const Answered prose = ask("In Oslo, I think");
  EXPECT_GE(prose.status, 400) << prose.body;
  EXPECT_EQ(served
                .ask("POST", "/v1/chat/completions",
                     R"({"model":"parrot","messages":[{"role":"user","content":"x"}],
                         "response_format":{"type":"json_schema","json_schema":{"name":"n",
                         "schema":{"type":7}}}})")
                .status,
            400);
}

TEST(Wishes, of_the_wrong_type_are_no_wishes_for_something_else) {
  const auto refusals = [](auto read, std::string_view said) {
    for (const std::string_view wish :
         {R"("stream":"yes")", R"("stream":1)", R"("tools":5)", R"("tools":{})"}) {
      const auto read_as = read(parsed(fmt::format(R"({{"model":"a",{},{}}})", said, wish)));
      ASSERT_FALSE(read_as) << wish;
      EXPECT_EQ(read_as.error().code, ErrorCode::invalid_argument);
    }
    EXPECT_TRUE(
        read(parsed(fmt::format(R"({{"model":"a",{},"stream":null,"tools":null}})", said))));
  };
  const std::string_view hello = R"("messages":[{"role":"user","content":"Hello"}])";
  refusals(conversation_from_chat, hello);
  refusals(conversation_from_messages, hello);
  refusals(conversation_from_responses, R"("input":"Hello")");
}

TEST(Wishes, for_tools_hold_or_are_refused) {
  std::optional<ToolChoice> seen;
  std::size_t tools = 0;
  const auto answer = [&](const wright::Request& request,
                          const ModelCall&) -> Result<wright::Response> {
    seen = request.tool_choice();
    tools = request.tools.size();
    const bool is_demanded =
        seen->kind == ToolChoice::Kind::one || seen->kind == ToolChoice::Kind::required;
    return is_demanded ? testing::calls({testing::call("a", "{}")}) : testing::says("yes");
  };
  const std::string two =
      R"({"model":"parrot","messages":[{"role":"user","content":"x"}],"tools":[)"
      R"({"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}],)"
      R"("tool_choice":)";
  ServedService own({.model = model_from("test", "seen", answer)});
  const auto ask = [&](ServedService& served, const std::string& choice) {
    return served.ask("POST", "/v1/chat/completions", two + choice + "}");
  };
  EXPECT_EQ(ask(own, R"("none")").status, 200);
  EXPECT_EQ(tools, 1U) << "its own alone";
  const Answered any = ask(own, R"("required")");
  EXPECT_EQ(any.status, 422) << any.body;
  EXPECT_EQ(any.json().at("error").at("param"), Json("tool_choice"));
  EXPECT_EQ(ask(own, R"({"type":"function","function":{"name":"ask"}})").status, 400);
  ServedService bare({.model = model_from("test", "seen", answer), .can_ask = false});
  EXPECT_EQ(ask(bare, R"("required")").status, 200);
  EXPECT_EQ(seen, ToolChoice::required());
  EXPECT_EQ(ask(bare, R"("none")").status, 200);
  EXPECT_EQ(seen, ToolChoice::none());
  EXPECT_EQ(tools, 2U) << "the conversation may have calls of them";
  // One at a time can be kept where one is named.
  const Answered several = ask(bare, R"("auto","parallel_tool_calls":false)");
  EXPECT_EQ(several.status, 422) << several.body;
  EXPECT_EQ(several.json().at("error").at("param"), Json("parallel_tool_calls"));
  EXPECT_EQ(ask(bare, R"({"type":"function","function":{"name":"a"}},"parallel_tool_calls":false)")
                .status,
            200);
  EXPECT_EQ(ask(bare, R"("none","parallel_tool_calls":false)").status, 200);
}

TEST(Wishes, for_one_call_are_not_answered_with_two) {
  const auto answer = [](const wright::Request&, const ModelCall&) -> Result<wright::Response> {
    return testing::calls(
        {testing::call("weather", "{}", "1"), testing::call("weather", "{}", "2")});
  };
  ServedService served({.model = model_from("test", "eager", answer)});
  const Answered answered =
      served.ask("POST", "/v1/messages",
                 R"({"model":"parrot","max_tokens":9,"messages":[{"role":"user","content":"x"}],
          "tools":[{"name":"weather","input_schema":{"type":"object"}}],
          "tool_choice":{"type":"tool","name":"weather","disable_parallel_tool_use":true}})");
  EXPECT_EQ(answered.status, 422) << answered.body;
  EXPECT_NE(answered.body.find("several tools at once"), std::string::npos) << answered.body;
  const Session left = served.store().get_session(1).value();
  EXPECT_TRUE(left.cancel_reason || left.status == SessionStatus::cancelled)
      << "nobody can answer what nobody was told of";
}

TEST(Wishes, are_refused_in_each_vendors_words) {
  ServedService served;
  const Answered openai =
      served.ask("POST", "/v1/chat/completions",
                 R"({"model":"parrot","seed":1,"messages":[{"role":"user","content":"x"}]})");
  EXPECT_EQ(openai.status, 422);
  EXPECT_EQ(openai.json().at("error").at("param"), Json("seed"));
  EXPECT_EQ(openai.json().at("error").at("type"), Json("invalid_request_error"));
  const Answered anthropic =
      served.ask("POST", "/v1/messages",
                 R"({"model":"parrot","top_k":1,"messages":[{"role":"user","content":"x"}]})");
  EXPECT_EQ(anthropic.status, 422);
  EXPECT_EQ(anthropic.json().at("type"), Json("error"));
  EXPECT_NE(anthropic.body.find("'top_k'"), std::string::npos) << anthropic.body;
}

}  // namespace
}  // namespace wright::server
