// Images in what callers say, in every protocol, and messages to sessions that work.
#include <latch>

#include "server/content_parts.h"
#include "server/service_testing.h"

namespace wright::server {
namespace {

const Image kPixel{"image/png", "iVBORw0KGgo="};

// Says what it is shown.
Model seeing() {
  return model_from("test", "seeing", [](const wright::Request& request, const ModelCall&) {
    std::string seen;
    for (const Part& part : request.messages.back().parts) {
      if (const auto* image = std::get_if<Image>(&part)) {
        seen += "[" + image->media_type + " " + image->base64 + "]";
      } else if (const auto* text = std::get_if<Text>(&part)) {
        seen += text->text;
      }
    }
    return Result<wright::Response>(testing::says(seen));
  });
}

TEST(Parts, come_in_every_protocol) {
  ServedService served({.model = seeing()});
  const Json chat =
      served
          .ask("POST", "/v1/chat/completions",
               R"({"model":"parrot","messages":[{"role":"user","content":[)"
               R"({"type":"text","text":"look "},)"
               R"({"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},)"
               R"({"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0="}},)"
               R"({"type":"input_audio","input_audio":{"data":"SUQz","format":"mp3"}}]}]})")
          .json();
  EXPECT_EQ(chat.at("choices").at(0).at("message").at("content").as_string(),
            "look [image/png iVBORw0KGgo=][application/pdf JVBERi0=][audio/mpeg SUQz]");
  const Json responses =
      served
          .ask("POST", "/v1/responses",
               R"({"model":"parrot","input":[{"role":"user","content":[)"
               R"({"type":"input_text","text":"look "},)"
               R"({"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}]})")
          .json();
  EXPECT_EQ(responses.at("output").at(0).at("content").at(0).at("text").as_string(),
            "look [image/png iVBORw0KGgo=]");
  const Json messages =
      served
          .ask("POST", "/v1/messages",
               R"({"model":"parrot","max_tokens":9,"messages":[{"role":"user","content":[)"
               R"({"type":"image","source":{"type":"base64","media_type":"image/png",)"
               R"("data":"iVBORw0KGgo="}},{"type":"text","text":" look"}]}]})")
          .json();
  EXPECT_EQ(messages.at("content").at(0).at("text").as_string(), "[image/png iVBORw0KGgo=] look");
}

TEST(Parts, come_with_sessions_and_stay_in_them) {
  ServedService served({.model = seeing()});
  const Answered begun = served.ask(
      "POST", "/api/v1/sessions",
      R"({"agent":"parrot","parts":[{"type":"image","media_type":"image/png","base64":"iVBORw0KGgo="}]})");
  ASSERT_EQ(begun.status, 201) << begun.body;
  const SessionId id = begun.json().at("id").to_number<SessionId>();
  EXPECT_EQ(served.runtime().wait(id)->text, "[image/png iVBORw0KGgo=]");
  EXPECT_EQ(begun.json().at("prompt").as_string(), "[image]");
  const Answered sent =
      served.ask("POST", fmt::format("/api/v1/sessions/{}/messages", id),
                 R"({"parts":[{"type":"text","text":"and "},)"
                 R"({"type":"image","media_type":"image/png","base64":"iVBORw0KGgo="}]})");
  ASSERT_EQ(sent.status, 202) << sent.body;
  EXPECT_EQ(served.runtime().wait(id)->text, "and [image/png iVBORw0KGgo=]");
  const auto stored = served.store().get_messages(id);
  EXPECT_EQ(stored->at(2).message, (Message{Role::user, {Text{"and "}, kPixel}}));
}

TEST(Parts, that_are_none_are_refused_before_anything_is_stored) {
  ServedService served({.model = seeing()});
  const auto chat = [&](std::string_view block) {
    return served.ask("POST", "/v1/chat/completions",
                      fmt::format(R"({{"model":"parrot","messages":[{{"role":"user","content":)"
                                  R"([{}]}}]}})",
                                  block));
  };
  for (const char* block :
       {R"({"type":"image_url","image_url":{"url":"https://example.com/a.png"}})",
        R"({"type":"image_url","image_url":{"url":"data:image/png;base64,%%%"}})",
        R"({"type":"image_url","image_url":{"url":"data:;base64,iVBORw0KGgo="}})",
        R"({"type":"image_url","image_url":{"url":"data:image/svg+xml;base64,PHN2Zy8+"}})",
        R"({"type":"image_url","image_url":{"url":"data:image/tiff;base64,SUkqAA=="}})",
        R"({"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}})",
        R"({"type":"image_url"})", R"({"type":"file","file":{"file_id":"file-1"}})",
        R"({"type":"video"})", R"("text")"}) {
    const int status = chat(block).status;
    EXPECT_GE(status, 400) << block;
    EXPECT_LT(status, 500) << block;
  }
  for (
      const char* body :
      {R"({"agent":"parrot","parts":[]})", R"({"agent":"parrot","parts":"x"})",
       R"({"agent":"parrot","parts":[{"type":"image","media_type":"image/heic","base64":"AAAA"}]})",
       R"({"agent":"parrot","prompt":"x","parts":[{"type":"text","text":"x"}]})",
       R"({"agent":"parrot","parts":[{"type":"tool_call","id":"1","name":"x","arguments":"{}"}]})"}) {
    EXPECT_EQ(served.ask("POST", "/api/v1/sessions", body).status, 400) << body;
  }
  EXPECT_TRUE(served.store().list_sessions({})->empty());
}

TEST(Parts, are_what_they_are_whatever_they_are_called) {
  ServedService served({.model = seeing()});
  const Json chat = served
                        .ask("POST", "/v1/chat/completions",
                             R"({"model":"parrot","messages":[{"role":"user","content":[)"
                             R"({"type":"image_url","image_url":)"
                             R"({"url":"data:image/jpg;base64,iVBORw0KGgo="}}]}]})")
                        .json();
  EXPECT_EQ(chat.at("choices").at(0).at("message").at("content").as_string(),
            "[image/png iVBORw0KGgo=]");
}

TEST(Parts, of_a_message_reach_a_session_that_works) {
  std::latch begun(1);
  std::latch said(1);
  ServedService served({.tools = {tool("work", "Works", [&] {
                          begun.count_down();
                          said.wait();
                          return std::string("worked");
                        })}});
  const Answered answered =
      served.ask("POST", "/api/v1/sessions", R"({"agent":"parrot","prompt":"call work"})");
  const SessionId id = answered.json().at("id").to_number<SessionId>();
  begun.wait();
  const std::string path = fmt::format("/api/v1/sessions/{}/messages", id);
  // Without the word, it is a message for a session that has ended.
  EXPECT_GE(served.ask("POST", path, R"({"text":"rather this"})").status, 400);
  EXPECT_EQ(served.ask("POST", path, R"({"text":"rather this","steer":1})").status, 400);
  const Answered steered = served.ask("POST", path, R"({"text":"rather this","steer":true})");
  EXPECT_EQ(steered.status, 202) << steered.body;
  said.count_down();
  EXPECT_EQ(served.runtime().wait(id)->text, "rather this");
}

}  // namespace
}  // namespace wright::server
