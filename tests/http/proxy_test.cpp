// The proxies that the environment names, with the real program.
#include <gtest/gtest.h>

#include <mutex>

#include "cli/process.h"
#include "net/canned_server_testing.h"

namespace wright::http {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;

constexpr std::string_view kAnswer =
    R"({"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},)"
    R"("finish_reason":"stop"}]})";

// Keeps the request lines that come, and answers all with one answer.
class Listener {
 public:
  explicit Listener(int status)
      : server_([this, status](Connection& connection) {
          const std::string request = connection.read_request();
          {
            const std::lock_guard lock(mutex_);
            lines_.push_back(request.substr(0, request.find("\r\n")));
          }
          connection.answer(status, kAnswer, "Content-Type: application/json\r\n");
        }) {}

  std::string url() const { return server_.url(); }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
  CannedServer server_;
};

cli::Finished ask(cli::Home& home, const std::string& base_url) {
  home.write_config("[vendors.there]\nprotocol = \"openai-chat\"\nbase_url = \"" + base_url +
                    "\"\n");
  return home.wright({"run", "codebase-analysis", "hello", "--model", "there:any", "--set",
                      "http.retries=0", "--no-stream"});
}

TEST(ProxyOfTheEnvironment, is_asked_for_the_vendor) {
  Listener proxy(200);
  cli::Home home;
  home.environment["http_proxy"] = proxy.url();
  const cli::Finished finished = ask(home, "http://vendor.example/v1");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.output, "Hello\n");
  EXPECT_EQ(proxy.lines(),
            (std::vector<std::string>{"POST http://vendor.example/v1/chat/completions HTTP/1.1"}));
}

TEST(ProxyOfTheEnvironment, is_asked_for_a_tunnel_where_the_vendor_needs_tls) {
  Listener proxy(403);
  cli::Home home;
  home.environment["https_proxy"] = proxy.url();
  const cli::Finished finished = ask(home, "https://vendor.example/v1");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(proxy.lines(), (std::vector<std::string>{"CONNECT vendor.example:443 HTTP/1.1"}));
}

TEST(ProxyOfTheEnvironment, is_named_when_it_makes_no_tunnel) {
  for (const int status : {407, 502}) {
    Listener proxy(status);
    cli::Home home;
    home.environment["https_proxy"] = proxy.url();
    const cli::Finished finished = ask(home, "https://vendor.example/v1");
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_NE(finished.error.find("No connection to https://vendor.example through the proxy"),
              std::string::npos)
        << finished.error;
    EXPECT_NE(finished.error.find(std::to_string(status)), std::string::npos) << finished.error;
  }
}

// A proxy that speaks SOCKS5 (RFC 1928). It says at once what it will answer to the greeting and to
// the wish for a connection (`reply`), which the client reads when it has said both.
class SocksProxy {
 public:
  explicit SocksProxy(char reply)
      : server_([this, reply](Connection& connection) {
          using namespace std::string_literals;
          connection.send("\x05\x00"s);
          connection.send("\x05"s + reply + "\x00\x01\x00\x00\x00\x00\x00\x00"s);
          const std::string request = connection.read_request();
          {
            const std::lock_guard lock(mutex_);
            heard_ += request;
          }
          if (!request.empty()) {
            connection.answer(200, kAnswer, "Content-Type: application/json\r\n");
          }
        }) {}

  std::string url() const { return "socks5h" + server_.url().substr(4); }
  std::string heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  std::mutex mutex_;
  std::string heard_;
  CannedServer server_;
};

TEST(ProxyOfTheEnvironment, may_speak_socks) {
  SocksProxy proxy(0);
  cli::Home home;
  home.environment["all_proxy"] = proxy.url();
  const cli::Finished finished = ask(home, "http://vendor.example/v1");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(finished.output, "Hello\n");
  // The name goes to the proxy, which finds the address.
  EXPECT_NE(proxy.heard().find("\x0Evendor.example"), std::string::npos);
  EXPECT_NE(proxy.heard().find("POST /v1/chat/completions HTTP/1.1\r\n"), std::string::npos);
}

TEST(ProxyOfTheEnvironment, is_named_when_it_speaks_socks_and_refuses) {
  constexpr char kRefused = 5;
  SocksProxy proxy(kRefused);
  cli::Home home;
  home.environment["all_proxy"] = proxy.url();
  const cli::Finished finished = ask(home, "http://vendor.example/v1");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.error.find("No connection to http://vendor.example through the proxy"),
            std::string::npos)
      << finished.error;
}

TEST(ProxyOfTheEnvironment, is_named_when_it_does_not_answer) {
  std::string dead;
  {
    Listener gone(200);
    dead = gone.url();
  }
  for (const std::string scheme : {"http", "https"}) {
    cli::Home home;
    home.environment[scheme + "_proxy"] = dead;
    const cli::Finished finished = ask(home, scheme + "://vendor.example/v1");
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_NE(
        finished.error.find("No connection to " + scheme + "://vendor.example through the proxy"),
        std::string::npos)
        << finished.error;
  }
}

TEST(ProxyOfTheEnvironment, is_left_out_where_no_proxy_says_so) {
  Listener proxy(200);
  Listener vendor(200);
  cli::Home home;
  home.environment["http_proxy"] = proxy.url();
  home.environment["no_proxy"] = "other.example,127.0.0.1";
  const cli::Finished finished = ask(home, vendor.url() + "v1");
  EXPECT_EQ(finished.exit_code, 0) << finished.error;
  EXPECT_EQ(vendor.lines(), (std::vector<std::string>{"POST /v1/chat/completions HTTP/1.1"}));
  EXPECT_TRUE(proxy.lines().empty());
}

TEST(ProxyOfTheEnvironment, is_not_used_for_pages_which_must_be_checked) {
  Listener proxy(200);
  cli::Home home;
  home.environment["http_proxy"] = proxy.url();
  home.environment["all_proxy"] = proxy.url();
  home.write_config("[web]\nfetch = true\n");
  const cli::Finished finished =
      home.wright({"tools", "call", "fetch_url", R"({"url": "http://localhost/"})"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.error.find("not an address of the public internet"), std::string::npos)
      << finished.error;
  EXPECT_TRUE(proxy.lines().empty());
}

}  // namespace
}  // namespace wright::http
