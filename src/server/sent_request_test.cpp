// What a model was sent, made anew: exactly, or with a word about what differs; never with a key.
#include "server/service_testing.h"

namespace wright::server {
namespace {

// Sends what it would send: the words of all messages, and what a vendor's tool needs.
class WiredBackend : public ModelBackend {
 public:
  // With these members, too.
  explicit WiredBackend(JsonObject more = {}) : more_(std::move(more)) {}

  Result<wright::Response> complete(const wright::Request& request,
                                    const ModelCall& call) override {
    auto response = parrot_answer(request, call);
    if (response)
      response->request_fingerprint = request_fingerprint(body_of(request, temperature));
    return response;
  }
  Result<std::vector<HttpRequest>> preview(const wright::Request& request) const override {
    return std::vector{
        HttpRequest{.url = "https://other.test", .body = body_of(request, -1)},
        HttpRequest{.url = "https://model.test", .body = body_of(request, temperature)}};
  }
  int temperature = 0;

 private:
  std::string body_of(const wright::Request& request, int temperature) const {
    JsonArray messages;
    for (const Message& each : request.messages) messages.emplace_back(display_text(each));
    JsonObject body{
        {"system", request.system},
        {"messages", std::move(messages)},
        {"temperature", temperature},
        {"tools",
         {{{"type", "mcp"}, {"authorization", "Bearer abc"}, {"headers", {{"x-any", "def"}}}}}}};
    for (const auto& [name, value] : more_) body[name] = value;
    return to_text(Json(std::move(body)));
  }
  JsonObject more_;
};

class SentRequests : public ::testing::Test {
 protected:
  std::string fingerprint_of_turn(SessionId id, std::size_t turn) {
    served_.writer().flush();
    const auto events = served_.store().get_events({.session_id = id});
    for (const StoredEvent& event : events.value()) {
      if (event.type == "model_ended" && turn-- == 1) {
        return std::string(event.data.at("request").as_string());
      }
    }
    return "none";
  }
  Json turn(SessionId id, std::size_t turn, std::string_view query) {
    const Answered answered =
        served_.ask("GET", fmt::format("/api/v1/sessions/{}/turns/{}{}", id, turn, query));
    EXPECT_EQ(answered.status, 200) << answered.body;
    return answered.json();
  }

  std::shared_ptr<WiredBackend> backend_ = std::make_shared<WiredBackend>();
  ServedService served_{{.model = Model("test", "parrot", backend_)}};
};

TEST_F(SentRequests, are_made_anew_as_they_were) {
  const SessionId id = served_.begin("call missing {}");
  for (const std::size_t each : {1U, 2U}) {
    const Json sent = turn(id, each, "?sent=" + fingerprint_of_turn(id, each)).at("sent");
    EXPECT_TRUE(sent.at("is_exact").as_bool()) << to_text(sent);
    EXPECT_EQ(sent.at("url").as_string(), "https://model.test");
    const Json body = *parse_json(sent.at("body").as_string());
    EXPECT_EQ(body.at("messages").as_array().size(), each == 1U ? 1U : 3U);
    EXPECT_EQ(body.at("tools").at(0).at("authorization").as_string(), "[REDACTED]");
    EXPECT_EQ(body.at("tools").at(0).at("headers").at("x-any").as_string(), "[REDACTED]");
    EXPECT_EQ(sent.at("notes").as_array().size(), 1U) << "that something is hidden";
  }
}

// Wherever they stand: a vendor's tool takes an address with a key in it, and headers of any name.
TEST(SentRequest, shows_no_secret_of_an_address_a_header_or_a_member) {
  const Json more = *parse_json(R"({
    "api_key": "k-1", "userToken": "k-2", "callback_url": "https://k-3@host.test/hook/k-4?key=k-5",
    "max_output_tokens": 17, "response_url": "https://host.test/",
    "tools": [
      {"server_url": "https://ada:k-6@mcp.test:8443/v1?token=k-7#k-8", "headers": {
         "Cookie": "k-9", "x": ["k-10", {"deep": "k-11"}]}},
      {"imageUri": "data:k-12", "client_secret": "k-13", "db_password": "k-14"},
      {"name": "login", "parameters": {"properties": {"password": {"type": "string",
         "description": "What the person types"}, "url": {"default": "https://shown.test/path"}}}}],
    "metadata": {"url": "https://k-15@other.test"}})");
  auto backend = std::make_shared<WiredBackend>(more.as_object());
  ServedService served{{.model = Model("test", "parrot", backend)}};
  const SessionId id = served.begin("Say https://ada:spoken@host.test/?key=spoken");
  const Json sent =
      served.ask("GET", fmt::format("/api/v1/sessions/{}/turns/1", id)).json().at("sent");
  const std::string shown(sent.at("body").as_string());
  EXPECT_EQ(shown.find("k-1"), std::string::npos) << shown;
  for (int i = 2; i < 10; ++i) {
    EXPECT_EQ(shown.find(fmt::format("k-{}", i)), std::string::npos) << i << shown;
  }
  const Json body = *parse_json(shown);
  EXPECT_EQ(body.at("api_key"), Json("[REDACTED]"));
  EXPECT_EQ(body.at("callback_url"), Json("https://host.test/…"));
  EXPECT_EQ(body.at("response_url"), Json("https://host.test/")) << "there is nothing to hide";
  EXPECT_EQ(body.at("max_output_tokens"), Json(17));
  EXPECT_EQ(body.at("tools").at(0).at("server_url"), Json("https://mcp.test:8443/…"));
  EXPECT_EQ(body.at("tools").at(0).at("headers").at("x").at(1).at("deep"), Json("[REDACTED]"));
  EXPECT_EQ(body.at("tools").at(1).at("imageUri"), Json("[REDACTED]"));
  EXPECT_EQ(body.at("metadata").at("url"), Json("https://other.test"));
  EXPECT_EQ(body.at("tools").at(2), more.at("tools").at(2)) << "a schema has no secrets";
  EXPECT_NE(shown.find("key=spoken"), std::string::npos) << "what was said is shown in any case";
  EXPECT_NE(to_text(sent.at("notes")).find("What is secret is hidden"), std::string::npos);
}

TEST_F(SentRequests, say_when_settings_have_changed_since) {
  const SessionId id = served_.begin("hello");
  const std::string fingerprint = fingerprint_of_turn(id, 1);
  backend_->temperature = 1;
  const Json changed = turn(id, 1, "?sent=" + fingerprint).at("sent");
  EXPECT_FALSE(changed.at("is_exact").as_bool());
  EXPECT_NE(to_text(changed.at("notes")).find("have changed since"), std::string::npos);
  const Json unknown = turn(id, 1, "").at("sent");
  EXPECT_FALSE(unknown.at("is_exact").as_bool());
  EXPECT_NE(to_text(unknown.at("notes")).find("Nobody knows"), std::string::npos);
}

TEST(SentRequest, of_a_model_that_is_not_asked_over_http_is_none) {
  ServedService served;
  const SessionId id = served.begin("hello");
  const Json sent =
      served.ask("GET", fmt::format("/api/v1/sessions/{}/turns/1", id)).json().at("sent");
  EXPECT_FALSE(sent.at("is_exact").as_bool());
  EXPECT_FALSE(sent.as_object().contains("body"));
  EXPECT_NE(to_text(sent.at("notes")).find("not asked over HTTP"), std::string::npos);
}

}  // namespace
}  // namespace wright::server
