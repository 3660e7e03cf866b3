// A process that drives sessions is killed at every moment, and another one goes on: nothing that
// was stored is lost, nothing is done twice, and nothing is claimed that was not done. On
// PostgreSQL every eighth moment is tried, and every single one where WRIGHT_EVERY_MOMENT is set.
#include <gtest/gtest.h>

#include <cstdlib>

#include "faults/evidence.h"
#include "faults/offices.h"
#include "faults/process.h"
#include "store/store_testing.h"

namespace wright::faults {
namespace {

constexpr int kMostMoments = 2000;

struct Case {
  const char* name;
  Driver driver;
  Keeping keeping;
};

class Killed : public ::testing::TestWithParam<Case> {
 protected:
  int work_until(int fatal, const Office& office) {
    const int status = wait_for(in_child([&] {
      Moments moments(fatal);
      return work(GetParam().driver, office.place, office.ledger, moments);
    }));
    offices_->settle(office);
    return status;
  }

  // Goes on in a new process that is not killed, and looks at what came of it.
  void expect_recovery(const Office& office, std::vector<Evidence> interrupted) {
    ASSERT_TRUE(succeeded(work_until(Moments::kNever, office)));
    last_ = collect(office.place);
    for (const Evidence& before : interrupted) expect_kept(before, last_);
    expect_done(last_, office.ledger, interrupted);
  }

  // A PostgreSQL takes longer for each moment.
  bool has_little_time() const {
    return GetParam().keeping == Keeping::postgres && std::getenv("WRIGHT_EVERY_MOMENT") == nullptr;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Offices> offices_ = make_offices(GetParam().keeping, folder_.path());
  Evidence last_;  // of expect_recovery
};

INSTANTIATE_TEST_SUITE_P(Sqlite, Killed,
                         ::testing::Values(Case{"blocking", Driver::blocking, Keeping::sqlite},
                                           Case{"runtime", Driver::runtime, Keeping::sqlite}),
                         [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(Postgres, Killed,
                         ::testing::Values(Case{"blocking", Driver::blocking, Keeping::postgres},
                                           Case{"runtime", Driver::runtime, Keeping::postgres}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Killed, nowhere_the_office_does_all_its_work) {
  const Office office = offices_->open("office");
  const std::filesystem::path kinds = folder_ / "kinds";
  ASSERT_TRUE(succeeded(wait_for(in_child([&] {
    Moments moments(Moments::kNever);
    const int code = work(GetParam().driver, office.place, office.ledger, moments);
    for (const std::string& kind : moments.kinds()) Ledger(kinds).add(kind);
    return code;
  }))));
  expect_done(collect(office.place), office.ledger, {});
  EXPECT_EQ(Ledger(kinds).lines(),
            (std::vector<std::string>{"a model answers", "a model is asked", "a tool ends",
                                      "a tool is about to have its effect", "a tool starts",
                                      "after a write", "before a write"}));
}

TEST_P(Killed, at_any_moment_another_process_goes_on) {
  const int stride = has_little_time() ? 8 : 1;
  int fatal = 0;
  int unknown = 0;
  for (; fatal < kMostMoments; fatal += stride) {
    SCOPED_TRACE(fatal);
    const Office office = offices_->open("office");
    const int status = work_until(fatal, office);
    if (!was_killed(status)) {
      ASSERT_TRUE(succeeded(status));
      break;
    }
    expect_recovery(office, {collect(office.place)});
    if (HasFailure()) return;
    for (const auto& [id, one] : last_.sessions) {
      for (const StoredCall& call : one.calls) unknown += call.status == CallStatus::unknown;
    }
  }
  EXPECT_LT(fatal, kMostMoments);
  EXPECT_GT(fatal, 100) << "that cannot have been all moments";
  // Each is interrupted at several moments.
  EXPECT_GE(unknown, static_cast<int>(3 * kWrites) / stride);
  RecordProperty("moments", fatal);
}

// A write whose process was killed while it ran.
struct Interrupted {
  std::string agent;
  std::string agent_above;
  std::string call_id;

  bool is_in(const Evidence& evidence) const {
    return std::ranges::any_of(evidence.sessions, [&](const auto& entry) {
      const Evidence::One& one = entry.second;
      const auto above = one.session.parent_session_id;
      if (one.session.agent_name != agent ||
          (above ? evidence.sessions.at(*above).session.agent_name : "") != agent_above) {
        return false;
      }
      return std::ranges::any_of(one.calls, [&](const StoredCall& call) {
        return call.tool_call_id == call_id && call.status == CallStatus::executing;
      });
    });
  }
};

TEST_P(Killed, again_while_it_resumes_a_third_process_goes_on) {
  if (has_little_time()) GTEST_SKIP() << "set WRIGHT_EVERY_MOMENT";
  constexpr int kStride = 5;  // a write runs for at least as many moments
  // One beside other calls of its turn, and one two specialists deep.
  std::vector<Interrupted> wanted{{"chief", "", "pay3"}, {"scribe", "clerk", "pay1"}};
  // Which moment is in which write depends on threads: it may take more than one look.
  int sweeps = 0;
  for (int first = 0; !wanted.empty() && sweeps < 2 * kStride; first += kStride) {
    const Office office = offices_->open("office");
    const int ended = work_until(first, office);
    if (!was_killed(ended)) {
      ASSERT_TRUE(succeeded(ended));
      first = ++sweeps % kStride - kStride;
      continue;
    }
    const Evidence before = collect(office.place);
    if (!wanted.front().is_in(before)) continue;
    wanted.erase(wanted.begin());
    int second = 0;
    for (; second < kMostMoments; ++second) {
      SCOPED_TRACE(std::to_string(first) + ", then " + std::to_string(second));
      const Office again = offices_->copy(office, "again");
      const int status = work_until(second, again);
      if (!was_killed(status)) {
        ASSERT_TRUE(succeeded(status));
        break;
      }
      expect_recovery(again, {before, collect(again.place)});
      if (HasFailure()) return;
    }
    EXPECT_GT(second, 20);
  }
  EXPECT_TRUE(wanted.empty());
}

}  // namespace
}  // namespace wright::faults
