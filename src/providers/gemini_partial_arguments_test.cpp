#include "providers/gemini_partial_arguments.h"

#include <gtest/gtest.h>

namespace wright::providers {
namespace {

Json at(std::string_view path, std::string_view text) {
  return JsonObject{{"jsonPath", path}, {"stringValue", text}};
}

TEST(GeminiPartialArguments, are_put_where_their_paths_lead) {
  GeminiPartialArguments arguments;
  EXPECT_EQ(arguments.text(), "{}");
  ASSERT_TRUE(arguments.add(at("$.a[0][0]", "x")));
  ASSERT_TRUE(arguments.add(at("$.a[0][1]", "y")));
  ASSERT_TRUE(arguments.add(at("$['b.c'].d", "z")));
  ASSERT_TRUE(arguments.add(JsonObject{{"jsonPath", "$.n"}, {"nullValue", "NULL_VALUE"}}));
  EXPECT_EQ(arguments.text(), R"({"a":[["x","y"]],"b.c":{"d":"z"},"n":null})");
}

TEST(GeminiPartialArguments, refuse_paths_that_lead_nowhere) {
  for (const std::string_view path :
       {"", "a", "$", "$.", "$..a", "$.a.", "$[", "$[0]", "$['a", "$['a'", "$[a]", "$.a[-1]",
        "$.a[1]", "$.a[99999999999999999999]", "$.text[0]", "$.text.a"}) {
    GeminiPartialArguments arguments;
    ASSERT_TRUE(arguments.add(at("$.text", "t")));
    EXPECT_FALSE(arguments.add(at(path, "x"))) << path;
  }
}

TEST(GeminiPartialArguments, never_become_deeper_than_json_may_be) {
  std::string path = "$";
  for (int i = 0; i < 2 * kMaxJsonDepth; ++i) path += "[0]";
  GeminiPartialArguments arguments;
  EXPECT_FALSE(arguments.add(at("$.a" + path.substr(1), "x")));
  EXPECT_TRUE(parse_json(arguments.text()));
}

}  // namespace
}  // namespace wright::providers
