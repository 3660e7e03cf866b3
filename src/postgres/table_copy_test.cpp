#include "postgres/table_copy.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <utility>

#include "postgres/cluster_testing.h"
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

TEST(TableCopy, gives_no_number_again_that_was_given_before) {
  char name[] = "/tmp/wright-copy-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(name);
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
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace wright::postgres
