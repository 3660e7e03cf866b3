// What every store promises about batches: whole or not at all, alone or many at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreBatches : public StoreSuite {};
INSTANTIATE_TEST_SUITE_P(Every, StoreBatches, kEveryStore, name_of_kind);

TEST_P(StoreBatches, an_empty_batch_changes_nothing) {
  const BatchIds ids = value_of(store().apply({}));
  EXPECT_TRUE(ids.messages.empty());
  EXPECT_TRUE(ids.calls.empty());
}

TEST_P(StoreBatches, creates_a_session_with_its_first_writes) {
  new_session();
  const std::vector<Write> writes{
      AppendMessage{0, Message::user("Go")},
      AppendMessage{0, {Role::assistant, {ToolCall{"c", "grep", "{}"}}}},
      CreateCall{0, std::nullopt, {"d", "later", "{}"}},
      UpdateSession{.session_id = 0, .usage = Usage{1, 2, 0, 0}, .iterations = 1}};
  const auto [id, ids] = value_of(store().create_session_with(session_named("tester"), writes));
  EXPECT_EQ(value_of(store().get_messages(id)).size(), 2U);
  EXPECT_EQ(ids.session, id);
  EXPECT_EQ(ids.epoch, 0) << "nobody drives it";
  EXPECT_EQ(ids.messages.size(), 2U);
  EXPECT_EQ(ids.calls.size(), 2U);
  EXPECT_EQ(call_of(id, ids.calls[1]).tool_name, "later");
  EXPECT_EQ(value_of(store().get_session(id)).usage, (Usage{1, 2, 0, 0}));
  EXPECT_EQ(value_of(store().get_session(id)).iterations, 1);
}

TEST_P(StoreBatches, beside_a_new_session_writes_go_where_they_say) {
  const RunnerId runner = new_runner("host:1");
  NewSession session = session_named("parent");
  session.runner_id = runner;
  const SessionId parent = value_of(store().create_session(session));
  session.parent_session_id = parent;
  const auto child_of_epoch = [&](int epoch) {
    const std::vector<Write> writes{HoldLease{parent, runner, epoch},
                                    AppendMessage{0, Message::user("to the child")},
                                    AppendMessage{parent, Message::user("to the parent")}};
    return store().create_session_with(session, writes);
  };
  const auto [child, ids] = value_of(child_of_epoch(1));
  EXPECT_EQ(ids.epoch, 1) << "it is its runner's from the first moment";
  EXPECT_EQ(value_of(store().get_messages(child)).at(0).content, "to the child");
  EXPECT_EQ(value_of(store().get_messages(parent)).at(0).content, "to the parent");
  EXPECT_EQ(code_of(child_of_epoch(2)), ErrorCode::unavailable);
  EXPECT_EQ(value_of(store().list_sessions({})).size(), 2U);
  EXPECT_EQ(code_of(apply_one(store(), AppendMessage{0, Message::user("to nobody")})),
            ErrorCode::not_found);
}

TEST_P(StoreBatches, a_session_whose_first_writes_fail_is_not_created) {
  const std::vector<Write> writes{AppendMessage{0, Message::user("Go")},
                                  UpdateCall{.call_id = 4711}};
  EXPECT_EQ(code_of(store().create_session_with(session_named("tester"), writes)),
            ErrorCode::not_found);
  EXPECT_TRUE(value_of(store().list_sessions({})).empty());
}

TEST_P(StoreBatches, a_batch_is_applied_whole_or_not_at_all) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  const CallId asking = new_call(id);
  const RunnerId runner = value_of(store().register_runner("r", std::chrono::seconds(1)));
  const std::vector<Write> sound{
      AppendMessage{id, {Role::assistant, {ToolCall{"c", "grep", "{}"}}}},
      CreateCall{id, std::nullopt, {"d", "later", "{}"}},
      UpdateCall{.call_id = call, .status = CallStatus::executing, .response = Json(1)},
      UpdateCall{.call_id = asking, .status = CallStatus::waiting},
      OpenWait{id, asking},
      CloseWaits{id, asking},
      ClaimLease{id, runner},
      UpdateSession{.session_id = id,
                    .status = SessionStatus::waiting,
                    .result = "half",
                    .agent_name = "other",
                    .provider = "other",
                    .model = "other",
                    .config = JsonObject{{"other", true}},
                    .feedback = Json(1),
                    .context = Json(1)}};
  const std::vector<std::pair<Write, ErrorCode>> faults{
      {AppendMessage{99, Message::user("x")}, ErrorCode::not_found},
      {CreateCall{99, std::nullopt, {}}, ErrorCode::not_found},
      {CreateCall{id, 4711, {}}, ErrorCode::not_found},
      {UpdateCall{.call_id = 4711}, ErrorCode::not_found},
      {UpdateCall{.call_id = call, .status = CallStatus::pending}, ErrorCode::invalid_argument},
      {UpdateSession{.session_id = 99}, ErrorCode::not_found},
      {OpenWait{id, call}, ErrorCode::invalid_argument},
      {CloseWaits{99}, ErrorCode::not_found},
      {ClaimLease{id, 99}, ErrorCode::unavailable},
      {HoldLease{id, runner}, ErrorCode::unavailable}};
  for (const auto& [fault, code] : faults) {
    std::vector<Write> writes = sound;
    writes.push_back(fault);
    EXPECT_EQ(code_of(store().apply(writes)), code);
    EXPECT_TRUE(value_of(store().get_messages(id)).empty());
    const auto calls = value_of(store().get_tool_calls(id));
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].status, CallStatus::pending);
    EXPECT_EQ(calls[0].response, std::nullopt);
    EXPECT_EQ(calls[1].status, CallStatus::pending);
    const Session session = value_of(store().get_session(id));
    EXPECT_EQ(session.status, SessionStatus::running);
    EXPECT_EQ(session.result, std::nullopt);
    EXPECT_EQ(session.agent_name, "tester");
    EXPECT_EQ(session.lease_epoch, 0);
    EXPECT_TRUE(session.feedback.is_null());
    EXPECT_TRUE(session.context.is_null());
    EXPECT_TRUE(value_of(store().get_waits({})).empty());
  }
  const BatchIds ids = value_of(store().apply(sound));
  EXPECT_EQ(ids.messages.size(), 1U);
  EXPECT_EQ(ids.calls.size(), 2U);
  EXPECT_EQ(ids.waits.size(), 1U);
  EXPECT_EQ(ids.epochs, std::vector{1});
  EXPECT_EQ(call_of(id, call).status, CallStatus::executing);
}

TEST_P(StoreBatches, writes_of_a_batch_see_those_before_them) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  const std::vector<Write> writes{
      UpdateCall{.call_id = call, .status = CallStatus::executing},
      UpdateCall{.call_id = call, .status = CallStatus::completed, .response = Json("ok")}};
  value_of(store().apply(writes));
  EXPECT_EQ(call_of(id, call).status, CallStatus::completed);
}

TEST_P(StoreBatches, says_which_session_or_call_does_not_exist) {
  EXPECT_EQ(store().get_session(5).error().message, "There is no session 5");
  EXPECT_EQ(store().create_message(6, Role::user, "x").error().message, "There is no session 6");
  EXPECT_EQ(store().complete_session(7, "x").error().message, "There is no session 7");
  EXPECT_EQ(store().start_tool_call(8).error().message, "There is no tool call 8");
  EXPECT_EQ(code_of(store().delete_session(9)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().get_messages(9)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().get_tool_calls(9)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().get_pending_tool_calls(9)), ErrorCode::not_found);
}

// --- batches of batches ---------------------------------------------------------------------

TEST_P(StoreBatches, many_batches_at_once_give_each_its_own_ids) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  const std::vector<Batch> batches{
      {.writes = {AppendMessage{id, Message::user("one")}, UpdateCall{.call_id = call}}},
      {},
      {.create = session_named("new"), .writes = {AppendMessage{0, Message::user("two")}}},
      {.writes = {AppendMessage{id, Message::user("three")}}}};
  const auto results = store().apply_all(batches);
  ASSERT_EQ(results.size(), 4U);
  for (const auto& result : results) ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(results[0]->session, 0);
  EXPECT_EQ(results[0]->messages.size(), 1U);
  EXPECT_TRUE(results[1]->messages.empty());
  EXPECT_EQ(value_of(store().get_session(results[2]->session)).agent_name, "new");
  EXPECT_EQ(value_of(store().get_messages(results[2]->session)).front().content, "two");
  EXPECT_GT(results[3]->messages.front(), results[0]->messages.front());
  EXPECT_EQ(value_of(store().get_messages(id)).size(), 2U);
  EXPECT_TRUE(store().apply_all({}).empty());
}

TEST_P(StoreBatches, of_many_batches_each_stands_or_falls_alone) {
  const SessionId id = new_session();
  const std::vector<Batch> batches{
      {.writes = {AppendMessage{id, Message::user("one")}}},
      {.writes = {AppendMessage{id, Message::user("half")}, UpdateCall{.call_id = 4711}}},
      {.create = session_named("lost"), .writes = {UpdateCall{.call_id = 4711}}},
      {.writes = {AppendMessage{id, Message::user("two")}}}};
  const auto results = store().apply_all(batches);
  ASSERT_EQ(results.size(), 4U);
  EXPECT_TRUE(results[0].has_value());
  EXPECT_EQ(code_of(results[1]), ErrorCode::not_found);
  EXPECT_EQ(code_of(results[2]), ErrorCode::not_found);
  EXPECT_TRUE(results[3].has_value());
  const auto messages = value_of(store().get_messages(id));
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].content, "one");
  EXPECT_EQ(messages[1].content, "two");
  EXPECT_EQ(value_of(store().list_sessions({})).size(), 1U);
}

// Everything that can be read from a store, as text.
std::string everything_in(Store& store) {
  std::string all;
  for (const Session& session : value_of(store.list_sessions({.limit = 1000}))) {
    all += fmt::format("session {} {} {} {} {} {} {} {}\n", session.id, session.agent_name,
                       to_string(session.status), session.iterations,
                       session.runner_id.value_or(-1), session.lease_epoch,
                       session.cancel_reason.value_or("-"), session.forked_from.value_or(0));
    for (const auto& message : value_of(store.get_messages(session.id))) {
      all += fmt::format("message {} {}\n", message.id, message.content);
    }
    for (const auto& call : value_of(store.get_tool_calls(session.id))) {
      all += fmt::format("call {} of {} {}\n", call.id, call.message_id.value_or(-1),
                         to_string(call.status));
    }
  }
  for (const StoredWait& wait : value_of(store.get_waits({}))) {
    all += fmt::format("wait {} of {} {}\n", wait.id, wait.call_id, to_string(wait.status));
  }
  for (const StoredEvent& event : value_of(store.get_events({}))) {
    all += fmt::format("event {} of {} {}\n", event.sequence, event.session_id, event.type);
  }
  for (const Runner& runner : value_of(store.get_runners())) {
    const RunnerNews news = value_of(store.get_news(runner.id));
    for (const CancelWish& wish : news.cancelled)
      all += fmt::format("cancel {}\n", wish.session_id);
    for (const StoredWait& wait : news.answered) all += fmt::format("answered {}\n", wait.id);
  }
  for (const Session& session : value_of(store.list_sessions({.needs_driver = true}))) {
    all += fmt::format("needs a driver {}\n", session.id);
  }
  return all;
}

std::string text_of(const Result<BatchIds>& result) {
  if (!result) return fmt::format("{}: {}", to_string(result.error().code), result.error().message);
  std::string text = fmt::format(
      "{} {} [{}] [{}] [{}] [{}] [{}] [{}] [{}] {}", result->session, result->epoch,
      fmt::join(result->messages, " "), fmt::join(result->calls, " "),
      fmt::join(result->waits, " "), fmt::join(result->epochs, " "), fmt::join(result->forks, " "),
      fmt::join(result->events, " "), fmt::join(result->pruned, " "), result->answered.size());
  for (const auto& [id, epoch] : result->claimed) text += fmt::format(" claimed {}:{}", id, epoch);
  for (const auto& [id, reason] : result->cancelled) text += fmt::format(" {}: {}", id, reason);
  return text;
}

// Writes of every kind to rows that may exist or not, in statuses that fit or not.
Batch random_batch(std::mt19937& random, RunnerId runner) {
  const auto below = [&](int bound) { return static_cast<int>(random() % unsigned(bound)); };
  Batch batch;
  if (below(4) == 0) {
    batch.create = session_named(fmt::format("agent {}", below(3)));
    batch.create->is_queued = below(2) == 0;
    batch.create->priority = below(2);
    if (below(3) == 0) batch.create->runner_id = runner;
  }
  const int count = below(5);
  for (int i = 0; i < count; ++i) {
    const SessionId session = 1 + below(5);
    const CallId call = 1 + below(12);
    switch (below(20)) {
      case 0:
      case 1:
        batch.writes.push_back(AppendMessage{
            session, {Role::assistant, {ToolCall{"c", "t", "{}"}, ToolCall{"d", "t", "{"}}}, 1});
        break;
      case 2: batch.writes.push_back(CreateCall{session, std::nullopt, {"c", "t", "{}"}}); break;
      case 3:
        batch.writes.push_back(
            UpdateCall{.call_id = call, .status = kCallStatuses[random() % kCallStatuses.size()]});
        break;
      case 4:
        batch.writes.push_back(
            UpdateSession{.session_id = session,
                          .status = kSessionStatuses[random() % kSessionStatuses.size()],
                          .iterations = below(50)});
        break;
      case 5:
        batch.writes.push_back(UpdateCall{.call_id = call, .status = CallStatus::waiting});
        batch.writes.push_back(OpenWait{session, call});
        break;
      case 6: batch.writes.push_back(CloseWaits{session}); break;
      case 7: batch.writes.push_back(ClaimLease{session, runner}); break;
      case 8: batch.writes.push_back(ClaimLease{session, runner, below(4)}); break;
      case 9: batch.writes.push_back(HoldLease{session, runner, below(4)}); break;
      case 10: batch.writes.push_back(ReleaseLease{session, runner, below(4)}); break;
      case 11: batch.writes.push_back(RequestCancel{session, "enough"}); break;
      case 12: batch.writes.push_back(Enqueue{session, Message::user("more"), below(3)}); break;
      case 13: batch.writes.push_back(Claim{.runner_id = runner, .most = 2}); break;
      case 14: batch.writes.push_back(AnswerWait{1 + below(4), below(9), "ada"}); break;
      case 15: batch.writes.push_back(AppendEvents{session, {{"one", 1}, {"two", 2}}}); break;
      case 16: batch.writes.push_back(ForkSession{session, 1 + below(9)}); break;
      case 17:
        batch.writes.push_back(RenewRunner{runner + below(2), std::chrono::seconds(9)});
        break;
      case 18:
        if (below(3) == 0) batch.writes.push_back(DeleteSession{session});
        if (below(3) == 0) batch.writes.push_back(Prune{.ended_before = 1LL << 60, .most = 1});
        break;
      default: batch.writes.push_back(HoldLease{session, runner}); break;
    }
  }
  return batch;
}

// One after the other in memory is what they are held against, so the stores are compared, too.
TEST_P(StoreBatches, many_at_once_come_to_the_same_as_one_after_the_other) {
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    const auto together = open(fmt::format("together{}.db", seed));
    const auto alone = open_memory_store([this] { return now_; });
    ASSERT_NE(together, nullptr);
    number_without_gaps(GetParam(), folder_ / fmt::format("together{}.db", seed));
    RunnerId runner = 0;
    for (Store* each : {together.get(), alone.get()}) {
      runner = value_of(each->register_runner("r", std::chrono::seconds(9)));
      value_of(each->create_session(session_named("first")));
    }
    for (int round = 0; round < 40; ++round) {
      std::vector<Batch> batches(1 + random() % 6);
      for (Batch& batch : batches) batch = random_batch(random, runner);
      const auto results = together->apply_all(batches);
      ASSERT_EQ(results.size(), batches.size());
      for (std::size_t i = 0; i < batches.size(); ++i) {
        const auto expected = alone->apply_all({&batches[i], 1});
        ASSERT_EQ(expected.size(), 1U);
        ASSERT_EQ(text_of(results[i]), text_of(expected.front())) << "seed " << seed;
        ++(results[i] ? succeeded : failed);
      }
      ASSERT_EQ(everything_in(*together), everything_in(*alone)) << "seed " << seed;
    }
  }
  EXPECT_GT(succeeded, 50U) << "the batches must be of both kinds";
  EXPECT_GT(failed, 50U) << "the batches must be of both kinds";
}

TEST_P(StoreBatches, several_threads_write_at_once_without_loss) {
  constexpr int kThreads = 4;
  constexpr int kTurns = 50;
  std::vector<SessionId> sessions;
  for (int i = 0; i < kThreads; ++i) sessions.push_back(new_session());
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, session = sessions[static_cast<std::size_t>(i)]] {
        for (int turn = 0; turn < kTurns; ++turn) {
          const auto ids = apply_one(
              store(), AppendMessage{session, {Role::assistant, {ToolCall{"c", "t", "{}"}}}});
          ASSERT_TRUE(ids.has_value()) << ids.error().message;
          ASSERT_TRUE(store().start_tool_call(ids->calls.front()).has_value());
          ASSERT_TRUE(store().get_messages(session).has_value());
        }
      });
    }
  }
  for (const SessionId session : sessions) {
    EXPECT_EQ(value_of(store().get_messages(session)).size(), std::size_t{kTurns});
    const auto calls = value_of(store().get_tool_calls(session));
    EXPECT_EQ(calls.size(), std::size_t{kTurns});
    EXPECT_TRUE(std::ranges::all_of(
        calls, [](const StoredCall& call) { return call.status == CallStatus::executing; }));
  }
}

}  // namespace

}  // namespace wright::store
