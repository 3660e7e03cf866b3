// An editor with a specialist, driven by a runtime: the specialist asks a person, and the whole
// tree waits, stored, until somebody has answered.
#include <wright/testing.h>
#include <wright/wright.h>

#include <iostream>

int main() {
  using namespace wright;
  using namespace wright::testing;
  const Tool ask_colour =
      tool("ask_colour", "Asks which colour", [](const Context& context) -> ToolReply {
        if (context.answers.answer) return Output{.value = *context.answers.answer};
        return Waiting{.kind = WaitKind::result, .shown = {{"question", "Which colour?"}}};
      });
  const ScriptedModel painter_script({calls({call("ask_colour")}), says("A blue house.")});
  const Agent painter{.name = "painter",
                      .description = "Describes pictures",
                      .model = painter_script.model(),
                      .tools = {ask_colour}};
  const ScriptedModel editor_script({calls({call("painter", R"({"message": "Describe a house"})")}),
                                     says("The painter says: a blue house.")});
  const auto editor = std::make_shared<const Agent>(
      Agent{.name = "editor", .model = editor_script.model(), .tools = {delegate_to(painter)}});

  const auto store = open_memory_store();
  const auto runtime = Runtime::open({.store = store.get()});
  if (!runtime) return 1;
  const auto id = (*runtime)->start(editor, "A picture of a house, please");
  if (!id) return 1;
  const auto waiting = (*runtime)->wait(*id);
  if (!waiting || waiting->status != RunResult::Status::waiting) return 1;
  for (const PersonWait& wait : waiting->waits) {
    std::cout << "session " << wait.session_id << " asks: " << to_text(wait.shown) << '\n';
    const auto answered = (*runtime)->answer(wait.wait_id, Json("blue"), "Ada");
    if (!answered) return 1;
  }
  const auto answer = (*runtime)->wait(*id);
  std::cout << (answer ? answer->text : answer.error().message) << '\n';
  const auto sessions = store->list_sessions({});
  if (!sessions) return 1;
  for (const Session& session : *sessions) {
    std::cout << session.agent_name << ": " << to_string(session.status) << '\n';
  }
}
