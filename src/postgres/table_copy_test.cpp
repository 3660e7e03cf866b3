#include "postgres/table_copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "postgres/cluster_testing.h"
#include "store/store_testing.h"
#include "wright/postgres.h"

namespace wright::postgres {
namespace {

// Two sessions with a wait and events each, of which the second is gone.
void fill(Store& store) {
  for (int i = 0; i < 2; ++i) {
    const auto made = store.create_session_with(
        {.agent_name = "a", .user_prompt = "Go"},
        std::vector<Write>{
            AppendMessage{.message = {Role::assistant, {ToolCall{"c", "bash", "{}"}}}},
            AppendEvents{.events = {{"one"}, {"two"}}}});
    ASSERT_TRUE(made) << made.error().message;
    const CallId call = made->second.calls.at(0);
    ASSERT_TRUE(store.apply(std::vector<Write>{
        UpdateCall{.call_id = call, .status = CallStatus::waiting},
        OpenWait{.session_id = made->first, .call_id = call, .kind = WaitKind::approval}}));
  }
  ASSERT_TRUE(store.delete_session(2));
}

// Nobody answers a wait of another session because its number is used again.
void expect_new_numbers(Store& store) {
  const auto made = store.create_session_with(
      {.agent_name = "a", .user_prompt = "Go"},
      std::vector<Write>{AppendMessage{.message = {Role::assistant, {ToolCall{"c", "bash", "{}"}}}},
                         AppendEvents{.events = {{"three"}}}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->first, 3);
  EXPECT_EQ(made->second.messages, (std::vector<MessageId>{3}));
  EXPECT_EQ(made->second.events, (std::vector<EventSequence>{5}));
  const CallId call = made->second.calls.at(0);
  EXPECT_EQ(call, 3);
  const auto waiting = store.apply(std::vector<Write>{
      UpdateCall{.call_id = call, .status = CallStatus::waiting},
      OpenWait{.session_id = made->first, .call_id = call, .kind = WaitKind::approval}});
  ASSERT_TRUE(waiting) << waiting.error().message;
  EXPECT_EQ(waiting->waits, (std::vector<WaitId>{3}));
}

// The process is killed at the n-th write to the target.
class KilledTables final : public TableStore {
 public:
  KilledTables(TableStore& inner, int writes) : inner_(inner), left_(writes) {}

  Result<std::vector<CopiedRow>> read(const CopiedTable& table,
                                      const std::optional<std::string>& after,
                                      std::size_t most) override {
    return inner_.read(table, after, most);
  }
  Result<void> write(const CopiedTable& table, const std::vector<CopiedRow>& rows) override {
    if (left_-- == 0) return fail(ErrorCode::storage, "Killed");
    return inner_.write(table, rows);
  }
  Result<std::optional<std::string>> last_key(const CopiedTable& table) override {
    return inner_.last_key(table);
  }
  Result<std::int64_t> last_number(const CopiedTable& table) override {
    return inner_.last_number(table);
  }
  Result<void> go_on_behind(const CopiedTable& table, std::int64_t number) override {
    return inner_.go_on_behind(table, number);
  }
  Result<void> mark(store::CopyState state) override { return inner_.mark(state); }

 private:
  TableStore& inner_;
  int left_;
};

// Whoever drove a session there would drive one that the source has as well.
TEST(TableCopy, is_opened_by_nobody_before_it_is_finished) {
  const TemporaryFolder folder;
  const auto source = folder / "a.db";
  fill(*open_sqlite_store(source).value());
  const auto from = open_sqlite_tables(source).value();
  const std::string url = TestCluster::instance().url();
  for (const int writes : {0, 1, 3}) {
    const auto file = folder / ("b" + std::to_string(writes));
    const std::string schema = TestCluster::new_schema();
    (void)open_sqlite_store(file).value();
    (void)open_postgres_store(url, {.schema = schema}).value();
    EXPECT_EQ(is_unfinished_sqlite(file), false);
    EXPECT_EQ(is_unfinished_postgres(url, schema), false);
    const auto copy = [&](bool is_killed) {
      for (const auto& to :
           {open_sqlite_tables(file).value(), open_postgres_tables(url, schema).value()}) {
        KilledTables killed(*to, is_killed ? writes : -1);
        EXPECT_EQ(copy_tables(*from, killed, {}).has_value(), !is_killed);
      }
    };
    copy(true);
    EXPECT_EQ(is_unfinished_sqlite(file), true);
    EXPECT_EQ(is_unfinished_postgres(url, schema), true);
    const auto expect_refused = [](const Result<std::unique_ptr<Store>>& opened) {
      ASSERT_FALSE(opened);
      EXPECT_TRUE(opened.error().message.contains("`wright migrate` again"))
          << opened.error().message;
    };
    expect_refused(open_sqlite_store(file));
    expect_refused(open_postgres_store(url, {.schema = schema}));
    copy(false);
    EXPECT_EQ(open_sqlite_store(file).value()->list_sessions({}).value().size(), 1U);
    EXPECT_EQ(
        open_postgres_store(url, {.schema = schema}).value()->list_sessions({}).value().size(), 1U);
  }
}

// It is another store, and goes on being one.
TEST(TableCopy, leaves_a_store_with_something_else_as_it_was) {
  const TemporaryFolder folder;
  fill(*open_sqlite_store(folder / "a.db").value());
  (void)open_sqlite_store(folder / "b.db")
      .value()
      ->create_session({.agent_name = "b", .user_prompt = "Else"})
      .value();
  {
    const auto from = open_sqlite_tables(folder / "a.db").value();
    const auto to = open_sqlite_tables(folder / "b.db").value();
    EXPECT_FALSE(copy_tables(*from, *to, {}));
  }
  EXPECT_TRUE(open_sqlite_store(folder / "b.db"));
}

TEST(TableCopy, knows_a_database_under_another_name) {
  const std::string url = TestCluster::instance().url();
  const std::string named = url + (url.contains('?') ? "&" : "?") + "application_name=other";
  EXPECT_EQ(is_same_postgres(url, named), true);
}

TEST(TableCopy, gives_no_number_again_that_was_given_before) {
  const TemporaryFolder folder;
  const auto path = [&](const char* file) { return folder / file; };
  const std::string url = TestCluster::instance().url();
  const std::string schema = TestCluster::new_schema();
  fill(*open_sqlite_store(path("a.db")).value());
  (void)open_sqlite_store(path("b.db")).value();
  (void)open_sqlite_store(path("c.db")).value();
  (void)open_postgres_store(url, {.schema = schema}).value();
  {
    const auto a = open_sqlite_tables(path("a.db")).value();
    const auto b = open_sqlite_tables(path("b.db")).value();
    const auto c = open_sqlite_tables(path("c.db")).value();
    const auto there = open_postgres_tables(url, schema).value();
    for (const auto& [from, to] :
         {std::pair(&a, &b), std::pair(&b, &there), std::pair(&there, &c)}) {
      const auto copied = copy_tables(**from, **to, {});
      ASSERT_TRUE(copied) << copied.error().message;
    }
  }
  expect_new_numbers(*open_sqlite_store(path("b.db")).value());
  expect_new_numbers(*open_postgres_store(url, {.schema = schema}).value());
  expect_new_numbers(*open_sqlite_store(path("c.db")).value());
}

}  // namespace
}  // namespace wright::postgres
