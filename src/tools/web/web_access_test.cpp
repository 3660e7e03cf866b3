#include "tools/web/web_access.h"

#include <gtest/gtest.h>

namespace wright::tools {
namespace {

Result<void> asked(const WebAccessOptions& options, const char* text, const char* address) {
  const auto access = WebAccess::make(options);
  const auto url = net::web_url_from(text);
  const auto where = net::address_from(address);
  EXPECT_TRUE(access && url && where) << text << " " << address;
  return access->check(*url, reinterpret_cast<const sockaddr&>(*where));
}

bool may(const WebAccessOptions& options, const char* text, const char* address) {
  return asked(options, text, address).has_value();
}

bool may_name(const WebAccessOptions& options, const char* text) {
  const auto access = WebAccess::make(options);
  const auto url = net::web_url_from(text);
  EXPECT_TRUE(access && url) << text;
  return access->check_without_address(*url).has_value();
}

TEST(WebAccess, is_decided_by_the_address_and_not_by_the_name) {
  EXPECT_TRUE(may({}, "https://good.example/", "93.184.216.34"));
  // The same name, a moment later.
  EXPECT_FALSE(may({}, "https://good.example/", "127.0.0.1"));
  EXPECT_FALSE(may({}, "https://good.example/", "169.254.169.254"));
  EXPECT_FALSE(may({}, "https://good.example/", "::1"));
  EXPECT_FALSE(may({}, "https://good.example/", "::ffff:10.0.0.1"));
  const auto refused = asked({}, "https://good.example/", "10.1.2.3");
  EXPECT_EQ(refused.error().code, ErrorCode::permission_denied);
  EXPECT_EQ(refused.error().message,
            "good.example leads to 10.1.2.3, which is not an address of the public internet. Only "
            "whoever set up this tool can allow it ([web] allow)");
}

TEST(WebAccess, is_for_the_usual_ports_unless_others_are_named) {
  EXPECT_FALSE(may({}, "http://good.example:22/", "93.184.216.34"));
  EXPECT_FALSE(may({}, "http://good.example:8080/", "93.184.216.34"));
  EXPECT_TRUE(may({.ports = {8080}}, "http://good.example:8080/", "93.184.216.34"));
  EXPECT_TRUE(may({.ports = {}}, "http://good.example:22/", "93.184.216.34"));
}

TEST(WebAccess, is_given_by_host_address_or_network) {
  const WebAccessOptions options{.allow = {"Intranet.Example", "*.below.example", "10.1.0.0/16",
                                           "localhost:8080", "[::1]:80"}};
  EXPECT_TRUE(may(options, "http://intranet.example:9999/", "192.168.0.1"));
  EXPECT_TRUE(may(options, "http://www.intranet.example/", "192.168.0.1"));
  EXPECT_TRUE(may(options, "http://intranet.example./", "192.168.0.1"));
  EXPECT_FALSE(may(options, "http://evilintranet.example/", "192.168.0.1"));
  EXPECT_FALSE(may(options, "http://intranet.example.evil.example/", "192.168.0.1"));
  EXPECT_TRUE(may(options, "http://a.below.example/", "192.168.0.1"));
  EXPECT_FALSE(may(options, "http://below.example/", "192.168.0.1"));
  EXPECT_TRUE(may(options, "http://any.example:1234/", "10.1.200.3"));
  EXPECT_FALSE(may(options, "http://any.example/", "10.2.0.1"));
  EXPECT_TRUE(may(options, "http://localhost:8080/", "127.0.0.1"));
  EXPECT_FALSE(may(options, "http://localhost:8081/", "127.0.0.1"));
  EXPECT_TRUE(may(options, "http://x.example/", "::1"));
  EXPECT_FALSE(may(options, "https://x.example/", "::1"));
}

TEST(WebAccess, is_denied_first) {
  const WebAccessOptions options{.allow = {"0.0.0.0/0", "bad.example"},
                                 .deny = {"bad.example", "203.0.113.0/24", "169.254.0.0/16"}};
  EXPECT_FALSE(may(options, "http://bad.example/", "93.184.216.34"));
  EXPECT_FALSE(may(options, "http://WWW.BAD.example./", "93.184.216.34"));
  EXPECT_FALSE(may(options, "http://good.example/", "203.0.113.9"));
  EXPECT_FALSE(may(options, "http://good.example/", "::ffff:203.0.113.9"));
  EXPECT_FALSE(may(options, "http://good.example/", "64:ff9b::cb00:7109"));
  EXPECT_FALSE(may(options, "http://good.example/", "169.254.169.254"));
  EXPECT_TRUE(may(options, "http://good.example/", "10.0.0.1"));
}

TEST(WebAccess, through_a_proxy_is_decided_by_what_is_known) {
  EXPECT_TRUE(may_name({}, "https://good.example/"));
  EXPECT_FALSE(may_name({}, "https://good.example:22/"));
  EXPECT_FALSE(may_name({}, "http://127.0.0.1/"));
  EXPECT_FALSE(may_name({}, "http://0x7f.1/"));
  EXPECT_FALSE(may_name({}, "http://[::1]/"));
  EXPECT_TRUE(may_name({.allow = {"127.0.0.1"}}, "http://127.0.0.1:8080/"));
  EXPECT_TRUE(may_name({.allow = {"intranet"}}, "http://intranet:8080/"));
  EXPECT_FALSE(may_name({.deny = {"bad.example"}}, "https://bad.example/"));
}

TEST(WebAccess, refuses_rules_that_mean_nothing) {
  for (const char* text : {"", "*", "*.", "a b", "http://x/", "10.0.0.0/99", "10.0.0.1/8", "x:0",
                           "x:70000", "x:", "x:y", "b\xC3\xBC.example", "10.0.0.0/8:80"}) {
    const auto allowing = WebAccess::make({.allow = {text}});
    EXPECT_FALSE(allowing) << text;
    if (!allowing) {
      EXPECT_TRUE(allowing.error().message.starts_with("web.allow: '")) << allowing.error().message;
    }
    EXPECT_FALSE(WebAccess::make({.deny = {text}})) << text;
  }
}

}  // namespace
}  // namespace wright::tools
