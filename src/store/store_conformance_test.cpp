// What every store promises: one suite, run on each of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "store/testing.h"
#include "wright/store.h"

namespace wright::store {
namespace {

constexpr std::array kSessionStatuses{SessionStatus::running, SessionStatus::completed,
                                      SessionStatus::failed, SessionStatus::waiting,
                                      SessionStatus::cancelled};
constexpr std::array kCallStatuses{
    CallStatus::pending, CallStatus::executing, CallStatus::completed, CallStatus::failed,
    CallStatus::waiting, CallStatus::cancelled, CallStatus::unknown};

enum class Kind { memory, sqlite_file, sqlite_memory };

std::string name_of_kind(const ::testing::TestParamInfo<Kind>& info) {
  switch (info.param) {
    case Kind::memory: return "memory";
    case Kind::sqlite_file: return "sqlite_file";
    case Kind::sqlite_memory: return "sqlite_memory";
  }
  return "unknown";
}

class StoreTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const Clock clock = [this] { return now_; };
    if (GetParam() == Kind::memory) {
      store_ = open_memory_store(clock);
      return;
    }
    const auto path = GetParam() == Kind::sqlite_file ? folder_ / "store.db" : ":memory:";
    store_ = value_of(open_sqlite_store(path, {.clock = clock}));
    ASSERT_NE(store_, nullptr);
  }

  Store& store() { return *store_; }
  SessionId new_session() { return value_of(store().create_session(session_named("tester"))); }
  CallId new_call(SessionId session, std::string arguments = "{}") {
    return value_of(
        store().create_tool_call(session, std::nullopt, {"id", "tool", std::move(arguments)}));
  }
  StoredCall call_of(SessionId session, CallId id) {
    for (auto& call : value_of(store().get_tool_calls(session))) {
      if (call.id == id) return call;
    }
    ADD_FAILURE() << "no call " << id;
    return {};
  }
  // Walks a new call to `status` by legal moves.
  CallId call_in(SessionId session, CallStatus status) {
    const CallId id = new_call(session);
    if (status == CallStatus::pending) return id;
    if (status == CallStatus::completed || status == CallStatus::unknown) {
      expect_ok(store().start_tool_call(id));
    }
    value_of(apply_one(store(), UpdateCall{.call_id = id, .status = status}));
    return id;
  }

  TemporaryFolder folder_;
  std::int64_t now_ = 1'700'000'000'123;
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Every, StoreTest,
                         ::testing::Values(Kind::memory, Kind::sqlite_file, Kind::sqlite_memory),
                         name_of_kind);

// --- sessions -------------------------------------------------------------------------------

TEST_P(StoreTest, keeps_every_field_of_a_new_session) {
  const SessionId parent = new_session();
  const SessionId id =
      value_of(store().create_session({.agent_name = "codebase-analysis",
                                       .provider = "openai",
                                       .model = "gpt-5-mini",
                                       .system_prompt = "Be brief.",
                                       .user_prompt = "Where is X?",
                                       .parent_session_id = parent,
                                       .config = {{"limit", 3}, {"deep", {1, 2}}}}));
  const Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.id, id);
  EXPECT_GT(id, parent);
  EXPECT_EQ(session.agent_name, "codebase-analysis");
  EXPECT_EQ(session.provider, "openai");
  EXPECT_EQ(session.model, "gpt-5-mini");
  EXPECT_EQ(session.system_prompt, "Be brief.");
  EXPECT_EQ(session.user_prompt, "Where is X?");
  EXPECT_EQ(session.status, SessionStatus::running);
  EXPECT_EQ(session.started_at, now_);
  EXPECT_EQ(session.ended_at, std::nullopt);
  EXPECT_EQ(session.result, std::nullopt);
  EXPECT_EQ(session.error, std::nullopt);
  EXPECT_EQ(session.parent_session_id, parent);
  EXPECT_EQ(session.usage, Usage{});
  EXPECT_EQ(session.iterations, 0);
  EXPECT_EQ(to_text(session.config), R"({"limit":3,"deep":[1,2]})");
  EXPECT_EQ(session.format_version, 1);
}

TEST_P(StoreTest, keeps_a_missing_system_prompt_apart_from_an_empty_one) {
  NewSession session = session_named("tester");
  const auto missing = value_of(store().create_session(session));
  session.system_prompt = "";
  const auto empty = value_of(store().create_session(session));
  EXPECT_EQ(value_of(store().get_session(missing)).system_prompt, std::nullopt);
  EXPECT_EQ(value_of(store().get_session(empty)).system_prompt, "");
  EXPECT_TRUE(value_of(store().get_session(empty)).config.is_null());
}

TEST_P(StoreTest, refuses_a_session_with_an_unknown_parent_or_a_config_that_is_no_object) {
  NewSession orphan = session_named("tester");
  orphan.parent_session_id = 77;
  EXPECT_EQ(code_of(store().create_session(orphan)), ErrorCode::not_found);
  NewSession odd = session_named("tester");
  odd.config = JsonArray{1};
  EXPECT_EQ(code_of(store().create_session(odd)), ErrorCode::invalid_argument);
  EXPECT_TRUE(value_of(store().list_sessions({})).empty());
}

TEST_P(StoreTest, completes_and_fails_a_session_with_the_time_of_its_end) {
  const SessionId good = new_session();
  const SessionId bad = new_session();
  now_ += 500;
  expect_ok(store().complete_session(good, "The answer"));
  expect_ok(store().fail_session(bad, "Maximum iteration limit reached"));
  EXPECT_EQ(value_of(store().get_session(good)).status, SessionStatus::completed);
  EXPECT_EQ(value_of(store().get_session(good)).result, "The answer");
  EXPECT_EQ(value_of(store().get_session(good)).error, std::nullopt);
  EXPECT_EQ(value_of(store().get_session(good)).ended_at, now_);
  EXPECT_EQ(value_of(store().get_session(bad)).status, SessionStatus::failed);
  EXPECT_EQ(value_of(store().get_session(bad)).error, "Maximum iteration limit reached");
  EXPECT_EQ(value_of(store().get_session(bad)).result, std::nullopt);
  EXPECT_EQ(value_of(store().get_session(bad)).ended_at, now_);
}

TEST_P(StoreTest, an_ended_status_sets_the_end_and_a_living_one_clears_it) {
  const SessionId id = new_session();
  for (const SessionStatus status : kSessionStatuses) {
    value_of(apply_one(store(), UpdateSession{.session_id = id, .status = SessionStatus::failed}));
    now_ += 10;
    value_of(apply_one(store(), UpdateSession{.session_id = id, .status = status}));
    const Session session = value_of(store().get_session(id));
    EXPECT_EQ(session.status, status);
    const bool lives = status == SessionStatus::running || status == SessionStatus::waiting;
    EXPECT_EQ(session.ended_at, lives ? std::nullopt : std::optional(now_)) << to_string(status);
  }
}

TEST_P(StoreTest, an_update_of_a_session_leaves_alone_what_has_no_value) {
  const SessionId id = new_session();
  const Usage usage{10, 20, 3, 4, 5, 0.125};
  value_of(apply_one(store(), UpdateSession{.session_id = id, .usage = usage, .iterations = 2}));
  expect_ok(store().complete_session(id, "done"));
  const std::int64_t ended_at = now_;
  now_ += 1000;
  value_of(apply_one(store(), UpdateSession{.session_id = id, .error = "later"}));
  const Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.usage, usage);
  EXPECT_EQ(session.iterations, 2);
  EXPECT_EQ(session.result, "done");
  EXPECT_EQ(session.error, "later");
  EXPECT_EQ(session.status, SessionStatus::completed);
  EXPECT_EQ(session.ended_at, ended_at);
}

TEST_P(StoreTest, deletes_a_session_with_its_messages_calls_and_descendants_only) {
  const SessionId kept = new_session();
  const SessionId root = new_session();
  NewSession child = session_named("child");
  child.parent_session_id = root;
  const SessionId son = value_of(store().create_session(child));
  child.parent_session_id = son;
  const SessionId grandson = value_of(store().create_session(child));
  const SessionId sibling = new_session();
  value_of(store().create_message(son, Role::user, "hello"));
  const CallId call = new_call(son);
  const CallId kept_call = new_call(kept);

  expect_ok(store().delete_session(root));
  for (const SessionId gone : {root, son, grandson}) {
    EXPECT_EQ(code_of(store().get_session(gone)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store().get_messages(gone)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store().get_tool_calls(gone)), ErrorCode::not_found);
  }
  EXPECT_EQ(code_of(store().start_tool_call(call)), ErrorCode::not_found);
  EXPECT_EQ(value_of(store().get_session(sibling)).id, sibling);
  expect_ok(store().start_tool_call(kept_call));
}

TEST_P(StoreTest, deletes_a_very_long_line_of_descendants) {
  NewSession session = session_named("tester");
  const SessionId root = value_of(store().create_session(session));
  session.parent_session_id = root;
  for (int i = 0; i < 1200; ++i) {
    session.parent_session_id = value_of(store().create_session(session));
  }
  expect_ok(store().delete_session(root));
  EXPECT_TRUE(value_of(store().list_sessions({})).empty());
}

TEST_P(StoreTest, never_gives_out_the_id_of_a_deleted_session_again) {
  new_session();
  const SessionId deleted = new_session();
  expect_ok(store().delete_session(deleted));
  EXPECT_GT(new_session(), deleted);
}

// --- listing --------------------------------------------------------------------------------

TEST_P(StoreTest, lists_sessions_newest_first_whatever_the_clock_said) {
  const SessionId first = new_session();
  now_ -= 1'000'000;
  const SessionId second = new_session();
  now_ += 1;
  const SessionId third = new_session();
  const auto ids = [](const std::vector<Session>& sessions) {
    std::vector<SessionId> found;
    for (const Session& session : sessions) found.push_back(session.id);
    return found;
  };
  EXPECT_EQ(ids(value_of(store().list_sessions({}))), (std::vector{third, second, first}));
  EXPECT_EQ(ids(value_of(store().list_sessions({.limit = 2}))), (std::vector{third, second}));
  EXPECT_TRUE(value_of(store().list_sessions({.limit = 0})).empty());
  EXPECT_EQ(value_of(store().list_sessions({.limit = SIZE_MAX})).size(), 3U);
  EXPECT_EQ(ids(value_of(store().list_sessions({.started_since = now_}))),
            (std::vector{third, first}));
}

TEST_P(StoreTest, lists_only_sessions_that_meet_every_condition) {
  const SessionId plain = value_of(store().create_session(session_named("a", "Find the BUG_50%")));
  const SessionId answered = value_of(store().create_session(session_named("b", "Say")));
  expect_ok(store().complete_session(answered, "a bug it is"));
  NewSession child = session_named("a", "nothing");
  child.parent_session_id = plain;
  const SessionId kid = value_of(store().create_session(child));

  const auto only = [&](const SessionFilter& filter) {
    std::set<SessionId> found;
    for (const Session& session : value_of(store().list_sessions(filter))) found.insert(session.id);
    return found;
  };
  using Ids = std::set<SessionId>;
  EXPECT_EQ(only({.agent_name = "a"}), (Ids{plain, kid}));
  EXPECT_EQ(only({.agent_name = "A"}), Ids{});
  EXPECT_EQ(only({.status = SessionStatus::completed}), Ids{answered});
  EXPECT_EQ(only({.parent_session_id = plain}), Ids{kid});
  EXPECT_EQ(only({.parent_session_id = 99}), Ids{});
  EXPECT_EQ(only({.text = "bug"}), (Ids{plain, answered}));
  EXPECT_EQ(only({.text = "Bug_50%"}), Ids{plain});
  EXPECT_EQ(only({.text = "b_g"}), Ids{});
  EXPECT_EQ(only({.agent_name = "a", .status = SessionStatus::running, .text = "BUG"}), Ids{plain});
}

TEST_P(StoreTest, finds_text_behind_a_nul_byte) {
  using namespace std::string_literals;
  const SessionId id = value_of(store().create_session(session_named("a", "before\0after"s)));
  EXPECT_EQ(value_of(store().list_sessions({.text = "AFTER"})).size(), 1U);
  EXPECT_EQ(value_of(store().get_session(id)).user_prompt, "before\0after"s);
}

// --- messages -------------------------------------------------------------------------------

TEST_P(StoreTest, gives_messages_back_in_order_and_unchanged) {
  const SessionId id = new_session();
  const std::vector<Message> messages{
      Message::system("You help."),
      Message::user("Look."),
      {Role::assistant,
       {Reasoning{"hm", R"({"signature":"x"})"}, Text{"I look."},
        ToolCall{"c1", "grep", R"({"pattern":"x"})"}, ToolCall{"c2", "list_files", "{"}}},
      Message::tool({"c1", "grep", "3 matches", false}),
      Message::tool({"c2", "list_files", "broken arguments", true}),
      {Role::user, {Text{"See:"}, Image{"image/png", "iVBORw0K"}}},
      Message::assistant(""),
  };
  std::vector<Write> writes;
  for (const Message& message : messages) writes.push_back(AppendMessage{id, message});
  const BatchIds ids = value_of(store().apply(writes));
  const auto stored = value_of(store().get_messages(id));
  ASSERT_EQ(stored.size(), messages.size());
  ASSERT_EQ(ids.messages.size(), messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(stored[i].id, ids.messages[i]);
    EXPECT_EQ(stored[i].session_id, id);
    EXPECT_EQ(stored[i].message, messages[i]);
    EXPECT_EQ(stored[i].content, display_text(messages[i]));
    EXPECT_EQ(stored[i].created_at, now_);
  }
}

TEST_P(StoreTest, orders_messages_by_id_when_the_clock_goes_backwards) {
  const SessionId id = new_session();
  value_of(store().create_message(id, Role::user, "first"));
  now_ -= 5000;
  value_of(store().create_message(id, Role::assistant, "second"));
  now_ += 1;
  value_of(store().create_message(id, Role::user, "third"));
  std::string order;
  for (const auto& message : value_of(store().get_messages(id))) order += message.content + " ";
  EXPECT_EQ(order, "first second third ");
}

TEST_P(StoreTest, creates_plain_messages_of_every_role) {
  const SessionId id = new_session();
  for (const Role role : {Role::user, Role::assistant, Role::system, Role::tool}) {
    const MessageId message = value_of(store().create_message(id, role, "Tool x result:\nfoo"));
    const auto stored = value_of(store().get_messages(id)).back();
    EXPECT_EQ(stored.id, message);
    EXPECT_EQ(stored.message, (Message{role, {Text{"Tool x result:\nfoo"}}}));
  }
}

TEST_P(StoreTest, keeps_sessions_apart) {
  const SessionId one = new_session();
  const SessionId two = new_session();
  value_of(store().create_message(one, Role::user, "for one"));
  new_call(one);
  EXPECT_EQ(value_of(store().get_messages(one)).size(), 1U);
  EXPECT_TRUE(value_of(store().get_messages(two)).empty());
  EXPECT_TRUE(value_of(store().get_tool_calls(two)).empty());
  EXPECT_TRUE(value_of(store().get_pending_tool_calls(two)).empty());
}

TEST_P(StoreTest, repairs_text_that_is_not_utf8) {
  const std::string broken = "a\xFF\xC0z";
  const std::string repaired = "a\xEF\xBF\xBD\xEF\xBF\xBDz";
  NewSession session = session_named(broken, broken);
  session.system_prompt = broken;
  session.config = {{"key", broken}};
  const SessionId id = value_of(store().create_session(session));
  EXPECT_EQ(value_of(store().get_session(id)).agent_name, repaired);
  EXPECT_EQ(value_of(store().get_session(id)).system_prompt, repaired);
  EXPECT_EQ(value_of(store().get_session(id)).config.at("key").as_string(), repaired);
  EXPECT_EQ(value_of(store().list_sessions({.agent_name = broken, .text = broken})).size(), 1U);

  value_of(store().create_message(id, Role::user, broken));
  value_of(apply_one(store(), AppendMessage{id, Message::tool({broken, broken, broken, true})}));
  value_of(
      apply_one(store(), AppendMessage{id, {Role::assistant, {ToolCall{broken, broken, broken}}}}));
  const auto messages = value_of(store().get_messages(id));
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].message, Message::user(repaired));
  EXPECT_EQ(messages[1].message, Message::tool({repaired, repaired, repaired, true}));
  EXPECT_EQ(messages[2].message,
            (Message{Role::assistant, {ToolCall{repaired, repaired, repaired}}}));

  const auto call = value_of(store().get_tool_calls(id)).front();
  EXPECT_EQ(call.tool_call_id, repaired);
  EXPECT_EQ(call.tool_name, repaired);
  EXPECT_EQ(call.request, repaired);
  expect_ok(store().fail_tool_call(call.id, broken));
  EXPECT_EQ(call_of(id, call.id).error_details, repaired);
  expect_ok(store().fail_session(id, broken));
  EXPECT_EQ(value_of(store().get_session(id)).error, repaired);
  expect_ok(store().complete_session(id, broken));
  EXPECT_EQ(value_of(store().get_session(id)).result, repaired);
}

// --- tool calls -----------------------------------------------------------------------------

TEST_P(StoreTest, creates_a_pending_call_for_each_call_of_a_message) {
  const SessionId id = new_session();
  const Message message{Role::assistant,
                        {ToolCall{"c1", "grep", R"({"pattern": "x"})"}, Text{"and"},
                         ToolCall{"c2", "read_file", R"({"file_path":)"}}};
  const BatchIds ids = value_of(apply_one(store(), AppendMessage{id, message}));
  ASSERT_EQ(ids.messages.size(), 1U);
  ASSERT_EQ(ids.calls.size(), 2U);
  const auto calls = value_of(store().get_tool_calls(id));
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].id, ids.calls[0]);
  EXPECT_EQ(calls[0].session_id, id);
  EXPECT_EQ(calls[0].message_id, ids.messages[0]);
  EXPECT_EQ(calls[0].tool_call_id, "c1");
  EXPECT_EQ(calls[0].tool_name, "grep");
  EXPECT_EQ(calls[0].request, R"({"pattern": "x"})");
  EXPECT_EQ(calls[0].response, std::nullopt);
  EXPECT_EQ(calls[0].status, CallStatus::pending);
  EXPECT_EQ(calls[0].created_at, now_);
  EXPECT_EQ(calls[0].completed_at, std::nullopt);
  EXPECT_EQ(calls[0].execution_time_ms, std::nullopt);
  EXPECT_EQ(calls[0].error_details, std::nullopt);
  EXPECT_EQ(calls[1].id, ids.calls[1]);
  EXPECT_EQ(calls[1].request, R"({"file_path":)");
}

TEST_P(StoreTest, starts_the_first_calls_of_a_message_in_the_same_batch) {
  const SessionId id = new_session();
  const Message message{
      Role::assistant,
      {ToolCall{"c1", "a", "{}"}, ToolCall{"c2", "b", "{}"}, ToolCall{"c3", "c", "{}"}}};
  value_of(apply_one(store(), AppendMessage{id, message, 2}));
  const auto calls = value_of(store().get_tool_calls(id));
  EXPECT_EQ(calls[0].status, CallStatus::executing);
  EXPECT_EQ(calls[1].status, CallStatus::executing);
  EXPECT_EQ(calls[2].status, CallStatus::pending);
}

TEST_P(StoreTest, gives_the_arguments_back_as_the_model_wrote_them) {
  using namespace std::string_literals;
  const SessionId id = new_session();
  const std::vector<std::string> arguments{"{}",
                                           " { \"a\" : 1.0 } ",
                                           "{\"a\":",
                                           "",
                                           "null",
                                           "[1,2]",
                                           "plain words",
                                           "\"a JSON string\"",
                                           " \"s\" ",
                                           "\"half",
                                           "{\"a\":\"\\u00e9\"}",
                                           "nul\0byte"s,
                                           "{\"a\":1} trailing",
                                           std::string(300, '[') + std::string(300, ']')};
  for (const std::string& text : arguments) {
    EXPECT_EQ(call_of(id, new_call(id, text)).request, text);
  }
}

TEST_P(StoreTest, a_call_goes_from_pending_over_executing_to_completed) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  expect_ok(store().start_tool_call(call));
  EXPECT_EQ(call_of(id, call).status, CallStatus::executing);
  EXPECT_EQ(call_of(id, call).completed_at, std::nullopt);
  now_ += 42;
  expect_ok(store().complete_tool_call(call, {{"files", {"a", "b"}}, {"total", 2}}, 42));
  const StoredCall done = call_of(id, call);
  EXPECT_EQ(done.status, CallStatus::completed);
  EXPECT_EQ(to_text(done.response.value_or(Json())), R"({"files":["a","b"],"total":2})");
  EXPECT_EQ(done.execution_time_ms, 42);
  EXPECT_EQ(done.completed_at, now_);
  EXPECT_EQ(done.error_details, std::nullopt);
}

TEST_P(StoreTest, a_failed_call_says_why_and_when) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  expect_ok(store().start_tool_call(call));
  now_ += 7;
  expect_ok(store().fail_tool_call(call, "no such file"));
  const StoredCall failed = call_of(id, call);
  EXPECT_EQ(failed.status, CallStatus::failed);
  EXPECT_EQ(failed.error_details, "no such file");
  EXPECT_EQ(failed.completed_at, now_);
  EXPECT_EQ(failed.response, std::nullopt);
}

TEST_P(StoreTest, keeps_a_null_response_apart_from_none) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  expect_ok(store().start_tool_call(call));
  expect_ok(store().complete_tool_call(call, nullptr, 0));
  ASSERT_TRUE(call_of(id, call).response.has_value());
  EXPECT_TRUE(call_of(id, call).response->is_null());
}

TEST_P(StoreTest, keeps_what_an_update_of_a_call_does_not_mention) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  value_of(apply_one(store(), UpdateCall{.call_id = call,
                                         .status = CallStatus::waiting,
                                         .response = Json("shown"),
                                         .execution_time_ms = 5,
                                         .error_details = "asked"}));
  expect_ok(store().start_tool_call(call));
  EXPECT_EQ(call_of(id, call).response, Json("shown"));
  EXPECT_EQ(call_of(id, call).execution_time_ms, 5);
  EXPECT_EQ(call_of(id, call).error_details, "asked");
}

TEST_P(StoreTest, allows_exactly_the_documented_moves) {
  using enum CallStatus;
  const std::set<std::pair<CallStatus, CallStatus>> legal{
      {pending, executing},   {pending, waiting},   {pending, cancelled}, {pending, failed},
      {waiting, executing},   {waiting, completed}, {waiting, failed},    {waiting, cancelled},
      {executing, completed}, {executing, failed},  {executing, waiting}, {executing, cancelled},
      {executing, unknown},   {unknown, completed}, {unknown, failed},    {unknown, executing}};
  const SessionId id = new_session();
  for (const CallStatus from : kCallStatuses) {
    for (const CallStatus to : kCallStatuses) {
      const CallId call = call_in(id, from);
      const auto moved = apply_one(store(), UpdateCall{.call_id = call, .status = to});
      const auto label = fmt::format("{} to {}", to_string(from), to_string(to));
      if (legal.contains({from, to})) {
        EXPECT_TRUE(moved.has_value()) << label;
        EXPECT_EQ(call_of(id, call).status, to) << label;
        const bool has_ended = to == completed || to == failed || to == cancelled;
        EXPECT_EQ(call_of(id, call).completed_at.has_value(), has_ended) << label;
      } else {
        EXPECT_EQ(code_of(moved), ErrorCode::invalid_argument) << label;
        EXPECT_EQ(call_of(id, call).status, from) << label;
      }
    }
  }
}

TEST_P(StoreTest, an_illegal_move_names_the_call_and_both_statuses) {
  const CallId call = call_in(new_session(), CallStatus::completed);
  const auto moved = store().start_tool_call(call);
  ASSERT_FALSE(moved.has_value());
  EXPECT_EQ(moved.error().message,
            fmt::format("Tool call {} is completed and cannot become executing", call));
}

TEST_P(StoreTest, gives_only_pending_calls_as_pending) {
  const SessionId id = new_session();
  for (const CallStatus status : kCallStatuses) call_in(id, status);
  const CallId last = new_call(id);
  const auto pending = value_of(store().get_pending_tool_calls(id));
  ASSERT_EQ(pending.size(), 2U);
  EXPECT_EQ(pending[1].id, last);
  EXPECT_EQ(value_of(store().get_tool_calls(id)).size(), kCallStatuses.size() + 1);
}

TEST_P(StoreTest, a_call_by_hand_may_belong_to_a_message_of_its_own_session_only) {
  const SessionId id = new_session();
  const SessionId other = new_session();
  const MessageId message = value_of(store().create_message(id, Role::assistant, "hm"));
  const ToolCall call{"c", "tool", "{}"};
  const CallId created = value_of(store().create_tool_call(id, message, call));
  EXPECT_EQ(call_of(id, created).message_id, message);
  EXPECT_EQ(code_of(store().create_tool_call(other, message, call)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().create_tool_call(id, message + 1, call)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().create_tool_call(99, message, call)), ErrorCode::not_found);
}

TEST_P(StoreTest, refuses_a_response_that_could_not_be_read_back) {
  Json deep = 1;
  for (int level = 0; level < kMaxJsonDepth; ++level) deep = JsonArray{std::move(deep)};
  const SessionId id = new_session();
  const CallId call = new_call(id);
  expect_ok(store().start_tool_call(call));
  EXPECT_EQ(code_of(store().complete_tool_call(call, JsonObject{{"deeper", deep}}, 1)),
            ErrorCode::invalid_argument);
  EXPECT_EQ(call_of(id, call).status, CallStatus::executing);
  expect_ok(store().complete_tool_call(call, deep, 1));
  EXPECT_EQ(to_text(call_of(id, call).response.value_or(Json())), to_text(deep));
}

// --- batches --------------------------------------------------------------------------------

TEST_P(StoreTest, an_empty_batch_changes_nothing) {
  const BatchIds ids = value_of(store().apply({}));
  EXPECT_TRUE(ids.messages.empty());
  EXPECT_TRUE(ids.calls.empty());
}

TEST_P(StoreTest, creates_a_session_with_its_first_writes) {
  new_session();
  const std::vector<Write> writes{
      AppendMessage{0, Message::user("Go")},
      AppendMessage{12345, {Role::assistant, {ToolCall{"c", "grep", "{}"}}}},
      CreateCall{0, std::nullopt, {"d", "later", "{}"}},
      UpdateSession{.session_id = 0, .usage = Usage{1, 2, 0, 0}, .iterations = 1}};
  const auto [id, ids] = value_of(store().create_session_with(session_named("tester"), writes));
  EXPECT_EQ(value_of(store().get_messages(id)).size(), 2U);
  EXPECT_EQ(ids.messages.size(), 2U);
  EXPECT_EQ(ids.calls.size(), 2U);
  EXPECT_EQ(call_of(id, ids.calls[1]).tool_name, "later");
  EXPECT_EQ(value_of(store().get_session(id)).usage, (Usage{1, 2, 0, 0}));
  EXPECT_EQ(value_of(store().get_session(id)).iterations, 1);
}

TEST_P(StoreTest, a_session_whose_first_writes_fail_is_not_created) {
  const std::vector<Write> writes{AppendMessage{0, Message::user("Go")},
                                  UpdateCall{.call_id = 4711}};
  EXPECT_EQ(code_of(store().create_session_with(session_named("tester"), writes)),
            ErrorCode::not_found);
  EXPECT_TRUE(value_of(store().list_sessions({})).empty());
}

TEST_P(StoreTest, a_batch_is_applied_whole_or_not_at_all) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  const std::vector<Write> sound{
      AppendMessage{id, {Role::assistant, {ToolCall{"c", "grep", "{}"}}}},
      CreateCall{id, std::nullopt, {"d", "later", "{}"}},
      UpdateCall{.call_id = call, .status = CallStatus::executing, .response = Json(1)},
      UpdateSession{.session_id = id, .status = SessionStatus::waiting, .result = "half"}};
  const std::vector<std::pair<Write, ErrorCode>> faults{
      {AppendMessage{99, Message::user("x")}, ErrorCode::not_found},
      {CreateCall{99, std::nullopt, {}}, ErrorCode::not_found},
      {CreateCall{id, 4711, {}}, ErrorCode::not_found},
      {UpdateCall{.call_id = 4711}, ErrorCode::not_found},
      {UpdateCall{.call_id = call, .status = CallStatus::pending}, ErrorCode::invalid_argument},
      {UpdateSession{.session_id = 99}, ErrorCode::not_found}};
  for (const auto& [fault, code] : faults) {
    std::vector<Write> writes = sound;
    writes.push_back(fault);
    EXPECT_EQ(code_of(store().apply(writes)), code);
    EXPECT_TRUE(value_of(store().get_messages(id)).empty());
    const auto calls = value_of(store().get_tool_calls(id));
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].status, CallStatus::pending);
    EXPECT_EQ(calls[0].response, std::nullopt);
    EXPECT_EQ(value_of(store().get_session(id)).status, SessionStatus::running);
    EXPECT_EQ(value_of(store().get_session(id)).result, std::nullopt);
  }
  const BatchIds ids = value_of(store().apply(sound));
  EXPECT_EQ(ids.messages.size(), 1U);
  EXPECT_EQ(ids.calls.size(), 2U);
  EXPECT_EQ(call_of(id, call).status, CallStatus::executing);
}

TEST_P(StoreTest, writes_of_a_batch_see_those_before_them) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  const std::vector<Write> writes{
      UpdateCall{.call_id = call, .status = CallStatus::executing},
      UpdateCall{.call_id = call, .status = CallStatus::completed, .response = Json("ok")}};
  value_of(store().apply(writes));
  EXPECT_EQ(call_of(id, call).status, CallStatus::completed);
}

TEST_P(StoreTest, says_which_session_or_call_does_not_exist) {
  EXPECT_EQ(store().get_session(5).error().message, "There is no session 5");
  EXPECT_EQ(store().create_message(6, Role::user, "x").error().message, "There is no session 6");
  EXPECT_EQ(store().complete_session(7, "x").error().message, "There is no session 7");
  EXPECT_EQ(store().start_tool_call(8).error().message, "There is no tool call 8");
  EXPECT_EQ(code_of(store().delete_session(9)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().get_messages(9)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().get_tool_calls(9)), ErrorCode::not_found);
  EXPECT_EQ(code_of(store().get_pending_tool_calls(9)), ErrorCode::not_found);
}

// --- threads --------------------------------------------------------------------------------

TEST_P(StoreTest, several_threads_write_at_once_without_loss) {
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

TEST(StoreStatus, every_name_leads_back_to_its_status) {
  for (const SessionStatus status : kSessionStatuses) {
    EXPECT_EQ(value_of(session_status_from(to_string(status))), status);
  }
  for (const CallStatus status : kCallStatuses) {
    EXPECT_EQ(value_of(call_status_from(to_string(status))), status);
  }
  EXPECT_EQ(code_of(session_status_from("Running")), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(call_status_from("")), ErrorCode::invalid_argument);
}

TEST(StoreClock, tells_milliseconds_since_1970) {
  const std::int64_t now = system_clock_ms();
  EXPECT_GT(now, 1'600'000'000'000);
  EXPECT_LT(now, 10'000'000'000'000);
}

TEST(StoreClock, is_the_systems_where_none_is_given) {
  const std::int64_t before = system_clock_ms();
  const auto memory = open_memory_store(Clock());
  const auto sqlite = value_of(open_sqlite_store(":memory:", {.clock = Clock()}));
  ASSERT_NE(sqlite, nullptr);
  for (Store* store : {memory.get(), sqlite.get()}) {
    const SessionId id = value_of(store->create_session(session_named("a")));
    EXPECT_GE(value_of(store->get_session(id)).started_at, before);
  }
}

}  // namespace wright::store
