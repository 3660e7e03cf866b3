// A refund that a person must approve: two typed tools, a run that waits in a file, an answer that
// comes later. The pages on migrating show the same program in other frameworks.
#include <wright/testing.h>
#include <wright/wright.h>

#include <iostream>

using namespace wright;

struct Order {
  int number = 0;
};
struct Refund {
  int number = 0;
  double amount = 0;
};

std::string find_order(const Order& order) {
  return "Order " + std::to_string(order.number) + ": a lamp, 40 euros, broken on arrival";
}

std::string refund(const Refund& wanted) {
  std::cout << "paid back " << wanted.amount << " for order " << wanted.number << '\n';
  return "paid";
}

// What model("openai:gpt-5-mini") might say; a script needs no key.
Model clerk() {
  using namespace wright::testing;
  return ScriptedModel({calls({call("find_order", R"({"number": 7})")}),
                        calls({call("refund", R"({"number": 7, "amount": 40})")}),
                        says("Your 40 euros are on their way.")})
      .model();
}

Result<void> serve(const std::filesystem::path& database) {
  const Agent desk{
      .name = "desk",
      .instructions = "You handle refunds. Look at the order first.",
      .model = clerk(),
      .tools = {tool("find_order", "What was ordered", find_order, {.effect = Effect::read}),
                tool("refund", "Pays money back", refund, {.needs_approval = true})}};
  const auto store = open_sqlite_store(database);
  if (!store) return std::unexpected(store.error());

  auto answer = run(**store, desk, "The lamp of order 7 came broken.");
  while (answer && answer->status == RunResult::Status::waiting) {
    for (const PersonWait& wait : answer->waits) {
      std::cout << wait.call.name << ' ' << wait.call.arguments << "? yes\n";
      const auto given = answer_wait(**store, wait.wait_id, Approval{Decision::once}, "Grace");
      if (!given) return std::unexpected(given.error());
    }
    answer = resume(**store, desk, answer->session_id);
  }
  if (!answer) return std::unexpected(answer.error());
  std::cout << answer->text << '\n';
  return {};
}

int main(int argc, char** argv) {
  const auto served = serve(argc > 1 ? argv[1] : ":memory:");
  if (!served) std::cerr << served.error().message << '\n';
  return served ? 0 : 1;
}
