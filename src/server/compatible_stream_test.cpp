// What is streamed is what a whole response holds: with tools of the agent's own, with answers that
// were interrupted, and with those that were cut at the caller's limit.
#include <future>

#include "server/service_testing.h"
#include "server/streamed_text.h"

namespace wright::server {
namespace {

struct Protocol {
  const char* path;
  // The body, without its braces, that asks with these words.
  std::string (*body)(std::string_view words);
  std::string (*whole_text)(const Json& response);
  std::string (*piece)(const Json& event);  // of the text; empty where it is something else
  const char* cut;                          // how a response says that it was cut
};

std::string text_at(const Json& json, std::string_view pointer) {
  boost::system::error_code error;
  const Json* found = json.find_pointer(pointer, error);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

std::string body_with_messages(std::string_view words) {
  return fmt::format(
      R"("model":"parrot","max_tokens":50,"messages":[{{"role":"user","content":"{}"}}])", words);
}

const Protocol kProtocols[] = {
    {"/v1/chat/completions", body_with_messages,
     [](const Json& response) { return text_at(response, "/choices/0/message/content"); },
     [](const Json& event) { return text_at(event, "/choices/0/delta/content"); },
     R"("finish_reason":"length")"},
    {"/v1/responses",
     [](std::string_view words) {
       return fmt::format(R"("model":"parrot","max_output_tokens":50,"input":"{}")", words);
     },
     [](const Json& response) { return text_at(response, "/output/0/content/0/text"); },
     [](const Json& event) {
       return text_at(event, "/type") == "response.output_text.delta" ? text_at(event, "/delta")
                                                                      : "";
     },
     R"("status":"incomplete")"},
    {"/v1/messages", body_with_messages,
     [](const Json& response) { return text_at(response, "/content/0/text"); },
     [](const Json& event) {
       return text_at(event, "/delta/type") == "text_delta" ? text_at(event, "/delta/text") : "";
     },
     R"("stop_reason":"max_tokens")"},
};

// The text that somebody reads who joins the pieces of a stream.
std::string joined_pieces(const Protocol& protocol, std::string_view stream) {
  std::string text;
  constexpr std::string_view kData = "data: ";
  for (std::size_t at = stream.find(kData); at != stream.npos; at = stream.find(kData, at)) {
    at += kData.size();
    const std::string_view line = stream.substr(at, stream.find('\n', at) - at);
    if (const auto event = parse_json(line)) text += protocol.piece(*event);
  }
  return text;
}

Answered ask_whole(ServedService& served, const Protocol& protocol, std::string_view words,
                   const std::string& more = "") {
  return served.ask("POST", protocol.path, "{" + protocol.body(words) + more + "}");
}
Answered ask_streamed(ServedService& served, const Protocol& protocol, std::string_view words,
                      const std::string& more = "") {
  return ask_whole(served, protocol, words, R"(,"stream":true)" + more);
}

void say(const ModelCall& call, std::string_view text) {
  if (!call.on_text) return;
  call.on_text(text.substr(0, text.size() / 2));
  call.on_text(text.substr(text.size() / 2));
}

void interrupt(const ModelCall& call) {
  const Error error{ErrorCode::network, "The connection was cut"};
  if (call.on_retry) call.on_retry({error, "test:worker", std::chrono::milliseconds(0)});
}

// Speaks, calls its own tool, is interrupted while it answers, and answers.
Served worker() {
  const auto answer = [](const wright::Request& request,
                         const ModelCall& call) -> Result<wright::Response> {
    if (request.messages.back().role != Role::tool) {
      say(call, "Let me look.");
      return testing::calls({testing::call("look", "{}")}, "Let me look.");
    }
    say(call, "It is su");
    interrupt(call);
    say(call, "It rains in Oslo.");
    return testing::says("It rains in Oslo.");
  };
  Served served{.model = model_from("test", "worker", answer)};
  served.tools.push_back(tool("look", "Looks", [] { return "rain"; }));
  return served;
}

TEST(CompatibleStream, is_the_whole_text_with_tools_of_its_own_and_an_interrupted_answer) {
  ServedService served(worker());
  for (const Protocol& protocol : kProtocols) {
    const Answered whole = ask_whole(served, protocol, "Weather?");
    EXPECT_EQ(protocol.whole_text(whole.json()), "It rains in Oslo.") << whole.body;
    const Answered streamed = ask_streamed(served, protocol, "Weather?");
    EXPECT_EQ(joined_pieces(protocol, streamed.body), "It rains in Oslo.") << streamed.body;
  }
}

// Also where it goes on with a conversation, which is heard in another way.
TEST(CompatibleStream, is_the_whole_text_behind_a_told_conversation) {
  ServedService served(worker());
  const Answered streamed =
      served.ask("POST", "/v1/chat/completions",
                 R"({"model":"parrot","stream":true,"messages":[{"role":"user","content":"Hello"},)"
                 R"({"role":"assistant","content":"Hi"},{"role":"user","content":"Weather?"}]})");
  EXPECT_EQ(joined_pieces(kProtocols[0], streamed.body), "It rains in Oslo.") << streamed.body;
}

TEST(CompatibleStream, says_what_the_model_says_with_a_call_that_is_handed_out) {
  const auto answer = [](const wright::Request&,
                         const ModelCall& call) -> Result<wright::Response> {
    say(call, "I will ask.");
    return testing::calls({testing::call("weather", "{}")}, "I will ask.");
  };
  for (const bool can_ask : {true, false}) {
    ServedService served({.model = model_from("test", "asks", answer), .can_ask = can_ask});
    for (const Protocol& protocol : kProtocols) {
      const std::string_view path = protocol.path;
      const std::string tools =
          path == "/v1/chat/completions"
              ? R"(,"tools":[{"type":"function","function":{"name":"weather"}}])"
          : path == "/v1/responses"
              ? R"(,"tools":[{"type":"function","name":"weather"}])"
              : R"(,"tools":[{"name":"weather","input_schema":{"type":"object"}}])";
      const Answered whole = ask_whole(served, protocol, "Weather?", tools);
      EXPECT_EQ(protocol.whole_text(whole.json()), "I will ask.") << whole.body;
      const Answered streamed = ask_streamed(served, protocol, "Weather?", tools);
      EXPECT_EQ(joined_pieces(protocol, streamed.body), "I will ask.") << streamed.body;
    }
  }
}

TEST(CompatibleStream, is_live_where_whatever_the_model_says_is_the_answer) {
  std::promise<void> go_on;
  const auto answer = [&, goes_on = go_on.get_future().share()](
                          const wright::Request&,
                          const ModelCall& call) -> Result<wright::Response> {
    call.on_text("half");
    goes_on.wait();
    call.on_text(" and half");
    return testing::says("half and half");
  };
  ServedService served({.model = model_from("test", "slow", answer), .can_ask = false});
  http::RawPeer peer(served.http());
  peer.write(ServedService::request_text(
      "POST", "/v1/chat/completions",
      R"({"model":"parrot","stream":true,"messages":[{"role":"user","content":"x"}]})"));
  const std::string first = peer.read_until(R"({"content":"half"})");
  EXPECT_TRUE(first.ends_with(R"({"content":"half"})")) << first;
  go_on.set_value();
  const std::string rest = peer.read_all();
  EXPECT_NE(rest.find(R"({"content":" and half"})"), std::string::npos) << rest;
}

TEST(CompatibleStream, that_cannot_be_the_whole_text_any_more_ends_with_an_error) {
  for (const Protocol& protocol : kProtocols) {
    std::promise<void> go_on;
    const auto answer = [&, goes_on = go_on.get_future().share()](
                            const wright::Request&,
                            const ModelCall& call) -> Result<wright::Response> {
      call.on_text("The answer is ye");
      goes_on.wait();
      interrupt(call);
      call.on_text("No, it is not.");
      return testing::says("No, it is not.");
    };
    ServedService served({.model = model_from("test", "fickle", answer), .can_ask = false});
    http::RawPeer peer(served.http());
    peer.write(ServedService::request_text("POST", protocol.path,
                                           "{" + protocol.body("Well?") + R"(,"stream":true})"));
    std::string stream = peer.read_until("The answer is ye");
    go_on.set_value();
    stream += peer.read_all();
    EXPECT_EQ(joined_pieces(protocol, stream), "The answer is ye") << stream;
    EXPECT_NE(stream.find("answered anew"), std::string::npos) << stream;
  }
}

TEST(CompatibleStream, ends_at_the_callers_limit_with_the_text_and_says_so) {
  int asked = 0;
  const auto answer = [&](const wright::Request& request,
                          const ModelCall& call) -> Result<wright::Response> {
    ++asked;
    EXPECT_EQ(request.sampling->max_tokens, 50);
    say(call, "It is a long st");
    wright::Response response = testing::says("It is a long st");
    response.stop_reason = StopReason::max_tokens;
    return response;
  };
  for (const bool can_ask : {true, false}) {
    ServedService served({.model = model_from("test", "long", answer), .can_ask = can_ask});
    for (const Protocol& protocol : kProtocols) {
      asked = 0;
      const Answered whole = ask_whole(served, protocol, "Tell me");
      EXPECT_EQ(whole.status, 200) << whole.body;
      EXPECT_EQ(protocol.whole_text(whole.json()), "It is a long st") << whole.body;
      EXPECT_NE(whole.body.find(protocol.cut), std::string::npos) << whole.body;
      EXPECT_EQ(asked, 1) << "nobody asked for more";
      const Answered streamed = ask_streamed(served, protocol, "Tell me");
      EXPECT_EQ(joined_pieces(protocol, streamed.body), "It is a long st") << streamed.body;
      EXPECT_NE(streamed.body.find(protocol.cut), std::string::npos) << streamed.body;
    }
  }
}

TEST(CompatibleStream, goes_on_after_an_answer_that_was_cut) {
  int asked = 0;
  const auto answer = [&](const wright::Request&, const ModelCall&) -> Result<wright::Response> {
    wright::Response response = testing::says(++asked == 1 ? "It is a long st" : "It ended well.");
    if (asked == 1) response.stop_reason = StopReason::max_tokens;
    return response;
  };
  ServedService served({.model = model_from("test", "long", answer)});
  const Answered cut = served.ask("POST", "/v1/responses",
                                  R"({"model":"parrot","input":"x","max_output_tokens":5})");
  EXPECT_EQ(cut.json().at("incomplete_details").at("reason"), Json("max_output_tokens"))
      << cut.body;
  const Json next{
      {"model", "parrot"}, {"input", "go on"}, {"previous_response_id", cut.json().at("id")}};
  const Answered second = served.ask("POST", "/v1/responses", to_text(next));
  EXPECT_EQ(second.json().at("status"), Json("completed")) << second.body;
  EXPECT_EQ(kProtocols[1].whole_text(second.json()), "It ended well.") << second.body;
}

TEST(StreamedText, sends_what_an_attempt_before_has_not_said) {
  StreamedText text(StreamedText::Pace::live);
  EXPECT_EQ(text.add("one tw"), "one tw");
  text.begin_attempt();
  EXPECT_EQ(text.add("one"), "");
  EXPECT_EQ(text.add(" two th"), "o th");
  EXPECT_EQ(text.add("ree"), "ree");
  EXPECT_EQ(text.rest_of("one two three!"), "!");
  text.begin_attempt();
  EXPECT_EQ(text.add("one, two"), "");
  EXPECT_FALSE(text.rest_of("one, two"));
}

TEST(StreamedText, is_live_once_it_is_longer_than_a_remark) {
  StreamedText text(StreamedText::Pace::after_remark);
  EXPECT_EQ(text.add("Let me look."), "");
  text.end_turn();
  EXPECT_EQ(text.begin_attempt(), "");
  const std::string most(StreamedText::kLongestRemark, 'x');
  EXPECT_EQ(text.add(most), "");
  EXPECT_EQ(text.begin_attempt(), "") << "it was interrupted";
  EXPECT_EQ(text.add(most), "");
  EXPECT_EQ(text.add("y"), most + "y");
  EXPECT_EQ(text.add("z"), "z");
  EXPECT_EQ(text.begin_attempt(), "") << "it was interrupted once more";
  EXPECT_EQ(text.add(most + "yzz"), "z");
  EXPECT_EQ(text.rest_of(most + "yzz!"), "!");
  text.end_turn();
  EXPECT_EQ(text.begin_attempt(), "\n\n") << "it was a long remark";
  EXPECT_EQ(text.add("It rains."), "");
  EXPECT_EQ(text.rest_of("It rains."), "It rains.");
}

TEST(StreamedText, sends_all_at_the_end_where_only_the_end_tells) {
  StreamedText text;
  EXPECT_EQ(text.add("Let me look."), "");
  text.begin_attempt();
  EXPECT_EQ(text.add("It rains."), "");
  EXPECT_EQ(text.rest_of("It rains."), "It rains.");
}

}  // namespace
}  // namespace wright::server
