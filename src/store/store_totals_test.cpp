// What every store promises about totals over many sessions, time at work, and old sessions that
// are to go.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreTotals : public StoreSuite {
 protected:
  SessionId ended_session(SessionStatus status = SessionStatus::completed) {
    const SessionId id = new_session();
    set_status(id, status);
    return id;
  }
  std::set<SessionId> sessions() {
    std::set<SessionId> ids;
    for (const Session& each : value_of(store().list_sessions({.limit = kNoLimit}))) {
      ids.insert(each.id);
    }
    return ids;
  }
  // The ids that were pruned, oldest first.
  std::vector<SessionId> prune(const Prune& write) {
    return value_of(store().apply_one(write)).pruned;
  }
  using Ids = std::set<SessionId>;
};
INSTANTIATE_TEST_SUITE_P(Every, StoreTotals, kEveryStore, name_of_kind);

TEST_P(StoreTotals, time_at_work_is_kept_and_is_what_people_are_told) {
  const SessionId id = new_session();
  EXPECT_EQ(value_of(store().get_session(id)).worked_ms, std::nullopt);
  EXPECT_EQ(value_of(store().get_session(id)).turn_worked_ms, std::nullopt);
  value_of(
      store().apply_one(UpdateSession{.session_id = id, .worked_ms = 500, .turn_worked_ms = 20}));
  now_ += 10'000;
  set_status(id, SessionStatus::completed);
  const Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.worked_ms, 500);
  EXPECT_EQ(session.turn_worked_ms, 20);
  EXPECT_EQ(duration_ms(session), 500);
  EXPECT_EQ(value_of(store().list_sessions({})).front().worked_ms, 500);

  const SessionId unknown = new_session();
  EXPECT_EQ(duration_ms(value_of(store().get_session(unknown))), std::nullopt);
  now_ += 7;
  set_status(unknown, SessionStatus::completed);
  EXPECT_EQ(duration_ms(value_of(store().get_session(unknown))), 7);
}

TEST_P(StoreTotals, of_what_has_not_ended_are_exact) {
  EXPECT_EQ(value_of(store().get_counts(now_)), StoreCounts());
  const std::int64_t begun = now_;
  const auto queue = [&](std::optional<std::int64_t> ready_at = {}) {
    NewSession session = session_named("a");
    session.is_queued = true;
    session.ready_at = ready_at;
    return value_of(store().create_session(session));
  };
  queue(begun + 50'000);
  EXPECT_EQ(value_of(store().get_counts(now_)), (StoreCounts{.queued = 1})) << "it is not due";
  now_ += 1'000;
  const SessionId asked = queue();
  now_ += 1'000;
  value_of(store().create_message(asked, Role::user, "More"));
  EXPECT_EQ(value_of(store().get_counts(now_)).ready_since, begun + 2'000) << "with its message";
  EXPECT_EQ(value_of(store().get_counts(begun + 60'000)).ready_since, begun + 2'000);
  constexpr int kMany = 1'100;
  std::vector<Batch> batches(kMany, Batch{.create = session_named("a")});
  for (Batch& batch : batches) batch.create->is_queued = true;
  for (const auto& made : store().apply_all(batches)) value_of(made);

  ended_session();
  const RunnerId runner = new_runner("worker");
  NewSession driven = session_named("a");
  driven.runner_id = runner;
  const SessionId root = value_of(store().create_session(driven));
  new_child(root);
  new_session();
  new_session();
  for (const SessionId each : {root, root, asked}) {
    const CallId call = call_in(each, CallStatus::waiting);
    value_of(store().apply_one(OpenWait{.session_id = each, .call_id = call}));
  }
  EXPECT_EQ(value_of(store().get_counts(now_)), (StoreCounts{.queued = kMany + 2,
                                                             .driven = 1,
                                                             .undriven = 2,
                                                             .waiting = 2,
                                                             .open_waits = 3,
                                                             .ready_since = begun + 2'000}));
}

TEST_P(StoreTotals, of_what_was_spent_below_a_session_at_any_depth) {
  const SessionId root = new_session();
  const SessionId child = new_child(root);
  const SessionId grandchild = new_child(child);
  const SessionId stranger = new_session();
  const auto uses = [&](SessionId id, std::int64_t tokens) {
    value_of(store().apply_one(
        UpdateSession{.session_id = id, .usage = Usage{tokens, 2, 3, 4, 5, 0.5}}));
  };
  uses(root, 1000);
  uses(child, 10);
  uses(grandchild, 1);
  uses(stranger, 5000);
  const SpentBySpecialists spent = value_of(store().spent_by_specialists(root, 0));
  EXPECT_EQ(spent.usage, (Usage{11, 4, 6, 8, 10, 1.0}));
  EXPECT_EQ(spent.tool_calls, 0);
  EXPECT_EQ(value_of(store().spent_by_specialists(child, 0)).usage.input_tokens, 1);
  EXPECT_EQ(value_of(store().spent_by_specialists(grandchild, 0)).usage, Usage{});
  EXPECT_EQ(code_of(store().spent_by_specialists(4711, 0)), ErrorCode::not_found);
}

TEST_P(StoreTotals, of_tool_calls_that_were_begun_below_since_a_message) {
  const SessionId root = new_session();
  const SessionId child = new_child(root);
  const SessionId grandchild = new_child(child);
  const auto calls_of = [&](SessionId id) {
    return value_of(
               store().apply_one(AppendMessage{
                   id, {Role::assistant, {ToolCall{"a", "t", "{}"}, ToolCall{"b", "t", "{}"}}}, 1}))
        .calls;
  };
  calls_of(child);
  const MessageId said = value_of(store().create_message(root, Role::user, "Next"));
  EXPECT_EQ(value_of(store().spent_by_specialists(root, 0)).tool_calls, 1)
      << "the other one is pending";
  EXPECT_EQ(value_of(store().spent_by_specialists(root, said)).tool_calls, 0);
  calls_of(root);
  const auto calls = calls_of(grandchild);
  EXPECT_EQ(value_of(store().spent_by_specialists(root, said)).tool_calls, 1);
  // One that was refused before it began took no time.
  value_of(store().apply_one(UpdateCall{.call_id = calls[1], .status = CallStatus::failed}));
  EXPECT_EQ(value_of(store().spent_by_specialists(root, said)).tool_calls, 1);
  value_of(store().apply_one(
      UpdateCall{.call_id = calls[0], .status = CallStatus::failed, .execution_time_ms = 0}));
  EXPECT_EQ(value_of(store().spent_by_specialists(root, said)).tool_calls, 1);
  const auto more = calls_of(child);
  value_of(store().apply_one(UpdateCall{.call_id = more[0], .status = CallStatus::unknown}));
  value_of(store().apply_one(UpdateCall{.call_id = more[1], .status = CallStatus::waiting}));
  EXPECT_EQ(value_of(store().spent_by_specialists(root, said)).tool_calls, 3);
  EXPECT_EQ(value_of(store().spent_by_specialists(child, said)).tool_calls, 1);
}

TEST_P(StoreTotals, of_runs_and_calls_by_agent_model_and_tool) {
  const auto run_of = [&](const std::string& agent, SessionStatus status, std::int64_t took) {
    const SessionId id = value_of(store().create_session(session_named(agent)));
    const CallId call = new_call(id);
    expect_ok(store().start_tool_call(call));
    expect_ok(store().complete_tool_call(call, "x", took));
    call_in(id, CallStatus::failed);
    call_in(id, CallStatus::pending);
    call_in(id, CallStatus::unknown);
    now_ += took;
    value_of(store().apply_one(
        UpdateSession{.session_id = id, .status = status, .usage = Usage{took, 1, 0, 0, 0, 0.25}}));
    return id;
  };
  const std::int64_t began = now_;
  run_of("a", SessionStatus::completed, 100);
  run_of("a", SessionStatus::failed, 300);
  const std::int64_t later = now_;
  run_of("b", SessionStatus::running, 50);
  const SessionId worked = run_of("a", SessionStatus::cancelled, 900);
  value_of(store().apply_one(UpdateSession{.session_id = worked, .worked_ms = 40}));

  const StoreStats stats = value_of(store().get_stats({}));
  ASSERT_EQ(stats.runs.size(), 2U);
  EXPECT_EQ(stats.runs[0].agent_name, "a");
  EXPECT_EQ(stats.runs[0].provider, "offline");
  EXPECT_EQ(stats.runs[0].model, "planner");
  EXPECT_EQ(stats.runs[0].count, 3);
  EXPECT_EQ(stats.runs[0].failed, 1);
  EXPECT_EQ(stats.runs[0].usage, (Usage{1300, 3, 0, 0, 0, 0.75}));
  EXPECT_EQ(stats.runs[0].durations_ms, (std::vector<std::int64_t>{40, 100, 300}));
  EXPECT_EQ(stats.runs[1].agent_name, "b");
  EXPECT_TRUE(stats.runs[1].durations_ms.empty()) << "it has not ended";
  ASSERT_EQ(stats.calls.size(), 2U);
  EXPECT_EQ(stats.calls[0].tool_name, "tool");
  EXPECT_EQ(stats.calls[0].agent_name, "a");
  EXPECT_EQ(stats.calls[0].count, 9);
  EXPECT_EQ(stats.calls[0].failed, 3);
  EXPECT_EQ(stats.calls[0].unknown, 3);
  EXPECT_EQ(stats.calls[0].durations_ms, (std::vector<std::int64_t>{100, 300, 900}));

  EXPECT_EQ(value_of(store().get_stats({.agent_name = "b"})).runs.size(), 1U);
  EXPECT_EQ(value_of(store().get_stats({.agent_name = "b"})).calls.size(), 1U);
  EXPECT_TRUE(value_of(store().get_stats({.agent_name = "c"})).runs.empty());
  EXPECT_EQ(value_of(store().get_stats({.started_since = began})).runs[0].count, 3);
  EXPECT_EQ(value_of(store().get_stats({.started_since = later})).runs[0].count, 1);
  EXPECT_TRUE(value_of(store().get_stats({.started_since = now_ + 1})).calls.empty());
}

// A fork copies what ran elsewhere.
TEST_P(StoreTotals, of_what_forks_copied_is_nothing) {
  const SessionId id = new_session();
  const auto made = value_of(
      store().apply_one(AppendMessage{id, {Role::assistant, {ToolCall{"a", "look", "{}"}}}, 1}));
  expect_ok(store().complete_tool_call(made.calls.at(0), "x", 5));
  const MessageId last =
      value_of(store().apply_one(AppendMessage{
                   id, Message::tool({.call_id = "a", .name = "look", .content = "x"})}))
          .messages.at(0);
  set_status(id, SessionStatus::completed);
  now_ += 10;
  const SessionId fork = value_of(store().fork_session(id, last));
  value_of(store().fork_session(id, last));
  const HistoryFilter all{.until = now_ + 1'000'000, .step_ms = 1'000'000'000};
  HistoryFilter by_tool = all;
  by_tool.by = HistoryFilter::By::tool;
  const auto count = [&](const HistoryFilter& filter) {
    std::int64_t sum = 0;
    for (const HistorySeries& series : value_of(store().get_history(filter)).series) {
      for (const HistoryPoint& point : series.points) sum += point.count;
    }
    return sum;
  };
  HistoryFilter recent = all;
  recent.since = now_ - 1'000'000;
  by_tool.since = recent.since;
  EXPECT_EQ(value_of(store().get_stats({})).runs.at(0).count, 1);
  EXPECT_EQ(value_of(store().get_stats({})).calls.at(0).count, 1);
  EXPECT_EQ(count(recent), 1);
  EXPECT_EQ(count(by_tool), 1);

  const SessionId failed = value_of(store().fork_session(id, last));
  set_status(failed, SessionStatus::failed);
  EXPECT_EQ(value_of(store().get_stats({})).runs.at(0).count, 2) << "it ran, and came to nothing";
  EXPECT_EQ(value_of(store().get_stats({})).runs.at(0).failed, 1);
  EXPECT_EQ(count(recent), 2);
  value_of(store().apply_one(DeleteSession{.session_id = failed}));

  now_ += 10;
  const CallId call = new_call(fork);
  expect_ok(store().start_tool_call(call));
  expect_ok(store().complete_tool_call(call, "y", 7));
  value_of(store().apply_one(
      UpdateSession{.session_id = fork, .usage = Usage{.input_tokens = 1}, .iterations = 1}));
  EXPECT_EQ(value_of(store().get_stats({})).runs.at(0).count, 2);
  std::int64_t calls = 0;
  for (const CallSamples& each : value_of(store().get_stats({})).calls) calls += each.count;
  EXPECT_EQ(calls, 2) << "its own counts";
  EXPECT_EQ(count(recent), 2);
  EXPECT_EQ(count(by_tool), 2);
}

TEST_P(StoreTotals, old_sessions_go_with_all_below_them) {
  const SessionId old = new_session();
  const SessionId child = new_child(old);  // its own status does not matter
  value_of(store().create_message(child, Role::user, "x"));
  value_of(store().apply_one(AppendEvents{child, {{"x", 1}}}));
  set_status(old, SessionStatus::failed);
  const SessionId running = new_session();
  const SessionId waiting = new_session();
  set_status(waiting, SessionStatus::waiting);
  now_ += 100;
  const SessionId young = ended_session();
  const SessionId parent = new_session();
  const SessionId old_child = new_child(parent);
  EXPECT_EQ(prune({.ended_before = now_ - 100}), std::vector<SessionId>{});
  EXPECT_EQ(prune({.ended_before = now_}), std::vector{old});
  EXPECT_EQ(sessions(), (Ids{running, waiting, young, parent, old_child}));
  EXPECT_TRUE(value_of(store().get_events({})).empty());
  set_status(old_child, SessionStatus::completed);
  EXPECT_EQ(prune({.ended_before = now_ + 1}), std::vector{young})
      << "what is below goes with what is above, not before";
}

TEST_P(StoreTotals, old_sessions_go_a_few_at_a_time_the_oldest_first) {
  std::vector<SessionId> ids;
  for (int i = 0; i < 7; ++i) ids.push_back(ended_session());
  const std::int64_t before = now_ + 1;
  EXPECT_EQ(prune({.ended_before = before, .most = 2}), (std::vector{ids[0], ids[1]}));
  EXPECT_EQ(prune({.ended_before = before, .most = 0}), std::vector<SessionId>{});
  EXPECT_EQ(prune({.ended_before = before, .keep = 3}), (std::vector{ids[2], ids[3]}));
  EXPECT_EQ(prune({.ended_before = before, .keep = 3}), std::vector<SessionId>{});
  EXPECT_EQ(sessions(), (Ids{ids[4], ids[5], ids[6]}));
}

TEST_P(StoreTotals, what_somebody_goes_on_with_does_not_go) {
  const RunnerId runner = new_runner("host:1");
  const SessionId held = ended_session();
  value_of(store().apply_one(ClaimLease{held, runner}));
  EXPECT_EQ(prune({.ended_before = now_ + 1}), std::vector<SessionId>{});
  value_of(store().apply_one(ReleaseLease{held, runner}));
  const std::vector<Write> failing{Prune{.ended_before = now_ + 1}, UpdateCall{.call_id = 4711}};
  EXPECT_FALSE(store().apply(failing));
  EXPECT_EQ(sessions(), Ids{held});
  EXPECT_EQ(prune({.ended_before = now_ + 1}), std::vector{held});
}

TEST_P(StoreTotals, a_batch_that_deletes_and_then_fails_deletes_nothing) {
  const SessionId id = new_session();
  const SessionId child = new_child(id);
  const CallId call = call_in(child, CallStatus::waiting);
  const WaitId wait = value_of(store().apply_one(OpenWait{child, call})).waits.front();
  const MessageId message = value_of(store().create_message(child, Role::user, "x"));
  value_of(store().apply_one(AppendEvents{child, {{"x", 1}}}));
  const std::vector<Write> writes{AppendMessage{child, Message::user("y")},
                                  UpdateCall{.call_id = call, .status = CallStatus::executing},
                                  ForkSession{child, message}, DeleteSession{id},
                                  UpdateSession{.session_id = child}};
  EXPECT_EQ(code_of(store().apply(writes)), ErrorCode::not_found);
  EXPECT_EQ(sessions(), (Ids{id, child}));
  EXPECT_EQ(value_of(store().get_messages(child)).size(), 1U);
  EXPECT_EQ(call_of(child, call).status, CallStatus::waiting);
  EXPECT_EQ(value_of(store().get_events({})).size(), 1U);
  value_of(store().answer_wait(wait, {true, "ada"}));
  expect_ok(store().start_tool_call(call));
}

}  // namespace
}  // namespace wright::store
