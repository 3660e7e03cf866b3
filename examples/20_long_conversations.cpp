// Conversations that are longer than the model's window. How they are fitted is a policy of the
// agent, and every driver does as it says. Here the policy is our own, another model writes the
// summaries by a question of ours, and this program is the driver.
#include <wright/wright.h>

#include <iostream>

// A model that says one thing, for a program that needs no network.
wright::Model saying(std::string name, std::string words) {
  return wright::model_from("example", std::move(name),
                            [words](const wright::Request&,
                                    const wright::ModelCall&) -> wright::Result<wright::Response> {
                              wright::Response response;
                              response.content.emplace_back(wright::Text{words});
                              return response;
                            });
}

// The last four messages stay as they are; what is before them is summed up in one go, when there
// are more than ten. Most programs change less: they call wright::fit_context(), the policy of
// those who have none of their own, and change what it says.
wright::ContextFit keep_last_four(std::span<const wright::Message> messages,
                                  const wright::ContextCut& cut, const wright::ContextWindow&,
                                  const wright::MeasuredRequest&) {
  wright::ContextFit fit{.cut = cut};
  if (messages.size() > cut.summarised + 10) fit.summarise = messages.size() - 4;
  return fit;
}

int main() {
  const wright::Agent agent{
      .name = "host",
      .instructions = "Be polite.",
      .model = saying("host", "Welcome!"),
      .context = {.fit = keep_last_four,
                  .summary_model = saying("clerk", "Guests came and were welcomed."),
                  .summary_prompt = "Who came? One line."}};

  wright::ContextFitting fitting;  // fitting.to_json() is to be kept by those who store the run
  wright::Run run = wright::start(agent, "Guest 1 is here");
  for (int guest = 1; guest <= 8; ++guest) {
    if (guest > 1) {
      const auto said = wright::accept(
          run,
          wright::UserSaid{wright::Message::user("Guest " + std::to_string(guest) + " is here")});
      if (!said) return 1;
    }
    while (true) {
      const wright::Step step = fitting.next(agent, run);  // in place of next(agent, run)
      const auto* call = std::get_if<wright::CallModel>(&step);
      if (call == nullptr) break;
      const wright::Model& model = fitting.model(agent);
      std::cout << model.name() << " reads " << call->request.messages.size() << " message(s)\n";
      // In place of accept(): it takes summaries as well, and sends less when a model refuses.
      if (!fitting.accept(agent, run, model.complete(call->request))) return 1;
    }
  }
  std::cout << run.messages.size() << " messages in the run; the summary:\n"
            << fitting.cut().summary;
}
