#include "wright/replay.h"

#include <gtest/gtest.h>

namespace wright {
namespace {

RecordedSession everything() {
  const ToolCall first{"c1", "grep", R"({"pattern":"x"})"};
  const ToolCall broken{"c2", "grep", "{broken\nin two"};
  const ToolCall asked{"c3", "ask_user", "{}"};
  const ToolCall delegated{"c4", "helper", R"({"message":"help"})"};
  const ToolResult found{"c1", "grep", R"({"matches":[{"line":1,"text":"a\nb"}]})", false, {}};
  const ToolResult refused{"c2", "grep", "The arguments are\nnot valid", true, {}};
  const ToolResult answered{"c3", "ask_user", R"({ "spaced": 1 })", false, {{"image/png", "aGk="}}};
  const ToolResult helped{"c4", "helper", "helped", false, {}};
  RecordedSession specialist{.agent = "helper",
                             .provider = "p",
                             .model = "m",
                             .status = SessionStatus::failed,
                             .error = "The line is dead",
                             .messages = {Message::user("help")}};
  RecordedSession recorded{.agent = "agent",
                           .provider = "p",
                           .model = "m",
                           .instructions = "One.\nTwo.\n",
                           .config = JsonObject{{"max_iterations", 7}},
                           .status = SessionStatus::waiting};
  recorded.messages = {
      Message::user("Find \xc3\xa9"),
      {Role::assistant,
       {Reasoning{"hm", ""}, Text{"I look.", Text::Phase::commentary}, first, broken, asked,
        delegated}},
      Message::tool(found),
      Message::tool(refused),
      Message::tool(answered),
      Message::tool(helped),
      {Role::assistant, {ToolCall{"c5", "launch", ""}, ToolCall{"c6", "grep", "[1]"}}}};
  recorded.calls = {
      {.id = "c1", .status = CallStatus::completed, .result = found},
      {.id = "c2", .status = CallStatus::failed, .result = refused},
      {.id = "c3",
       .status = CallStatus::completed,
       .result = answered,
       .waits = {{.kind = WaitKind::question,
                  .shown = JsonObject{{"questions", "q"}},
                  .answer = JsonObject{{"q", "a"}}}}},
      {.id = "c4", .status = CallStatus::completed, .result = helped, .specialist = {specialist}},
      {.id = "c5",
       .status = CallStatus::waiting,
       .waits = {{.kind = WaitKind::approval,
                  .shown = JsonObject{{"tool", "rm"}},
                  .covers = {"tool:rm", "command:rm"}}}},
      {.id = "c6",
       .status = CallStatus::failed,
       .result = ToolResult{"c6", "grep", "no object", true, {}}}};
  return recorded;
}

std::string error_of(std::string_view text) {
  const auto read = cassette_from(text);
  return read ? "" : read.error().message;
}

TEST(Cassette, refuses_a_phase_that_nobody_knows) {
  std::string text = cassette_text(everything(), Redactor{});
  const std::string_view known = "commentary";
  const std::size_t at = text.find(known);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, known.size(), "musing");
  EXPECT_NE(error_of(text).find("unknown phase 'musing'"), std::string::npos) << error_of(text);
}

TEST(Cassette, refuses_settings_that_are_no_object) {
  RecordedSession recorded = everything();
  recorded.config = JsonArray{1};
  EXPECT_EQ(error_of(cassette_text(recorded, Redactor{})), "session: 'settings' must be an object");
}

TEST(Cassette, comes_back_as_it_was) {
  const RecordedSession recorded = everything();
  const std::string text = cassette_text(recorded, Redactor{});
  const auto read = cassette_from(text);
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  EXPECT_EQ(read->messages, recorded.messages);
  EXPECT_EQ(read->instructions, recorded.instructions);
  EXPECT_EQ(read->config, recorded.config);
  EXPECT_EQ(read->calls[4].status, CallStatus::waiting);
  EXPECT_FALSE(read->calls[4].result);
  EXPECT_EQ(read->calls[5].result, recorded.calls[5].result);
  EXPECT_EQ(read->calls[2].waits.at(0).answer, recorded.calls[2].waits.at(0).answer);
  EXPECT_EQ(read->calls[3].specialist.at(0).error, "The line is dead");
  // All of it is in the text, so the same text is all of it.
  EXPECT_EQ(cassette_text(*read, Redactor{}), text);
}

TEST(Cassette, is_readable) {
  const std::string text = cassette_text(everything(), Redactor{});
  EXPECT_TRUE(text.starts_with("{\n  \"format\": \"wright-cassette\",\n  \"version\": 2,\n"))
      << text;
  EXPECT_NE(text.find("\"pattern\": \"x\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"The arguments are\",\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"matches\": [\n"), std::string::npos) << text;
}

TEST(Cassette, hides_secrets_wherever_they_stand) {
  RecordedSession recorded = everything();
  const std::string secret = "hunter2000";
  recorded.instructions += secret;
  recorded.config = JsonObject{{"key", secret}};
  recorded.messages[0] = Message::user("It is " + secret);
  recorded.messages[1].parts[0] = Reasoning{secret, R"({"signature":"hunter2000"})"};
  recorded.messages[1].parts[2] = ToolCall{"c1", "grep", R"({"pattern":"hunter2000"})"};
  recorded.messages[2] = Message::tool({"c1", "grep", R"({"matches":["hunter2000"]})", false, {}});
  recorded.calls[2].waits[0].answer = JsonObject{{"q", secret}};
  recorded.calls[3].specialist[0].error = secret;
  recorded.calls[5].result->content = secret;
  const std::string text = cassette_text(recorded, Redactor({secret}));
  EXPECT_EQ(text.find(secret), std::string::npos) << text;
  EXPECT_TRUE(cassette_from(text));
}

TEST(Cassette, names_what_is_wrong_and_where) {
  EXPECT_TRUE(error_of("").starts_with("It is no JSON: "));
  EXPECT_TRUE(error_of("{\"format\": \"wright-cass").starts_with("It is no JSON: "));
  EXPECT_EQ(error_of("[]"), "It is no cassette: the key 'format' is not \"wright-cassette\"");
  EXPECT_EQ(error_of(R"({"format": "wright-session", "version": 1})"),
            "It is no cassette: the key 'format' is not \"wright-cassette\"");
  const auto cassette = [](std::string_view rest) {
    return R"({"format": "wright-cassette", )" + std::string(rest) + "}";
  };
  EXPECT_EQ(error_of(cassette(R"("version": "1")")),
            "The key 'version' must be a number from 1 on");
  EXPECT_EQ(error_of(cassette(R"("version": 3, "future": [])")),
            "It was written by a newer Wright (version 3; this one reads up to 2)");
  EXPECT_EQ(error_of(cassette(R"("version": 1)")), "The key 'session' is missing");
  EXPECT_EQ(error_of(cassette(R"("version": 1, "sesion": {})")), "cassette: unknown key 'sesion'");
  EXPECT_EQ(error_of(cassette(R"("version": 1, "session": 7)")), "session: it must be an object");
}

TEST(Cassette, refuses_every_text_that_is_cut_short) {
  const std::string text = cassette_text(everything(), Redactor{});
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    ASSERT_FALSE(cassette_from(std::string_view(text).substr(0, length))) << length;
  }
}

// Every value of a cassette in turn becomes something else; nothing may crash, and what is still
// accepted must be writable again.
TEST(Cassette, survives_any_value_of_the_wrong_kind) {
  const auto whole = parse_json(cassette_text(everything(), Redactor{}));
  ASSERT_TRUE(whole);
  int refused = 0;
  const auto change_at = [&](auto&& self, Json& value, const Json& root) -> void {
    for (const Json& other : {Json(nullptr), Json(-1), Json("x"), Json(JsonArray{Json(1)}),
                              Json(JsonObject{{"x", 1}})}) {
      Json kept = std::exchange(value, other);
      const auto read = cassette_from(to_text(root));
      if (read) {
        EXPECT_TRUE(cassette_from(cassette_text(*read, Redactor{})));
      } else {
        ++refused;
        EXPECT_FALSE(read.error().message.empty());
      }
      value = std::move(kept);
    }
    if (JsonArray* array = value.if_array()) {
      for (Json& item : *array) self(self, item, root);
    } else if (JsonObject* object = value.if_object()) {
      for (auto& member : *object) self(self, member.value(), root);
    }
  };
  Json root = *whole;
  change_at(change_at, root, root);
  EXPECT_GT(refused, 300);
}

TEST(Cassette, refuses_calls_that_no_message_has) {
  RecordedSession recorded = everything();
  std::string text = cassette_text(recorded, Redactor{});
  const std::string_view id = "\"id\": \"c5\",\n        \"status\"";
  const std::size_t at = text.find(id);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, 10, "\"id\": \"zz\"");
  EXPECT_EQ(error_of(text), "session.calls[2]: no message has the call 'zz'");
}

}  // namespace
}  // namespace wright
