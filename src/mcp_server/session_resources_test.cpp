#include "mcp_server/session_resources.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "tools/temporary_folder_testing.h"

namespace wright::mcp_server {
namespace {

JsonObject params(std::string_view text) {
  return parse_json(text).value().as_object();
}
JsonObject finished(const mcp::WorkOutcome& outcome) {
  const auto* done = std::get_if<mcp::Finished>(&outcome);
  EXPECT_NE(done, nullptr);
  return done != nullptr ? done->result : JsonObject();
}

class McpSessionResources : public ::testing::Test {
 protected:
  void begin(int sessions) {
    for (int i = 0; i < sessions; ++i) {
      ASSERT_TRUE(store_->create_session({.agent_name = "a", .user_prompt = "p"}));
    }
  }
  std::vector<std::string> ids_for(std::string_view typed) {
    const JsonObject completed =
        finished(complete(*store_, agents_,
                          params(R"({"ref":{"type":"ref/resource","uri":"wright://sessions/{id}"},
                   "argument":{"name":"id","value":")" +
                                 std::string(typed) + R"("}})")));
    const Json& completion = completed.at("completion");
    has_more_ = completion.at("hasMore").as_bool();
    std::vector<std::string> ids;
    for (const Json& each : completion.at("values").as_array()) ids.emplace_back(each.as_string());
    return ids;
  }
  std::int64_t problem_with(std::string_view text) {
    const auto outcome = complete(*store_, agents_, params(text));
    const auto* problem = std::get_if<mcp::Problem>(&outcome);
    return problem != nullptr ? problem->code : 0;
  }

  const std::vector<OfferedAgent> agents_{{.tool = "ask_worker"}};
  std::unique_ptr<Store> store_ = open_memory_store();
  bool has_more_ = false;
};

using Ids = std::vector<std::string>;

TEST_F(McpSessionResources, are_completed_by_what_their_numbers_begin_with) {
  begin(131);
  EXPECT_EQ(ids_for("12"),
            (Ids{"129", "128", "127", "126", "125", "124", "123", "122", "121", "120", "12"}));
  EXPECT_FALSE(has_more_);
  EXPECT_EQ(ids_for("131"), Ids{"131"});
  EXPECT_EQ(ids_for("132"), Ids{});
  for (const std::string_view none : {"0", "x", "-1", "1x", "99999999999999999999999"}) {
    EXPECT_EQ(ids_for(none), Ids{}) << none;
  }
  EXPECT_EQ(ids_for("").size(), 100U);
  EXPECT_TRUE(has_more_);
  EXPECT_EQ(ids_for("").front(), "131");
}

TEST_F(McpSessionResources, are_not_what_completes_something_else) {
  begin(3);
  const JsonObject of_prompt = finished(complete(
      *store_, agents_,
      params(R"({"ref":{"type":"ref/prompt","name":"ask_worker"},"argument":{"name":"task"}})")));
  EXPECT_TRUE(of_prompt.at("completion").at("values").as_array().empty());
  for (const std::string_view unknown :
       {R"({"ref":{"type":"ref/prompt","name":"nobody"},"argument":{"name":"task"}})",
        R"({"ref":{"type":"ref/resource","uri":"file:///{id}"},"argument":{"name":"id"}})",
        R"({"ref":{"type":"ref/resource","uri":"wright://sessions/{id}"},"argument":{"name":"x"}})",
        R"({"ref":{"type":"ref/thing"}})", R"({})"}) {
    EXPECT_EQ(problem_with(unknown), mcp::code::kInvalidParams) << unknown;
  }
}

TEST_F(McpSessionResources, say_which_tools_ran_with_what) {
  begin(1);
  ASSERT_TRUE(store_->apply_one(
      AppendMessage{.session_id = 1,
                    .message = {Role::assistant, {ToolCall{"c", "grep", R"({"pattern":"x"})"}}},
                    .is_told = true}));
  const std::string text(finished(read_session(*store_, {{"uri", "wright://sessions/1"}}))
                             .at("contents")
                             .at(0)
                             .at("text")
                             .as_string());
  EXPECT_NE(text.find(R"(- grep {"pattern":"x"})"), std::string::npos) << text;
}

TEST_F(McpSessionResources, are_listed_beside_one_that_cannot_be_read) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "store.db").string();
  store_ = open_sqlite_store(path).value();
  begin(2);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "UPDATE agent_sessions SET config = '{broken' WHERE id = 1",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(finished(list_sessions(*store_, {})).at("resources").as_array().size(), 2U);
  EXPECT_EQ(ids_for(""), (Ids{"2", "1"}));
  EXPECT_TRUE(std::holds_alternative<mcp::Problem>(
      read_session(*store_, {{"uri", "wright://sessions/1"}})));
}

}  // namespace
}  // namespace wright::mcp_server
