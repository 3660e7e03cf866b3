// Calls that no agent made, in every store that is there, and what is left of them by a process
// that is gone.
#include "runtime/outside_calls.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include "wright/driver.h"

namespace wright::runtime {
namespace {

using std::chrono::milliseconds;

class OutsideCallsTest : public ::testing::TestWithParam<const char*> {
 protected:
  OutsideCallsTest() {
    store_ = std::string_view(GetParam()) == "memory" ? open_memory_store()
                                                      : open_sqlite_store(":memory:").value();
    runner_ = store_->register_runner("host=elsewhere", milliseconds(60'000)).value();
    session_ = store_->create_session({.agent_name = "calls", .user_prompt = "Calls"}).value();
    EXPECT_TRUE(store_->complete_session(session_, ""));
  }

  OutsideCall begin(std::string id) {
    OutsideCall call{.session = session_, .id = id};
    const auto ids = store_->apply(
        std::vector<Write>{AppendMessage{.session_id = session_,
                                         .message = {Role::assistant, {ToolCall{id, "pay", "{}"}}},
                                         .started_calls = 1},
                           note_of_executing(call, runner_)});
    EXPECT_TRUE(ids);
    call.row = ids->calls.at(0);
    call.note = 1;
    return call;
  }
  void wait(OutsideCall& call, std::int64_t until, Done done = Done::nothing) {
    EXPECT_TRUE(store_->apply(
        std::vector<Write>{UpdateCall{.call_id = call.row, .status = CallStatus::waiting},
                           note_of_waiting(call, until, done)}));
    ++call.note;
  }
  Result<BatchIds> go_on(const OutsideCall& call) {
    return store_->apply(
        std::vector<Write>{UpdateCall{.call_id = call.row}, note_of_executing(call, runner_)});
  }
  CallStatus status(const OutsideCall& call) {
    const auto rows = store_->get_tool_calls(session_);
    for (const StoredCall& row : rows.value()) {
      if (row.id == call.row) return row.status;
    }
    return CallStatus::pending;
  }

  std::unique_ptr<Store> store_;
  RunnerId runner_ = 0;
  SessionId session_ = 0;
};

TEST_P(OutsideCallsTest, travel_with_whoever_asked) {
  const OutsideCall call{.session = 3, .row = 9, .id = "x", .note = 2};
  EXPECT_EQ(outside_call_from(to_json(call)), call);
  for (const Json& broken : {Json(), Json("x"), Json(JsonObject{{"row", 1}})}) {
    EXPECT_FALSE(outside_call_from(broken));
  }
}

TEST_P(OutsideCallsTest, of_living_runners_are_left_alone_and_of_dead_ones_unknown) {
  const OutsideCall call = begin("a");
  EXPECT_EQ(settle_outside_calls(*store_), 0);
  EXPECT_EQ(status(call), CallStatus::executing);
  ASSERT_TRUE(store_->renew_runner(runner_, milliseconds(-1)));  // its time is over
  EXPECT_EQ(settle_outside_calls(*store_), 1);
  EXPECT_EQ(status(call), CallStatus::unknown);
  EXPECT_EQ(store_->get_messages(session_).value().size(), 2U);
  EXPECT_EQ(settle_outside_calls(*store_), 0);
  EXPECT_EQ(store_->get_messages(session_).value().size(), 2U);
}

TEST_P(OutsideCallsTest, go_on_once) {
  OutsideCall call = begin("a");
  wait(call, system_clock_ms() + 60'000);
  EXPECT_TRUE(go_on(call));
  EXPECT_FALSE(go_on(call));
  // Not even when it is settled: a store lets such a call be executed again, this does not.
  ASSERT_TRUE(store_->end_runner(runner_));
  EXPECT_EQ(settle_outside_calls(*store_), 1);
  EXPECT_FALSE(go_on(call));
  EXPECT_EQ(status(call), CallStatus::unknown);
}

TEST_P(OutsideCallsTest, that_wait_are_left_alone_until_their_time_is_over) {
  OutsideCall call = begin("a");
  wait(call, system_clock_ms() + 60'000);
  ASSERT_TRUE(store_->end_runner(runner_));
  EXPECT_EQ(settle_outside_calls(*store_), 0);
  EXPECT_EQ(status(call), CallStatus::waiting);
  OutsideCall late = begin("b");
  wait(late, system_clock_ms() - 1'000);
  EXPECT_EQ(settle_outside_calls(*store_), 1);
  EXPECT_EQ(status(late), CallStatus::cancelled);
  EXPECT_EQ(status(call), CallStatus::waiting);
}

TEST_P(OutsideCallsTest, that_had_begun_when_they_asked_are_unknown_when_their_time_is_over) {
  OutsideCall late = begin("a");
  wait(late, system_clock_ms() - 1'000, Done::perhaps_something);
  EXPECT_EQ(settle_outside_calls(*store_), 1);
  EXPECT_EQ(status(late), CallStatus::unknown);
}

TEST_P(OutsideCallsTest, that_ended_or_whose_session_is_gone_leave_nothing) {
  const OutsideCall done = begin("a");
  ASSERT_TRUE(store_->apply(std::vector<Write>{
      UpdateCall{.call_id = done.row, .status = CallStatus::completed}, no_note_of(done)}));
  (void)begin("b");
  ASSERT_TRUE(store_->delete_session(session_));
  ASSERT_TRUE(store_->end_runner(runner_));
  EXPECT_EQ(settle_outside_calls(*store_), 0);
  EXPECT_TRUE(store_->get_records({.kind = "outside_call"}).value().empty());
}

INSTANTIATE_TEST_SUITE_P(Stores, OutsideCallsTest, ::testing::Values("memory", "sqlite"));

}  // namespace
}  // namespace wright::runtime
