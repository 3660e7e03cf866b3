// Hundreds of sessions at once that delegate, call tools beside each other, wait for people, are
// answered and are cancelled, in any order. For ThreadSanitizer as much as for what is asserted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "faults/office.h"
#include "store/store_testing.h"
#include "wright/agent.h"
#include "wright/testing.h"

namespace wright::faults {
namespace {

using wright::testing::call;
using wright::testing::calls;
using wright::testing::says;

// Answers the user with `wanted`, in turn, and the results with a word.
Model calling(std::vector<std::vector<ToolCall>> turns) {
  return model_from(
      "test", "calling",
      [turns = std::move(turns)](const Request& request, const ModelCall&) -> Result<Response> {
        if (const std::string flaw = flaw_of(request.messages); !flaw.empty()) {
          return fail(ErrorCode::invalid_argument, "The model was offered " + flaw);
        }
        const auto answered = static_cast<std::size_t>(std::ranges::count_if(
            request.messages, [](const Message& one) { return one.role == Role::assistant; }));
        if (answered >= turns.size()) return says("Done");
        return calls(turns[answered]);
      });
}

constexpr int kSessionsAtOnce = 500;

TEST(Stress, of_many_delegating_sessions_leaves_each_of_them_ended_and_every_write_done_once) {
  const TemporaryFolder folder;
  const auto store = store::value_of(open_sqlite_store(folder / "store.db"));
  std::mutex keys_mutex;
  std::map<std::string, int> keys;
  const Tool work = tool("work", "",
                         [&](const Context& context) {
                           const std::lock_guard lock(keys_mutex);
                           ++keys[std::string(context.idempotency_key)];
                           return std::string(context.idempotency_key);
                         },
                         {.effect = Effect::write});
  const Tool alone =
      tool("alone", "", [](const Context& context) { return std::string(context.call_id); },
           {.effect = Effect::read, .concurrency = Concurrency::exclusive});
  const Tool ask = tool("ask", "",
                        [](const Context& context) -> ToolReply {
                          if (context.answers.answer)
                            return Output{.value = *context.answers.answer};
                          return Waiting{.kind = WaitKind::result, .shown = "?"};
                        },
                        {.effect = Effect::read});
  const std::string message = R"({"message":"Go"})";
  const Agent deep{.name = "deep",
                   .model = calling({{call("work", "{}", "1"), call("ask", "{}", "2")}}),
                   .tools = {work, ask}};
  const Agent middle{.name = "middle",
                     .model = calling({{call("deep", message, "1"), call("work", "{}", "2"),
                                        call("alone", "{}", "3")}}),
                     .tools = {delegate_to(deep), work, alone}};
  const auto top = std::make_shared<const Agent>(
      Agent{.name = "top",
            .model = calling({{call("work", "{}", "1"), call("middle", message, "2"),
                               call("ask", "{}", "3"), call("middle", message, "4")},
                              {call("work", "{}", "5"), call("work", "{}", "6")}}),
            .tools = {delegate_to(middle), work, ask}});

  const auto runtime = store::value_of(Runtime::open({.store = store.get(), .workers = 3}));
  std::vector<SessionId> ids(kSessionsAtOnce);
  std::atomic<int> next = 0;
  std::atomic<int> completed = 0;
  std::atomic<int> cancelled = 0;
  const auto drive = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int number = next++; number < kSessionsAtOnce; number = next++) {
      const auto id = runtime->start(top, fmt::format("Session {}", number));
      ASSERT_TRUE(id) << id.error().message;
      const bool is_to_cancel = random() % 5 == 0;
      const std::size_t answers_before = is_to_cancel ? random() % 3 : 0;
      std::size_t answered = 0;
      for (int bound = 0; bound < 100; ++bound) {
        if (is_to_cancel && answered >= answers_before) {
          // It may have ended a moment ago, or wait, or run: all are fine.
          (void)runtime->cancel(*id, "Enough");
        }
        const auto answer = runtime->wait(*id);
        if (!answer) {
          EXPECT_EQ(answer.error().code, ErrorCode::cancelled) << answer.error().message;
          EXPECT_TRUE(is_to_cancel);
          ++cancelled;
          break;
        }
        if (answer->status == RunResult::Status::completed) {
          EXPECT_EQ(answer->text, "Done");
          ++completed;
          break;
        }
        ASSERT_FALSE(answer->waits.empty());
        const PersonWait& wait = answer->waits[random() % answer->waits.size()];
        const auto given = runtime->answer(wait.wait_id, Json("yes"), "Ada");
        if (!given && !is_to_cancel) {
          EXPECT_EQ(given.error().code, ErrorCode::already_exists) << given.error().message;
        }
        ++answered;
      }
    }
  };
  {
    std::vector<std::jthread> drivers;
    for (unsigned seed = 1; seed <= 16; ++seed) drivers.emplace_back([&, seed] { drive(seed); });
  }
  EXPECT_EQ(completed + cancelled, kSessionsAtOnce);
  EXPECT_GT(cancelled, 0);
  EXPECT_EQ(runtime->running(), 0U);
  for (const auto& [key, times] : keys) EXPECT_EQ(times, 1) << key;
  const auto sessions =
      store::value_of(store->list_sessions({.limit = std::numeric_limits<std::size_t>::max()}));
  EXPECT_GE(sessions.size(), std::size_t{kSessionsAtOnce});
  for (const Session& session : sessions) {
    EXPECT_TRUE(session.status == SessionStatus::completed ||
                session.status == SessionStatus::cancelled)
        << session.agent_name << " " << session.id << " " << to_string(session.status) << ": "
        << session.error.value_or("");
    std::vector<Message> transcript;
    for (StoredMessage& stored : store::value_of(store->get_messages(session.id))) {
      transcript.push_back(std::move(stored.message));
    }
    EXPECT_EQ(flaw_of(transcript), "");
    for (const StoredCall& each : store::value_of(store->get_tool_calls(session.id))) {
      EXPECT_TRUE(each.completed_at.has_value()) << to_string(each.status);
      if (each.tool_name != "work" || each.status != CallStatus::completed) continue;
      EXPECT_TRUE(keys.contains(fmt::format("{}:{}", session.id, each.tool_call_id)));
    }
  }
}

}  // namespace
}  // namespace wright::faults
