// Two phases: the agent detects calls, this program executes them and hands the results back.
#include <wright/wright.h>

#include <iostream>

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city"))

int main() {
  const wright::Agent weather{
      .name = "weather",
      .instructions = "Answer briefly.",
      .model = wright::offline_model(),
      .tools = {wright::tool("weather", "Weather in a city",
                             [](const Place& p) { return "sunny in " + p.city; })}};
  wright::TwoPhaseAgent agent(weather);
  auto response = agent.process("Weather in Oslo?").get();
  while (const auto needs = needs_tools(response)) {
    std::vector<wright::Message> messages = needs->messages;
    for (const wright::ToolCall& call : needs->tool_calls) {
      std::cout << "calls " << call.name << ' ' << call.arguments << '\n';
      auto outcome = wright::execute(weather.tools, weather.interceptors, call, {});
      messages.push_back(wright::Message::tool(std::move(outcome.result)));
    }
    response = agent.process_with_results(std::move(messages)).get();
  }
  if (!response) {
    std::cout << response.error().message << '\n';
    return 1;
  }
  while (auto text = text_of(response)->next()) std::cout << *text;
  std::cout << '\n';
}
