// Several processes and one session: only one drives it at a time. A second one is refused while
// the first lives, takes over at once when it was killed, and when the first was only taken for
// dead, shuts it out.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <thread>

#include "faults/evidence.h"
#include "faults/process.h"
#include "store/store_testing.h"
#include "wright/agent.h"
#include "wright/testing.h"
#include "wright/tools.h"

namespace wright::faults {
namespace {

using wright::testing::call;
using wright::testing::calls;
using wright::testing::says;

// Longer than any test: a runner that is not renewed stays alive.
constexpr std::chrono::milliseconds kLongTime{3'600'000};

class Leases : public ::testing::Test {
 protected:
  // Calls `hold`, and with it `note`, in a specialist's session; then says "Done". `hold` tells
  // `begun` that it runs and returns when `let_go` says so, in the first process only.
  AgentPointer holding_agent(const Signal* begun, const Signal* let_go) {
    const Model once = model_from("test", "m", [](const Request& request, const ModelCall&) {
      if (request.messages.size() > 1) return Result<Response>(says("Done"));
      return Result<Response>(calls({call("hold", "{}", "1"), call("note", "{}", "2")}));
    });
    const Tool hold = tool("hold", "",
                           [this, begun, let_go](const Context& context) {
                             ledger_.add("hold " + std::string(context.idempotency_key));
                             if (begun != nullptr) begun->send();
                             if (let_go != nullptr) let_go->wait();
                             return "held";
                           },
                           {.effect = Effect::write});
    const Tool note = tool("note", "",
                           [this](const Context& context) {
                             ledger_.add("note " + std::string(context.idempotency_key));
                             return "noted";
                           },
                           {.effect = Effect::write, .concurrency = Concurrency::serial});
    const Agent below{.name = "below", .model = once, .tools = {hold, note}};
    return std::make_shared<const Agent>(
        Agent{.name = "above",
              .model = model_from("test", "m",
                                  [](const Request& request, const ModelCall&) {
                                    if (request.messages.size() > 1)
                                      return Result<Response>(says("All done"));
                                    return Result<Response>(
                                        calls({call("below", R"({"message":"Go"})", "1")}));
                                  }),
              .tools = {delegate_to(below)}});
  }

  // A process that drives a session until its tool holds it.
  pid_t start_holding(const Signal& begun, const Signal& let_go,
                      std::chrono::milliseconds lease_time) {
    const pid_t child = in_child([&] {
      const auto store = open_sqlite_store(database_);
      if (!store) return 1;
      const auto runtime = Runtime::open({.store = store->get(), .lease_time = lease_time});
      if (!runtime) return 2;
      const auto id = (*runtime)->start(holding_agent(&begun, &let_go), "Go");
      if (!id) return 3;
      const auto answer = (*runtime)->wait(*id);
      if (answer) return answer->text == "All done" ? 0 : 4;
      return answer.error().code == ErrorCode::unavailable ? kFenced : 5;
    });
    begun.wait();
    return child;
  }

  Result<RunResult> resume_here() {
    const auto store = open_sqlite_store(database_);
    if (!store) return std::unexpected(store.error());
    if (auto ended = end_dead_runners(**store); !ended) return std::unexpected(ended.error());
    return resume(**store, *holding_agent(nullptr, nullptr), 1);
  }

  static constexpr int kFenced = 42;
  TemporaryFolder folder_;
  std::filesystem::path database_ = folder_ / "store.db";
  Ledger ledger_{folder_ / "ledger"};
};

TEST_F(Leases, refuse_a_second_process_while_the_first_lives) {
  const Signal begun;
  const Signal let_go;
  const pid_t first = start_holding(begun, let_go, kLongTime);
  const auto refused = resume_here();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_NE(refused.error().message.find("process " + std::to_string(first)), std::string::npos)
      << refused.error().message;
  let_go.send();
  EXPECT_TRUE(succeeded(wait_for(first)));
  EXPECT_EQ(ledger_.lines(), (std::vector<std::string>{"hold 2:1", "note 2:2"}));
  EXPECT_EQ(collect(database_).runners, 0U);
}

TEST_F(Leases, of_a_killed_process_are_taken_over_at_once) {
  const Signal begun;
  const Signal let_go;
  const pid_t first = start_holding(begun, let_go, kLongTime);
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_TRUE(was_killed(wait_for(first)));
  const auto answer = resume_here();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "All done");
  EXPECT_EQ(ledger_.lines(), (std::vector<std::string>{"hold 2:1", "note 2:2"}));
  const Evidence evidence = collect(database_);
  EXPECT_EQ(evidence.sessions.at(2).calls.at(0).status, CallStatus::unknown);
  EXPECT_EQ(evidence.sessions.at(2).calls.at(1).status, CallStatus::completed);
}

TEST_F(Leases, of_a_process_that_was_killed_but_not_waited_for_are_taken_over_as_well) {
  const Signal begun;
  const Signal let_go;
  const pid_t first = start_holding(begun, let_go, kLongTime);
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(first), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(resume_here());
  EXPECT_TRUE(was_killed(wait_for(first)));
}

TEST_F(Leases, of_a_stopped_process_run_out_and_it_is_shut_out_when_it_goes_on) {
  constexpr std::chrono::milliseconds kShortTime{300};
  const Signal begun;
  const Signal let_go;
  const pid_t first = start_holding(begun, let_go, kShortTime);
  ASSERT_EQ(::kill(first, SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(first, &status, WUNTRACED), first);
  ASSERT_TRUE(WIFSTOPPED(status));
  Result<RunResult> answer = resume_here();
  while (!answer && answer.error().code == ErrorCode::unavailable) {
    std::this_thread::yield();  // its time is running out
    answer = resume_here();
  }
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "All done");
  const Evidence before = collect(database_);
  let_go.send();
  ASSERT_EQ(::kill(first, SIGCONT), 0);
  const int ended = wait_for(first);
  ASSERT_TRUE(WIFEXITED(ended));
  EXPECT_EQ(WEXITSTATUS(ended), kFenced);
  // Its late result is not stored, and what came after it was not done again.
  const Evidence after = collect(database_);
  expect_kept(before, after);
  EXPECT_EQ(after.sessions.at(2).calls.at(0).status, CallStatus::unknown);
  EXPECT_EQ(after.sessions.at(1).session.status, SessionStatus::completed);
  EXPECT_EQ(after.sessions.at(2).session.status, SessionStatus::completed);
  EXPECT_EQ(ledger_.lines(), (std::vector<std::string>{"hold 2:1", "note 2:2"}));
}

TEST_F(Leases, are_renewed_as_long_as_the_process_lives) {
  constexpr std::chrono::milliseconds kShortTime{60};
  const Signal begun;
  const Signal let_go;
  const pid_t first = start_holding(begun, let_go, kShortTime);
  // Ten times its length later it is still held.
  std::int64_t last = 0;
  for (int renewals = 0; renewals < 30;) {
    const auto store = store::value_of(open_sqlite_store(database_));
    const auto runners = store::value_of(store->get_runners());
    ASSERT_EQ(runners.size(), 1U);
    if (runners.front().expires_at == last) continue;
    last = runners.front().expires_at;
    ++renewals;
  }
  let_go.send();
  EXPECT_TRUE(succeeded(wait_for(first)));
}

// Two calls at once and one thread for tools: both are written down as begun, and one waits for its
// turn behind the other. Which one that is does not matter.
AgentPointer queueing_agent(Ledger& ledger, const Signal* begun, const Signal* let_go) {
  const auto is_first = std::make_shared<std::atomic<bool>>(true);
  const Tool note = tool("note", "",
                         [=, &ledger](const Context& context) {
                           if (is_first->exchange(false) && begun != nullptr) {
                             begun->send();
                             let_go->wait();
                             return "held";
                           }
                           ledger.add("note by epoch " + std::to_string(context.lease_epoch));
                           return "noted";
                         },
                         {.effect = Effect::write});
  return std::make_shared<const Agent>(Agent{
      .name = "queueing",
      .model = model_from(
          "test", "m",
          [](const Request& request, const ModelCall&) {
            if (request.messages.size() > 1) return Result<Response>(says("Done"));
            return Result<Response>(calls({call("note", "{}", "1"), call("note", "{}", "2")}));
          }),
      .tools = {note}});
}

TEST_F(Leases, let_a_process_that_slept_start_nothing_that_it_had_queued) {
  const Signal begun;
  const Signal let_go;
  const std::chrono::milliseconds short_time(300);
  const pid_t sleeper = in_child([&] {
    const auto store = open_sqlite_store(database_);
    if (!store) return 1;
    const auto runtime =
        Runtime::open({.store = store->get(), .tool_threads = 1, .lease_time = short_time});
    if (!runtime) return 2;
    const auto id = (*runtime)->start(queueing_agent(ledger_, &begun, &let_go), "Go");
    if (!id) return 3;
    const auto answer = (*runtime)->wait(*id);
    if (answer) return 4;
    return answer.error().code == ErrorCode::unavailable ? kFenced : 5;
  });
  begun.wait();
  ASSERT_EQ(::kill(sleeper, SIGSTOP), 0);
  // Others take it for dead when its time is over, and go on with the session.
  Result<RunResult> answer = fail(ErrorCode::unavailable, "not tried yet");
  while (!answer && answer.error().code == ErrorCode::unavailable) {
    const auto store = open_sqlite_store(database_);
    ASSERT_TRUE(store);
    answer = resume(**store, *queueing_agent(ledger_, nullptr, nullptr), 1);
  }
  ASSERT_TRUE(answer) << answer.error().message;
  const Evidence taken_over = collect(database_);
  EXPECT_EQ(taken_over.sessions.at(1).calls.size(), 2U);
  for (const StoredCall& call : taken_over.sessions.at(1).calls) {
    EXPECT_EQ(call.status, CallStatus::unknown);
  }
  ASSERT_EQ(::kill(sleeper, SIGCONT), 0);
  let_go.send();
  const int status = wait_for(sleeper);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kFenced);
  EXPECT_TRUE(ledger_.lines().empty()) << ledger_.lines().front();
}

// A real shell and a real file, prepared while the process sleeps: the tool has begun, and its
// effect has not.
AgentPointer preparing_agent(const std::filesystem::path& folder, const Signal* begun,
                             const Signal* let_go) {
  Tool shell = bash_tool({.base = folder,
                          .rules = {{"*", Permission::allow}, {"> *", Permission::allow}},
                          .policy = {.mode = SandboxMode::off}})
                   .value();
  const auto run = shell.function;
  shell.function = [=](const Json& arguments, const Context& context) {
    if (begun != nullptr) begun->send();
    if (let_go != nullptr) let_go->wait();  // what takes a sandbox long among many files
    return run(arguments, context);
  };
  return std::make_shared<const Agent>(Agent{
      .name = "preparing",
      .model = model_from("test", "m",
                          [](const Request& request, const ModelCall&) {
                            if (request.messages.size() > 1) return Result<Response>(says("Done"));
                            return Result<Response>(
                                calls({call("bash", R"({"command":"echo X >> log.txt"})", "1")}));
                          }),
      .tools = {std::move(shell)}});
}

TEST_F(Leases, let_a_process_that_slept_while_it_prepared_do_nothing) {
  const Signal begun;
  const Signal let_go;
  const std::filesystem::path workspace = folder_ / "workspace";
  std::filesystem::create_directory(workspace);
  const std::chrono::milliseconds short_time(300);
  const pid_t sleeper = in_child([&] {
    const auto store = open_sqlite_store(database_);
    if (!store) return 1;
    const auto runtime = Runtime::open({.store = store->get(), .lease_time = short_time});
    if (!runtime) return 2;
    const auto id = (*runtime)->start(preparing_agent(workspace, &begun, &let_go), "Go");
    if (!id) return 3;
    const auto answer = (*runtime)->wait(*id);
    if (answer) return 4;
    return answer.error().code == ErrorCode::unavailable ? kFenced : 5;
  });
  begun.wait();
  ASSERT_EQ(::kill(sleeper, SIGSTOP), 0);
  Result<RunResult> answer = fail(ErrorCode::unavailable, "not tried yet");
  while (!answer && answer.error().code == ErrorCode::unavailable) {
    const auto store = open_sqlite_store(database_);
    ASSERT_TRUE(store);
    answer = resume(**store, *preparing_agent(workspace, nullptr, nullptr), 1);
  }
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(collect(database_).sessions.at(1).calls.at(0).status, CallStatus::unknown);
  ASSERT_EQ(::kill(sleeper, SIGCONT), 0);
  let_go.send();
  const int status = wait_for(sleeper);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kFenced);
  EXPECT_FALSE(std::filesystem::exists(workspace / "log.txt"));
}

}  // namespace
}  // namespace wright::faults
