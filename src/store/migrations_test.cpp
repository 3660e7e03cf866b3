#include "wright/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>

#include "store/tables_of_version_8_testing.h"
#include "store/store_testing.h"
#include "store/unversioned_tables_testing.h"
#include "store/versioned_tables_testing.h"

namespace wright::store {
namespace {

using Rows = std::vector<std::string>;

constexpr const char* kWholeSchema = "SELECT type, name, sql FROM sqlite_master ORDER BY name";

class MigrationsTest : public ::testing::Test {
 protected:
  void run(const char* sql) { expect_ok(execute(database(), sql)); }
  Rows rows(std::string_view sql) { return rows_of(database(), sql); }
  std::string one(std::string_view sql) {
    const Rows found = rows(sql);
    return found.size() == 1 ? found.front() : "not one row";
  }
  sqlite3* database() { return connection_.get(); }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "program.db";
  Connection connection_ = connect_plainly(path_);
};

TEST_F(MigrationsTest, create_the_tables_in_the_database_of_another_program) {
  run("PRAGMA user_version = 42; PRAGMA application_id = 7;"
      "CREATE TABLE invoices (id INTEGER PRIMARY KEY, total INTEGER);"
      "INSERT INTO invoices VALUES (1, 99)");
  EXPECT_FALSE(value_of(has_agent_schema(database())));
  expect_ok(run_agent_migrations(database()));
  EXPECT_TRUE(value_of(has_agent_schema(database())));
  EXPECT_EQ(one("PRAGMA user_version"), "42");
  EXPECT_EQ(one("PRAGMA application_id"), "7");
  EXPECT_EQ(one("SELECT * FROM invoices"), "1|99");
  EXPECT_EQ(one("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(one("PRAGMA foreign_keys"), "1");
  EXPECT_EQ(one("SELECT version FROM agent_schema"), std::to_string(kAgentSchemaVersion));
  EXPECT_EQ(sqlite3_get_autocommit(database()), 1);
}

TEST_F(MigrationsTest, keep_the_columns_that_other_programs_know) {
  expect_ok(run_agent_migrations(database()));
  const auto columns = [&](const std::string& table) {
    return rows("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('" + table +
                "')");
  };
  Connection plain = connect_plainly(":memory:");
  expect_ok(execute(plain.get(), kUnversionedTables));
  for (const std::string table : {"agent_sessions", "agent_messages", "agent_tool_calls"}) {
    const Rows known = rows_of(
        plain.get(),
        "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('" + table + "')");
    Rows ours = columns(table);
    ASSERT_GE(ours.size(), known.size());
    ours.resize(known.size());
    EXPECT_EQ(ours, known) << table;
  }
  EXPECT_EQ(columns("agent_messages").size(), 7U);
  EXPECT_EQ(columns("agent_sessions").size(), 36U);
  EXPECT_EQ(columns("agent_tool_calls").size(), 14U);
  EXPECT_EQ(rows("SELECT name FROM pragma_index_info('idx_agent_messages_session_created')"),
            (Rows{"session_id", "created_at"}));
  EXPECT_EQ(rows("SELECT name FROM pragma_index_info('idx_agent_tool_calls_session')"),
            (Rows{"session_id"}));
  EXPECT_EQ(rows("SELECT name FROM sqlite_master WHERE name = 'idx_agent_tool_calls_status'"),
            Rows{})
      << "it was written anew with every status, for what the index above finds";
}

TEST_F(MigrationsTest, accept_the_rows_that_older_programs_insert_and_check_statuses) {
  expect_ok(run_agent_migrations(database()));
  run("INSERT INTO agent_sessions (agent_name, provider, model, user_prompt, started_at) "
      "VALUES ('a', 'b', 'c', 'd', 1)");
  EXPECT_FALSE(execute(database(), "UPDATE agent_sessions SET status = 'sleeping'").has_value());
  EXPECT_FALSE(execute(database(),
                       "INSERT INTO agent_messages (session_id, role, content, created_at) "
                       "VALUES (1, 'robot', '', 1)")
                   .has_value());
  EXPECT_FALSE(execute(database(),
                       "INSERT INTO agent_tool_calls (session_id, tool_call_id, tool_name, "
                       "request, status, created_at) VALUES (1, '', '', '{}', 'done', 1)")
                   .has_value());
  EXPECT_EQ(one("SELECT status, input_tokens, iterations, format_version FROM agent_sessions"),
            "running|0|0|1");
}

TEST_F(MigrationsTest, a_second_time_changes_nothing) {
  expect_ok(run_agent_migrations(database()));
  const Rows before = rows(kWholeSchema);
  const std::string version = one("PRAGMA schema_version");
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(rows(kWholeSchema), before);
  EXPECT_EQ(one("PRAGMA schema_version"), version);
}

TEST_F(MigrationsTest, upgrade_tables_without_a_version_and_keep_every_row) {
  run(kUnversionedTables);
  run(kUnversionedRows);
  EXPECT_TRUE(value_of(has_agent_schema(database())));
  expect_ok(run_agent_migrations(database()));

  EXPECT_EQ(rows("SELECT id, agent_name, provider, model, system_prompt, user_prompt, status, "
                 "started_at, ended_at, result, error, parent_session_id, input_tokens, config "
                 "FROM agent_sessions ORDER BY id"),
            (Rows{"3|codebase-analysis|zai|glm-4.6|Be brief|Where?|completed|1700000000000|"
                  "1700000009000|There|NULL|NULL|0|NULL",
                  "7|codebase-analysis|zai|glm-4.6|NULL|And this?|running|1700000100000|NULL|NULL|"
                  "NULL|NULL|0|NULL"}));
  EXPECT_EQ(
      rows("SELECT id, session_id, role, created_at, parts, tool_call_id FROM agent_messages "
           "ORDER BY id"),
      (Rows{"11|3|user|1700000001000|NULL|NULL",
            "12|3|assistant|1700000002000|[{\"type\":\"tool_call\",\"id\":\"call_1\",\"name\":"
            "\"grep\",\"arguments\":\"{\\\"pattern\\\":\\\"x\\\"}\"}]|NULL",
            "15|3|tool|1700000003000|NULL|call_1"}));
  EXPECT_EQ(rows("SELECT * FROM agent_tool_calls ORDER BY id"),
            (Rows{"21|3|12|call_1|grep|{\"pattern\":\"x\"}|{\"matches\":[]}|completed|"
                  "1700000002000|1700000003000|15|NULL|NULL|0",
                  "22|7|NULL|call_2|bash|{\"command\":\"ls\"}|NULL|executing|1700000102000|NULL|"
                  "NULL|NULL|NULL|0"}));
  EXPECT_EQ(rows("PRAGMA foreign_key_check"), Rows{});
  EXPECT_EQ(one("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(rows("SELECT name FROM temp.sqlite_master"), Rows{});

  Connection fresh = connect_plainly(":memory:");
  expect_ok(run_agent_migrations(fresh.get()));
  EXPECT_EQ(rows(kWholeSchema), rows_of(fresh.get(), kWholeSchema));
}

TEST_F(MigrationsTest, an_upgraded_database_works_as_a_store) {
  run(kUnversionedTables);
  run(kUnversionedRows);
  auto store = value_of(open_sqlite_store(path_));
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(value_of(store->get_session(3)).result, "There");
  const auto messages = value_of(store->get_messages(3));
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[1].message.parts,
            std::vector<Part>{(ToolCall{"call_1", "grep", R"({"pattern":"x"})"})});
  EXPECT_EQ(messages[2].message, Message::tool({"call_1", "grep", "{}", false}));
  EXPECT_EQ(value_of(store->get_tool_calls(7)).front().status, CallStatus::executing);
  EXPECT_EQ(value_of(store->create_session(session_named("new"))), 10) << "9 was given out before";
  value_of(apply_one(*store, UpdateCall{.call_id = 22, .status = CallStatus::unknown}));
  value_of(apply_one(*store, UpdateSession{.session_id = 7, .status = SessionStatus::cancelled}));
  expect_ok(store->delete_session(3));
  EXPECT_EQ(rows("SELECT id FROM agent_messages"), Rows{});
}

TEST_F(MigrationsTest, an_upgrade_tells_which_message_belongs_to_which_call) {
  run(kUnversionedTables);
  run(R"sql(
INSERT INTO agent_sessions (id, agent_name, provider, model, user_prompt, started_at)
    VALUES (1, 'a', 'b', 'c', 'd', 1), (2, 'a', 'b', 'c', 'd', 1);
INSERT INTO agent_messages VALUES
    (1, 1, 'user', 'd', 1), (2, 1, 'assistant', 'I "look"', 1), (3, 2, 'user', 'd', 1),
    (4, 1, 'tool', 'Tool a result:' || char(10) || '1', 1), (5, 1, 'tool', 'Tool b failed: no', 1),
    (6, 1, 'tool', 'Nobody knows', 1), (7, 1, 'assistant', '[Using tools]', 1),
    (8, 1, 'tool', 'Tool a result:' || char(10) || '2', 1), (9, 1, 'assistant', 'Done', 1),
    (10, 2, 'tool', 'Tool a result:' || char(10) || '3', 1);
INSERT INTO agent_tool_calls (session_id, message_id, tool_call_id, tool_name, request, status,
                              created_at)
    VALUES (1, 2, 'one', 'a', '{}', 'completed', 1), (1, 2, 'two', 'b', 'odd', 'failed', 1),
           (1, 2, 'three', 'c', '{}', 'pending', 1), (1, 7, 'four', 'a', '{}', 'completed', 1);
)sql");
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(rows("SELECT id, tool_call_id FROM agent_messages WHERE role = 'tool' ORDER BY id"),
            (Rows{"4|one", "5|two", "6|NULL", "8|four", "10|NULL"}));
  EXPECT_EQ(rows("SELECT id FROM agent_messages WHERE parts IS NOT NULL"), (Rows{"2", "7"}));
  auto store = value_of(open_sqlite_store(path_));
  const auto messages = value_of(store->get_messages(1));
  EXPECT_EQ(messages.at(1).message.parts,
            (std::vector<Part>{Text{"I \"look\""}, ToolCall{"one", "a", "{}"},
                               ToolCall{"two", "b", "odd"}, ToolCall{"three", "c", "{}"}}));
  EXPECT_EQ(messages.at(3).message, Message::tool({"two", "b", "no", true}));
}

TEST_F(MigrationsTest, an_upgrade_keeps_what_other_programs_put_on_the_tables) {
  run(kUnversionedTables);
  run(kUnversionedRows);
  run("CREATE TABLE audit (entry TEXT);"
      "CREATE TABLE notes (session_id INTEGER REFERENCES agent_sessions (id) ON DELETE CASCADE);"
      "INSERT INTO notes VALUES (3);"
      "CREATE INDEX my_index ON agent_sessions (agent_name);"
      "CREATE VIEW my_view AS SELECT user_prompt FROM agent_sessions;"
      "CREATE TRIGGER my_trigger AFTER INSERT ON agent_sessions BEGIN "
      "  INSERT INTO audit VALUES (new.agent_name); END;"
      "PRAGMA foreign_keys = ON");
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(rows("SELECT * FROM audit"), Rows{}) << "moving rows is not inserting them";
  EXPECT_EQ(rows("SELECT * FROM notes"), Rows{"3"});
  EXPECT_EQ(rows("SELECT * FROM my_view"), (Rows{"Where?", "And this?"}));
  EXPECT_EQ(one("SELECT count(*) FROM sqlite_master WHERE name = 'my_index'"), "1");
  run("INSERT INTO agent_sessions (agent_name, provider, model, user_prompt, started_at) "
      "VALUES ('a', 'b', 'c', 'd', 1)");
  EXPECT_EQ(rows("SELECT * FROM audit"), Rows{"a"});
  run("DELETE FROM agent_sessions WHERE id = 3");
  EXPECT_EQ(rows("SELECT * FROM notes"), Rows{});
}

TEST_F(MigrationsTest, an_upgrade_works_without_automatic_ids) {
  std::string tables = kUnversionedTables;
  for (auto at = tables.find(" AUTOINCREMENT"); at != std::string::npos;
       at = tables.find(" AUTOINCREMENT")) {
    tables.erase(at, std::string_view(" AUTOINCREMENT").size());
  }
  run(tables.c_str());
  run(kUnversionedRows);
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(one("SELECT max(id) FROM agent_messages"), "15");
}

TEST_F(MigrationsTest, an_upgrade_that_fails_changes_nothing) {
  // A row that the new tables cannot hold stops the upgrade half way.
  run(kUnversionedTables);
  run(kUnversionedRows);
  run("PRAGMA ignore_check_constraints = ON;"
      "UPDATE agent_sessions SET status = 'dreaming' WHERE id = 7;"
      "PRAGMA ignore_check_constraints = OFF; PRAGMA foreign_keys = ON");
  const Rows schema = rows(kWholeSchema);
  EXPECT_EQ(code_of(run_agent_migrations(database())), ErrorCode::invalid_argument);
  EXPECT_EQ(rows(kWholeSchema), schema);
  EXPECT_EQ(one("SELECT count(*) FROM agent_tool_calls"), "2");
  EXPECT_EQ(one("SELECT started_at FROM agent_sessions WHERE id = 3"), "1700000000");
  EXPECT_EQ(one("PRAGMA foreign_keys"), "1");
  EXPECT_EQ(sqlite3_get_autocommit(database()), 1);

  run("PRAGMA foreign_keys = OFF");
  EXPECT_FALSE(run_agent_migrations(database()).has_value());
  EXPECT_EQ(one("PRAGMA foreign_keys"), "0");
}

TEST_F(MigrationsTest, refuse_a_schema_of_a_newer_wright_and_change_nothing) {
  expect_ok(run_agent_migrations(database()));
  run("UPDATE agent_schema SET version = 1000; PRAGMA foreign_keys = OFF;"
      "ALTER TABLE agent_sessions ADD COLUMN mood TEXT");
  const Rows schema = rows(kWholeSchema);
  const auto refused = run_agent_migrations(database());
  EXPECT_EQ(code_of(refused), ErrorCode::unsupported);
  EXPECT_NE(refused.error().message.find("version 1000"), std::string::npos);
  EXPECT_NE(refused.error().message.find(path_.string()), std::string::npos);
  EXPECT_EQ(rows(kWholeSchema), schema);
  EXPECT_EQ(one("PRAGMA foreign_keys"), "0");
  EXPECT_EQ(one("SELECT version FROM agent_schema"), "1000");
  EXPECT_TRUE(value_of(has_agent_schema(database())));

  EXPECT_EQ(code_of(open_sqlite_store(path_)), ErrorCode::unsupported);
  EXPECT_EQ(one("PRAGMA journal_mode"), "delete") << "opening must not have touched the file";
}

TEST_F(MigrationsTest, refuse_tables_of_another_program_that_have_our_names) {
  for (const char* tables :
       {"CREATE TABLE agent_sessions (id INTEGER, spy TEXT);"
        "CREATE TABLE agent_messages (id INTEGER); CREATE TABLE agent_tool_calls (id INTEGER)",
        "CREATE TABLE agent_schema (name TEXT)"}) {
    Connection other = connect_plainly(":memory:");
    expect_ok(execute(other.get(), tables));
    const Rows schema = rows_of(other.get(), kWholeSchema);
    EXPECT_EQ(code_of(run_agent_migrations(other.get())), ErrorCode::already_exists);
    EXPECT_EQ(rows_of(other.get(), kWholeSchema), schema);
  }
}

TEST_F(MigrationsTest, upgrade_every_earlier_version_and_keep_every_row) {
  const auto shape_of = [](sqlite3* connection) {
    Rows shape = rows_of(connection,
                         "SELECT m.name, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk "
                         "FROM sqlite_master m JOIN pragma_table_info(m.name) c "
                         "WHERE m.type = 'table' ORDER BY 1, 2");
    for (std::string& index :
         rows_of(connection, "SELECT name, sql FROM sqlite_master WHERE type = 'index'")) {
      shape.push_back(std::move(index));
    }
    std::ranges::sort(shape);
    return shape;
  };
  Connection fresh = connect_plainly(":memory:");
  expect_ok(run_agent_migrations(fresh.get()));
  for (const std::string& tables :
       {tables_of_version_1(), std::string(kTablesOfVersion2), tables_of_version_3(),
        tables_of_version_5(), std::string(kTablesOfVersion8)}) {
    const auto path = folder_ / fmt::format("{}.db", tables.size());
    Connection old = connect_plainly(path);
    expect_ok(execute(old.get(), tables.c_str()));
    expect_ok(execute(old.get(), kVersionedRows));
    expect_ok(run_agent_migrations(old.get()));
    EXPECT_EQ(shape_of(old.get()), shape_of(fresh.get()));
    EXPECT_EQ(rows_of(old.get(), "SELECT version FROM agent_schema"),
              Rows{std::to_string(kAgentSchemaVersion)});
    EXPECT_EQ(rows_of(old.get(),
                      "SELECT id, agent_name, reasoning_tokens, cache_write_tokens, cost_usd, "
                      "config, parent_call_id, forked_from, runner_id, lease_epoch, feedback, "
                      "context FROM agent_sessions"),
              Rows{"5|a|7|0|0.0|{\"limit\":3}|NULL|NULL|NULL|0|NULL|NULL"});
    EXPECT_EQ(rows_of(old.get(), "PRAGMA integrity_check"), Rows{"ok"});
    old.reset();

    auto store = value_of(open_sqlite_store(path));
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(value_of(store->get_messages(5)).front().message,
              (Message{Role::assistant, {ToolCall{"c", "grep", "{}"}}}));
    EXPECT_EQ(value_of(store->get_tool_calls(5)).front().result, std::nullopt);
    const BatchIds opened = value_of(apply_one(*store, OpenWait{5, 9}));
    value_of(store->answer_wait(opened.waits.front(), {true, "ada"}));
    const RunnerId runner = value_of(store->register_runner("r", std::chrono::seconds(60)));
    EXPECT_EQ(value_of(apply_one(*store, ClaimLease{5, runner})).epochs, std::vector{1});
  }
}

// A Wright of the same version that knows nothing of them goes on, and keeps them up to date.
TEST_F(MigrationsTest, add_the_indexes_of_figures_without_a_new_version) {
  expect_ok(run_agent_migrations(database()));
  const Rows schema = rows(kWholeSchema);
  const std::string version = one("SELECT version FROM agent_schema");
  run("DROP INDEX idx_agent_sessions_figures; DROP INDEX idx_agent_sessions_open;"
      "DROP INDEX idx_agent_tool_calls_figures;"
      "INSERT INTO agent_sessions (agent_name, provider, model, user_prompt, status, started_at, "
      "ended_at) VALUES ('a', 'b', 'c', 'd', 'completed', 5, 8);"
      "INSERT INTO agent_tool_calls (session_id, tool_call_id, tool_name, request, status, "
      "created_at, execution_time_ms) VALUES (1, 'x', 'grep', '{}', 'failed', 6, 2)");
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(rows(kWholeSchema), schema);
  EXPECT_EQ(one("SELECT version FROM agent_schema"), version);
  EXPECT_EQ(one("PRAGMA integrity_check"), "ok");
  auto store = value_of(open_sqlite_store(path_));
  const StoreStats stats = value_of(store->get_stats({}));
  ASSERT_EQ(stats.runs.size(), 1U);
  EXPECT_EQ(stats.runs[0].durations_ms, std::vector<std::int64_t>{3});
  ASSERT_EQ(stats.calls.size(), 1U);
  EXPECT_EQ(stats.calls[0].failed, 1);
}

TEST_F(MigrationsTest, from_version_8_keep_turns_of_the_queue_and_what_servers_remember) {
  run(kTablesOfVersion8);
  run("INSERT INTO agent_sessions (agent_name, provider, model, user_prompt, started_at, status, "
      "labels, priority) VALUES ('b', 'p', 'm', 'Go', 1, 'queued', 'gpu', 3);"
      "INSERT INTO agent_queues VALUES ('b', 7);"
      "INSERT INTO agent_records (kind, key, value, due_at) VALUES ('webhook', 'k', 'v', 9)");
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(rows("SELECT agent_name, tenant, labels, priority, status FROM agent_sessions"),
            Rows{"b||gpu|3|queued"});
  EXPECT_EQ(rows("SELECT tenant, agent_name, served FROM agent_lines"), Rows{"|b|7"});
  EXPECT_EQ(rows("SELECT kind, key, value, due_at, version FROM agent_records"),
            Rows{"webhook|k|v|9|1"});
}

TEST_F(MigrationsTest, from_version_5_keep_what_other_programs_put_on_sessions) {
  run(tables_of_version_5().c_str());
  run(kVersionedRows);
  run("INSERT INTO agent_sessions (id, agent_name, provider, model, user_prompt, started_at) "
      "VALUES (40, 'gone', 'p', 'm', 'x', 1);"
      "DELETE FROM agent_sessions WHERE id = 40;"
      "CREATE TABLE audit (entry TEXT);"
      "CREATE INDEX my_index ON agent_sessions (agent_name);"
      "CREATE VIEW my_view AS SELECT user_prompt FROM agent_sessions;"
      "CREATE TRIGGER my_trigger AFTER INSERT ON agent_sessions BEGIN "
      "  INSERT INTO audit VALUES (new.agent_name); END;"
      "CREATE TRIGGER of_messages AFTER INSERT ON agent_messages BEGIN "
      "  INSERT INTO audit VALUES ('message'); END");
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(rows("SELECT * FROM audit"), Rows{}) << "moving rows is not inserting them";
  EXPECT_EQ(rows("SELECT * FROM my_view"), Rows{"hi"});
  EXPECT_EQ(rows("SELECT name FROM sqlite_master WHERE name IN ('my_index', 'my_trigger', "
                 "'of_messages') ORDER BY name"),
            (Rows{"my_index", "my_trigger", "of_messages"}));
  EXPECT_EQ(rows("SELECT name FROM temp.sqlite_master"), Rows{});
  EXPECT_EQ(rows("PRAGMA foreign_key_check"), Rows{});
  run("INSERT INTO agent_sessions (agent_name, provider, model, user_prompt, started_at, status) "
      "VALUES ('a', 'b', 'c', 'd', 1, 'queued')");
  EXPECT_EQ(rows("SELECT * FROM audit"), Rows{"a"});
  EXPECT_EQ(one("SELECT max(id) FROM agent_sessions"), "41") << "40 was given out before";
}

TEST_F(MigrationsTest, from_version_5_find_the_answers_that_nobody_has_taken_up) {
  run(tables_of_version_5().c_str());
  run(kVersionedRows);
  run("UPDATE agent_sessions SET status = 'waiting';"
      "INSERT INTO agent_tool_calls (id, session_id, tool_call_id, tool_name, request, status, "
      "created_at) VALUES (10, 5, 'd', 'ask', '{}', 'waiting', 1);"
      "INSERT INTO agent_waits (id, session_id, call_id, kind, shown, status, created_at, answer) "
      "VALUES (1, 5, 9, 'question', '{}', 'answered', 1, '1'),"
      "       (2, 5, 10, 'question', '{}', 'answered', 1, '1'),"
      "       (3, 5, 10, 'question', '{}', 'open', 1, NULL)");
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(rows("SELECT id, has_news FROM agent_tool_calls"), (Rows{"9|1", "10|0"}));
  auto store = value_of(open_sqlite_store(path_));
  const auto found = value_of(store->list_sessions({.needs_driver = true}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, 5);
  EXPECT_EQ(found[0].worked_ms, std::nullopt);
}

TEST_F(MigrationsTest, refuse_tables_of_another_program_that_have_our_newer_names) {
  for (const std::string& tables : {std::string(), std::string(kUnversionedTables),
                                    tables_of_version_1(), std::string(kTablesOfVersion2)}) {
    for (const std::string table : {"agent_waits", "Agent_Runners", "agent_queues", "Agent_Events",
                                    "agent_records", "Agent_Lines", "agent_paces", "agent_slots"}) {
      Connection other = connect_plainly(":memory:");
      expect_ok(execute(other.get(), (tables + "CREATE TABLE " + table + " (x TEXT)").c_str()));
      const Rows schema = rows_of(other.get(), kWholeSchema);
      const auto refused = run_agent_migrations(other.get());
      EXPECT_EQ(code_of(refused), ErrorCode::already_exists) << table << tables;
      EXPECT_EQ(rows_of(other.get(), kWholeSchema), schema);
    }
  }
}

TEST_F(MigrationsTest, refuse_a_schema_that_has_lost_a_table_or_its_version) {
  expect_ok(run_agent_migrations(database()));
  run("DROP TABLE agent_tool_calls");
  const auto refused = run_agent_migrations(database());
  EXPECT_EQ(code_of(refused), ErrorCode::storage);
  EXPECT_NE(refused.error().message.find("agent_tool_calls"), std::string::npos);
  EXPECT_FALSE(value_of(has_agent_schema(database())));

  for (const std::string table : {"agent_waits", "agent_runners", "agent_queues", "agent_events",
                                  "agent_records", "agent_lines", "agent_paces", "agent_slots"}) {
    Connection newer = connect_plainly(":memory:");
    expect_ok(run_agent_migrations(newer.get()));
    expect_ok(execute(newer.get(), ("DROP TABLE " + table).c_str()));
    const auto missed = run_agent_migrations(newer.get());
    EXPECT_EQ(code_of(missed), ErrorCode::storage);
    EXPECT_NE(missed.error().message.find(table), std::string::npos);
  }

  Connection other = connect_plainly(":memory:");
  expect_ok(run_agent_migrations(other.get()));
  expect_ok(execute(other.get(), "DELETE FROM agent_schema"));
  EXPECT_EQ(code_of(run_agent_migrations(other.get())), ErrorCode::storage);
  expect_ok(execute(other.get(), "DROP TABLE agent_schema; CREATE TABLE agent_schema (x)"));
  EXPECT_EQ(code_of(run_agent_migrations(other.get())), ErrorCode::storage);
}

TEST_F(MigrationsTest, refuse_a_connection_inside_a_transaction_and_leave_it_open) {
  run("CREATE TABLE invoices (id INTEGER)");
  run("BEGIN; INSERT INTO invoices VALUES (1)");
  EXPECT_EQ(code_of(run_agent_migrations(database())), ErrorCode::invalid_argument);
  EXPECT_FALSE(value_of(has_agent_schema(database())));
  EXPECT_EQ(sqlite3_get_autocommit(database()), 0);
  run("COMMIT");
  EXPECT_EQ(one("SELECT count(*) FROM invoices"), "1");
  expect_ok(run_agent_migrations(database()));
}

TEST_F(MigrationsTest, leave_the_busy_handler_and_a_running_query_of_the_program_alone) {
  run("CREATE TABLE invoices (id INTEGER); INSERT INTO invoices VALUES (1), (2), (3)");
  int asked = 0;
  sqlite3_busy_handler(
      database(), [](void* count, int) { return ++*static_cast<int*>(count) < 3 ? 1 : 0; }, &asked);
  Connection other = connect_plainly(path_);
  expect_ok(execute(other.get(), "BEGIN IMMEDIATE"));
  EXPECT_EQ(code_of(run_agent_migrations(database())), ErrorCode::unavailable);
  EXPECT_EQ(asked, 3);
  expect_ok(execute(other.get(), "ROLLBACK"));

  sqlite3_stmt* running = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(database(), "SELECT id FROM invoices", -1, &running, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_step(running), SQLITE_ROW);
  expect_ok(run_agent_migrations(database()));
  EXPECT_EQ(sqlite3_step(running), SQLITE_ROW);
  EXPECT_EQ(sqlite3_step(running), SQLITE_ROW);
  EXPECT_EQ(sqlite3_step(running), SQLITE_DONE);
  sqlite3_finalize(running);
}

TEST_F(MigrationsTest, refuse_no_connection_at_all) {
  EXPECT_EQ(code_of(run_agent_migrations(nullptr)), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(has_agent_schema(nullptr)), ErrorCode::invalid_argument);
}

TEST_F(MigrationsTest, are_not_misled_by_temporary_tables_or_attached_databases) {
  run("CREATE TEMP TABLE agent_sessions (x); ATTACH ':memory:' AS other;"
      "CREATE TABLE other.agent_messages (x)");
  EXPECT_FALSE(value_of(has_agent_schema(database())));
  expect_ok(run_agent_migrations(database()));
  EXPECT_TRUE(value_of(has_agent_schema(database())));
  EXPECT_EQ(rows("SELECT count(*) FROM pragma_table_info('agent_sessions', 'main')"), Rows{"36"});
}

}  // namespace
}  // namespace wright::store
