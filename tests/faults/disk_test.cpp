// A disk that is full, or fails for a moment, at any write of a session: what was stored stays,
// nothing is done twice or claimed without having been done, and the session goes on afterwards.
// Every third write is tried, and every single one where WRIGHT_EVERY_MOMENT is set.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "faults/evidence.h"
#include "sqlite/faulty_disk_testing.h"
#include "store/store_testing.h"

namespace wright::faults {
namespace {

struct Failure {
  std::string name;
  int sqlite_code;
  int failures;
  Driver driver;
};

class Disk : public ::testing::TestWithParam<Failure> {
 protected:
  // Goes on as another process would: the one before is gone.
  int go_on(const std::filesystem::path& database, const Ledger& ledger) {
    {
      const auto store = store::value_of(open_sqlite_store(database));
      if (!store) return 1;
      for (const Runner& runner : store::value_of(store->get_runners())) {
        store::expect_ok(store->end_runner(runner.id));
      }
    }
    Moments moments(Moments::kNever);
    return work(GetParam().driver, database, ledger, moments);
  }

  TemporaryFolder folder_;
  sqlite::FaultyDisk disk_;
};

INSTANTIATE_TEST_SUITE_P(
    That, Disk,
    ::testing::Values(Failure{"is_full", SQLITE_FULL, std::numeric_limits<int>::max(),
                              Driver::blocking},
                      Failure{"fails_once", SQLITE_IOERR_WRITE, 1, Driver::runtime}),
    [](const auto& info) { return info.param.name; });

TEST_P(Disk, at_any_write_leaves_a_session_that_goes_on) {
  constexpr int kBound = 3000;
  const std::filesystem::path empty = folder_ / "empty.db";
  ASSERT_TRUE(open_sqlite_store(empty));
  int failed = 0;
  int count = 0;
  const int step = std::getenv("WRIGHT_EVERY_MOMENT") != nullptr ? 1 : 3;
  for (; count < kBound; count += step) {
    SCOPED_TRACE(count);
    const TemporaryFolder office;
    const std::filesystem::path database = office / "office.db";
    const Ledger ledger(office / "ledger");
    std::filesystem::copy_file(empty, database);
    Moments moments(Moments::kNever);
    disk_.fail_after(count, GetParam().sqlite_code, GetParam().failures);
    const int code = work(GetParam().driver, database, ledger, moments);
    const bool has_failed = disk_.has_failed();
    disk_.heal();
    if (!has_failed) {
      EXPECT_EQ(code, 0);
      break;
    }
    if (code != 0) ++failed;
    const Evidence before = collect(database);
    expect_honest(before, ledger);
    ASSERT_EQ(go_on(database, ledger), 0);
    const Evidence after = collect(database);
    expect_kept(before, after);
    expect_honest(after, ledger);
    for (const auto& [id, one] : after.sessions) {
      if (!one.session.parent_session_id) {
        EXPECT_EQ(one.session.status, SessionStatus::completed);
      } else {
        EXPECT_NE(one.session.status, SessionStatus::running);
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_LT(count, kBound);
  EXPECT_GT(failed, 20 / step);
}

}  // namespace
}  // namespace wright::faults
