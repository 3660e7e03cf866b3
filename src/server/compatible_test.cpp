// Agents as models of OpenAI and Anthropic: what programs of those vendors send and read.
#include <atomic>
#include <memory>

#include "server/conversation.h"
#include "server/service_testing.h"

namespace wright::server {
namespace {

TEST(Compatible, lists_agents_as_models) {
  ServedService served;
  const Json list = served.ask("GET", "/v1/models").json();
  EXPECT_EQ(list.at("object").as_string(), "list");
  EXPECT_EQ(list.at("data").at(0).at("id").as_string(), "parrot");
  EXPECT_EQ(served.ask("GET", "/v1/models/parrot").status, 200);
  const Answered missing = served.ask("GET", "/v1/models/nobody");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.json().at("error").at("type").as_string(), "invalid_request_error");
}

TEST(Compatible, answers_chat_completions_whole_and_streamed) {
  ServedService served({.can_ask = false});
  const std::string messages =
      R"("model":"parrot","messages":[{"role":"system","content":"Be brief"},)"
      R"({"role":"user","content":"one"},{"role":"assistant","content":"two"},)"
      R"({"role":"user","content":[{"type":"text","text":"three"}]}])";
  const Json whole = served.ask("POST", "/v1/chat/completions", "{" + messages + "}").json();
  const Json& choice = whole.at("choices").at(0);
  EXPECT_EQ(choice.at("message").at("content").as_string(), "three");
  EXPECT_EQ(choice.at("finish_reason").as_string(), "stop");
  EXPECT_EQ(whole.at("usage").at("total_tokens").to_number<int>(), 12);
  const std::string stream =
      served
          .ask("POST", "/v1/chat/completions",
               "{" + messages + R"(,"stream":true,"stream_options":{"include_usage":true}})")
          .body;
  EXPECT_NE(stream.find(R"("delta":{"role":"assistant")"), std::string::npos);
  EXPECT_NE(stream.find(R"("delta":{"content":"th"})"), std::string::npos) << stream;
  EXPECT_NE(stream.find(R"("delta":{"content":"ree"})"), std::string::npos);
  EXPECT_NE(stream.find(R"("finish_reason":"stop")"), std::string::npos);
  EXPECT_NE(stream.find(R"("total_tokens":12)"), std::string::npos);
  EXPECT_TRUE(stream.ends_with("data: [DONE]\n\n"));
}

TEST(Compatible, hands_calls_of_the_callers_tools_back_and_goes_on_with_their_results) {
  ServedService served;
  const std::string tools =
      R"("tools":[{"type":"function","function":{"name":"weather","parameters":)"
      R"({"type":"object","properties":{"city":{"type":"string"}}}}}])";
  const std::string user = R"({"role":"user","content":"call weather {\"city\":\"Oslo\"}"})";
  const Json first = served
                         .ask("POST", "/v1/chat/completions",
                              R"({"model":"parrot",)" + tools + R"(,"messages":[)" + user + "]}")
                         .json();
  const Json& choice = first.at("choices").at(0);
  ASSERT_EQ(choice.at("finish_reason").as_string(), "tool_calls") << to_text(first);
  const Json& call = choice.at("message").at("tool_calls").at(0);
  EXPECT_EQ(call.at("function").at("name").as_string(), "weather");
  EXPECT_EQ(call.at("function").at("arguments").as_string(), R"({"city":"Oslo"})");
  JsonArray messages;
  messages.push_back(parse_json(user).value());
  messages.push_back(choice.at("message"));
  messages.push_back({{"role", "tool"}, {"tool_call_id", call.at("id")}, {"content", "sunny"}});
  const Json body{{"model", "parrot"}, {"messages", messages}};
  const Json second = served.ask("POST", "/v1/chat/completions", to_text(body)).json();
  EXPECT_EQ(second.at("choices").at(0).at("message").at("content").as_string(), "told: sunny")
      << to_text(second);
  EXPECT_EQ(served.store().list_sessions({}).value().size(), 1U) << "it is one session";
}

TEST(Compatible, says_when_a_person_holds_the_answer_up) {
  ServedService served;
  const std::string told =
      R"({"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"},)";
  int sessions = 0;
  for (const std::string& before : {std::string(), told}) {
    for (const char* stream : {"false", "true"}) {
      const Answered answered =
          served.ask("POST", "/v1/chat/completions",
                     fmt::format(R"({{"model":"parrot","stream":{},"messages":[{}{{"role":"user",)"
                                 R"("content":"call ask"}}]}})",
                                 stream, before));
      EXPECT_EQ(answered.status, 200) << answered.body;
      const std::string says = fmt::format("[Session {} waits for a person.", ++sessions);
      EXPECT_NE(answered.body.find(says), std::string::npos) << answered.body;
      EXPECT_NE(answered.body.find(R"("finish_reason":"stop")"), std::string::npos);
      EXPECT_EQ(answered.body.find("tool_calls"), std::string::npos)
          << "the caller does not know this tool";
    }
  }
}

TEST(Compatible, refuses_several_candidates) {
  ServedService served;
  const auto ask = [&](const std::string& n) {
    return served.ask(
        "POST", "/v1/chat/completions",
        R"({"model":"parrot","messages":[{"role":"user","content":"x"}],"n":)" + n + "}");
  };
  EXPECT_EQ(ask("1").status, 200);
  EXPECT_EQ(ask("null").status, 200);
  EXPECT_EQ(ask("2").status, 422);
  EXPECT_NE(ask("2").body.find("one choice"), std::string::npos) << ask("2").body;
  EXPECT_EQ(ask("\"2\"").status, 422);
}

TEST(Compatible, refuses_tools_of_the_caller_that_the_agent_has_itself) {
  ServedService served;
  const Answered answered =
      served.ask("POST", "/v1/chat/completions",
                 R"({"model":"parrot","messages":[{"role":"user","content":"x"}],)"
                 R"("tools":[{"type":"function","function":{"name":"ask"}}]})");
  EXPECT_EQ(answered.status, 400) << answered.body;
}

TEST(Compatible, answers_responses_whole_streamed_and_after_another) {
  ServedService served;
  const Json first =
      served.ask("POST", "/v1/responses", R"({"model":"parrot","input":"one"})").json();
  EXPECT_EQ(first.at("output").at(0).at("content").at(0).at("text").as_string(), "one");
  EXPECT_EQ(first.at("status").as_string(), "completed");
  const Json next{{"model", "parrot"},
                  {"input", "two"},
                  {"stream", true},
                  {"previous_response_id", first.at("id")}};
  const std::string stream = served.ask("POST", "/v1/responses", to_text(next)).body;
  std::size_t at = 0;
  for (const char* name :
       {"response.created", "response.in_progress", "response.output_item.added",
        "response.content_part.added", "response.output_text.delta", "response.output_text.done",
        "response.content_part.done", "response.output_item.done", "response.completed"}) {
    const std::size_t found = stream.find(std::string("event: ") + name + "\n", at);
    ASSERT_NE(found, std::string::npos) << name << " in " << stream;
    at = found;
  }
  EXPECT_EQ(served.store().list_sessions({}).value().size(), 1U) << "it is one session";
  EXPECT_EQ(served
                .ask("POST", "/v1/responses",
                     R"({"model":"parrot","input":"x","previous_response_id":"resp_x"})")
                .status,
            404);
}

TEST(Compatible, answers_messages_whole_streamed_and_with_tools) {
  ServedService served;
  const Json whole = served
                         .ask("POST", "/v1/messages",
                              R"({"model":"parrot","max_tokens":100,"system":"Be brief",)"
                              R"("messages":[{"role":"user","content":"hello"}]})",
                              "x-api-key: any\r\n")
                         .json();
  EXPECT_EQ(whole.at("content").at(0).at("text").as_string(), "hello");
  EXPECT_EQ(whole.at("stop_reason").as_string(), "end_turn");
  const std::string stream =
      served
          .ask("POST", "/v1/messages",
               R"({"model":"parrot","max_tokens":100,"stream":true,"messages":[)"
               R"({"role":"user","content":"call weather {\"city\":\"Oslo\"}"}],)"
               R"("tools":[{"name":"weather","input_schema":{"type":"object"}}]})")
          .body;
  for (const char* name : {"message_start", "content_block_start", "content_block_delta",
                           "content_block_stop", "message_delta", "message_stop"}) {
    EXPECT_NE(stream.find(std::string("event: ") + name + "\n"), std::string::npos) << stream;
  }
  EXPECT_NE(stream.find(R"("stop_reason":"tool_use")"), std::string::npos);
  const Answered broken = served.ask("POST", "/v1/messages", R"({"model":"parrot"})");
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(broken.json().at("type").as_string(), "error");
}

// Says these one after the other, and the last one again and again.
Model saying(std::vector<wright::Response> answers) {
  const auto said = std::make_shared<std::atomic<std::size_t>>(0);
  return model_from(
      "test", "saying",
      [said, answers = std::move(answers)](const wright::Request&, const ModelCall&) {
        return Result<wright::Response>(answers[std::min((*said)++, answers.size() - 1)]);
      });
}

TEST(Compatible, answers_with_a_json_object_where_one_is_wanted) {
  const std::string body = R"({"model":"parrot","response_format":{"type":"json_object"},)"
                           R"("messages":[{"role":"user","content":"JSON, please"}])";
  for (const char* stream : {"false", "true"}) {
    ServedService served({.model = saying({testing::says("echo"), testing::says("[1]"),
                                           testing::says("```json\n{\"a\": 1}\n```")}),
                          .can_ask = false});
    const Answered answered = served.ask("POST", "/v1/chat/completions",
                                         fmt::format(R"({},"stream":{}}})", body, stream));
    EXPECT_EQ(answered.status, 200);
    EXPECT_NE(answered.body.find(R"("content":"{\"a\":1}")"), std::string::npos) << answered.body;
    EXPECT_EQ(answered.body.find("echo"), std::string::npos) << answered.body;
  }
  ServedService served({.model = saying({testing::says("echo")}), .can_ask = false});
  EXPECT_GE(served.ask("POST", "/v1/chat/completions", body + "}").status, 400);
}

TEST(Compatible, hands_out_no_calls_where_none_are_wanted) {
  ServedService served(
      {.model = saying({testing::calls({testing::call("weather", "{}")}), testing::says("dry")}),
       .can_ask = false});
  const Json answered =
      served
          .ask("POST", "/v1/chat/completions",
               R"({"model":"parrot","tool_choice":"none","tools":[{"type":"function","function":)"
               R"({"name":"weather","parameters":{"type":"object"}}}],)"
               R"("messages":[{"role":"user","content":"Weather?"}]})")
          .json();
  const Json& choice = answered.at("choices").at(0);
  EXPECT_EQ(choice.at("finish_reason").as_string(), "stop") << to_text(answered);
  EXPECT_EQ(choice.at("message").at("content").as_string(), "dry");
}

TEST(Compatible, hands_out_the_call_that_is_demanded_and_nothing_else) {
  const auto asked = [](const char* choice) {
    ServedService served({.model = saying({testing::says("It is dry"),
                                           testing::calls({testing::call("tides", "{}")}),
                                           testing::calls({testing::call("weather", "{}", "2")})}),
                          .can_ask = false});
    const auto named = [](const char* name) {
      return fmt::format(
          R"({{"type":"function","function":{{"name":"{}","parameters":{{"type":"object"}}}}}})",
          name);
    };
    const Json answered =
        served
            .ask("POST", "/v1/chat/completions",
                 fmt::format(R"({{"model":"parrot","tool_choice":{},"tools":[{},{}],"messages":)"
                             R"([{{"role":"user","content":"Weather?"}}]}})",
                             choice, named("weather"), named("tides")))
            .json();
    const Json& choices = answered.at("choices").at(0);
    EXPECT_EQ(choices.at("finish_reason").as_string(), "tool_calls") << to_text(answered);
    return std::string(
        choices.at("message").at("tool_calls").at(0).at("function").at("name").as_string());
  };
  EXPECT_EQ(asked(R"({"type":"function","function":{"name":"weather"}})"), "weather");
  EXPECT_EQ(asked(R"("required")"), "tides") << "any of them";
}

// The demand is for the first call: what follows is the model's affair.
TEST(Compatible, hands_out_other_calls_behind_the_one_that_was_demanded) {
  ServedService served({.model = saying({testing::calls({testing::call("weather", "{}")}),
                                         testing::calls({testing::call("tides", "{}", "2")})}),
                        .can_ask = false});
  const std::string tools =
      R"("tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object"}}},)"
      R"({"type":"function","function":{"name":"tides","parameters":{"type":"object"}}}],)";
  const std::string user = R"({"role":"user","content":"Weather?"})";
  const Json said =
      served
          .ask(
              "POST", "/v1/chat/completions",
              R"({"model":"parrot","tool_choice":{"type":"function","function":{"name":"weather"}},)" +
                  tools + R"("messages":[)" + user + "]}")
          .json()
          .at("choices")
          .at(0)
          .at("message");
  const Json result{{"role", "tool"},
                    {"tool_call_id", said.at("tool_calls").at(0).at("id")},
                    {"content", "sunny"}};
  const Json next = served
                        .ask("POST", "/v1/chat/completions",
                             R"({"model":"parrot",)" + tools + R"("messages":[)" + user + "," +
                                 to_text(said) + "," + to_text(result) + "]}")
                        .json();
  EXPECT_EQ(next.at("choices").at(0).at("message").at("tool_calls").at(0).at("function").at("name"),
            Json("tides"))
      << to_text(next);
}

TEST(Compatible, survives_bodies_that_make_no_sense) {
  ServedService served;
  for (const char* path : {"/v1/chat/completions", "/v1/responses", "/v1/messages"}) {
    for (const char* body :
         {"", "[]", "{", "null", R"({"model":1})", R"({"model":"parrot","messages":[1]})",
          R"({"model":"parrot","messages":[{"role":"tool","content":"x"}],"input":[1]})",
          R"({"model":"parrot","messages":[{"role":"user","content":{"a":1}}],"input":{}})",
          R"({"model":"parrot","messages":[],"input":[]})",
          "{\"model\":\"\xff\xfe\",\"messages\":[]}"}) {
      const Answered answered = served.ask("POST", path, body);
      EXPECT_GE(answered.status, 400) << path << " " << body;
      EXPECT_LT(answered.status, 500) << path << " " << body << answered.body;
    }
  }
}

TEST(Compatible, reads_only_ids_that_it_has_handed_out) {
  EXPECT_EQ(handed_from(handed_call_id(12, 34))->wait_id, 34);
  for (const char* id : {"", "call_", "call_1", "call_1_", "call_1_x", "call_x_1", "call_1_2_3"}) {
    EXPECT_FALSE(handed_from(id)) << id;
  }
}

}  // namespace
}  // namespace wright::server
