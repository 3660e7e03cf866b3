#include "net/plain_url.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "net/address.h"

namespace wright::net {
namespace {

TEST(PlainUrl, is_read) {
  const auto url = plain_url_from("http://127.0.0.1:8080/v1/chat?a=b");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->authority, "127.0.0.1:8080");
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 8080);
  EXPECT_EQ(url->target, "/v1/chat?a=b");
  const auto bare = plain_url_from("http://[::1]");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->authority, "[::1]");
  EXPECT_EQ(bare->host, "::1");
  EXPECT_EQ(bare->port, 80);
  EXPECT_EQ(bare->target, "/");
}

TEST(PlainUrl, leads_to_both_addresses_of_this_machine) {
  const auto url = plain_url_from("http://localhost:1/");
  ASSERT_TRUE(url);
  std::string addresses;
  for (const sockaddr_storage& address : url->addresses()) {
    addresses += address_text(reinterpret_cast<const sockaddr&>(address)) + ' ';
  }
  EXPECT_EQ(addresses, "::1 127.0.0.1 ");
}

TEST(PlainUrl, is_nothing_that_could_be_read_in_two_ways) {
  for (const std::string_view url : {"",
                                     "http://",
                                     "https://127.0.0.1/",
                                     "HTTP://127.0.0.1/",
                                     "http://vendor.example/",
                                     "http://Localhost/",
                                     "http://localhost./",
                                     "http://127.0.0.1./",
                                     "http://127.1/",
                                     "http://0x7f.0.0.1/",
                                     "http://127.000.0.1/",
                                     "http://2130706433/",
                                     "http://[::1",
                                     "http://[127.0.0.1]/",
                                     "http://::1/",
                                     "http://[fe80::1%25eth0]/",
                                     "http://[0:0::1]/",
                                     "http://[::1]x/",
                                     "http://user@127.0.0.1/",
                                     "http://user:pass@127.0.0.1/",
                                     "http://127.0.0.1:/",
                                     "http://127.0.0.1:0/",
                                     "http://127.0.0.1:080/",
                                     "http://127.0.0.1:80/",
                                     "http://127.0.0.1:65536/",
                                     "http://127.0.0.1:1x/",
                                     "http://127.0.0.1:+1/",
                                     "http://127.0.0.1?x",
                                     "http://127.0.0.1#x",
                                     "http://127.0.0.1/#x",
                                     "http://127.0.0.1/../x",
                                     "http://127.0.0.1/a/./x",
                                     "http://127.0.0.1/a b",
                                     "http://127.0.0.1/a%2e",
                                     "http://127.0.0.1/\xC3\xA4",
                                     "http://127.0.0.1/a\\b",
                                     "http://127.0.0.1\\@vendor.example/"}) {
    EXPECT_FALSE(plain_url_from(url)) << url;
  }
}

TEST(PlainUrl, is_not_for_requests_that_need_more_than_to_be_sent) {
  const HttpClient::Options options{.proxy = ""};
  EXPECT_TRUE(is_plain_request({.headers = {{"X-Key", "k"}}}, options));
  EXPECT_TRUE(is_plain_request({.method = "GET"}, options));
  EXPECT_FALSE(is_plain_request({.method = "HEAD"}, options));
  EXPECT_FALSE(is_plain_request({.method = "CONNECT"}, options));
  for (const char* name : {"Host", "connection", "Content-length", "TRANSFER-ENCODING", "Expect",
                           "TE", "Upgrade", "", "a b", "a:b"}) {
    EXPECT_FALSE(is_plain_request({.headers = {{name, "x"}}}, options)) << name;
  }
  EXPECT_FALSE(is_plain_request({.headers = {{"X", " "}}}, options));
  EXPECT_FALSE(is_plain_request({}, {.proxy = "", .compression = Compression::accepted}));
}

TEST(PlainUrl, is_not_for_requests_through_a_proxy) {
  EXPECT_FALSE(is_plain_request({}, {.proxy = "http://127.0.0.1:3128"}));
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    ::setenv(name, "http://127.0.0.1:3128", 1);
    EXPECT_FALSE(is_plain_request({}, {})) << name;
    EXPECT_TRUE(is_plain_request({}, {.proxy = ""})) << name;
    ::unsetenv(name);
  }
  EXPECT_TRUE(is_plain_request({}, {}));
}

}  // namespace
}  // namespace wright::net
