// A connection is lost at every request of a write, before it or before its answer: what is written
// is there once, or not at all and said so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "postgres/cutting_proxy_testing.h"
#include "postgres/open.h"
#include "postgres/cluster_testing.h"
#include "store/store_testing.h"

namespace wright::postgres {
namespace {

using store::session_named;
using store::value_of;

struct Sending {
  const char* name;
  Caution caution;
  int fewest;  // requests of a write
};

class LostAnswers : public ::testing::TestWithParam<Sending> {
 protected:
  void SetUp() override {
    // A pooler holds answers back and puts requests together.
    if (std::getenv("WRIGHT_TEST_POOLER") != nullptr) GTEST_SKIP() << "not through a pooler";
  }

  int stored(const std::string& text) const {
    return std::stoi(TestCluster::instance().run(
        fmt::format("SELECT count(*) FROM {}.agent_messages WHERE content = '{}'", schema_, text)));
  }

  const std::string schema_ = TestCluster::new_schema();
  CuttingProxy proxy_{TestCluster::instance().url()};
  std::unique_ptr<Store> store_ =
      value_of(open_store(proxy_.url(), {.schema = schema_, .connections = 2}, GetParam().caution));
  SessionId session_ = value_of(store_->create_session(session_named("a")));
};

INSTANTIATE_TEST_SUITE_P(Postgres, LostAnswers,
                         ::testing::Values(Sending{"at_once", Caution::as_needed, 1},
                                           Sending{"step_by_step", Caution::always, 3}),
                         [](const auto& info) { return std::string(info.param.name); });

// One lost connection, or one that is lost again while the store finds out about the first.
TEST_P(LostAnswers, at_any_request_leave_every_write_there_once) {
  constexpr int kMost = 50;
  for (const Cut where :
       {Cut::before_request, Cut::behind_request, Cut::before_answer, Cut::before_answer_ends}) {
    for (const int times : {1, 2, 3}) {
      int passed = 0;
      for (; passed < kMost; ++passed) {
        const std::string text = fmt::format("{} {} {}", static_cast<int>(where), times, passed);
        SCOPED_TRACE(text);
        proxy_.cut(where, passed, times);
        const auto written = store_->create_message(session_, Role::user, text);
        const int cuts = proxy_.stop();
        if (written) {
          EXPECT_EQ(stored(text), 1);
        } else if (written.error().code == ErrorCode::storage) {
          EXPECT_EQ(stored(text), 1) << "it is said to be stored: " << written.error().message;
          // Only an answer that did not come can leave the number of the message unknown.
          EXPECT_TRUE(where == Cut::before_answer || where == Cut::behind_request);
        } else {
          EXPECT_EQ(written.error().code, ErrorCode::unavailable);
          EXPECT_EQ(stored(text), 0) << written.error().message;
        }
        if (HasFailure()) return;
        if (cuts == 0) break;
      }
      EXPECT_LT(passed, kMost);
      EXPECT_GE(passed, GetParam().fewest) << "each of its requests was cut";
    }
  }
}

// What was written stands, and nobody is told that something is unknown.
TEST_P(LostAnswers, are_no_matter_to_those_who_need_no_number) {
  for (const Cut where : {Cut::before_request, Cut::before_answer, Cut::before_answer_ends}) {
    for (int passed = 0; passed < GetParam().fewest; ++passed) {
      SCOPED_TRACE(fmt::format("{} {}", static_cast<int>(where), passed));
      const std::string reason = fmt::format("{} {}", static_cast<int>(where), passed);
      const SessionId id = value_of(store_->create_session(session_named("a")));
      proxy_.cut(where, passed, 1);
      const auto written = store_->request_cancel(id, reason);
      EXPECT_EQ(proxy_.stop(), 1);
      EXPECT_TRUE(written.has_value()) << written.error().message;
      EXPECT_EQ(value_of(store_->get_session(id)).cancel_reason, reason);
    }
  }
}

}  // namespace
}  // namespace wright::postgres
