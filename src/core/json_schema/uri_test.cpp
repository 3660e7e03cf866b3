#include "core/json_schema/uri.h"

#include <gtest/gtest.h>

#include "core/percent.h"

namespace wright::json_schema {
namespace {

TEST(SchemaUri, resolves_references_against_a_base) {
  constexpr std::string_view kBase = "http://a.example/b/c?q#f";
  EXPECT_EQ(resolve_uri(kBase, "d"), "http://a.example/b/d");
  EXPECT_EQ(resolve_uri(kBase, "/d"), "http://a.example/d");
  EXPECT_EQ(resolve_uri(kBase, "../d/./e"), "http://a.example/d/e");
  EXPECT_EQ(resolve_uri(kBase, "../../../d"), "http://a.example/d");
  EXPECT_EQ(resolve_uri(kBase, "//other/x"), "http://other/x");
  EXPECT_EQ(resolve_uri(kBase, "#g"), "http://a.example/b/c?q#g");
  EXPECT_EQ(resolve_uri(kBase, "?x"), "http://a.example/b/c?x");
  EXPECT_EQ(resolve_uri(kBase, "urn:x:y"), "urn:x:y");
  EXPECT_EQ(resolve_uri(kBase, ""), "http://a.example/b/c?q");
  EXPECT_EQ(resolve_uri("http://a.example", "d"), "http://a.example/d");
  EXPECT_EQ(resolve_uri("", "d#e"), "d#e");
  EXPECT_EQ(resolve_uri("urn:uuid:1", "#/$defs/x"), "urn:uuid:1#/$defs/x");
}

TEST(SchemaUri, splits_at_the_first_hash) {
  EXPECT_EQ(split_fragment("a#b#c"), (std::pair<std::string_view, std::string_view>("a", "b#c")));
  EXPECT_EQ(split_fragment("a"), (std::pair<std::string_view, std::string_view>("a", "")));
}

TEST(SchemaUri, decodes_percents_and_leaves_broken_ones) {
  EXPECT_EQ(percent_decoded("a%25b%20c"), "a%b c");
  EXPECT_EQ(percent_decoded("%"), "%");
  EXPECT_EQ(percent_decoded("%2"), "%2");
  EXPECT_EQ(percent_decoded("%zz%4"), "%zz%4");
  EXPECT_EQ(percent_decoded("%41"), "A");
}

}  // namespace
}  // namespace wright::json_schema
