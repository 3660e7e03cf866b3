// Gathering requirements: the shipped agent asks, a function answers in place of a person, and the
// document comes back as a value. The store in memory holds all that was said.
#include <wright/wright.h>

#include <iostream>

int main() {
  const auto [agent, store] = wright::create_requirements_gathering_agent(
      wright::model("offline"),
      [](const wright::AskUserRequest& request) -> wright::Result<wright::AskUserResponse> {
        wright::AskUserResponse response{.completed = true};
        for (const wright::Question& question : request.questions) {
          std::cout << "? " << question.question << '\n';
          if (question.id == "purpose") response.responses.push_back({"purpose", "sell bread"});
          if (question.id == "actors")
            response.responses.push_back({"actors", "customers, bakers"});
          if (question.id == "data_sources") {
            response.responses.push_back({question.id, wright::JsonArray{"Spreadsheet"}});
          }
          if (question.id == "outcome") response.responses.push_back({"outcome", "order and pay"});
        }
        return response;
      });

  const auto answer = wright::run(agent, "Build me a website", {.store = store.get()});
  if (!answer) {
    std::cerr << answer.error().message << '\n';
    return 1;
  }
  const auto document = wright::requirements_from(answer->text);
  if (!document) return 1;
  std::cout << '\n' << wright::to_markdown(*document);
  std::cout << "\nmessages kept: " << store->get_messages(answer->session_id)->size() << '\n';
}
