#include "app/commands/login_redirection.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "http_server/server_testing.h"

namespace wright::app {
namespace {

class LoginRedirections : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = LoginRedirection::open(0);
    ASSERT_TRUE(opened) << opened.error().message;
    redirection_ = std::move(*opened);
    const std::string uri = redirection_->uri();
    constexpr std::string_view kScheme = "http://";
    address_ = uri.substr(kScheme.size(), uri.find('/', kScheme.size()) - kScheme.size());
  }
  int status_of(std::string_view target, std::string_view host) const {
    http::RawPeer peer(address_);
    peer.write(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", target, host));
    constexpr std::string_view kBefore = "HTTP/1.1 ";
    const std::string line = peer.read_until("\r\n");
    return line.starts_with(kBefore) ? std::stoi(line.substr(kBefore.size())) : 0;
  }

  std::unique_ptr<LoginRedirection> redirection_;
  std::string address_;
};

TEST_F(LoginRedirections, pass_over_what_does_not_know_the_state_of_the_login) {
  EXPECT_EQ(status_of("/callback?code=c&state=", address_), 400) << "nothing is waited for yet";
  redirection_->expect("own");
  EXPECT_EQ(status_of("/callback?code=evil&state=other", address_), 400);
  EXPECT_EQ(status_of("/callback?code=evil&state=", address_), 400);
  EXPECT_EQ(status_of("/callback?code=evil&state=own", "evil.example"), 400);
  EXPECT_EQ(status_of("/callback?code=evil", address_), 404);
  EXPECT_EQ(status_of("/elsewhere?code=evil&state=own", address_), 404);
  EXPECT_EQ(status_of("/callback?code=good&state=own", address_), 200);
  EXPECT_EQ(status_of("/callback?code=later&state=own", address_), 200);
  const auto query = redirection_->await({});
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(*query, "code=good&state=own");
}

}  // namespace
}  // namespace wright::app
