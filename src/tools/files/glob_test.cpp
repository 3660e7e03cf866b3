#include "tools/files/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace wright::tools {
namespace {

struct Case {
  std::string_view glob;
  std::string_view path;
  bool matches;
};

TEST(Glob, matches_what_people_expect) {
  constexpr Case kCases[] = {
      {"*", "a.cpp", true},
      {"*", "x/y/a.cpp", true},
      {"*.cpp", "a.cpp", true},
      {"*.cpp", "x/y/a.cpp", true},
      {"*.cpp", "a.cppx", false},
      {"*.cpp", ".cpp", true},
      {"a.cpp", "x/a.cpp", true},
      {"a.cpp", "x/ba.cpp", false},
      {"src/*.h", "src/a.h", true},
      {"src/*.h", "src/x/a.h", false},
      {"src/*.h", "lib/src/a.h", false},
      {"./src/*.h", "src/a.h", true},
      {"/src/*.h", "src/a.h", true},
      {"/*.h", "a.h", true},
      {"/*.h", "x/a.h", false},
      {"src/**/*.h", "src/a.h", true},
      {"src/**/*.h", "src/x/y/a.h", true},
      {"src/**/*.h", "srcs/a.h", false},
      {"src/**", "src/x/y", true},
      {"src/**", "src", false},
      {"src/", "src/x/y", true},
      {"**/x", "x", true},
      {"**/x", "a/b/x", true},
      {"**/x", "a/bx", false},
      {"**/x/**", "a/x/b", true},
      {"**/x/**", "x/b", true},
      {"**/x/**", "a/x", false},
      {"**", "a/b/c", true},
      {"src/**.h", "src/a.h", true},
      {"src/**.h", "src/x/a.h", false},
      {"src/a**", "src/ab", true},
      {"src/a**", "src/a/b", false},
      {"src/**b/c", "src/ab/c", true},
      {"src/**b/c", "src/a/b/c", false},
      {"src/***", "src/a", true},
      {"src/***", "src/a/b", false},
      {"**.h", "x/a.h", true},
      {"a/*/c", "a/b/c", true},
      {"a/*/c", "a/c", false},
      {"a/*/c", "a/b/b/c", false},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"a?c", "aéc", true},
      {"a??c", "aéc", false},
      {"a/?/c", "a///c", false},
      {"[a-c]x", "bx", true},
      {"[a-c]x", "dx", false},
      {"[!a-c]x", "dx", true},
      {"[!a-c]x", "éx", true},
      {"[!a-c]x", "ax", false},
      {"[^a]x", "bx", true},
      {"[]a]x", "]x", true},
      {"[!]a]x", "bx", true},
      {"[a-]x", "-x", true},
      {"[[:digit:]_]x", "7x", true},
      {"[[:digit:]_]x", "_x", true},
      {"[[:digit:]_]x", "ax", false},
      {"a/[!b]c", "a//c", false},
      {"*.{h,cpp}", "x/a.h", true},
      {"*.{h,cpp}", "a.cpp", true},
      {"*.{h,cpp}", "a.c", false},
      {"{src,lib}/*.h", "lib/a.h", true},
      {"{src,lib}/*.h", "x/a.h", false},
      {"{a,b{c,d}}e", "bde", true},
      {"{a,b{c,d}}e", "be", false},
      {"{,x}a", "a", true},
      {"{,x}a", "xa", true},
      {"{a,b", "{a,b", false},
      {"v{1..3}.h", "v2.h", true},
      {"v{1..3}.h", "v4.h", false},
      {"v{3..1}.h", "x/v2.h", true},
      {"{08..10}", "09", true},
      {"{08..10}", "9", false},
      {"{-1..1}", "-1", true},
      {"{0..10..5}", "5", true},
      {"{0..10..5}", "6", false},
      {"{a..c}.txt", "b.txt", true},
      {"{a..c}.txt", "d.txt", false},
      {"{a..c}/{x,y{1..2}}", "c/y2", true},
      {"{A..c}", "B", false},
      {"{A..c}", "A..c", true},
      {"{a..b..}", "a", false},
      {"{a..b..}", "a..b..", true},
      {"{1..x}", "1..x", true},
      {"[{]a", "{a", true},
      {"a,b", "a,b", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"\\{a\\}", "{a}", true},
      {"[\\]]", "]", true},
      {"a\\b", "ab", true},
      {"*a*b*c*", "xxaxxbxxcxx", true},
      {"*a*b*c*", "xxaxxcxxbxx", false},
      {"*\xC3\xA9*", "caf\xC3\xA9.txt", true},
  };
  for (const Case& c : kCases) {
    const auto glob = Glob::parse(c.glob);
    if (c.glob == "{a,b") {
      EXPECT_FALSE(glob);
      continue;
    }
    ASSERT_TRUE(glob) << c.glob << ": " << glob.error().message;
    EXPECT_EQ(glob->matches(c.path), c.matches) << c.glob << " on " << c.path;
  }
}

TEST(Glob, says_what_is_malformed) {
  const auto message = [](std::string_view pattern) {
    const auto glob = Glob::parse(pattern);
    return glob ? std::string("accepted") : glob.error().message;
  };
  EXPECT_EQ(message(""), "The glob is empty; '*' matches everything");
  EXPECT_EQ(message("a["), "The glob 'a[' has a '[' without its ']'");
  EXPECT_EQ(message("a[]"), "The glob 'a[]' has a '[' without its ']'");
  EXPECT_EQ(message("[a\\"), "The glob '[a\\' ends in a backslash");
  EXPECT_EQ(message("a\\"), "The glob 'a\\' ends in a backslash");
  EXPECT_EQ(message("{a,b"), "The glob '{a,b' has a '{' without its '}'");
  EXPECT_EQ(message("{a,{b}"), "The glob '{a,{b}' has a '{' without its '}'");
  EXPECT_EQ(message("a}"), "The glob 'a}' has a '}' without its '{'");
  EXPECT_EQ(message("[[:cat:]]"), "The glob '[[:cat:]]' has an unknown class [:cat:]");
  EXPECT_EQ(message("[é]"),
            "The glob '[é]' has a character beyond ASCII inside of [ ]; use {a,b} instead");
  EXPECT_NE(message("../*").find("goes up with '..'"), std::string::npos);
  EXPECT_NE(message("a/{..,b}/c").find("goes up with '..'"), std::string::npos);
  EXPECT_NE(message(std::string(5000, 'a')).find("longer than 4096"), std::string::npos);
  EXPECT_NE(message(std::string("a\0b", 3)).find("NUL"), std::string::npos);
}

TEST(Glob, refuses_braces_that_explode) {
  std::string product;
  for (int i = 0; i < 20; ++i) product += "{a,b}";
  EXPECT_FALSE(Glob::parse(product));
  std::string list = "{";
  for (int i = 0; i < 300; ++i) list += "a,";
  EXPECT_FALSE(Glob::parse(list + "}"));
  EXPECT_FALSE(Glob::parse("{1..257}"));
  EXPECT_FALSE(Glob::parse("{-9999999999..9999999999}"));
  EXPECT_TRUE(Glob::parse("{1..256}"));
  EXPECT_FALSE(Glob::parse(std::string(2000, '{') + std::string(2000, '}')));
}

}  // namespace
}  // namespace wright::tools
