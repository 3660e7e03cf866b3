// The program of docs/design.md, word for word, with the line that describes Place.
#include <wright/wright.h>

#include <iostream>

struct Place { std::string city; };
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city"))

int main() {
  wright::Agent helper{
      .instructions = "Answer briefly.",
      .model = wright::model("openai:gpt-5-mini"),
      .tools = {wright::tool("weather", "Weather in a city",
                             [](const Place& p) { return "sunny in " + p.city; })}};
  auto answer = wright::run(helper, "Weather in Oslo?");
  std::cout << (answer ? answer->text : answer.error().message) << '\n';
}
