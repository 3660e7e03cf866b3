// Your own driver, in two phases: the agent says what it needs, and this program decides when,
// where and whether that happens. Between two steps the run is a value: here it goes through JSON
// text every time, as it would through a queue, a database or a network.
#include <wright/wright.h>

#include <iostream>

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city"))

// Does what `step` asks for, and returns everything that happened. Nothing at an end.
std::vector<wright::Outcome> perform(const wright::Agent& agent, const wright::Step& step) {
  std::vector<wright::Outcome> outcomes;
  if (const auto* model = std::get_if<wright::CallModel>(&step)) {
    std::cout << "model: " << model->request.messages.size() << " message(s)\n";
    auto response = agent.model.complete(model->request);
    if (response) {
      outcomes.emplace_back(wright::ModelAnswered{std::move(*response)});
    } else {
      outcomes.emplace_back(wright::ModelFailed{response.error()});
    }
  } else if (const auto* tools = std::get_if<wright::CallTools>(&step)) {
    for (const wright::ToolCall& call : tools->calls) {
      std::cout << "tool:  " << call.name << ' ' << call.arguments << '\n';
      auto outcome = wright::execute(agent.tools, agent.interceptors, call, {});
      outcomes.emplace_back(wright::ToolFinished{std::move(outcome.result)});
    }
  }
  return outcomes;
}

wright::Result<wright::Run> through_text(const wright::Run& run) {
  const auto json = wright::parse_json(wright::to_text(to_json(run)));
  if (!json) return std::unexpected(json.error());
  return wright::run_from_json(*json);
}

wright::Result<std::string> answer(const wright::Agent& agent, std::string prompt) {
  wright::Run run = wright::start(agent, std::move(prompt));
  while (true) {
    const wright::Step step = next(agent, run);
    if (const auto* done = std::get_if<wright::Done>(&step)) return done->text;
    if (const auto* failed = std::get_if<wright::Failed>(&step)) {
      return std::unexpected(failed->error);
    }
    if (std::holds_alternative<wright::Wait>(step)) {
      return wright::fail(wright::ErrorCode::unavailable, "Nobody is here to answer");
    }
    for (wright::Outcome& outcome : perform(agent, step)) {
      const auto taken = accept(run, std::move(outcome));
      if (!taken) return std::unexpected(taken.error());
    }
    auto restored = through_text(run);
    if (!restored) return std::unexpected(restored.error());
    run = std::move(*restored);
  }
}

int main() {
  const wright::Agent agent{
      .name = "weather",
      .instructions = "Answer briefly.",
      .model = wright::offline_model(),
      .tools = {wright::tool("weather", "Weather in a city",
                             [](const Place& p) { return "sunny in " + p.city; })}};
  const auto said = answer(agent, "Weather in Oslo?");
  std::cout << "said:  " << (said ? *said : said.error().message) << '\n';
  return said ? 0 : 1;
}
