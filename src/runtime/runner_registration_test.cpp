#include "runtime/runner_registration.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace wright::runtime
