// What a claim reads: what is ready, however much waits for a time, a place or a model. And that
// programs of the version before may claim beside.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "postgres/claim_of_version_10_testing.h"
#include "postgres/errors.h"
#include "postgres/schema.h"
#include "postgres/statements.h"
#include "postgres/cluster_testing.h"
#include "store/store_testing.h"
#include "wright/postgres.h"

namespace wright::postgres {
namespace {

using store::session_named;
using store::value_of;

class PostgresClaims : public ::testing::Test {
 protected:
  // Like what a store would write; the column that programs of today add is left to `more`.
  void queue_many(int count, std::string_view columns, std::string_view values) const {
    run(
        fmt::format("INSERT INTO {}.agent_sessions (agent_name, user_prompt, started_at, status, "
                    "provider, model{}) SELECT 'a', repeat('Do it. ', 50), 1, 'queued', {} "
                    "FROM generate_series(1, {})",
                    schema_, columns, values, count));
  }
  static std::string run(const std::string& sql) { return TestCluster::instance().run(sql); }
  std::size_t claim(std::size_t most) const {
    return value_of(store_->apply_one(Claim{.runner_id = runner_,
                                            .most = most,
                                            .labels = {"here"},
                                            .except_models = {"p:busy"}}))
        .claimed.size();
  }
  // Pages that the claim looks at, as the server counts them.
  int pages_of_claim(std::size_t most) const {
    const Statements statements(schema_);
    const Sql explained("EXPLAIN (ANALYZE, BUFFERS) " + statements[Query::claim].text);
    Values values = values_of(runner_, row_limit(most));
    values.push_back(std::nullopt);
    for (auto& value : values_of(system_clock_ms(), std::optional<std::string>(),
                                 std::optional<std::int64_t>())) {
      values.push_back(std::move(value));
    }
    for (const char* list : {"{here}", "{}", "{p:busy}"}) values.emplace_back(list);
    std::string plan;
    const Request request{&explained, std::move(values), [&](const Row& row) -> Result<void> {
                            plan += row.text(0) + "\n";
                            return {};
                          }};
    Connection connection = Connection::open(TestCluster::instance().url()).value();
    const Outcome outcome = connection.exchange(
        {&request, 1}, std::chrono::steady_clock::now() + kPatience, Preparing::every_time);
    EXPECT_TRUE(outcome.is_done()) << outcome.message;
    // The first line of buffers is that of the whole.
    int pages = 0;
    const std::size_t line = plan.find("Buffers: shared");
    EXPECT_NE(line, std::string::npos) << plan;
    const std::string buffers = plan.substr(line, plan.find('\n', line) - line);
    for (const char* kind : {"hit=", "read="}) {
      const std::size_t at = buffers.find(kind);
      if (at != std::string::npos)
        pages += std::stoi(buffers.substr(at + std::string(kind).size()));
    }
    last_plan_ = plan;
    return pages;
  }

  const std::string schema_ = TestCluster::new_schema();
  const std::unique_ptr<Store> store_ =
      value_of(open_postgres_store(TestCluster::instance().url(), {.schema = schema_}));
  const RunnerId runner_ = value_of(store_->register_runner("worker", std::chrono::minutes(9)));
  mutable std::string last_plan_;
};

TEST_F(PostgresClaims, read_few_pages_however_many_sessions_wait_for_something_else) {
  constexpr int kMany = 10'000;
  const std::int64_t later = system_clock_ms() + 3'600'000;
  queue_many(kMany, ", ready_at, is_delayed", fmt::format("'p', 'm', {}, true", later));
  queue_many(kMany, ", labels", "'p', 'm', 'gpu,here'");
  queue_many(kMany, "", "'p', 'busy'");
  run(fmt::format("ANALYZE {}.agent_sessions", schema_));
  constexpr int kFew = 300;
  EXPECT_LT(pages_of_claim(8), kFew) << "nothing is ready: " << last_plan_;
  queue_many(20, "", "'p', 'm'");
  EXPECT_LT(pages_of_claim(8), kFew) << last_plan_;
  EXPECT_EQ(claim(100), 12U) << "eight were taken by the plan that was looked at";

  // The measure measures.
  run(fmt::format("DROP INDEX {}.idx_agent_sessions_ready", schema_));
  EXPECT_GT(pages_of_claim(8), kFew);
}

// As long as somebody may still want to see them, versions of sessions that are long claimed stay
// in the index before those that wait. A claim passes over them page by page, not row by row.
TEST_F(PostgresClaims, read_pages_and_not_rows_of_what_an_old_snapshot_keeps) {
  constexpr int kMany = 5'000;
  Connection reader = Connection::open(TestCluster::instance().url()).value();
  // As long as the cursor is open, so is what it saw.
  for (const std::string& text :
       {std::string("BEGIN"),
        fmt::format("DECLARE held CURSOR FOR SELECT id FROM {}.agent_sessions", schema_)}) {
    const Sql sql(text);
    const Request request{&sql};
    const Outcome outcome = reader.exchange(
        {&request, 1}, std::chrono::steady_clock::now() + kPatience, Preparing::every_time);
    ASSERT_TRUE(outcome.is_done()) << outcome.message;
  }
  queue_many(kMany, "", "'p', 'm'");
  run(fmt::format("UPDATE {}.agent_sessions SET status = 'running'", schema_));
  run(fmt::format("ANALYZE {}.agent_sessions", schema_));
  queue_many(20, "", "'p', 'm'");
  EXPECT_LT(pages_of_claim(8), kMany / 2) << last_plan_;
  EXPECT_EQ(claim(100), 12U);
}

TEST_F(PostgresClaims, take_what_has_become_due_in_pieces) {
  const std::int64_t past = system_clock_ms() - 1'000;
  queue_many(1'500, ", ready_at, is_delayed", fmt::format("'p', 'm', {}, true", past));
  EXPECT_EQ(claim(5'000), 1'000U);
  EXPECT_EQ(claim(5'000), 500U);
}

// They know no is_delayed: what they queue has none, and what they queue anew keeps what was there.
TEST_F(PostgresClaims, heed_what_programs_of_the_version_before_queue) {
  const std::int64_t now = system_clock_ms();
  queue_many(1, ", ready_at", fmt::format("'p', 'm', {}", now + 3'600'000));
  EXPECT_EQ(claim(9), 0U) << "not yet";
  queue_many(1, ", ready_at", fmt::format("'p', 'm', {}", now - 1));
  queue_many(1, ", is_delayed", "'p', 'm', true");
  EXPECT_EQ(claim(9), 2U);
}

TEST_F(PostgresClaims, of_programs_of_the_version_before_take_no_session_twice) {
  constexpr int kSessions = 300;
  queue_many(kSessions, "", "'p', 'm'");
  std::vector<SessionId> by_old;
  std::vector<SessionId> by_new;
  {
    const std::jthread old([&] {
      const Sql text(in_schema(claim_of_version_10(), schema_));
      Connection connection = Connection::open(TestCluster::instance().url()).value();
      for (int empty = 0; empty < 3;) {
        Values values = values_of(runner_, 3);
        values.push_back(std::nullopt);
        for (auto& value : values_of(system_clock_ms(), std::optional<std::string>(),
                                     std::optional<std::int64_t>())) {
          values.push_back(std::move(value));
        }
        for (int i = 0; i < 3; ++i) values.emplace_back("{}");
        const std::size_t before = by_old.size();
        const Request request{&text, std::move(values), [&](const Row& row) -> Result<void> {
                                by_old.push_back(row.integer(0));
                                return {};
                              }};
        const Outcome outcome = connection.exchange(
            {&request, 1}, std::chrono::steady_clock::now() + kPatience, Preparing::every_time);
        EXPECT_TRUE(outcome.is_done() || is_conflict(outcome)) << outcome.message;
        empty = by_old.size() == before ? empty + 1 : 0;
      }
    });
    const std::jthread today([&] {
      for (int empty = 0; empty < 3;) {
        const auto ids = value_of(store_->apply_one(Claim{.runner_id = runner_, .most = 3}));
        for (const ClaimedSession& each : ids.claimed) by_new.push_back(each.session_id);
        empty = ids.claimed.empty() ? empty + 1 : 0;
      }
    });
  }
  std::set<SessionId> all(by_old.begin(), by_old.end());
  all.insert(by_new.begin(), by_new.end());
  EXPECT_EQ(by_old.size() + by_new.size(), all.size()) << "none twice";
  EXPECT_EQ(all.size() + claim(kSessions), std::size_t{kSessions}) << "none lost";
}

}  // namespace
}  // namespace wright::postgres
