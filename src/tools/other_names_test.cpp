#include "tools/other_names.h"

#include "tools/temporary_folder_testing.h"
#include "wright/schema.h"

namespace wright::tools {

struct Named {
  std::string own;
  std::optional<int> quiet;
};
WRIGHT_DESCRIBE(Named, WRIGHT_FIELD(own, "Advertised"), WRIGHT_FIELD(quiet, "Not shown"))

namespace {

Tool example() {
  static constexpr OtherName kNames[] = {{"other", "own"}};
  static constexpr std::string_view kQuiet[] = {"quiet"};
  Tool made = tool("echo", "Echoes", [](const Named& named) { return named.own; });
  return with_rewrite(without_showing(std::move(made), kQuiet),
                      [](JsonObject& arguments) { rename_members(arguments, kNames); });
}

TEST(OtherNames, reach_interceptors_and_tools_as_the_own_ones) {
  const std::vector<Tool> tools{example()};
  std::string seen;
  const std::vector<Interceptor> interceptors{
      [&](const Invocation& invocation, const Context& context, const Next& next) {
        seen = to_text(invocation.arguments);
        return next(invocation, context);
      }};
  const auto outcome =
      execute(tools, interceptors, {"1", "echo", R"({"other":"x","quiet":1})"}, {});
  EXPECT_EQ(outcome.result.content, "x");
  EXPECT_EQ(seen, R"({"quiet":1,"own":"x"})");
}

TEST(OtherNames, are_not_shown_to_the_model) {
  EXPECT_EQ(to_text(example().spec.parameters.at("properties")),
            R"({"own":{"type":"string","description":"Advertised"}})");
}

TEST(OtherNames, do_not_hide_contradictions) {
  const std::vector<Tool> tools{example()};
  EXPECT_TRUE(execute(tools, {}, {"1", "echo", R"({"other":"x","own":"y"})"}, {}).result.is_error);
  EXPECT_FALSE(execute(tools, {}, {"1", "echo", R"({"other":"x","own":"x"})"}, {}).result.is_error);
}

}  // namespace
}  // namespace wright::tools
