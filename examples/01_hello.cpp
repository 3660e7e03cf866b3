// The smallest agent: one tool, one question. The offline model needs no key and no network.
#include <wright/wright.h>

#include <iostream>

struct Place {
  std::string city;
};

int main() {
  wright::Agent helper{.instructions = "Answer briefly.",
                       .model = wright::offline_model(),
                       .tools = {wright::tool("weather", "Weather in a city", [](const Place& p) {
                         return "sunny in " + p.city;
                       })}};
  auto answer = wright::run(helper, "Weather in Oslo?");
  std::cout << (answer ? answer->text : answer.error().message) << '\n';
  return answer ? 0 : 1;
}
