#include "app/commands/replay_view.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::app {
namespace {

Difference of_texts(std::string recorded, std::string now) {
  return {.kind = Difference::Kind::result,
          .specialists = {"north"},
          .message = 3,
          .what = "the result of grep",
          .recorded = std::move(recorded),
          .now = std::move(now)};
}

TEST(ReplayView, names_the_place) {
  EXPECT_EQ(place_of(of_texts("a", "b")), "specialist north, message 3, the result of grep");
  EXPECT_EQ(place_of({.what = "how the session ended"}), "how the session ended");
}

TEST(ReplayView, shows_the_lines_that_differ) {
  EXPECT_EQ(difference_view(of_texts("same\nold\n", "same\nnew"), 2, Terminal{}),
            "  --- recorded\n"
            "  +++ now\n"
            "  @@ -1,2 +1,2 @@\n"
            "   same\n"
            "  -old\n"
            "  +new\n");
}

TEST(ReplayView, says_so_when_nothing_visible_differs) {
  const std::string text = difference_view(of_texts("a\n", "a"), 0, Terminal{});
  EXPECT_EQ(text, "--- recorded\n+++ now\n(they differ in characters that are not shown)\n");
}

TEST(ReplayView, makes_foreign_text_harmless_and_cuts_long_ones) {
  std::string many;
  for (int i = 0; i < 500; ++i) many += "line \x1b[31m" + std::to_string(i) + "\n";
  const std::string text = difference_view(of_texts("", many), 0, Terminal{});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find(" lines more; --json has all of it\n"), std::string::npos) << text;
  EXPECT_LT(text.size(), 2'000U);
}

TEST(ReplayView, tells_everything_as_json) {
  const ReplayReport report{.differences = {of_texts("a", "b")},
                            .turns = 2,
                            .recorded_calls = 1,
                            .live_calls = 3,
                            .notes = {"so it is"},
                            .is_complete = false};
  const Json json = report_json(report);
  EXPECT_EQ(json, (Json{{"turns", 2},
                        {"recorded_calls", 1},
                        {"live_calls", 3},
                        {"complete", false},
                        {"notes", JsonArray{"so it is"}},
                        {"differences", JsonArray{Json{{"kind", "result"},
                                                       {"specialists", JsonArray{"north"}},
                                                       {"message", 3},
                                                       {"what", "the result of grep"},
                                                       {"recorded", "a"},
                                                       {"now", "b"}}}}}))
      << to_text(json);
  EXPECT_EQ(work_of(report), "2 turns, 1 tool call from the record, 3 executed");
}

}  // namespace
}  // namespace wright::app
