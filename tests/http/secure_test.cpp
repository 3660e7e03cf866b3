// TLS with a real server: certificates are checked, and many questions share a connection.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/process.h"
#include "core/temporary_folder_testing.h"
#include "net/canned_server_testing.h"
#include "net/whole_response.h"
#include "node_server.h"

namespace wright::http {
namespace {

// A key and a certificate for `localhost` that no authority has signed.
class Certificate {
 public:
  Certificate() {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout '" +
        key() + "' -out '" + certificate() + "' 2>'" + (folder_ / "log").string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << "is openssl installed?";
  }
  std::string key() const { return folder_ / "key.pem"; }
  std::string certificate() const { return folder_ / "certificate.pem"; }

 private:
  const TemporaryFolder folder_;
};

class Secure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    certificate_ = std::make_unique<Certificate>();
    server_ =
        std::make_unique<NodeServer>(WRIGHT_HTTP_FOLDER "/secure_server.mjs",
                                     std::vector{certificate_->key(), certificate_->certificate()});
  }
  static void TearDownTestSuite() {
    server_.reset();
    certificate_.reset();
  }

  static std::string url(std::string_view host = "localhost") {
    return "https://" + std::string(host) + ":" + server_->place() + "/v1";
  }

  static Result<net::WholeResponse> ask(net::HttpClient& client, std::string url) {
    const auto all = [](const HttpResponseHead&) { return std::size_t{100'000}; };
    return ask_and_wait(client, {.url = std::move(url), .body = "{}"}, {}, all, {});
  }

  static std::string content(const Result<net::WholeResponse>& answer) {
    if (!answer) return answer.error().message;
    const auto json = parse_json(answer->body);
    return std::string(json->at("choices").at(0).at("message").at("content").as_string());
  }

  static std::unique_ptr<Certificate> certificate_;
  static std::unique_ptr<NodeServer> server_;
};

std::unique_ptr<Certificate> Secure::certificate_;
std::unique_ptr<NodeServer> Secure::server_;

TEST_F(Secure, a_certificate_that_nobody_signed_is_refused_with_what_to_do) {
  net::HttpClient client;
  const auto refused = ask(client, url());
  ASSERT_FALSE(refused) << refused->body;
  EXPECT_EQ(refused.error().code, ErrorCode::network);
  EXPECT_TRUE(refused.error().message.starts_with("No secure connection to https://localhost:"))
      << refused.error().message;
  EXPECT_NE(refused.error().message.find("`ca_file` below [http]"), std::string::npos)
      << refused.error().message;
}

TEST_F(Secure, a_certificate_that_is_trusted_is_accepted_for_its_own_name_only) {
  net::HttpClient client({.ca_file = certificate_->certificate()});
  EXPECT_TRUE(ask(client, url()));
  const auto refused = ask(client, url("127.0.0.1"));
  ASSERT_FALSE(refused) << "the certificate is for localhost";
  EXPECT_NE(refused.error().message.find("No secure connection"), std::string::npos);
}

TEST_F(Secure, questions_share_one_connection_of_http_2) {
  net::HttpClient client({.ca_file = certificate_->certificate()});
  const std::string first = content(ask(client, url()));
  EXPECT_TRUE(first.starts_with("HTTP/2.0 on connection ")) << first;
  std::vector<std::string> answers(20);
  {
    std::vector<std::jthread> threads;
    for (std::string& answer : answers) {
      threads.emplace_back([&] { answer = content(ask(client, url())); });
    }
  }
  for (const std::string& answer : answers) EXPECT_EQ(answer, first);
}

TEST_F(Secure, authorities_are_not_read_before_something_needs_them) {
  net::testing::CannedServer plain([](net::testing::Connection& connection) {
    (void)connection.read_request();
    connection.answer(200, "plain");
  });
  net::HttpClient client({.ca_file = "/nonexistent/authorities.pem"});
  const auto answer = ask(client, plain.url());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "plain");
  const auto refused = ask(client, url());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("/nonexistent/authorities.pem"), std::string::npos)
      << refused.error().message;
}

TEST_F(Secure, the_program_trusts_what_its_settings_name) {
  const cli::Home home;
  home.write_config("[vendors.here]\nprotocol = \"openai-chat\"\nbase_url = \"" + url() + "\"\n");
  const cli::Arguments run{"run",   "codebase-analysis", "hello",      "--model", "here:any",
                           "--set", "http.retries=0",    "--no-stream"};
  const cli::Finished refused = home.wright(run);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.error.find("`ca_file` below [http]"), std::string::npos) << refused.error;
  cli::Arguments trusting = run;
  trusting.insert(trusting.end(), {"--set", "http.ca_file=" + certificate_->certificate()});
  const cli::Finished answered = home.wright(trusting);
  EXPECT_EQ(answered.exit_code, 0) << answered.error;
  EXPECT_TRUE(answered.output.starts_with("HTTP/2.0 on connection ")) << answered.output;
}

}  // namespace
}  // namespace wright::http
