// The proxies that the environment names, with the real program.
#include <gtest/gtest.h>

#include <mutex>

#include "cli/process.h"
#include "net/canned_server.h"

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
