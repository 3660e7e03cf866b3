// What every store promises about tool calls.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "store/store_suite_testing.h"

namespace wright::store {
namespace {

class StoreCalls : public StoreSuite {};
INSTANTIATE_TEST_SUITE_P(Every, StoreCalls, kEveryStore, name_of_kind);

TEST_P(StoreCalls, creates_a_pending_call_for_each_call_of_a_message) {
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

TEST_P(StoreCalls, creates_none_for_what_somebody_else_tells) {
  const SessionId id = new_session();
  const Message message{Role::assistant, {ToolCall{"c1", "grep", "{}"}}};
  const BatchIds ids = value_of(
      apply_one(store(), AppendMessage{.session_id = id, .message = message, .is_told = true}));
  EXPECT_EQ(ids.messages.size(), 1U);
  EXPECT_TRUE(ids.calls.empty());
  EXPECT_TRUE(value_of(store().get_tool_calls(id)).empty());
  EXPECT_EQ(value_of(store().get_messages(id)).at(0).message, message);
  EXPECT_TRUE(value_of(store().get_stats({})).calls.empty());
}

TEST_P(StoreCalls, starts_the_first_calls_of_a_message_in_the_same_batch) {
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

TEST_P(StoreCalls, gives_the_arguments_back_as_the_model_wrote_them) {
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

TEST_P(StoreCalls, a_call_goes_from_pending_over_executing_to_completed) {
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

TEST_P(StoreCalls, a_failed_call_says_why_and_when) {
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

TEST_P(StoreCalls, keeps_a_null_response_apart_from_none) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  expect_ok(store().start_tool_call(call));
  expect_ok(store().complete_tool_call(call, nullptr, 0));
  ASSERT_TRUE(call_of(id, call).response.has_value());
  EXPECT_TRUE(call_of(id, call).response->is_null());
}

TEST_P(StoreCalls, keeps_what_an_update_of_a_call_does_not_mention) {
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

TEST_P(StoreCalls, keeps_what_the_model_will_read_until_the_whole_turn_is_answered) {
  const SessionId id = new_session();
  const CallId call = new_call(id);
  EXPECT_EQ(call_of(id, call).result, std::nullopt);
  expect_ok(store().start_tool_call(call));
  const ToolResult result{"id", "tool", "seen", false, {Image{"image/png", "iVBORw0K"}}};
  value_of(apply_one(store(),
                     UpdateCall{.call_id = call, .status = CallStatus::unknown, .result = result}));
  EXPECT_EQ(call_of(id, call).result, result);
  value_of(apply_one(store(), UpdateCall{.call_id = call, .status = CallStatus::completed}));
  EXPECT_EQ(call_of(id, call).result, result) << "an update leaves alone what has no value";

  const CallId failing = new_call(id);
  const ToolResult failure{"a\xFF", "tool", "no\xC0", true, {}};
  value_of(apply_one(
      store(), UpdateCall{.call_id = failing, .status = CallStatus::failed, .result = failure}));
  EXPECT_EQ(call_of(id, failing).result,
            (ToolResult{"a\xEF\xBF\xBD", "tool", "no\xEF\xBF\xBD", true, {}}));
}

TEST_P(StoreCalls, allows_exactly_the_documented_moves) {
  using enum CallStatus;
  const std::set<std::pair<CallStatus, CallStatus>> legal{
      {pending, executing},   {pending, waiting},   {pending, cancelled}, {pending, failed},
      {waiting, executing},   {waiting, completed}, {waiting, failed},    {waiting, cancelled},
      {executing, completed}, {executing, failed},  {executing, waiting}, {executing, cancelled},
      {executing, unknown},   {unknown, completed}, {unknown, failed},    {unknown, executing},
      {waiting, unknown}};
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

TEST_P(StoreCalls, an_illegal_move_names_the_call_and_both_statuses) {
  const CallId call = call_in(new_session(), CallStatus::completed);
  const auto moved = store().start_tool_call(call);
  ASSERT_FALSE(moved.has_value());
  EXPECT_EQ(moved.error().message,
            fmt::format("Tool call {} is completed and cannot become executing", call));
}

TEST_P(StoreCalls, gives_only_pending_calls_as_pending) {
  const SessionId id = new_session();
  for (const CallStatus status : kCallStatuses) call_in(id, status);
  const CallId last = new_call(id);
  const auto pending = value_of(store().get_pending_tool_calls(id));
  ASSERT_EQ(pending.size(), 2U);
  EXPECT_EQ(pending[1].id, last);
  EXPECT_EQ(value_of(store().get_tool_calls(id)).size(), kCallStatuses.size() + 1);
}

TEST_P(StoreCalls, a_call_by_hand_may_belong_to_a_message_of_its_own_session_only) {
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

TEST_P(StoreCalls, refuses_a_response_that_could_not_be_read_back) {
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

TEST_P(StoreCalls, of_a_message_can_be_over_from_their_first_moment) {
  const SessionId session = new_session();
  const Message message{
      Role::assistant,
      {ToolCall{"a", "t", "{}"}, ToolCall{"b", "t", "{}"}, ToolCall{"c", "t", "{}"}}};
  const BatchIds ids =
      value_of(apply_one(store(), AppendMessage{session, message, 1,
                                                UpdateCall{.call_id = 4711,
                                                           .status = CallStatus::cancelled,
                                                           .error_details = "Too late"}}));
  ASSERT_EQ(ids.calls.size(), 3U);
  EXPECT_EQ(call_of(session, ids.calls[0]).status, CallStatus::executing);
  for (const CallId id : {ids.calls[1], ids.calls[2]}) {
    EXPECT_EQ(call_of(session, id).status, CallStatus::cancelled);
    EXPECT_EQ(call_of(session, id).error_details, "Too late");
    EXPECT_TRUE(call_of(session, id).completed_at);
  }
  const AppendMessage wrong{session, message, 0, UpdateCall{.status = CallStatus::completed}};
  EXPECT_EQ(code_of(apply_one(store(), wrong)), ErrorCode::invalid_argument);
  EXPECT_EQ(value_of(store().get_messages(session)).size(), 1U);
}

}  // namespace

}  // namespace wright::store
