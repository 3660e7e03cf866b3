// Responses by their ids: each has its own, can be gone on from, shown, cancelled and deleted.
#include <thread>

#include "server/conversation.h"
#include "server/service_testing.h"

namespace wright::server {
namespace {

// Says all that it was told, so that a test sees what a branch knows.
Result<wright::Response> said_so_far(const wright::Request& request, const ModelCall&) {
  std::string all;
  for (const Message& message : request.messages) {
    if (message.role == Role::user) all += (all.empty() ? "" : " ") + message.text();
  }
  return testing::says(all);
}

class Responses : public ::testing::Test {
 protected:
  Json create(JsonObject body) {
    body["model"] = "parrot";
    const Answered answered = served_.ask("POST", "/v1/responses", to_text(Json(std::move(body))));
    EXPECT_EQ(answered.status, 200) << answered.body;
    return answered.json();
  }
  Json after(const Json& previous, std::string_view input) {
    return create({{"input", input}, {"previous_response_id", previous.at("id")}});
  }
  static std::string text_of(const Json& response) {
    return std::string(response.at("output").at(0).at("content").at(0).at("text").as_string());
  }
  static std::string path_of(const Json& response) {
    return "/v1/responses/" + std::string(response.at("id").as_string());
  }

  ServedService served_{{.model = model_from("test", "memory", said_so_far), .can_ask = false}};
};

TEST_F(Responses, have_ids_of_their_own_and_name_the_one_before) {
  const Json first = create({{"input", "one"}});
  const Json second = after(first, "two");
  EXPECT_TRUE(first.at("previous_response_id").is_null());
  EXPECT_EQ(second.at("previous_response_id"), first.at("id"));
  EXPECT_NE(second.at("id"), first.at("id"));
  EXPECT_NE(second.at("output").at(0).at("id"), first.at("output").at(0).at("id"));
  EXPECT_EQ(text_of(second), "one two");
  EXPECT_EQ(served_.store().list_sessions({})->size(), 1U) << "straight on is one session";
}

TEST_F(Responses, an_older_one_is_gone_on_from_without_what_came_after_it) {
  const Json first = create({{"input", "one"}});
  after(after(first, "two"), "three");
  const Json branch = after(first, "four");
  EXPECT_EQ(text_of(branch), "one four");
  EXPECT_EQ(branch.at("previous_response_id"), first.at("id"));
  EXPECT_EQ(text_of(after(branch, "five")), "one four five");
  EXPECT_EQ(served_.store().list_sessions({})->size(), 2U);
  // An id of an earlier version means all that was said.
  const std::string old_id = fmt::format("resp_{}", served_.store().list_sessions({})->back().id);
  EXPECT_EQ(text_of(create({{"input", "six"}, {"previous_response_id", old_id}})),
            "one two three six");
}

TEST_F(Responses, that_go_on_from_an_empty_id_are_refused) {
  const Answered refused = served_.ask(
      "POST", "/v1/responses", R"({"model":"parrot","input":"one","previous_response_id":""})");
  EXPECT_EQ(refused.status, 404) << refused.body;
  EXPECT_TRUE(served_.store().list_sessions({})->empty());
  create({{"input", "one"}, {"previous_response_id", nullptr}});
}

TEST_F(Responses, with_a_tool_that_is_named_twice_are_refused_with_these_words) {
  const Answered refused =
      served_.ask("POST", "/v1/responses",
                  R"({"model":"parrot","input":"one","tools":[{"type":"function","name":"mine"},)"
                  R"({"type":"function","name":"mine"}]})");
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_NE(refused.body.find("The tool 'mine' is named twice"), std::string::npos) << refused.body;
}

TEST_F(Responses, several_may_go_on_from_one_at_the_same_moment) {
  const Json first = create({{"input", "one"}});
  std::vector<http::RawPeer> peers;
  for (int i = 0; i < 8; ++i) peers.emplace_back(served_.http());
  for (std::size_t i = 0; i < peers.size(); ++i) {
    peers[i].write(
        ServedService::request_text("POST", "/v1/responses",
                                    to_text(Json{{"model", "parrot"},
                                                 {"input", fmt::format("two{}", i)},
                                                 {"previous_response_id", first.at("id")}})));
  }
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const Answered answered = ServedService::answered_from(peers[i].read_all());
    ASSERT_EQ(answered.status, 200) << answered.body;
    EXPECT_EQ(text_of(answered.json()), fmt::format("one two{}", i));
  }
  EXPECT_EQ(served_.store().list_sessions({})->size(), peers.size());
}

TEST_F(Responses, so_is_an_item_that_is_referred_to) {
  const Json first = create({{"input", "one"}});
  const auto from_item = [&](std::string_view words) {
    return create({{"input", JsonArray{{{"role", "user"}, {"content", "one"}},
                                       {{"type", "item_reference"},
                                        {"id", first.at("output").at(0).at("id")}},
                                       {{"role", "user"}, {"content", words}}}}});
  };
  EXPECT_EQ(text_of(from_item("two")), "one two");
  EXPECT_EQ(text_of(from_item("three")), "one three");
}

TEST_F(Responses, keep_their_id_from_the_beginning_of_a_stream_to_its_end) {
  const std::string stream =
      served_.ask("POST", "/v1/responses", R"({"model":"parrot","input":"one","stream":true})")
          .body;
  const std::size_t at = stream.find("resp_");
  ASSERT_NE(at, std::string::npos);
  const std::string id = stream.substr(at, stream.find('"', at) - at);
  EXPECT_NE(stream.rfind(id), at) << stream;
  EXPECT_EQ(stream.find("\"resp_", stream.rfind(id)), std::string::npos);
  EXPECT_EQ(text_of(served_.ask("GET", "/v1/responses/" + id).json()), "one");
}

TEST_F(Responses, tell_what_was_asked_for) {
  const JsonObject asked{
      {"input", "one"},
      {"instructions", "Be brief"},
      {"metadata", {{"order", "7"}}},
      {"max_output_tokens", 77},
      {"temperature", 0.5},
      {"tool_choice", "none"},
      {"tools", JsonArray{{{"type", "function"}, {"name", "weather"}, {"parameters", nullptr}}}},
      {"user", "me"}};
  const Json told = create(asked);
  for (const auto& [key, value] : asked) {
    if (key != "input") EXPECT_EQ(told.at(key), value) << std::string_view(key);
  }
  const Json nothing = create({{"input", "one"}});
  EXPECT_TRUE(nothing.at("instructions").is_null());
  EXPECT_EQ(nothing.at("metadata"), Json(JsonObject()));
  EXPECT_EQ(nothing.at("tool_choice"), "auto");
  EXPECT_EQ(nothing.at("text").at("format").at("type"), "text");
  for (const char* wrong : {R"({"a":1})", R"("x")", "[]"}) {
    const Answered refused =
        served_.ask("POST", "/v1/responses",
                    fmt::format(R"({{"model":"parrot","input":"x","metadata":{}}})", wrong));
    EXPECT_EQ(refused.status, 400) << wrong;
    EXPECT_EQ(refused.json().at("error").at("param"), "metadata");
  }
}

TEST_F(Responses, are_shown_as_they_were_told) {
  const Json first = create({{"input", "one"}, {"metadata", {{"a", "b"}}}});
  EXPECT_EQ(served_.ask("GET", path_of(first)).json(), first);
  after(first, "two");
  EXPECT_EQ(served_.ask("GET", path_of(first)).json(), first) << "what comes after changes nothing";
  for (const char* id : {"resp_1", "resp_1_0123456789abcdef", "resp_9_0123456789abcdef", "x"}) {
    const Answered missing = served_.ask("GET", fmt::format("/v1/responses/{}", id));
    EXPECT_EQ(missing.status, 404) << id;
    EXPECT_EQ(missing.json().at("error").at("type"), "invalid_request_error");
  }
  EXPECT_EQ(served_.ask("GET", path_of(first) + "?stream=true").status, 422);
  const Answered ended = served_.ask("POST", path_of(first) + "/cancel", "{}");
  EXPECT_EQ(ended.status, 400) << ended.body;
}

// As after a server that was killed: the record says that it is under way.
TEST_F(Responses, that_nobody_saw_end_have_their_own_answer_and_no_others) {
  const Json first = create({{"input", "one"}});
  const auto records = served_.store().get_records({.kind = "response"});
  ASSERT_TRUE(records && records->size() == 1U);
  JsonObject cut = records->front().value.as_object();
  cut.erase("last");
  cut["response"].as_object()["status"] = "in_progress";
  cut["response"].as_object()["output"] = JsonArray();
  ASSERT_TRUE(served_.store().apply_one(PutRecord{.kind = "response",
                                                  .key = records->front().key,
                                                  .value = cut,
                                                  .version = records->front().version}));
  for (const bool has_gone_on : {false, true}) {
    if (has_gone_on) EXPECT_EQ(text_of(after(first, "two")), "one two");
    const Json shown = served_.ask("GET", path_of(first)).json();
    EXPECT_EQ(shown.at("status"), Json("completed"));
    EXPECT_EQ(text_of(shown), "one") << has_gone_on;
    EXPECT_EQ(served_.ask("POST", path_of(first) + "/cancel").status, 400);
  }
}

// Whoever asks again finds all as it was: no copy, and no border in the conversation.
TEST_F(Responses, that_are_refused_leave_nothing_behind) {
  const Json first = create({{"input", "one"}});
  served_.runtime().drain(std::chrono::milliseconds(0));
  for (int i = 0; i < 3; ++i) {
    const Answered refused = served_.ask(
        "POST", "/v1/responses",
        to_text(
            Json{{"model", "parrot"}, {"input", "two"}, {"previous_response_id", first.at("id")}}));
    EXPECT_EQ(refused.status, 503) << refused.body;
  }
  EXPECT_EQ(served_.store().list_sessions({})->size(), 1U);
  EXPECT_EQ(served_.store().get_records({.kind = "response"})->size(), 1U);
}

TEST_F(Responses, have_the_items_that_they_answer) {
  const Json first = create({{"input", JsonArray{{{"role", "user"}, {"content", "one"}},
                                                 {{"role", "assistant"}, {"content", "two"}},
                                                 {{"role", "user"}, {"content", "three"}}}}});
  const auto items = [&](const Json& response, std::string_view query) {
    return served_.ask("GET", path_of(response) + "/input_items" + std::string(query)).json();
  };
  const Json all = items(first, "?order=asc");
  ASSERT_EQ(all.at("data").as_array().size(), 3U) << to_text(all);
  EXPECT_EQ(all.at("data").at(0).at("content").at(0).at("text"), "one");
  EXPECT_EQ(all.at("data").at(1).at("content").at(0).at("type"), "output_text");
  const Json newest = items(first, "?limit=1");
  EXPECT_EQ(newest.at("data").at(0).at("content").at(0).at("text"), "three");
  EXPECT_EQ(newest.at("has_more"), true);
  const Json rest =
      items(first, fmt::format("?after={}", std::string_view(newest.at("last_id").as_string())));
  EXPECT_EQ(rest.at("data").as_array().size(), 2U);
  EXPECT_EQ(rest.at("has_more"), false);
  const Json second = after(first, "four");
  EXPECT_EQ(items(second, "").at("data").as_array().size(), 1U);
  EXPECT_EQ(served_.ask("GET", path_of(first) + "/input_items?limit=0").status, 400);
}

TEST_F(Responses, are_deleted_and_their_session_with_the_last_of_them) {
  const Json first = create({{"input", "one"}});
  const Json second = after(first, "two");
  const auto remove = [&](const Json& response) {
    return served_.ask("DELETE", path_of(response));
  };
  const Answered removed = remove(first);
  EXPECT_EQ(removed.status, 200) << removed.body;
  EXPECT_EQ(removed.json(),
            Json({{"id", first.at("id")}, {"object", "response"}, {"deleted", true}}));
  EXPECT_EQ(remove(first).status, 404);
  EXPECT_EQ(served_.ask("GET", path_of(first)).status, 404);
  EXPECT_EQ(
      served_
          .ask("POST", "/v1/responses",
               to_text(Json{
                   {"model", "parrot"}, {"input", "x"}, {"previous_response_id", first.at("id")}}))
          .status,
      404);
  EXPECT_EQ(text_of(served_.ask("GET", path_of(second)).json()), "one two");
  EXPECT_EQ(remove(second).status, 200);
  EXPECT_TRUE(served_.store().list_sessions({})->empty());
}

TEST_F(Responses, leave_what_was_said_otherwise_when_they_are_deleted) {
  const Json first = create({{"input", "one"}});
  const SessionId id = served_.store().list_sessions({})->front().id;
  const std::string path = fmt::format("/api/v1/sessions/{}/messages", id);
  const Answered sent = served_.ask("POST", path, R"({"text":"two"})");
  ASSERT_LT(sent.status, 300) << sent.body;
  const auto count = [&] {
    const Json body{{"model", "parrot"}, {"input", "x"}, {"previous_response_id", first.at("id")}};
    return served_.ask("POST", "/v1/responses/input_tokens", to_text(body)).status;
  };
  EXPECT_EQ(count(), 200);
  EXPECT_EQ(served_.ask("DELETE", path_of(first)).status, 200);
  EXPECT_EQ(served_.ask("GET", path_of(first)).status, 404);
  EXPECT_EQ(count(), 404);
  EXPECT_TRUE(served_.store().get_session(id));
}

TEST_F(Responses, of_another_tenant_are_not_there) {
  const auto token = [&](const char* name, Scopes scopes) {
    return "Authorization: Bearer " + *served_.tokens().add(name, scopes, 1, name) + "\r\n";
  };
  const std::string shop = token("shop", {Scope::admin});
  const std::string bank = token("bank", {Scope::admin});
  const Json theirs =
      served_.ask("POST", "/v1/responses", R"({"model":"parrot","input":"one"})", bank).json();
  const std::string path = path_of(theirs);
  EXPECT_EQ(served_.ask("GET", path, {}, shop).status, 404);
  EXPECT_EQ(served_.ask("GET", path + "/input_items", {}, shop).status, 404);
  EXPECT_EQ(served_.ask("POST", path + "/cancel", "{}", shop).status, 404);
  EXPECT_EQ(served_.ask("DELETE", path, {}, shop).status, 404);
  EXPECT_EQ(served_.ask("GET", path, {}, bank).json(), theirs);
}

TEST_F(Responses, and_messages_are_counted_before_they_are_sent) {
  const auto count = [&](std::string_view path, std::string_view words) {
    const std::string body =
        path.starts_with("/v1/messages")
            ? fmt::format(R"({{"model":"parrot","messages":[{{"role":"user","content":"{}"}}]}})",
                          words)
            : fmt::format(R"({{"model":"parrot","input":"{}"}})", words);
    const Answered answered = served_.ask("POST", path, body);
    EXPECT_EQ(answered.status, 200) << answered.body;
    return answered.json().at("input_tokens").to_number<std::int64_t>();
  };
  for (const char* path : {"/v1/messages/count_tokens", "/v1/responses/input_tokens"}) {
    const std::int64_t few = count(path, "Hello");
    EXPECT_GT(few, 0);
    EXPECT_GT(count(path, std::string(4'000, 'x')), few + 500) << path;
  }
  EXPECT_TRUE(served_.store().list_sessions({})->empty()) << "nothing is begun for it";
  const Answered wrong = served_.ask("POST", "/v1/messages/count_tokens",
                                     R"({"model":"nobody",)"
                                     R"("messages":[]})");
  EXPECT_EQ(wrong.status, 404);
  EXPECT_EQ(wrong.json().at("type"), "error");
}

TEST(ResponsesUnderWay, are_in_progress_and_can_be_cancelled) {
  const auto wait_for_cancel = [](const wright::Request&,
                                  const ModelCall& call) -> Result<wright::Response> {
    while (!call.stop.stop_requested()) std::this_thread::yield();
    return fail(ErrorCode::cancelled, "Stopped");
  };
  ServedService served({.model = model_from("test", "slow", wait_for_cancel), .can_ask = false});
  http::RawPeer peer(served.http());
  peer.write(ServedService::request_text("POST", "/v1/responses",
                                         R"({"model":"parrot","input":"one","stream":true})"));
  const std::string begun = peer.read_until("response.in_progress");
  const std::size_t at = begun.find("resp_");
  ASSERT_NE(at, std::string::npos) << begun;
  const std::string path = "/v1/responses/" + begun.substr(at, begun.find('"', at) - at);
  EXPECT_EQ(served.ask("GET", path).json().at("status"), "in_progress");
  const Answered cancelled = served.ask("POST", path + "/cancel", "{}");
  EXPECT_EQ(cancelled.status, 200) << cancelled.body;
  EXPECT_EQ(cancelled.json().at("status"), "cancelled");
  EXPECT_NE(peer.read_all().find("response.failed"), std::string::npos);
  EXPECT_EQ(served.store().get_session(1)->status, SessionStatus::cancelled);
}

}  // namespace
}  // namespace wright::server
