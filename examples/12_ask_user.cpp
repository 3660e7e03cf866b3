// The agent that gathers requirements asks a person with ask_user. The run waits, stored, until the
// answers are there, and ends with a document that a program can read.
#include <wright/testing.h>
#include <wright/wright.h>

#include <iostream>

// What a model would say: first its questions, then the document.
wright::testing::ScriptedModel script() {
  using namespace wright;
  using namespace wright::testing;
  const AskUserRequest request{.questions = {{.id = "when", .question = "When shall it run?"},
                                             {.id = "target",
                                              .question = "Where do the summaries go?",
                                              .type = QuestionType::select,
                                              .options = {{"e-mail", "a spreadsheet"}}}},
                               .prompt = "Two things are not clear yet."};
  const RequirementsDocument document{
      .goal = "Summarise the support mail every morning",
      .data_sources = {{.type = "e-mail", .name = "support", .use = "read"},
                       {.type = "spreadsheet", .name = "", .use = "written"}},
      .steps = {"Read the mail of the day before", "Write one row a thread"}};
  return ScriptedModel({calls({call("ask_user", to_text(encode(request)))},
                              "I need to gather some information about your requirements."),
                        says(to_answer(document))});
}

wright::Result<void> gather() {
  using namespace wright;
  const auto scripted = script();
  const Agent agent = requirements_gathering_agent(scripted.model());
  const auto store = open_memory_store();
  auto answer = run(*store, agent, "Summarise our support mail");
  if (!answer) return std::unexpected(answer.error());
  for (const PersonWait& wait : answer->waits) {
    for (const Json& question : wait.shown.at("questions").as_array()) {
      std::cout << question.at("id").as_string().c_str() << ": "
                << question.at("question").as_string().c_str() << '\n';
    }
    const Json answers{{"when", "every morning at 7"}, {"target", "a spreadsheet"}};
    const auto answered = answer_wait(*store, wait.wait_id, answers, "Ada");
    if (!answered) return std::unexpected(answered.error());
  }
  answer = resume(*store, agent, answer->session_id);
  if (!answer) return std::unexpected(answer.error());
  const auto document = requirements_from(answer->text);
  if (!document) return std::unexpected(document.error());
  std::cout << document->goal << '\n';
  for (const std::string& step : document->steps) std::cout << "- " << step << '\n';
  const auto messages = store->get_messages(answer->session_id);
  if (!messages) return std::unexpected(messages.error());
  for (const StoredMessage& stored : *messages) {
    if (stored.message.role == Role::tool) std::cout << stored.content << '\n';
  }
  return {};
}

int main() {
  const auto gathered = gather();
  if (!gathered) std::cerr << gathered.error().message << '\n';
  return gathered ? 0 : 1;
}
