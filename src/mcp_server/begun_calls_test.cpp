// Tools that ask a client's person in the middle of what they do.
#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include "mcp_server/host.h"
#include "wright/agent.h"

namespace wright::mcp_server {
namespace {

enum class Client : std::uint8_t { asks_its_person, cannot_ask };

// Has paid by the time when it asks. `ends`: when it is told that nobody answers.
class McpBegunCalls : public ::testing::Test {
 protected:
  void perform(Client client, bool ends) {
    auto caller = std::make_shared<Agent>();
    caller->name = "calls";
    caller->tools = {tool("pay", "Pays", [ends](const Context& context) -> ToolReply {
      if (ends && context.answers.answer) return Output{.value = "paid, unconfirmed"};
      return Waiting{
          .shown = encode(AskUserRequest{.questions = {{.id = "a", .question = "Well?"}}}),
          .state = {{"has_begun", true}}};
    })};
    Host host(Offering{.caller = std::move(caller), .store = store_.get()});
    auto view = std::make_shared<mcp::ClientView>();
    if (client == Client::asks_its_person) view->capabilities["elicitation"] = JsonObject{};
    mcp::Work work{.id = 1, .method = "tools/call", .params = {{"name", "pay"}}, .client = view};
    const mcp::WorkOutcome outcome = host.perform(work, {});
    const auto* needs = std::get_if<mcp::NeedsInput>(&outcome);
    ASSERT_EQ(needs != nullptr, client == Client::asks_its_person);
    if (needs == nullptr) return;
    work.state = needs->state;
    work.answers[needs->requests.at(0).key] = JsonObject{{"action", "decline"}};
    host.perform(work, {});
  }
  StoredCall row() {
    return store_->get_tool_calls(store_->list_sessions({}).value().at(0).id).value().at(0);
  }

  std::unique_ptr<Store> store_ = open_memory_store();
};

// A record that says `failed` would say that nothing was paid.
TEST_F(McpBegunCalls, end_as_the_tool_says_where_the_client_cannot_ask) {
  perform(Client::cannot_ask, true);
  EXPECT_EQ(row().status, CallStatus::completed);
  EXPECT_EQ(row().response, Json("paid, unconfirmed"));
}

TEST_F(McpBegunCalls, end_as_the_tool_says_when_the_person_declines) {
  perform(Client::asks_its_person, true);
  EXPECT_EQ(row().status, CallStatus::completed);
  EXPECT_EQ(row().response, Json("paid, unconfirmed"));
}

TEST_F(McpBegunCalls, that_ask_without_end_have_an_outcome_that_is_not_known) {
  perform(Client::cannot_ask, false);
  EXPECT_EQ(row().status, CallStatus::unknown);
}

}  // namespace
}  // namespace wright::mcp_server
