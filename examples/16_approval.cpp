// A call that a person must approve. The run waits, stored, until the answer is there; it may come
// hours later, from another process.
#include <wright/testing.h>
#include <wright/wright.h>

#include <iostream>

struct Transfer {
  std::string to;
  double amount = 0;
};

wright::Result<void> pay() {
  using namespace wright;
  using namespace wright::testing;
  const ScriptedModel script(
      {calls({call("transfer", R"({"to": "Ada", "amount": 40})")}), says("Ada has her 40 euros.")});
  const Agent teller{.name = "teller",
                     .model = script.model(),
                     .tools = {tool("transfer", "Sends money",
                                    [](const Transfer& wanted) {
                                      std::cout << "sent " << wanted.amount << " to " << wanted.to
                                                << '\n';
                                    },
                                    {.needs_approval = true})}};
  const auto store = open_memory_store();
  auto answer = run(*store, teller, "Pay Ada 40 euros");
  if (!answer) return std::unexpected(answer.error());
  for (const PersonWait& wait : answer->waits) {
    std::cout << "May " << wait.call.name << " run with " << wait.call.arguments << "?\n";
    const auto given = answer_wait(*store, wait.wait_id, Approval{Decision::once}, "Grace");
    if (!given) return std::unexpected(given.error());
  }
  answer = resume(*store, teller, answer->session_id);
  if (!answer) return std::unexpected(answer.error());
  std::cout << answer->text << '\n';
  return {};
}

int main() {
  const auto paid = pay();
  if (!paid) std::cerr << paid.error().message << '\n';
  return paid ? 0 : 1;
}
