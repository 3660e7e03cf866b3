// What only the store in a file can promise: it lasts, others can read it, and it stays small.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/store_testing.h"

namespace wright::store {
namespace {

using Rows = std::vector<std::string>;

class SqliteStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = value_of(open_sqlite_store(path_));
    ASSERT_NE(store_, nullptr);
  }
  void reopen() {
    store_.reset();
    SetUp();
  }
  Store& store() { return *store_; }
  Rows rows(std::string_view sql) { return rows_of(other_.get(), sql); }
  SessionId new_session() { return value_of(store().create_session(session_named("tester"))); }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "store.db";
  std::unique_ptr<Store> store_;
  Connection other_ = connect_plainly(path_);  // another program that looks at the file
};

TEST_F(SqliteStoreTest, everything_is_there_again_after_reopening) {
  const SessionId id = new_session();
  const Message asked{Role::assistant, {Text{"Look"}, ToolCall{"c1", "grep", "{\"a\":"}}};
  const Message answered = Message::tool({"c1", "grep", "found", false});
  const auto ids = value_of(apply_one(store(), AppendMessage{id, asked}));
  expect_ok(store().start_tool_call(ids.calls.front()));
  const std::vector<Write> writes{UpdateCall{.call_id = ids.calls.front(),
                                             .status = CallStatus::completed,
                                             .response = Json("found"),
                                             .execution_time_ms = 3},
                                  AppendMessage{id, answered},
                                  UpdateSession{.session_id = id,
                                                .status = SessionStatus::completed,
                                                .result = "done",
                                                .usage = Usage{1, 2, 3, 4},
                                                .iterations = 5}};
  value_of(store().apply(writes));
  reopen();
  const Session session = value_of(store().get_session(id));
  EXPECT_EQ(session.result, "done");
  EXPECT_EQ(session.usage, (Usage{1, 2, 3, 4}));
  EXPECT_EQ(session.iterations, 5);
  const auto messages = value_of(store().get_messages(id));
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].message, asked);
  EXPECT_EQ(messages[1].message, answered);
  const auto calls = value_of(store().get_tool_calls(id));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].request, "{\"a\":");
  EXPECT_EQ(calls[0].response, Json("found"));
  EXPECT_EQ(calls[0].status, CallStatus::completed);
}

TEST_F(SqliteStoreTest, ids_are_not_given_out_again_after_reopening) {
  const SessionId last = new_session();
  expect_ok(store().delete_session(last));
  reopen();
  EXPECT_GT(new_session(), last);
}

TEST_F(SqliteStoreTest, other_programs_find_plain_text_and_valid_json) {
  const SessionId id = new_session();
  const std::vector<Write> writes{
      AppendMessage{id, Message::user("Look")},
      AppendMessage{
          id,
          {Role::assistant,
           {ToolCall{"c1", "grep", "{\"pattern\": \"x\"}"}, ToolCall{"c2", "bash", "rm -rf"}}}},
      AppendMessage{id, Message::tool({"c1", "grep", "3 matches", false})},
      AppendMessage{id, Message::tool({"c2", "bash", "invalid arguments", true})}};
  value_of(store().apply(writes));
  EXPECT_EQ(rows("SELECT role, content, parts IS NULL, tool_call_id FROM agent_messages"),
            (Rows{"user|Look|1|NULL", "assistant|[Using tools]|0|NULL",
                  "tool|Tool grep result:\n3 matches|0|c1",
                  "tool|Tool bash failed: invalid arguments|0|c2"}));
  EXPECT_EQ(rows("SELECT request FROM agent_tool_calls"),
            (Rows{"{\"pattern\": \"x\"}", "\"rm -rf\""}));
  EXPECT_EQ(rows("SELECT min(json_valid(request)) FROM agent_tool_calls"), Rows{"1"});
  EXPECT_EQ(rows("SELECT min(json_valid(parts)) FROM agent_messages WHERE parts IS NOT NULL"),
            Rows{"1"});
}

TEST_F(SqliteStoreTest, sees_what_another_store_on_the_file_wrote) {
  auto second = value_of(open_sqlite_store(path_));
  ASSERT_NE(second, nullptr);
  const SessionId id = new_session();
  value_of(second->create_message(id, Role::user, "from the second"));
  EXPECT_EQ(value_of(store().get_messages(id)).front().content, "from the second");
  expect_ok(second->delete_session(id));
  EXPECT_EQ(code_of(store().create_message(id, Role::user, "too late")), ErrorCode::not_found);
}

// The words of an enum, from its first on.
template <class Enum>
Rows words_of() {
  Rows words;
  while (true) {
    const auto word = to_string(static_cast<Enum>(words.size()));
    if (word == "invalid") return words;
    words.emplace_back(word);
  }
}

// Those that the table takes from other programs, of these and one that no enum has.
Rows taken(sqlite3* connection, const std::string& set, Rows words) {
  words.emplace_back("odd");
  std::erase_if(words, [&](const std::string& word) {
    return !execute(connection, fmt::format("{} = '{}'", set, word).c_str());
  });
  return words;
}

// The store itself does not have every word checked that it writes.
TEST_F(SqliteStoreTest, the_tables_take_the_words_of_the_enums_and_no_others) {
  const SessionId id = new_session();
  value_of(store().create_message(id, Role::user, "Hi"));
  const CallId call = value_of(store().create_tool_call(id, {}, {"c", "t", "{}"}));
  const std::vector<Write> writes{UpdateCall{.call_id = call, .status = CallStatus::waiting},
                                  OpenWait{id, call}};
  value_of(store().apply(writes));
  EXPECT_EQ(rows("PRAGMA integrity_check"), Rows{"ok"});
  sqlite3* const other = other_.get();
  EXPECT_EQ(taken(other, "UPDATE agent_sessions SET status", words_of<SessionStatus>()),
            words_of<SessionStatus>());
  EXPECT_EQ(taken(other, "UPDATE agent_messages SET role", words_of<Role>()), words_of<Role>());
  EXPECT_EQ(taken(other, "UPDATE agent_tool_calls SET status", words_of<CallStatus>()),
            words_of<CallStatus>());
  EXPECT_EQ(taken(other, "UPDATE agent_waits SET status", words_of<WaitStatus>()),
            words_of<WaitStatus>());
  EXPECT_EQ(taken(other, "UPDATE agent_waits SET kind", words_of<WaitKind>()),
            words_of<WaitKind>());
}

TEST_F(SqliteStoreTest, names_the_row_that_cannot_be_read) {
  const SessionId id = new_session();
  const auto ids = value_of(
      apply_one(store(), AppendMessage{id, {Role::assistant, {ToolCall{"c", "t", "{}"}}}}));
  const auto expect_unreadable = [&](const char* damage, const auto& read, std::string_view what) {
    expect_ok(execute(other_.get(), "BEGIN; PRAGMA ignore_check_constraints = ON"));
    expect_ok(execute(other_.get(), damage));
    expect_ok(execute(other_.get(), "COMMIT"));
    const auto outcome = read();
    EXPECT_EQ(code_of(outcome), ErrorCode::storage) << damage;
    EXPECT_NE(outcome.error().message.find(what), std::string::npos) << outcome.error().message;
  };
  const auto session = [&] { return store().get_session(id); };
  const auto listed = [&] { return store().list_sessions({}); };
  const auto messages = [&] { return store().get_messages(id); };
  const auto calls = [&] { return store().get_tool_calls(id); };
  const std::string this_session = fmt::format("session {}", id);
  const std::string this_message = fmt::format("message {}", ids.messages[0]);
  const std::string this_call = fmt::format("tool call {}", ids.calls[0]);
  expect_unreadable("UPDATE agent_sessions SET config = '{'", session, this_session);
  expect_unreadable("UPDATE agent_sessions SET config = NULL, status = 'odd'", session,
                    this_session);
  expect_unreadable("UPDATE agent_sessions SET provider = 'x'", listed, this_session);
  expect_unreadable("UPDATE agent_sessions SET status = 'running', feedback = '['", session,
                    this_session);
  expect_unreadable("UPDATE agent_messages SET parts = '{'", messages, this_message);
  expect_unreadable("UPDATE agent_messages SET role = 'robot'", messages, this_message);
  expect_unreadable("UPDATE agent_tool_calls SET response = '{'", calls, this_call);
  expect_unreadable("UPDATE agent_tool_calls SET response = NULL, request = '\"x'", calls,
                    this_call);
  expect_unreadable("UPDATE agent_tool_calls SET request = '{}', result = '{'", calls, this_call);
  expect_unreadable("UPDATE agent_tool_calls SET result = '{\"type\":\"text\",\"text\":\"\"}'",
                    calls, this_call);
  expect_unreadable("UPDATE agent_tool_calls SET result = NULL, status = 'odd'", calls, this_call);
  EXPECT_EQ(code_of(store().start_tool_call(ids.calls[0])), ErrorCode::invalid_argument);
}

TEST_F(SqliteStoreTest, names_the_wait_that_cannot_be_read) {
  const SessionId id = new_session();
  const CallId call = value_of(store().create_tool_call(id, {}, {"c", "t", "{}"}));
  const std::vector<Write> writes{UpdateCall{.call_id = call, .status = CallStatus::waiting},
                                  OpenWait{id, call}};
  const WaitId wait = value_of(store().apply(writes)).waits.front();
  for (const char* damage :
       {"shown = '{'", "shown = '1', kind = 'mood'",
        "kind = 'result', status = 'answered', answer = ''", "answer = NULL, status = 'odd'"}) {
    expect_ok(execute(other_.get(), "PRAGMA ignore_check_constraints = ON"));
    expect_ok(execute(other_.get(), fmt::format("UPDATE agent_waits SET {}", damage).c_str()));
    const auto read = store().get_waits({});
    EXPECT_EQ(code_of(read), ErrorCode::storage) << damage;
    EXPECT_NE(read.error().message.find(fmt::format("wait {}", wait)), std::string::npos);
    EXPECT_EQ(code_of(store().answer_wait(wait, {true, "ada"})), ErrorCode::storage) << damage;
  }
  expect_ok(execute(other_.get(), "UPDATE agent_waits SET status = 'open'"));
  value_of(store().answer_wait(wait, {true, "ada"}));
}

TEST_F(SqliteStoreTest, a_damaged_message_stops_only_the_forks_that_would_copy_it) {
  const SessionId id = new_session();
  const MessageId good = value_of(store().create_message(id, Role::user, "good"));
  const MessageId bad = value_of(store().create_message(id, Role::user, "bad"));
  expect_ok(store().complete_session(id, "done"));
  expect_ok(
      execute(other_.get(),
              fmt::format("UPDATE agent_messages SET parts = '{{' WHERE id = {}", bad).c_str()));
  EXPECT_EQ(code_of(store().fork_session(id, bad)), ErrorCode::storage);
  const SessionId fork = value_of(store().fork_session(id, good));
  EXPECT_EQ(value_of(store().get_messages(fork)).size(), 1U);
  EXPECT_EQ(value_of(store().get_session(fork)).result, std::nullopt) << "not all was copied";
}

TEST_F(SqliteStoreTest, refuses_a_text_that_is_larger_than_sqlite_can_hold) {
  // A million times a thousand bytes are SQLite's limit; a lower one is met in the same way.
  const SessionId id = new_session();
  auto connection = value_of(open_database(path_, {}));
  ASSERT_NE(connection, nullptr);
  sqlite3_limit(connection.get(), SQLITE_LIMIT_LENGTH, 1000);
  auto insert =
      Statement::prepare(connection.get(), "UPDATE agent_sessions SET result = ?1 WHERE id = ?2");
  ASSERT_TRUE(insert.has_value());
  EXPECT_EQ(code_of(insert->run(std::string(1001, 'x'), id)), ErrorCode::limit_reached);
  expect_ok(insert->run("short", id));
  EXPECT_EQ(value_of(store().get_session(id)).result, "short");
}

TEST_F(SqliteStoreTest, reads_and_deletes_a_session_without_reading_whole_tables) {
  const auto plan = [&](const std::string& sql) {
    std::string steps;
    for (const std::string& row : rows("EXPLAIN QUERY PLAN " + sql)) {
      steps += row.substr(row.find_last_of('|') + 1) + "; ";
    }
    return steps;
  };
  for (const std::string sql :
       {"SELECT * FROM agent_messages WHERE id IN "
        "(SELECT id FROM agent_messages WHERE session_id = 1) ORDER BY id",
        "SELECT * FROM agent_tool_calls WHERE session_id = 1 ORDER BY id",
        "SELECT * FROM agent_tool_calls WHERE session_id = 1 AND status = 'pending' ORDER BY id",
        "SELECT id FROM agent_tool_calls WHERE message_id = 1",
        "SELECT id FROM agent_sessions WHERE parent_session_id = 1",
        "SELECT id FROM agent_waits WHERE session_id = 1",
        "SELECT id FROM agent_waits WHERE call_id = 1 AND status = 'open'",
        "SELECT id FROM agent_waits WHERE call_id = 1",
        "SELECT id FROM agent_waits WHERE status = 'open' AND expires_at <= 1",
        "SELECT session_id FROM agent_tool_calls WHERE has_news = 1 AND session_id = 1",
        "SELECT id FROM agent_sessions WHERE status = 'queued' AND tenant = '' "
        "AND agent_name = 'a' "
        "ORDER BY priority DESC, id",
        "SELECT id FROM agent_sessions WHERE status = 'running' AND runner_id = 1"}) {
    EXPECT_EQ(plan(sql).find("SCAN"), std::string::npos) << plan(sql);
    EXPECT_EQ(plan(sql).find("TEMP B-TREE"), std::string::npos) << plan(sql);
  }
}

TEST_F(SqliteStoreTest, a_session_grows_by_the_same_bytes_with_each_turn) {
  const auto write_turns = [&](SessionId session, int from, int to) {
    const std::string output(700, 'o');
    for (int turn = from; turn < to; ++turn) {
      const std::string call_id = fmt::format("call_{:06}", turn);
      const auto ids = value_of(apply_one(
          store(), AppendMessage{session,
                                 {Role::assistant,
                                  {Text{"I look further."},
                                   ToolCall{call_id, "grep", R"({"pattern":"retry"})"}}}}));
      expect_ok(store().start_tool_call(ids.calls.front()));
      const std::vector<Write> writes{
          UpdateCall{.call_id = ids.calls.front(),
                     .status = CallStatus::completed,
                     .response = Json(output),
                     .execution_time_ms = 1},
          AppendMessage{session, Message::tool({call_id, "grep", output, false})},
          UpdateSession{
              .session_id = session, .usage = Usage{turn, turn, 0, 0}, .iterations = turn}};
      value_of(store().apply(writes));
    }
  };
  const auto used_bytes = [&] {
    return std::stod(rows("SELECT sum(pgsize - unused) FROM dbstat").front());
  };
  const auto file_bytes = [&] {
    reopen();
    expect_ok(execute(other_.get(), "PRAGMA wal_checkpoint(TRUNCATE)"));
    return static_cast<double>(std::filesystem::file_size(path_));
  };
  const SessionId session = new_session();
  const double empty = used_bytes();
  write_turns(session, 0, 10);
  const double at_10 = (used_bytes() - empty) / 10;
  write_turns(session, 10, 100);
  const double at_100 = (used_bytes() - empty) / 100;
  const double file_at_100 = file_bytes();
  write_turns(session, 100, 1000);
  const double at_1000 = (used_bytes() - empty) / 1000;
  const double file_per_turn = (file_bytes() - file_at_100) / 900;
  RecordProperty("bytes_per_turn_at_10", std::to_string(at_10));
  RecordProperty("bytes_per_turn_at_100", std::to_string(at_100));
  RecordProperty("bytes_per_turn_at_1000", std::to_string(at_1000));
  RecordProperty("file_bytes_per_turn", std::to_string(file_per_turn));
  EXPECT_GT(at_10, 1400) << "the output is stored twice, as message and as response";
  EXPECT_NEAR(at_100 / at_10, 1.0, 0.2);
  EXPECT_NEAR(at_1000 / at_100, 1.0, 0.2);
  EXPECT_NEAR(file_per_turn / at_1000, 1.0, 0.25) << "pages are well filled";
}

}  // namespace
}  // namespace wright::store
