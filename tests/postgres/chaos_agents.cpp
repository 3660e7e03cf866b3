#include "postgres/chaos_agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "wright/testing.h"

namespace wright::faults {
namespace {

using testing::call;
using testing::calls;
using testing::says;

// Answers by the number of answers that it has given before.
Model following(std::vector<Response> turns) {
  return model_from(
      "office", "scripted",
      [turns = std::move(turns)](const Request& request, const ModelCall&) -> Result<Response> {
        const auto answered = static_cast<std::size_t>(std::ranges::count_if(
            request.messages,
            [](const Message& message) { return message.role == Role::assistant; }));
        if (answered >= turns.size()) {
          return fail(ErrorCode::internal, "The script is at its end");
        }
        return turns[answered];
      });
}

// Also in the middle of it, a process may end.
Tool paying(const Ledger& ledger) {
  return tool("pay", "",
              [ledger](const Json&, const Context& context) -> Result<Json> {
                const std::string key(context.idempotency_key);
                ledger.add(fmt::format("pay begins {}", key));
                ledger.add(fmt::format("pay did {}", key));
                return Json(fmt::format("pay {}", key));
              },
              {.effect = Effect::write});
}

Tool asking_somebody() {
  return tool("ask", "",
              [](const Context& context) -> ToolReply {
                if (context.answers.answer) return Output{.value = *context.answers.answer};
                return Waiting{.kind = WaitKind::result, .shown = {{"question", "May I?"}}};
              },
              {.effect = Effect::read});
}

Tool lasting_until_stopped() {
  return tool("last", "",
              [](const Context& context) {
                std::mutex mutex;
                std::condition_variable_any stopped;
                std::unique_lock lock(mutex);
                stopped.wait(lock, context.stop, [] { return false; });
              },
              {.effect = Effect::read});
}

}  // namespace

Agents make_agents(const Ledger& ledger, Moments& moments) {
  const auto agent = [](std::string name, std::vector<Response> turns, std::vector<Tool> tools) {
    return std::make_shared<const Agent>(Agent{
        .name = std::move(name), .model = following(std::move(turns)), .tools = std::move(tools)});
  };
  return {{kChief, make_chief(ledger, moments)},
          {kAsker, agent(kAsker,
                         {calls({call("pay", "{}", "pay1"), call("ask", "{}", "ask1")}),
                          calls({call("pay", R"({"again":1})", "pay2")}), says("Asked and paid")},
                         {paying(ledger), asking_somebody()})},
          {kDoomed, agent(kDoomed,
                          {calls({call("pay", "{}", "pay1")}), calls({call("last", "{}", "last1")}),
                           says("Nobody has cancelled it")},
                          {paying(ledger), lasting_until_stopped()})}};
}

}  // namespace wright::faults
