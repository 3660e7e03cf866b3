// What a client's person approves is what they were shown, all of it, and nothing else.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "mcp/elicitation.h"
#include "mcp_server/host.h"
#include "wright/testing.h"
#include "wright/tools.h"

namespace wright::mcp_server {
namespace {

class McpApprovals : public ::testing::Test {
 protected:
  // Overwrites what is there, when a person has approved that.
  Tool write() {
    return tool("write", "Writes", [this](const Context& context) -> Result<ToolReply> {
      if (auto unless = unless_approved(
              context, "write", {{"diff", "-" + file_ + "\n+new"}, {"padding", padding_}}, {})) {
        return std::move(*unless);
      }
      ++written_;
      file_ = "new";
      return Output{.value = "written"};
    });
  }
  // Has to be approved, and asks its person something then.
  Tool approved_question() {
    return tool("ask", "Asks", [this](const Context& context) -> Result<ToolReply> {
      if (auto unless = unless_approved(context, "ask", {{"diff", "-" + file_}}, {})) {
        return std::move(*unless);
      }
      if (context.answers.answer) return Output{.value = "asked"};
      return Waiting{.shown =
                         encode(AskUserRequest{.questions = {{.id = "who", .question = "Who?"}}})};
    });
  }

  Host& host(std::vector<Result<Response>> turns = {}) {
    auto caller = std::make_shared<Agent>();
    caller->tools = {write(), approved_question()};
    auto worker = std::make_shared<Agent>();
    worker->name = "worker";
    worker->tools = {write()};
    worker->model = testing::ScriptedModel(std::move(turns)).model();
    host_ = std::make_unique<Host>(Offering{.caller = std::move(caller),
                                            .agents = {{.tool = "ask_worker",
                                                        .description = "Works",
                                                        .make = [worker]() -> Result<AgentToRun> {
                                                          return AgentToRun{worker, {}};
                                                        }}},
                                            .store = store_.get(),
                                            .dashboard = [] { return "http://127.0.0.1:7"; }});
    return *host_;
  }

  static mcp::Work call(std::string_view tool,
                        std::string_view capabilities = R"({"elicitation":{}})") {
    auto client = std::make_shared<mcp::ClientView>();
    client->capabilities = parse_json(capabilities).value().as_object();
    return {.id = 1,
            .method = "tools/call",
            .params = {{"name", tool},
                       {"arguments",
                        tool == "ask_worker" ? JsonObject{{"prompt", "Go"}} : JsonObject{}}},
            .client = std::move(client)};
  }
  static JsonObject content(std::string_view json) {
    return {{"action", "accept"}, {"content", parse_json(json).value()}};
  }
  // The call once more, with the answer to what it needs.
  static mcp::Work answered(const mcp::Work& asked, const mcp::NeedsInput& needs,
                            std::string_view json = R"({"decision":"once"})") {
    mcp::Work again = asked;
    again.state = needs.state;
    again.answers[needs.requests.at(0).key] = content(json);
    return again;
  }
  static const mcp::NeedsInput& needed(const mcp::WorkOutcome& outcome) {
    static const mcp::NeedsInput kNothing;
    const auto* needs = std::get_if<mcp::NeedsInput>(&outcome);
    EXPECT_NE(needs, nullptr);
    return needs != nullptr ? *needs : kNothing;
  }
  static std::string shown_in(const mcp::NeedsInput& needs) {
    return needs.requests.empty() ? "" : mcp::text_in(needs.requests.at(0).params, "message");
  }
  static std::string text_in_result(const mcp::WorkOutcome& outcome) {
    const auto* finished = std::get_if<mcp::Finished>(&outcome);
    if (finished == nullptr) return "it has not finished";
    return std::string(finished->result.at("content").at(0).at("text").as_string());
  }

  std::unique_ptr<Store> store_ = open_memory_store();
  std::string file_ = "old";
  std::string padding_;
  int written_ = 0;
  std::unique_ptr<Host> host_;
};

TEST_F(McpApprovals, hold_for_what_was_shown_alone) {
  Host& host = this->host();
  const auto first = host.perform(call("write"), {});
  EXPECT_NE(shown_in(needed(first)).find("-old"), std::string::npos);
  file_ = "what a person wrote meanwhile";
  const mcp::Work approved = answered(call("write"), needed(first));
  const auto second = host.perform(approved, {});
  EXPECT_EQ(written_, 0);
  EXPECT_NE(shown_in(needed(second)).find("no longer what you approved"), std::string::npos);
  EXPECT_NE(shown_in(needed(second)).find("-what a person wrote"), std::string::npos);
  // The first approval, sent with what the second one is about.
  mcp::Work stale = approved;
  stale.state = needed(second).state;
  const auto third = host.perform(stale, {});
  EXPECT_EQ(written_, 0);
  EXPECT_EQ(text_in_result(host.perform(answered(stale, needed(third)), {})), "written");
  EXPECT_EQ(written_, 1);
}

TEST_F(McpApprovals, without_what_was_shown_are_refused) {
  Host& host = this->host();
  const auto needs = needed(host.perform(call("write"), {}));
  mcp::Work alone = answered(call("write"), needs);
  alone.state = {};
  EXPECT_NE(text_in_result(host.perform(alone, {})).find("nothing that was shown"),
            std::string::npos);
  alone.state = {{"call", needs.state.at("call")}};
  EXPECT_NE(text_in_result(host.perform(alone, {})).find("nothing that was shown"),
            std::string::npos);
  EXPECT_EQ(written_, 0);
}

TEST_F(McpApprovals, are_kept_through_a_question_and_looked_at_once_more) {
  Host& host = this->host();
  const auto asked = [&] {
    const auto needs = needed(host.perform(call("ask"), {}));
    return answered(call("ask"), needs);
  };
  mcp::Work approved = asked();
  const auto question = needed(host.perform(approved, {}));
  EXPECT_EQ(shown_in(question), "Who?");
  const mcp::Work told = answered(approved, question, R"({"who":"Ada"})");
  EXPECT_EQ(text_in_result(host.perform(told, {})), "asked");

  approved = asked();
  const auto again = needed(host.perform(approved, {}));
  file_ = "changed";
  EXPECT_NE(shown_in(needed(host.perform(answered(approved, again, R"({"who":"Ada"})"), {})))
                .find("no longer what you approved"),
            std::string::npos);
}

TEST_F(McpApprovals, of_what_no_form_shows_whole_are_not_asked_for) {
  padding_.assign(mcp::kLongestApproval, 'x');
  Host& host = this->host();
  const std::string refused = text_in_result(host.perform(call("write"), {}));
  EXPECT_NE(refused.find("64 KB at most"), std::string::npos) << refused;
  EXPECT_NE(refused.find("was not run"), std::string::npos) << refused;
}

TEST_F(McpApprovals, of_an_agent_wait_in_the_store_where_no_form_shows_them_whole) {
  padding_.assign(mcp::kLongestApproval, 'x');
  Host& host = this->host({testing::calls({testing::call("write", "{}", "1")})});
  const std::string told = text_in_result(host.perform(call("ask_worker"), {}));
  const StoredWait wait = store_->get_waits({}).value().at(0);
  const std::string session = std::to_string(wait.session_id);
  EXPECT_NE(told.find("Session " + session + " waits for a person"), std::string::npos) << told;
  EXPECT_NE(told.find("64 KB at most"), std::string::npos) << told;
  EXPECT_NE(told.find("`wright answer " + session + "` shows all of it"), std::string::npos);
  // A client that approves what its person never saw.
  mcp::Work unasked = call("ask_worker");
  unasked.state = {{"session_id", wait.session_id}};
  unasked.answers["wait_" + std::to_string(wait.id)] = content(R"({"decision":"once"})");
  (void)host.perform(unasked, {});
  EXPECT_EQ(store_->get_wait(wait.id).value().status, WaitStatus::open);
  EXPECT_EQ(written_, 0);
}

TEST_F(McpApprovals, that_are_too_long_are_given_at_the_dashboard) {
  padding_.assign(mcp::kLongestApproval, 'x');
  Host& host =
      this->host({testing::calls({testing::call("write", "{}", "1")}), testing::says("done")});
  const mcp::Work asked = call("ask_worker", R"({"elicitation":{"form":{},"url":{}}})");
  const auto needs = needed(host.perform(asked, {}));
  ASSERT_EQ(needs.requests.size(), 1U);
  EXPECT_EQ(needs.requests[0].params.at("mode"), Json("url"));
  EXPECT_NE(shown_in(needs).find("too long to be shown"), std::string::npos);
  const StoredWait wait = store_->get_waits({}).value().at(0);
  ASSERT_TRUE(answer_wait(*store_, wait.id, to_json(Approval{Decision::once, ""}), "dashboard"));
  mcp::Work agreed = asked;
  agreed.state = needs.state;
  agreed.answers[needs.requests[0].key] = JsonObject{{"action", "accept"}};
  EXPECT_EQ(text_in_result(host.perform(agreed, {})), "done");
  EXPECT_EQ(written_, 1);
}

}  // namespace
}  // namespace wright::mcp_server
