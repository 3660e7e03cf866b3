#include "runtime/runner_registration.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "store/forwarding_store.h"
#include "wright/testing.h"

namespace wright::runtime {
namespace {

// Counts how often records are written, or would be.
class CountingStore final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    for (const Batch& batch : batches) {
      for (const Write& write : batch.writes) {
        if (std::holds_alternative<PutRecord>(write)) ++records;
      }
    }
    return ForwardingStore::apply_all(batches);
  }

  int records = 0;
};

TEST(RunnerRegistration, does_not_try_for_long_what_somebody_else_has_written_meanwhile) {
  const auto memory = open_memory_store();
  CountingStore store(*memory);
  const auto runner = RunnerRegistration::open(store);
  ASSERT_TRUE(runner) << runner.error().message;
  const Batch changed{.writes = {PutRecord{.kind = "note", .key = "a", .version = 7}}};
  const auto results = (*runner)->apply_all({&changed, 1});
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error().code, ErrorCode::unavailable);
  // At once, and when its time was renewed.
  EXPECT_EQ(store.records, 2);
}

// Takes no renewal at first, and holds no session before it has taken one.
class SlowToHear final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    const Write& first = batches.front().writes.front();
    const bool is_renewal = std::holds_alternative<RenewRunner>(first);
    if (is_renewal) is_heard_ = std::exchange(has_refused_, true);
    if (is_heard_ || !(is_renewal || std::holds_alternative<HoldLease>(first))) {
      return ForwardingStore::apply_all(batches);
    }
    return {std::unexpected(Error{ErrorCode::unavailable, "It has not heard",
                                  is_renewal ? JsonObject() : JsonObject{{"lease_epoch", 1}}})};
  }

 private:
  bool is_heard_ = false;
  bool has_refused_ = false;
};

TEST(RunnerRegistration, is_renewed_before_its_sessions_are_taken_for_lost) {
  const auto memory = open_memory_store();
  SlowToHear store(*memory);
  const auto runner = RunnerRegistration::open(store, std::chrono::hours(1));
  ASSERT_TRUE(runner) << runner.error().message;
  const auto created = (*runner)->apply_all(
      std::array{Batch{.create = NewSession{.agent_name = "a", .runner_id = (*runner)->id()},
                       .writes = {UpdateSession{.result = "begun"}}}});
  ASSERT_TRUE(created.front()) << created.front().error().message;
  const Batch held{.writes = {HoldLease{1, (*runner)->id(), 1}}};
  const auto results = (*runner)->apply_all({&held, 1});
  EXPECT_TRUE(results.front()) << results.front().error().message;
}

}  // namespace
}  // namespace wright::runtime
