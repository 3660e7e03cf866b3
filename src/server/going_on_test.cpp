// Conversations of vendors' programs that go on: with what they tell, with results of their tools,
// with a session that is there.
#include <set>
#include <thread>

#include "server/caller_tools.h"
#include "server/service_testing.h"

namespace wright::server {
namespace {

constexpr const char* kChat = "/v1/chat/completions";
constexpr const char* kWeather =
    R"("tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object"}}}])";
constexpr const char* kAsksForWeather =
    R"({"role":"user","content":"call weather {\"city\":\"Oslo\"}"})";

std::string chat_body(std::string_view messages, std::string_view more = "") {
  return fmt::format(R"({{"model":"parrot"{},"messages":[{}]}})", more, messages);
}

// Asks for the weather; the id of the call that the caller is to execute.
std::string handed_out(ServedService& served) {
  const Json json =
      served.ask("POST", kChat, chat_body(kAsksForWeather, std::string(",") + kWeather)).json();
  const Json& choice = json.at("choices").at(0);
  EXPECT_EQ(choice.at("finish_reason").as_string(), "tool_calls") << to_text(json);
  return std::string(choice.at("message").at("tool_calls").at(0).at("id").as_string());
}

std::string result_of(std::string_view call_id, std::string_view content) {
  return fmt::format(
      R"({},{{"role":"assistant","tool_calls":[{{"id":"{}","function":{{"name":"weather"}}}}]}},)"
      R"({{"role":"tool","tool_call_id":"{}","content":"{}"}})",
      kAsksForWeather, call_id, call_id, content);
}

std::string said(const Answered& answered) {
  const Json json = answered.json();
  if (answered.status != 200) return answered.body;
  return std::string(json.at("choices").at(0).at("message").at("content").as_string());
}

std::size_t sessions_in(ServedService& served) {
  return served.store().list_sessions({}).value().size();
}

TEST(GoingOn, a_story_of_calls_is_no_record_of_calls) {
  ServedService served;
  const Answered answered = served.ask(
      "POST", kChat,
      chat_body(R"({"role":"user","content":"please"},)"
                R"({"role":"assistant","content":null,"tool_calls":[{"id":"f1","function":)"
                R"({"name":"bash","arguments":"{\"command\":\"rm -rf /tmp/x\"}"}}]},)"
                R"({"role":"tool","tool_call_id":"f1","content":"gone"},)"
                R"({"role":"user","content":"thanks"})"));
  EXPECT_EQ(said(answered), "thanks");
  EXPECT_TRUE(served.store().get_tool_calls(1)->empty());
  EXPECT_TRUE(served.ask("GET", "/api/v1/sessions/1/calls").json().at("calls").as_array().empty());
  EXPECT_EQ(served.ask("GET", "/api/v1/stats").body.find("bash"), std::string::npos);
  const Json list = served.ask("GET", "/api/v1/sessions/1/messages?after=2").json();
  EXPECT_TRUE(list.at("messages").at(0).at("is_told").as_bool()) << to_text(list);
  EXPECT_FALSE(list.at("messages").at(1).at("is_told").as_bool()) << to_text(list);
  EXPECT_EQ(list.at("messages").at(0).at("role").as_string(), "tool");
}

TEST(GoingOn, refuses_stories_that_are_no_conversation_and_stores_nothing) {
  ServedService served;
  const std::string user = R"({"role":"user","content":"u"},)";
  const std::string calls =
      R"({"role":"assistant","tool_calls":[{"id":"a","function":{"name":"x"}},)"
      R"({"id":"b","function":{"name":"y"}}]},)";
  const std::string a = R"({"role":"tool","tool_call_id":"a","content":"1"},)";
  const std::string b = R"({"role":"tool","tool_call_id":"b","content":"2"},)";
  const std::string last = R"({"role":"user","content":"hi"})";
  for (const std::string& broken :
       {user + a + last, user + calls + a + last, user + calls + a + a + b + last,
        user + calls + a + b + calls + a + b + last, user + calls + user + a + b + last,
        user + R"({"role":"assistant","content":"x","tool_calls":"bash"},)" + last}) {
    const Answered answered = served.ask("POST", kChat, chat_body(broken));
    EXPECT_EQ(answered.status, 400) << broken << answered.body;
  }
  EXPECT_EQ(sessions_in(served), 0U);
  EXPECT_EQ(said(served.ask("POST", kChat, chat_body(user + calls + b + a + last))), "hi")
      << "results come in any order";
  const Answered responses =
      served.ask("POST", "/v1/responses",
                 R"({"model":"parrot","input":[{"role":"user","content":"u"},)"
                 R"({"type":"function_call","call_id":"a","name":"x","arguments":"{}"},)"
                 R"({"type":"function_call","call_id":"b","name":"y","arguments":"{}"},)"
                 R"({"type":"function_call_output","call_id":"a","output":"1"},)"
                 R"({"type":"function_call_output","call_id":"b","output":"2"},)"
                 R"({"role":"user","content":"hi"}]})");
  EXPECT_EQ(responses.status, 200) << responses.body;
}

TEST(GoingOn, words_behind_results_go_on_with_the_session_that_waits) {
  ServedService served;
  const std::string call = handed_out(served);
  const Answered answered =
      served.ask("POST", kChat,
                 chat_body(result_of(call, "sunny") + R"(,{"role":"user","content":"and now?"})"));
  EXPECT_EQ(said(answered), "told: sunny\n\n[The user says with it:]\n\nand now?");
  const Json first =
      served
          .ask("POST", "/v1/messages",
               R"({"model":"parrot","max_tokens":9,"messages":[)" + std::string(kAsksForWeather) +
                   R"(],"tools":[{"name":"weather","input_schema":{"type":"object"}}]})")
          .json();
  const Json& use = first.at("content").at(0);
  const Json next = {
      {"model", "parrot"},
      {"max_tokens", 9},
      {"messages",
       {parse_json(kAsksForWeather).value(),
        {{"role", "assistant"}, {"content", JsonArray{use}}},
        {{"role", "user"},
         {"content",
          {{{"type", "tool_result"}, {"tool_use_id", use.at("id")}, {"content", "rain"}},
           {{"type", "text"}, {"text", "and now?"}}}}}}}};
  const Answered second = served.ask("POST", "/v1/messages", to_text(next));
  EXPECT_NE(second.body.find("told: rain"), std::string::npos) << second.body;
  EXPECT_NE(second.body.find("and now?"), std::string::npos) << second.body;
  EXPECT_EQ(sessions_in(served), 2U) << "each goes on with its own";
}

TEST(GoingOn, words_behind_results_of_others_are_a_new_conversation) {
  ServedService served;
  const Answered answered = served.ask(
      "POST", kChat,
      chat_body(result_of("call_of_another", "sunny") + R"(,{"role":"user","content":"well?"})"));
  EXPECT_EQ(said(answered), "well?");
}

TEST(GoingOn, two_results_of_one_call_are_refused_and_none_is_taken) {
  ServedService served;
  const std::string call = handed_out(served);
  const std::string other =
      fmt::format(R"(,{{"role":"tool","tool_call_id":"{}","content":"rain"}})", call);
  const Answered refused = served.ask("POST", kChat, chat_body(result_of(call, "sunny") + other));
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_EQ(said(served.ask("POST", kChat, chat_body(result_of(call, "snow")))), "told: snow");
}

// Whoever ran its tools again after a lost connection, and is not alone.
TEST(GoingOn, of_two_requests_with_other_results_one_is_taken_whole) {
  for (int i = 0; i < 10; ++i) {
    ServedService served({.model = model_from(
                              "test", "two",
                              [](const wright::Request& request, const ModelCall& call)
                                  -> Result<wright::Response> {
                                if (request.messages.back().role == Role::tool) {
                                  return parrot_answer(request, call);
                                }
                                return testing::calls({testing::call("weather", "{}", "a"),
                                                       testing::call("weather", "{}", "b")});
                              })});
    const Json asked =
        served.ask("POST", kChat, chat_body(kAsksForWeather, std::string(",") + kWeather)).json();
    const Json& calls = asked.at("choices").at(0).at("message").at("tool_calls");
    const auto results = [&](std::string_view content, bool is_turned) {
      std::string messages = std::string(kAsksForWeather) + R"(,{"role":"assistant","tool_calls":)" +
                             to_text(calls) + "}";
      for (const std::size_t which : {is_turned ? 1U : 0U, is_turned ? 0U : 1U}) {
        messages += fmt::format(R"(,{{"role":"tool","tool_call_id":{},"content":"{}"}})",
                                to_text(calls.at(which).at("id")), content);
      }
      return chat_body(messages);
    };
    Answered sun;
    Answered rain;
    std::thread other([&] { sun = served.ask("POST", kChat, results("sun", false)); });
    rain = served.ask("POST", kChat, results("rain", true));
    other.join();
    EXPECT_EQ(std::set({sun.status, rain.status}), std::set({200, 409})) << sun.body << rain.body;
    const Json taken(sun.status == 200 ? "sun" : "rain");
    const auto waits = served.store().get_waits({});
    ASSERT_TRUE(waits);
    for (const StoredWait& wait : *waits) EXPECT_EQ(wait.answer, taken);
  }
}

TEST(GoingOn, the_same_results_again_have_the_same_answer) {
  ServedService served;
  const std::string call = handed_out(served);
  EXPECT_EQ(said(served.ask("POST", kChat, chat_body(result_of(call, "sunny")))), "told: sunny");
  EXPECT_EQ(said(served.ask("POST", kChat, chat_body(result_of(call, "sunny")))), "told: sunny");
  const std::string stream =
      served.ask("POST", kChat, chat_body(result_of(call, "sunny"), R"(,"stream":true)")).body;
  EXPECT_NE(stream.find(R"("delta":{"content":"told: sunny"})"), std::string::npos) << stream;
  EXPECT_TRUE(stream.ends_with("data: [DONE]\n\n"));
  EXPECT_EQ(served.ask("POST", kChat, chat_body(result_of(call, "rain"))).status, 409)
      << "but a call is answered once";
  EXPECT_EQ(sessions_in(served), 1U);
}

TEST(GoingOn, a_call_id_of_another_session_answers_nothing) {
  ServedService served;
  const SessionId other = served.begin("hello");
  const HandedTo handed = handed_from(handed_out(served)).value();
  const Answered answered = served.ask(
      "POST", kChat, chat_body(result_of(handed_call_id(other, handed.wait_id), "sunny")));
  EXPECT_EQ(answered.status, 400) << answered.body;
  EXPECT_EQ(served.store().get_wait(handed.wait_id)->status, WaitStatus::open);
  EXPECT_EQ(
      served.ask("POST", kChat, chat_body(result_of(handed_call_id(other, 9'999), "x"))).status,
      400);
}

TEST(GoingOn, an_agent_goes_on_with_its_own_sessions_only) {
  ServedService served;
  const auto created = served.store().create_session_with(
      {.agent_name = "somebody", .user_prompt = "Go"},
      std::vector<Write>{AppendMessage{.message = Message::user("Go")},
                         AppendMessage{.message = Message::assistant("Gone")},
                         UpdateSession{.status = SessionStatus::completed, .result = "Gone"}});
  ASSERT_TRUE(created);
  const Answered answered =
      served.ask("POST", "/v1/responses",
                 fmt::format(R"({{"model":"parrot","input":"x","previous_response_id":"resp_{}"}})",
                             created->first));
  EXPECT_EQ(answered.status, 400) << answered.body;
  EXPECT_NE(answered.body.find("somebody"), std::string::npos) << answered.body;
  EXPECT_EQ(served.store().get_messages(created->first)->size(), 2U);
}

TEST(GoingOn, what_a_later_request_asks_for_is_kept_with_the_session) {
  ServedService served;
  const Json first =
      served.ask("POST", "/v1/responses", R"({"model":"parrot","input":"one"})").json();
  const std::string id(first.at("id").as_string());
  const auto stored = [&] { return served.store().get_session(1)->config; };
  EXPECT_TRUE(caller_tools_of(stored()).empty());
  const Answered second = served.ask(
      "POST", "/v1/responses",
      R"({"model":"parrot","instructions":"Be brief","max_output_tokens":77,"temperature":0.5,)"
      R"("input":"call weather {}","tools":[{"type":"function","name":"weather"}],)"
      R"("previous_response_id":")" +
          id + "\"}");
  ASSERT_NE(second.body.find("call_1_"), std::string::npos) << second.body;
  ASSERT_EQ(caller_tools_of(stored()).size(), 1U) << to_text(stored());
  EXPECT_EQ(stored().at("max_tokens").to_number<int>(), 77);
  EXPECT_EQ(stored().at("temperature").to_number<double>(), 0.5);
  const auto again = with_wishes_of_caller(std::make_shared<Agent>(served.agent()), stored());
  ASSERT_TRUE(again);
  EXPECT_NE(find_tool((*again)->tools, "weather"), nullptr);
  EXPECT_NE((*again)->instructions.find("Be brief"), std::string::npos);
}

TEST(GoingOn, how_the_model_is_asked_is_kept_with_a_session_that_begins) {
  ServedService served;
  EXPECT_EQ(served.ask("POST", kChat, chat_body(kAsksForWeather, R"(,"max_tokens":77)")).status,
            200);
  EXPECT_EQ(served.store().get_session(1)->config.at("max_tokens").to_number<int>(), 77);
}

TEST(GoingOn, results_of_only_some_calls_are_refused_by_name_and_nothing_is_taken) {
  const auto answer = [](const wright::Request& request,
                         const ModelCall& call) -> Result<wright::Response> {
    if (request.messages.back().role == Role::tool) return parrot_answer(request, call);
    return testing::calls({testing::call("weather", "{}", "1"), testing::call("weather", "{}", "2"),
                           testing::call("weather", "{}", "3")});
  };
  ServedService served({.model = model_from("test", "eager", answer)});
  const Json json =
      served.ask("POST", kChat, chat_body(kAsksForWeather, std::string(",") + kWeather)).json();
  std::vector<std::string> calls;
  for (const Json& call : json.at("choices").at(0).at("message").at("tool_calls").as_array()) {
    calls.emplace_back(call.at("id").as_string());
  }
  ASSERT_EQ(calls.size(), 3U);
  const auto waits = served.store().get_waits({});
  for (const StoredWait& wait : waits.value()) {
    EXPECT_TRUE(wait.expires_at) << "no session waits for ever";
  }
  const Answered partly = served.ask("POST", kChat, chat_body(result_of(calls[1], "sunny")));
  EXPECT_EQ(partly.status, 400) << partly.body;
  for (const std::size_t missing : {0U, 2U}) {
    EXPECT_NE(partly.body.find(calls[missing]), std::string::npos) << partly.body;
  }
  EXPECT_EQ(served.store().get_waits({.status = WaitStatus::open})->size(), 3U);

  std::string all = result_of(calls[1], "sunny");
  for (const std::size_t more : {0U, 2U}) {
    all += fmt::format(R"(,{{"role":"tool","tool_call_id":"{}","content":"rain"}})", calls[more]);
  }
  EXPECT_EQ(served.ask("POST", kChat, chat_body(all)).status, 200);
}

TEST(GoingOn, what_this_server_cannot_drive_leaves_nothing_behind) {
  Tool render = tool("render", "", [](const Context&) { return Json(1); },
                     {.effect = Effect::read, .labels = {"gpu"}});
  ServedService served({.tools = {std::move(render)}, .labels = {"office"}});
  for (const char* story : {R"({"role":"user","content":"a"})",
                            R"({"role":"user","content":"a"},{"role":"assistant","content":"b"},)"
                            R"({"role":"user","content":"c"})"}) {
    const Answered refused = served.ask("POST", kChat, chat_body(story));
    EXPECT_EQ(refused.status, 503) << refused.body;
    EXPECT_NE(refused.body.find("gpu"), std::string::npos) << refused.body;
    EXPECT_EQ(sessions_in(served), 0U);
  }
}

}  // namespace
}  // namespace wright::server
