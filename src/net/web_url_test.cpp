#include "net/web_url.h"

#include <gtest/gtest.h>

namespace wright::net {
namespace {

WebUrl url(std::string_view text) {
  const auto made = web_url_from(text);
  EXPECT_TRUE(made) << text << ": " << (made ? "" : made.error().message);
  return made.value_or(WebUrl{});
}

TEST(WebUrl, has_parts) {
  const WebUrl made = url("HTTPS://Example.COM:8443/a/../b?q=1#part");
  EXPECT_EQ(made.text, "https://Example.COM:8443/b?q=1");
  EXPECT_EQ(made.scheme, "https");
  EXPECT_EQ(made.host, "example.com");
  EXPECT_EQ(made.port, 8443);
  EXPECT_EQ(url("http://example.com").port, 80);
  EXPECT_EQ(url("https://example.com").port, 443);
  EXPECT_EQ(url("https://[2001:DB8::1]/").host, "2001:db8::1");
}

TEST(WebUrl, sees_through_odd_spellings_of_hosts) {
  for (const char* text :
       {"http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/",
        "http://127.1/", "http://127.0.1/", "http://127.0.0.1/"}) {
    EXPECT_EQ(url(text).host, "127.0.0.1") << text;
    EXPECT_EQ(url(text).text, "http://127.0.0.1/") << text;
  }
  EXPECT_EQ(url("http://localhost./").host, "localhost");
  EXPECT_EQ(url("http://LOCAL%48OST/").host, "localhost");
}

TEST(WebUrl, refuses_what_is_not_for_the_web) {
  for (const char* text : {"",
                           "example.com",
                           "/path",
                           "file:///etc/passwd",
                           "ftp://example.com/",
                           "gopher://h/",
                           "javascript:alert(1)",
                           "data:text/html,x",
                           "dict://h/",
                           "http://",
                           "http:///",
                           "http://user@example.com/",
                           "http://user:secret@example.com/",
                           "http://@example.com/",
                           "http://example.com\\@evil.example/",
                           "http://exam ple.com/",
                           "http://h:99999/",
                           "http://h:port/",
                           "http://exa\nmple.com/",
                           "http://example.com/\r\nX: y",
                           "http://[::1/",
                           "http://./",
                           "http://b\xC3\xBC\x63her.example/",
                           "http://%c3%bc.example/"}) {
    const auto made = web_url_from(text);
    EXPECT_FALSE(made) << text << " → " << (made ? made->text : "");
    if (made) continue;
    EXPECT_EQ(made.error().message.find("secret"), std::string::npos) << made.error().message;
  }
  EXPECT_FALSE(web_url_from("http://h/" + std::string(20'000, 'a')));
  EXPECT_NE(web_url_from("file:///etc/passwd").error().message.find("only http:// and https://"),
            std::string::npos);
}

TEST(WebUrl, encodes_what_must_not_stand_in_a_request_line) {
  EXPECT_EQ(url("http://h/a b\xC3\xA9?x=y z").text, "http://h/a%20b%c3%a9?x=y+z");
}

TEST(WebUrl, resolves_references) {
  const WebUrl base = url("https://example.com/docs/page?x=1");
  const auto at = [&](std::string_view reference) {
    const auto made = resolved(base, reference);
    return made ? made->text : "refused";
  };
  EXPECT_EQ(at("next"), "https://example.com/docs/next");
  EXPECT_EQ(at("../up#part"), "https://example.com/up");
  EXPECT_EQ(at("/root"), "https://example.com/root");
  EXPECT_EQ(at("//other.example/x"), "https://other.example/x");
  EXPECT_EQ(at("http://127.0.0.1:8080/"), "http://127.0.0.1:8080/");
  EXPECT_EQ(at("?y=2"), "https://example.com/docs/page?y=2");
  for (const char* reference : {"javascript:alert(1)", "file:///etc/passwd", "mailto:a@b.example",
                                "//user@other.example/", "http://a\tb/"}) {
    EXPECT_EQ(at(reference), "refused") << reference;
  }
}

TEST(WebUrl, adds_to_the_query_whatever_is_in_the_value) {
  const WebUrl base = url("https://example.com/search?lang=en");
  const auto made = with_query(base, "q", "a&b=c #d\n+\xC3\xA9");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->text, "https://example.com/search?lang=en&q=a%26b%3dc+%23d%0a%2b%c3%a9");
  EXPECT_TRUE(made->has_origin_of(base));
  EXPECT_FALSE(made->has_origin_of(url("http://example.com/")));
}

}  // namespace
}  // namespace wright::net
