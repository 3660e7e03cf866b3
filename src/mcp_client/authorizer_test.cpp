// A server that wants tokens, and who gives them, on a real socket.
#include "mcp_client/authorizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <fstream>
#include <thread>

#include "mcp_client/http_channel.h"
#include "mcp_client/server_tools.h"
#include "net/canned_server_testing.h"
#include "tools/temporary_folder_testing.h"
#include "wright/agent.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kJson = "Content-Type: application/json\r\n";

// The resource and its authorization server are one; a token is good until it is told otherwise.
class GuardedServer {
 public:
  std::string url() { return server_.url("/mcp"); }
  void forget_tokens() { ++generation_; }
  void forget_people() { knows_people_ = false; }
  int logins() const { return logins_; }
  int refreshes() const { return refreshes_; }
  std::string seen_body() {
    const std::lock_guard lock(mutex_);
    return body_;
  }

 private:
  std::string token() const { return fmt::format("token-{}", generation_.load()); }

  void serve(net::testing::Connection& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      const std::string body = request.substr(request.find("\r\n\r\n") + 4);
      const std::string origin = server_.url("");
      if (request.starts_with("GET /.well-known/oauth-protected-resource/mcp ")) {
        peer.answer(
            200,
            to_text(JsonObject{{"resource", url()}, {"authorization_servers", JsonArray{origin}}}),
            kJson);
      } else if (request.starts_with("GET /.well-known/oauth-authorization-server ")) {
        peer.answer(200,
                    to_text(JsonObject{{"issuer", origin},
                                       {"authorization_endpoint", origin + "/authorize"},
                                       {"token_endpoint", origin + "/token"},
                                       {"registration_endpoint", origin + "/register"},
                                       {"code_challenge_methods_supported", JsonArray{"S256"}}}),
                    kJson);
      } else if (request.starts_with("POST /register ")) {
        peer.answer(201, R"({"client_id":"wright-1"})", kJson);
      } else if (request.starts_with("POST /token ")) {
        give_token(peer, body);
      } else if (request.starts_with("POST /mcp ")) {
        speak(peer, request, body);
      } else {
        peer.answer(404, "");
      }
    }
  }

  void give_token(const net::testing::Connection& peer, const std::string& body) {
    {
      const std::lock_guard lock(mutex_);
      body_ = body;
    }
    const bool is_refresh = body.find("grant_type=refresh_token") != std::string::npos;
    if (is_refresh && !knows_people_) {
      peer.answer(400, R"({"error":"invalid_grant"})", kJson);
      return;
    }
    ++(is_refresh ? refreshes_ : logins_);
    peer.answer(
        200,
        to_text(JsonObject{
            {"access_token", token()}, {"token_type", "Bearer"}, {"refresh_token", "again"}}),
        kJson);
  }

  void speak(const net::testing::Connection& peer, const std::string& request,
             const std::string& body) {
    if (request.find("Authorization: Bearer " + token() + "\r\n") == std::string::npos) {
      peer.answer(401, "", "WWW-Authenticate: Bearer scope=\"use\"\r\n");
      return;
    }
    const mcp::Frame frame = mcp::read_frame(body);
    const auto* asked = std::get_if<mcp::Request>(&frame.messages.front());
    if (asked == nullptr) {
      peer.answer(202, "");
    } else if (asked->method == "server/discover") {
      peer.answer(200,
                  mcp::result_text(asked->id, {{"supportedVersions", JsonArray{"2026-07-28"}},
                                               {"capabilities", {{"tools", JsonObject{}}}}}),
                  kJson);
    } else {
      const Json schema{{"type", "object"}};
      peer.answer(
          200,
          mcp::result_text(
              asked->id, {{"tools", JsonArray{JsonObject{{"name", "t"}, {"inputSchema", schema}}}},
                          {"content", JsonArray{JsonObject{{"type", "text"}, {"text", "done"}}}}}),
          kJson);
    }
  }

  std::atomic<int> generation_ = 0;
  std::atomic<bool> knows_people_ = true;
  std::atomic<int> logins_ = 0;
  std::atomic<int> refreshes_ = 0;
  std::mutex mutex_;
  std::string body_;
  net::testing::CannedServer server_{[this](net::testing::Connection& peer) { serve(peer); }};
};

class McpLogin : public ::testing::Test {
 protected:
  std::shared_ptr<Authorizer> authorizer(std::optional<Browser> browser = {}) {
    return std::make_shared<Authorizer>(
        AuthorizerOptions{
            .name = "web", .url = server_.url(), .file = file(), .browser = std::move(browser)},
        std::make_shared<net::HttpClient>());
  }
  // A person who agrees at once.
  static Browser agreeing() {
    return {"http://127.0.0.1:1/callback",
            [](const std::string& address, const std::string& state,
               const std::stop_token&) -> Result<std::string> {
              EXPECT_NE(address.find("state=" + state), std::string::npos) << address;
              return "code=c&state=" + state;
            }};
  }
  Result<ServerTools> tools(std::shared_ptr<Authorizer> authorizer) {
    const ServerAddress address{.url = server_.url(), .authorizer = std::move(authorizer)};
    const auto connection = std::make_shared<Connection>(ConnectionOptions{
        .name = "web",
        .client = {.self = {"test", "", "1"}},
        .make = [address, client = std::make_shared<net::HttpClient>()](
                    std::shared_ptr<ChannelListener> listener) -> Result<std::unique_ptr<Channel>> {
          return open_address(address, client, std::move(listener));
        }});
    return server_tools(connection, {.name = "web"});
  }
  std::filesystem::path file() const { return folder_.path() / "state" / "mcp_tokens.json"; }

  GuardedServer server_;
  TemporaryFolder folder_;
};

TEST_F(McpLogin, WhoIsNotLoggedInIsToldHow) {
  const auto made = tools(authorizer());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("wright mcp login web"), std::string::npos)
      << made.error().message;
}

TEST_F(McpLogin, ALoginHoldsForOtherProcessesAndIsRefreshed) {
  const auto logged_in = authorizer(agreeing())->log_in({});
  ASSERT_TRUE(logged_in) << logged_in.error().message;
  EXPECT_NE(server_.seen_body().find("resource=http%3A%2F%2F127.0.0.1"), std::string::npos);
  EXPECT_NE(server_.seen_body().find("code_verifier="), std::string::npos);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);

  const auto made = tools(authorizer());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(server_.refreshes(), 0);
  server_.forget_tokens();
  const auto called = execute(made->tools, {}, {"c1", "web__t", "{}"}, {.call_id = "c1"});
  EXPECT_EQ(called.response, Json("done")) << called.result.content;
  EXPECT_EQ(server_.refreshes(), 1);
  EXPECT_EQ(server_.logins(), 1);

  ASSERT_TRUE(authorizer()->log_out());
  EXPECT_EQ(authorizer()->token(), "");
}

TEST_F(McpLogin, OfManyThatAreRefusedOneRefreshes) {
  ASSERT_TRUE(authorizer(agreeing())->log_in({}));
  server_.forget_tokens();
  const auto first = authorizer();
  const auto second = authorizer();  // as in another process
  const std::string refused = first->token();
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto& own = i % 2 == 0 ? first : second;
      if (own->renew(refused, {}, {}) && own->token() == "token-1") ++good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(server_.refreshes(), 1);
}

TEST_F(McpLogin, WhoIsForgottenHasToLogInAgain) {
  ASSERT_TRUE(authorizer(agreeing())->log_in({}));
  server_.forget_tokens();
  server_.forget_people();
  const auto made = tools(authorizer());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("wright mcp login web"), std::string::npos);
  ASSERT_TRUE(tools(authorizer(agreeing())));
  EXPECT_EQ(server_.logins(), 2);
}

TEST_F(McpLogin, ALoginAfterARefusalAsksForWhatWasMissing) {
  ASSERT_TRUE(authorizer(agreeing())->log_in({}));
  const auto refused = authorizer();
  EXPECT_FALSE(
      refused->renew(refused->token(), {.scope = "write", .error = "insufficient_scope"}, {}));
  std::string seen;
  Browser browser = agreeing();
  browser.visit = [&seen, visit = browser.visit](const std::string& address,
                                                 const std::string& state,
                                                 const std::stop_token& stop) {
    seen = address;
    return visit(address, state, stop);
  };
  ASSERT_TRUE(authorizer(std::move(browser))->log_in({}));
  EXPECT_NE(seen.find("scope=use%20write"), std::string::npos) << seen;
}

TEST_F(McpLogin, AFileThatIsBrokenIsNamed) {
  std::filesystem::create_directories(file().parent_path());
  std::ofstream(file()) << "\xff{";
  const auto made = authorizer(agreeing())->log_in({});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("mcp_tokens.json"), std::string::npos);
}

}  // namespace
}  // namespace wright::mcp_client
