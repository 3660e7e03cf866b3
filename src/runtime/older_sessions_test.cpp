// Sessions that an earlier version began, in tables as that version made them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/runtime_testing.h"
#include "store/store_testing.h"
#include "store/unversioned_tables_testing.h"
#include "store/versioned_tables_testing.h"

namespace wright::runtime {
namespace {

using testing::agent_with;
using testing::calling;
using testing::open_runtime;
using testing::value_of;

// Ended while it read a file, and while it wrote one.
constexpr const char* kInterrupted = R"sql(
INSERT INTO agent_sessions (id, agent_name, provider, model, user_prompt, started_at)
    VALUES (5, 'reader', 'p', 'm', 'Go', 1700000000000);
INSERT INTO agent_messages (id, session_id, role, content, created_at, parts)
    VALUES (7, 5, 'user', 'Go', 1700000000000, '[{"type":"text","text":"Go"}]'),
           (8, 5, 'assistant', '[Using tools]', 1700000000001,
            '[{"type":"tool_call","id":"c","name":"look","arguments":"{}"},
              {"type":"tool_call","id":"d","name":"change","arguments":"{}"}]');
INSERT INTO agent_tool_calls (id, session_id, message_id, tool_call_id, tool_name, request, status,
                              created_at)
    VALUES (9, 5, 8, 'c', 'look', '{}', 'executing', 1700000000001),
           (10, 5, 8, 'd', 'change', '{}', 'executing', 1700000000001);
)sql";

class OlderSessions : public ::testing::Test {
 protected:
  void create(const std::string& tables, const char* rows) {
    const auto connection = store::connect_plainly(path_);
    store::expect_ok(store::execute(connection.get(), tables.c_str()));
    store::expect_ok(store::execute(connection.get(), rows));
  }

  // Goes on with it. Looking is safe to repeat, changing is not.
  RunResult resume(SessionId id) {
    const auto store = value_of(open_sqlite_store(path_));
    const auto runtime = open_runtime(*store);
    const auto agent =
        agent_with("reader", calling({}),
                   {tool("look", "", [&] { return ++looked_; }, {.effect = Effect::read}),
                    tool("change", "", [&] { return ++changed_; }, {.effect = Effect::write})});
    const auto resumed = runtime->resume(agent, id);
    EXPECT_TRUE(resumed) << (resumed ? "" : resumed.error().message);
    RunResult answer = value_of(runtime->wait(id));
    EXPECT_EQ(value_of(store->get_session(id)).status, SessionStatus::completed);
    return answer;
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "sessions.db";
  int looked_ = 0;
  int changed_ = 0;
};

class VersionedSessions : public OlderSessions, public ::testing::WithParamInterface<int> {
 protected:
  static std::string tables() {
    switch (GetParam()) {
      case 1: return store::tables_of_version_1();
      case 2: return std::string(store::kTablesOfVersion2);
      default: return store::tables_of_version_3();
    }
  }
};

TEST_P(VersionedSessions, go_on_where_they_were_interrupted) {
  create(tables(), kInterrupted);
  EXPECT_EQ(resume(5).text, "1;" + std::string(kOutcomeUnknown) + ";");
  EXPECT_EQ(looked_, 1);
  EXPECT_EQ(changed_, 0);
}

INSTANTIATE_TEST_SUITE_P(Versions, VersionedSessions, ::testing::Values(1, 2, 3));

// Messages did not say which calls they ask for then.
TEST_F(OlderSessions, go_on_from_tables_without_a_version) {
  create(store::kUnversionedTables, R"sql(
INSERT INTO agent_sessions VALUES
    (3, 'reader', 'zai', 'glm-4.6', 'Be brief', 'Where?', 'running', 1700000000, NULL, NULL, NULL);
INSERT INTO agent_messages VALUES
    (11, 3, 'user', 'Where?', 1700000001),
    (12, 3, 'assistant', '[Using tools]', 1700000002);
INSERT INTO agent_tool_calls VALUES
    (21, 3, 12, 'call_1', 'look', '{}', NULL, 'pending', 1700000002, NULL, NULL, NULL);
)sql");
  EXPECT_EQ(resume(3).text, "1;");
  EXPECT_EQ(looked_, 1);
}

// Only what was asked is known of it.
TEST_F(OlderSessions, begin_anew_where_nothing_was_said_yet) {
  create(store::kUnversionedTables, R"sql(
INSERT INTO agent_sessions VALUES
    (3, 'reader', 'zai', 'glm-4.6', NULL, 'Where?', 'running', 1700000000, NULL, NULL, NULL);
)sql");
  EXPECT_EQ(resume(3).text, "");
  EXPECT_EQ(looked_, 0);
}

}  // namespace
}  // namespace wright::runtime
