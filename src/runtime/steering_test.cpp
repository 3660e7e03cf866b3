// Messages with images, and messages to a session while it works.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <limits>
#include <string>
#include <vector>

#include "runtime/runtime_testing.h"
#include "runtime/said_messages.h"
#include "wright/agent.h"
#include "wright/driver.h"
#include "wright/replay.h"

namespace wright {
namespace {

using testing::agent_with;
using testing::call;
using testing::calls;
using testing::open_runtime;
using testing::says;
using testing::value_of;

// "user: Go | assistant: … | tool: …"
std::string told(Store& store, SessionId id) {
  std::string text;
  const auto messages = value_of(store.get_messages(id));
  for (const StoredMessage& stored : messages) {
    text += (text.empty() ? "" : " | ") + std::string(to_string(stored.message.role)) + ": " +
            stored.content;
  }
  return text;
}

// Calls the tool first; then says what the user said last.
Model worker(const std::string& name = "work") {
  return model_from("test", "worker", [name](const Request& request, const ModelCall&) {
    std::string last;
    bool has_called = false;
    for (const Message& message : request.messages) {
      if (message.is_from_user()) last = message.text();
      has_called = has_called || !message.tool_calls().empty();
    }
    return Result<Response>(has_called ? says("heard " + last) : calls({call(name)}));
  });
}

Tool work(std::function<void()> does) {
  return tool("work", "Works", [does = std::move(does)] {
    does();
    return std::string("worked");
  });
}

TEST(Steering, reaches_the_model_before_its_next_turn) {
  const auto store = open_memory_store();
  Steering steering;
  std::vector<std::string> taken;
  const auto agent = agent_with("steered", worker(), {work([&] {
                                  EXPECT_TRUE(steering.say(Message::user("rather this")));
                                  EXPECT_TRUE(steering.say(Message::user("and that")));
                                })});
  const auto observe = [&](const Event& event) {
    if (const auto* each = std::get_if<MessageTaken>(&event)) taken.push_back(each->message.text());
  };
  const RunResult result =
      value_of(run(*store, *agent, "Go", {.observer = observe, .steering = &steering}));
  EXPECT_EQ(result.text, "heard rather this\n\nand that");
  EXPECT_EQ(told(*store, result.session_id),
            "user: Go | assistant: [Using tools] | tool: Tool work result:\nworked | user: rather "
            "this\n\nand that | assistant: heard rather this\n\nand that");
  EXPECT_EQ(taken, (std::vector<std::string>{"rather this\n\nand that"}));
  EXPECT_TRUE(value_of(untaken_messages(*store, result.session_id)).empty());
  // Nothing runs any more.
  EXPECT_EQ(steering.say(Message::user("too late")).error().code, ErrorCode::unavailable);

  // The record of it gives the same session again.
  const auto recorded = value_of(load_recording(*store, result.session_id));
  const auto report = value_of(replay(*agent, recorded));
  EXPECT_TRUE(report.differences.empty());
  EXPECT_EQ(report.session.messages.size(), recorded.messages.size());
}

TEST(Steering, makes_a_run_that_has_answered_go_on) {
  const auto store = open_memory_store();
  Steering steering;
  int answers = 0;
  const auto agent =
      agent_with("steered",
                 model_from("test", "m",
                            [&](const Request& request, const ModelCall&) {
                              if (++answers == 1) {
                                EXPECT_TRUE(steering.say(Message::user("one more thing")));
                              }
                              return Result<Response>(says("to " + request.messages.back().text()));
                            }),
                 {});
  const RunResult result = value_of(run(*store, *agent, "Go", {.steering = &steering}));
  EXPECT_EQ(result.text, "to one more thing");
  EXPECT_EQ(told(*store, result.session_id),
            "user: Go | assistant: to Go | user: one more thing | assistant: to one more thing");
}

TEST(Steering, is_kept_while_a_session_waits_and_when_it_was_stopped) {
  const auto store = open_memory_store();
  const auto agent = agent_with("asking", worker("ask"), {testing::asking()});
  const RunResult waiting = value_of(run(*store, *agent, "Go"));
  ASSERT_EQ(waiting.status, RunResult::Status::waiting);
  const SessionId id = waiting.session_id;
  ASSERT_TRUE(runtime::store_said(*store, id, Message::user("meanwhile")));
  ASSERT_TRUE(answer_wait(*store, waiting.waits.front().wait_id, Json("yes"), "me"));
  const auto resumed = resume(*store, *agent, id);
  ASSERT_TRUE(resumed) << resumed.error().message;
  const std::string all = told(*store, id);
  EXPECT_NE(all.find("user: meanwhile"), std::string::npos) << all;
  EXPECT_EQ(all.find("user: meanwhile"), all.rfind("user: meanwhile")) << all;

  // What was said to one that has ended comes with the next message, before it.
  ASSERT_TRUE(runtime::store_said(*store, id, Message::user("early")));
  ASSERT_TRUE(send(*store, *agent, id, "late"));
  EXPECT_NE(told(*store, id).find("user: early\n\nlate"), std::string::npos) << told(*store, id);

  ASSERT_TRUE(runtime::store_said(*store, id, Message::user("never mind")));
  EXPECT_EQ(value_of(recall_messages(*store, id)),
            (std::vector<Message>{Message::user("never mind")}));
  EXPECT_TRUE(value_of(recall_messages(*store, id)).empty());

  // One machine's clock is ahead: what is said later is read later all the same.
  ASSERT_TRUE(store->apply_one(PutRecord{
      .kind = std::string(kSaidRecords),
      .key = fmt::format("{}/{:020}-00000000", id, std::numeric_limits<std::int64_t>::max() / 2),
      .value = to_json(Message::user("first")),
      .session_id = id}));
  ASSERT_TRUE(runtime::store_said(*store, id, Message::user("second")));
  EXPECT_EQ(value_of(recall_messages(*store, id)),
            (std::vector<Message>{Message::user("first"), Message::user("second")}));

  // What others have said is not taken back with it, nor what was not said.
  for (const char* said : {"mine", "theirs", "mine"}) {
    ASSERT_TRUE(runtime::store_said(*store, id, Message::user(said)));
  }
  EXPECT_EQ(value_of(recall_messages(*store, id, {{Message::user("mine"), Message::user("taken")}})),
            (std::vector<Message>{Message::user("mine")}));
  EXPECT_EQ(value_of(untaken_messages(*store, id)),
            (std::vector<Message>{Message::user("theirs"), Message::user("mine")}));
}

TEST(Steering, of_a_runtime_reaches_sessions_that_run_and_that_have_ended) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch begun(1);
  std::latch said(1);
  const auto agent = agent_with("steered", worker(), {work([&] {
                                  begun.count_down();
                                  said.wait();
                                })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  begun.wait();
  EXPECT_TRUE(runtime->steer(agent, id, Message::user("rather this")));
  said.count_down();
  EXPECT_EQ(value_of(runtime->wait(id)).text, "heard rather this");
  EXPECT_TRUE(runtime->steer(agent, id, Message::user("again")));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "heard again");
  EXPECT_TRUE(value_of(untaken_messages(*store, id)).empty());
  EXPECT_FALSE(runtime->steer(agent, id + 1, Message::user("nobody")));
}

// Another process says it in the last moment, and is gone.
TEST(Steering, that_nobody_was_told_of_is_found_when_a_session_ends) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> answers = 0;
  std::latch heard(2);
  const auto agent =
      agent_with("steered",
                 model_from("test", "m",
                            [&](const Request& request, const ModelCall&) {
                              if (++answers == 1) {
                                EXPECT_TRUE(runtime::store_said(*store, 1, Message::user("late")));
                              }
                              heard.count_down();
                              return Result<Response>(says("to " + request.messages.back().text()));
                            }),
                 {});
  ASSERT_EQ(value_of(runtime->start(agent, "Go")), 1);
  heard.wait();
  runtime->drain(std::chrono::minutes(1));
  EXPECT_EQ(told(*store, 1), "user: Go | assistant: to Go | user: late | assistant: to late");
  EXPECT_TRUE(value_of(untaken_messages(*store, 1)).empty());
}

TEST(Steering, is_seen_however_much_waits_elsewhere) {
  const auto store = open_memory_store();
  const auto agent = agent_with("steered", worker(), {work([] {})});
  SessionId last = 0;
  for (int session = 0; session < 11; ++session) {
    last = value_of(run(*store, *agent, "Go")).session_id;
    for (std::size_t i = 0; session < 10 && i < runtime::kMostUntaken; ++i) {
      ASSERT_TRUE(runtime::store_said(*store, last, Message::user("x")));
    }
  }
  ASSERT_TRUE(runtime::store_said(*store, last, Message::user("one")));
  ASSERT_TRUE(runtime::store_said(*store, last, Message::user("two")));
  EXPECT_EQ(value_of(untaken_messages(*store, last)),
            (std::vector<Message>{Message::user("one"), Message::user("two")}));
}

TEST(Steering, bounds_what_waits) {
  const auto store = open_memory_store();
  const auto agent = agent_with("steered", worker(), {work([] {})});
  const RunResult first = value_of(run(*store, *agent, "Go"));
  for (std::size_t i = 0; i < runtime::kMostUntaken; ++i) {
    ASSERT_TRUE(runtime::store_said(*store, first.session_id, Message::user("x")));
  }
  EXPECT_EQ(runtime::store_said(*store, first.session_id, Message::user("x")).error().code,
            ErrorCode::unavailable);
}

TEST(Images, go_to_the_model_and_stay_in_the_session) {
  const auto store = open_memory_store();
  std::vector<Message> seen;
  const auto agent =
      agent_with("seeing",
                 model_from("test", "m",
                            [&](const Request& request, const ModelCall&) {
                              seen.assign(request.messages.begin(), request.messages.end());
                              return Result<Response>(says("a cat"));
                            }),
                 {});
  const Message asked{Role::user, {Text{"What is this?"}, Image{"image/png", "iVBORw0KGgo="}}};
  const RunResult result = value_of(run(*store, *agent, asked));
  EXPECT_EQ(seen, (std::vector<Message>{asked}));
  const auto messages = value_of(store->get_messages(result.session_id));
  EXPECT_EQ(messages.front().message, asked);
  EXPECT_EQ(store->get_session(result.session_id)->user_prompt, "What is this?");
  ASSERT_TRUE(send(*store, *agent, result.session_id, Message{Role::user, {asked.parts[1]}}));
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_TRUE(value_of(replay(*agent, value_of(load_recording(*store, result.session_id))))
                  .differences.empty());

  for (const Message& bad :
       {Message{Role::user, {}}, Message{Role::user, {Image{"image/png", "not base64"}}},
        Message{Role::user, {Image{"png", "iVBORw0KGgo="}}},
        Message{Role::user, {Image{"image/png", "aGk="}}},
        Message{Role::user, {Image{"image/svg+xml", "PHN2Zy8+"}}},
        Message{Role::user, {Image{"image/png", ""}}},
        Message{Role::user, {ToolCall{"1", "rm", "{}"}}},
        Message{Role::user, {Image{"image/png", std::string(std::size_t{21} << 20, 'A')}}}}) {
    const auto refused = run(*store, *agent, bad);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  }
  EXPECT_EQ(value_of(store->list_sessions({})).size(), 1U);
}

}  // namespace
}  // namespace wright
