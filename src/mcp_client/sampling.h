// Servers that ask the agent's model something (sampling/createMessage), after a person has agreed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>

#include "mcp/json_rpc.h"
#include "wright/agent.h"

namespace wright::mcp_client {

inline constexpr std::string_view kSample = "sampling/createMessage";

// What a person is asked before: a form as of elicitation/create. Refuses what is no request of
// texts: pictures and tools are not promised to servers.
Result<JsonObject> consent_form(const JsonObject& params);
// Whether they agreed, by the result of that form.
bool is_consent(const JsonObject& form_result);

// The models of agents, for calls of theirs. From any thread.
class SamplingModels {
 public:
  void set(const std::string& agent, Model model, const Limits& limits);

  // Asks the model of the agent whose call it is, and blocks. What that uses is within the
  // session's budget, and counts for it (Context::budget); where a call has none, within the
  // agent's limits.
  Result<JsonObject> answer(const JsonObject& params, const Context& context);

 private:
  std::shared_ptr<CallBudget> budget_of(std::int64_t session, const Limits& limits);
  Result<std::shared_ptr<void>> wait_for_turn(const std::shared_ptr<CallBudget>& budget,
                                              const std::stop_token& stop);

  struct Asked {
    Model model = {};
    Limits limits = {};
  };
  std::mutex mutex_;
  std::map<std::string, Asked, std::less<>> models_;  // by agent
  // Of calls that no session drives, by session.
  std::map<std::int64_t, std::shared_ptr<CallBudget>> alone_;
  std::set<const CallBudget*> in_use_;  // of questions that are under way
  std::condition_variable_any is_free_;
};

}  // namespace wright::mcp_client
