#include "core/json_schema/formats.h"

#include <gtest/gtest.h>

#include <vector>

namespace wright::json_schema {
namespace {

struct FormatCase {
  const char* name;
  std::vector<std::string_view> good;
  std::vector<std::string_view> bad;
};

void PrintTo(const FormatCase& each, std::ostream* out) {
  *out << each.name;
}

class Format : public ::testing::TestWithParam<FormatCase> {};

TEST_P(Format, accepts_the_good_and_refuses_the_bad) {
  const FormatCheck check = format_named(GetParam().name);
  ASSERT_NE(check, nullptr);
  for (const std::string_view text : GetParam().good) EXPECT_TRUE(check(text)) << text;
  for (const std::string_view text : GetParam().bad) EXPECT_FALSE(check(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Format,
    ::testing::Values(
        FormatCase{"date-time",
                   {"2024-02-29T12:30:00Z", "1998-12-31T23:59:60Z", "2024-01-01t00:00:00.5+01:30"},
                   {"2023-02-29T12:30:00Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00",
                    "1998-12-31T22:59:60Z", "2024-01-01T24:00:00Z", ""}},
        FormatCase{"date",
                   {"2024-12-31", "0000-01-01"},
                   {"2024-13-01", "2024-00-10", "2024-1-1", "2024-04-31", "20240101"}},
        FormatCase{"time",
                   {"08:30:06Z", "23:59:60Z", "01:29:60+01:30"},
                   {"08:30:06", "08:30Z", "24:00:00Z", "08:60:00Z", "08:30:06.Z"}},
        FormatCase{"duration",
                   {"P4DT12H30M5S", "P1Y2M3D", "PT0S", "P2W", "PT36H"},
                   {"P", "PT", "4D", "P1D2H", "P2S", "P1Y2W", "PT1D", "P1", ""}},
        FormatCase{"email",
                   {"joe@example.com", "a.b+c@x.co", "\"joe bloggs\"@example.com",
                    "joe@[127.0.0.1]", "joe@[IPv6:::1]"},
                   {"joe", "@example.com", ".joe@x.com", "joe.@x.com", "a..b@x.com", "joe@",
                    "joe@-x.com", "jöe@example.com"}},
        FormatCase{"idn-email", {"jöe@exämple.com"}, {"jöe", ""}},
        FormatCase{"hostname",
                   {"a.b-c.example", "localhost", "1.example"},
                   {"-a.example", "a-.example", "a_b", "", ".", "a..b", "ex ample"}},
        FormatCase{"idn-hostname", {"exämple.test"}, {"-ä.test", ""}},
        FormatCase{"ipv4",
                   {"127.0.0.1", "0.0.0.0", "255.255.255.255"},
                   {"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.", "a.b.c.d", ""}},
        FormatCase{"ipv6",
                   {"::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::8"},
                   {"1:2:3:4:5:6:7", "1::2::3", "12345::", ":::1", "1:2:3:4:5:6:7:8:9", "::g",
                    "fe80::1%eth0", ""}},
        FormatCase{
            "uri",
            {"http://user:pw@a.example:80/p?q#f", "urn:a:b", "mailto:a@b.c", "http://[::1]/"},
            {"//a.example", "/p", "http://a b", "http://[::g]/", "ä:b", "http://a%zz"}},
        FormatCase{"uri-reference", {"/p?q#f", "", "a/b"}, {"\\a", "a b", "#a\\b"}},
        FormatCase{"iri", {"http://ä.example/ü"}, {"/ü", "http://a b"}},
        FormatCase{"iri-reference", {"ü#ä", ""}, {"\\ü"}},
        FormatCase{"uri-template",
                   {"http://x/{a}/{b*}{?c,d:3}", "plain", "{+p}", "it's"},
                   {"{", "}", "{}", "{a,}", "{a:0}", "{a..b}", "{a b}", "<x>", "%zz"}},
        FormatCase{"uuid",
                   {"2eb8aa08-aa98-11ea-b4aa-73b441d16380"},
                   {"2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
                    "zeb8aa08-aa98-11ea-b4aa-73b441d16380"}},
        FormatCase{"json-pointer", {"", "/a/0/~0~1"}, {"a", "/~", "/~2"}},
        FormatCase{"relative-json-pointer", {"0", "1/a", "2#"}, {"", "/a", "01", "-1", "0##"}},
        FormatCase{"regex", {"^a+$", "(?=a)"}, {"(", "[a"}}));

TEST(Formats, that_nobody_knows_are_none) {
  EXPECT_EQ(format_named("colour"), nullptr);
}

}  // namespace
}  // namespace wright::json_schema
