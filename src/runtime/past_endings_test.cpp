#include "runtime/past_endings.h"

#include <gtest/gtest.h>

namespace wright::runtime {
namespace {

session::Ending ending_of(SessionId id) {
  session::Ending ending;
  ending.session_id = id;
  return ending;
}

TEST(PastEndings, finds_the_last_one_of_a_session) {
  PastEndings endings;
  session::Ending first = ending_of(1);
  first.text = "first";
  endings.add(std::move(first));
  endings.add(ending_of(2));
  session::Ending second = ending_of(1);
  second.text = "second";
  endings.add(std::move(second));
  ASSERT_NE(endings.find(1), nullptr);
  EXPECT_EQ(endings.find(1)->text, "second");
  EXPECT_EQ(endings.find(3), nullptr);
}

// Whatever it is that takes the room.
TEST(PastEndings, are_bounded_in_bytes) {
  const std::string large(1024 * 1024, 'x');
  for (const int kind : {0, 1, 2}) {
    PastEndings endings;
    for (SessionId id = 1; id <= 100; ++id) {
      session::Ending ending = ending_of(id);
      if (kind == 0) ending.text = large;
      if (kind == 1) ending.error.detail = Json{{"best_answer", large}};
      if (kind == 2) ending.waits.push_back({.shown = Json{{"diff", large}}});
      endings.add(std::move(ending));
    }
    EXPECT_NE(endings.find(100), nullptr) << kind;
    EXPECT_EQ(endings.find(90), nullptr) << kind;
  }
}

}  // namespace
}  // namespace wright::runtime
