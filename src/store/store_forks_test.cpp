// What every store promises about forks: a copy that is complete in itself, and an original that
// does not notice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreForks : public StoreSuite {
 protected:
  // user; assistant with calls c1 and c2; their results; assistant's answer.
  struct Conversation {
    SessionId session = 0;
    std::vector<MessageId> messages;
  };
  Conversation converse() {
    Conversation talk{new_session(), {}};
    const auto say = [&](const Message& message) {
      const BatchIds ids = value_of(apply_one(store(), AppendMessage{talk.session, message}));
      talk.messages.push_back(ids.messages.front());
      return ids.calls;
    };
    say(Message::user("Look"));
    const auto calls =
        say({Role::assistant,
             {Text{"I look"}, ToolCall{"c1", "grep", R"({"a":1})"}, ToolCall{"c2", "grep", "{"}}});
    const std::vector<Write> ended{
        UpdateCall{.call_id = calls[0]},
        UpdateCall{.call_id = calls[0],
                   .status = CallStatus::completed,
                   .response = Json("found"),
                   .execution_time_ms = 12,
                   .result = ToolResult{"c1", "grep", "found", false, {}}},
        UpdateCall{.call_id = calls[1], .status = CallStatus::failed, .error_details = "broken"}};
    value_of(store().apply(ended));
    new_session();  // so that ids of sessions and of messages do not run in step
    now_ += 5;
    say(Message::tool({"c1", "grep", "found", false}));
    say(Message::tool({"c2", "grep", "broken", true}));
    say(Message::assistant("It is there"));
    return talk;
  }
  std::vector<Message> messages_of(SessionId id) {
    std::vector<Message> messages;
    for (auto& stored : value_of(store().get_messages(id))) {
      messages.push_back(std::move(stored.message));
    }
    return messages;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, StoreForks, kEveryStore, name_of_kind);

TEST_P(StoreForks, copy_a_whole_session_with_its_result) {
  const Conversation talk = converse();
  const std::vector<Write> ended{UpdateSession{.session_id = talk.session,
                                               .status = SessionStatus::completed,
                                               .result = "It is there",
                                               .usage = Usage{1, 2, 3, 4, 5, 0.5},
                                               .iterations = 2,
                                               .feedback = Json("good"),
                                               .context = Json("cut")}};
  value_of(store().apply(ended));
  now_ += 1000;
  const SessionId fork = value_of(store().fork_session(talk.session, talk.messages.back()));
  EXPECT_GT(fork, talk.session);
  const Session copy = value_of(store().get_session(fork));
  const Session original = value_of(store().get_session(talk.session));
  EXPECT_EQ(copy.agent_name, original.agent_name);
  EXPECT_EQ(copy.provider, original.provider);
  EXPECT_EQ(copy.model, original.model);
  EXPECT_EQ(copy.user_prompt, original.user_prompt);
  EXPECT_EQ(copy.status, SessionStatus::completed);
  EXPECT_EQ(copy.started_at, now_);
  EXPECT_EQ(copy.ended_at, now_);
  EXPECT_EQ(copy.result, "It is there");
  EXPECT_EQ(copy.feedback, Json("good"));
  EXPECT_EQ(copy.context, Json("cut"));
  EXPECT_EQ(copy.forked_from, talk.session);
  EXPECT_EQ(copy.usage, Usage{}) << "what was spent was spent by the original";
  EXPECT_EQ(copy.iterations, 0);
  EXPECT_EQ(original.forked_from, std::nullopt);

  const auto originals = value_of(store().get_messages(talk.session));
  const auto copies = value_of(store().get_messages(fork));
  ASSERT_EQ(copies.size(), originals.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    EXPECT_GT(copies[i].id, originals.back().id);
    EXPECT_EQ(copies[i].session_id, fork);
    EXPECT_EQ(copies[i].message, originals[i].message);
    EXPECT_EQ(copies[i].content, originals[i].content);
    EXPECT_EQ(copies[i].created_at, originals[i].created_at);
  }
  const auto calls = value_of(store().get_tool_calls(fork));
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].session_id, fork);
  EXPECT_EQ(calls[0].message_id, copies[1].id);
  EXPECT_EQ(calls[0].tool_call_id, "c1");
  EXPECT_EQ(calls[0].tool_name, "grep");
  EXPECT_EQ(calls[0].request, R"({"a":1})");
  EXPECT_EQ(calls[0].response, Json("found"));
  EXPECT_EQ(calls[0].status, CallStatus::completed);
  EXPECT_EQ(calls[0].execution_time_ms, 12);
  EXPECT_EQ(calls[0].completed_at, now_ - 1005);
  EXPECT_EQ(calls[0].result, (ToolResult{"c1", "grep", "found", false, {}}));
  EXPECT_EQ(calls[1].request, "{");
  EXPECT_EQ(calls[1].status, CallStatus::failed);
  EXPECT_EQ(calls[1].error_details, "broken");
  EXPECT_EQ(value_of(store().get_tool_calls(talk.session)).size(), 2U);
}

TEST_P(StoreForks, ask_for_the_place_that_the_original_asks_for) {
  NewSession session = session_named("a");
  session.labels = {"gpu", "repository=shop"};
  session.tenant = "shop";
  const SessionId id = value_of(store().create_session(session));
  value_of(store().create_message(id, Role::user, "Hello"));
  value_of(store().apply_one(UpdateSession{.session_id = id, .status = SessionStatus::completed}));
  const MessageId last = value_of(store().get_messages(id)).back().id;
  const Session copy = value_of(store().get_session(value_of(store().fork_session(id, last))));
  EXPECT_EQ(copy.labels, session.labels);
  EXPECT_EQ(copy.tenant, "shop");
}

TEST_P(StoreForks, copy_up_to_a_message_without_what_came_of_it) {
  const Conversation talk = converse();
  expect_ok(store().complete_session(talk.session, "It is there"));
  value_of(apply_one(
      store(),
      UpdateSession{.session_id = talk.session, .feedback = Json("good"), .context = Json("cut")}));
  const SessionId early = value_of(store().fork_session(talk.session, talk.messages[0]));
  EXPECT_EQ(messages_of(early), std::vector{Message::user("Look")});
  EXPECT_TRUE(value_of(store().get_tool_calls(early)).empty());
  EXPECT_EQ(value_of(store().get_session(early)).result, std::nullopt);
  EXPECT_TRUE(value_of(store().get_session(early)).feedback.is_null());
  EXPECT_TRUE(value_of(store().get_session(early)).context.is_null());

  const SessionId answered = value_of(store().fork_session(talk.session, talk.messages[3]));
  EXPECT_EQ(messages_of(answered).size(), 4U);
  EXPECT_EQ(value_of(store().get_tool_calls(answered)).size(), 2U);
  EXPECT_EQ(value_of(store().get_session(answered)).result, std::nullopt);
}

TEST_P(StoreForks, leave_the_original_alone_and_go_their_own_way) {
  const Conversation talk = converse();
  const auto before = messages_of(talk.session);
  const SessionId fork = value_of(store().fork_session(talk.session, talk.messages.back()));
  value_of(store().create_message(fork, Role::user, "And then?"));
  value_of(apply_one(store(), UpdateSession{.session_id = fork, .status = SessionStatus::running}));
  EXPECT_EQ(messages_of(talk.session), before);
  EXPECT_EQ(messages_of(fork).size(), before.size() + 1);
  EXPECT_EQ(value_of(store().get_session(talk.session)).status, SessionStatus::running);
  expect_ok(store().delete_session(talk.session));
  EXPECT_EQ(messages_of(fork).size(), before.size() + 1);
  EXPECT_EQ(value_of(store().get_session(fork)).forked_from, talk.session);
}

TEST_P(StoreForks, belong_to_no_runner_and_answer_no_call) {
  const SessionId parent = new_session();
  NewSession child{.agent_name = "child",
                   .system_prompt = "Be brief",
                   .parent_session_id = parent,
                   .parent_call_id = new_call(parent),
                   .config = {{"limit", 3}},
                   .runner_id = value_of(store().register_runner("r", std::chrono::seconds(1)))};
  const SessionId id = value_of(store().create_session(child));
  const MessageId said = value_of(store().create_message(id, Role::user, "hi"));
  const Session fork = value_of(store().get_session(value_of(store().fork_session(id, said))));
  EXPECT_EQ(fork.runner_id, std::nullopt);
  EXPECT_EQ(fork.lease_epoch, 0);
  EXPECT_EQ(fork.parent_session_id, std::nullopt);
  EXPECT_EQ(fork.parent_call_id, std::nullopt);
  EXPECT_EQ(fork.system_prompt, "Be brief");
  EXPECT_EQ(fork.config, (Json{{"limit", 3}}));
}

TEST_P(StoreForks, of_a_failed_session_are_completed_and_without_its_error) {
  const SessionId id = new_session();
  const MessageId said = value_of(store().create_message(id, Role::user, "hi"));
  expect_ok(store().fail_session(id, "The model is gone"));
  const Session fork = value_of(store().get_session(value_of(store().fork_session(id, said))));
  EXPECT_EQ(fork.status, SessionStatus::completed);
  EXPECT_EQ(fork.error, std::nullopt);
}

TEST_P(StoreForks, refuse_a_message_that_is_not_of_the_session) {
  const Conversation talk = converse();
  const SessionId other = new_session();
  const MessageId foreign = value_of(store().create_message(other, Role::user, "hi"));
  const std::size_t sessions = value_of(store().list_sessions({})).size();
  EXPECT_EQ(code_of(store().fork_session(talk.session, foreign)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().fork_session(talk.session, 0)), ErrorCode::not_found);
  EXPECT_EQ(store().fork_session(4711, foreign).error().message, "There is no session 4711");
  EXPECT_EQ(value_of(store().list_sessions({})).size(), sessions);
}

TEST_P(StoreForks, refuse_a_place_where_a_call_is_open_and_name_the_nearest_good_ones) {
  const Conversation talk = converse();
  const std::size_t sessions = value_of(store().list_sessions({})).size();
  for (const std::size_t place : {std::size_t{1}, std::size_t{2}}) {
    const auto refused = store().fork_session(talk.session, talk.messages[place]);
    EXPECT_EQ(code_of(refused), ErrorCode::invalid_argument);
    EXPECT_NE(refused.error().message.find(fmt::format("message {} before", talk.messages[0])),
              std::string::npos)
        << refused.error().message;
    EXPECT_NE(refused.error().message.find(fmt::format("message {} behind", talk.messages[3])),
              std::string::npos)
        << refused.error().message;
    EXPECT_EQ(to_text(refused.error().detail),
              fmt::format(R"({{"before":{},"after":{}}})", talk.messages[0], talk.messages[3]));
  }
  EXPECT_EQ(value_of(store().list_sessions({})).size(), sessions);
}

TEST_P(StoreForks, say_where_else_when_calls_were_never_answered) {
  const SessionId id = new_session();
  const MessageId asked = value_of(store().create_message(id, Role::user, "Look"));
  const BatchIds open = value_of(
      apply_one(store(), AppendMessage{id, {Role::assistant, {ToolCall{"c", "t", "{}"}}}}));
  const auto refused = store().fork_session(id, open.messages[0]);
  EXPECT_EQ(code_of(refused), ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message.find(fmt::format("nearest place is message {}", asked)),
            std::string::npos)
      << refused.error().message;

  const SessionId bare = new_session();
  const BatchIds only = value_of(
      apply_one(store(), AppendMessage{bare, {Role::assistant, {ToolCall{"c", "t", "{}"}}}}));
  const auto nowhere = store().fork_session(bare, only.messages[0]);
  EXPECT_EQ(code_of(nowhere), ErrorCode::invalid_argument);
  EXPECT_NE(nowhere.error().message.find("no place"), std::string::npos);
}

TEST_P(StoreForks, are_not_confused_by_call_ids_that_are_used_again) {
  const SessionId id = new_session();
  const Message asks{Role::assistant, {ToolCall{"c", "t", "{}"}}};
  const Message asks_twice{Role::assistant, {ToolCall{"c", "t", "{}"}, ToolCall{"c", "t", "{}"}}};
  const Message answer = Message::tool({"c", "t", "done", false});
  const std::vector<Write> writes{AppendMessage{id, asks}, AppendMessage{id, answer},
                                  AppendMessage{id, asks_twice}, AppendMessage{id, answer},
                                  AppendMessage{id, answer}};
  const BatchIds ids = value_of(store().apply(writes));
  const std::vector<bool> is_good{false, true, false, false, true};
  for (std::size_t i = 0; i < is_good.size(); ++i) {
    EXPECT_EQ(store().fork_session(id, ids.messages[i]).has_value(), is_good[i]) << i;
  }
}

TEST_P(StoreForks, can_be_forked_again) {
  const Conversation talk = converse();
  const SessionId first = value_of(store().fork_session(talk.session, talk.messages.back()));
  const MessageId last = value_of(store().get_messages(first)).back().id;
  const SessionId second = value_of(store().fork_session(first, last));
  EXPECT_EQ(messages_of(second), messages_of(talk.session));
  EXPECT_EQ(value_of(store().get_session(second)).forked_from, first);
}

}  // namespace
}  // namespace wright::store
