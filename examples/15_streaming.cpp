// Text as the model speaks it: one line. An observer is told everything else.
#include <wright/wright.h>

#include <iostream>

int main() {
  const wright::Agent helper{
      .model = wright::offline_model(),
      .tools = {wright::tool("time", "What time it is", [] { return "ten past nine"; })}};
  const auto answer =
      wright::run(helper, "What time is it?",
                  {.observer =
                       [](const wright::Event& event) {
                         if (const auto* call = std::get_if<wright::ToolStarted>(&event)) {
                           std::cout << "\n[" << call->call.name << "]\n";
                         }
                       },
                   .on_text = [](std::string_view text) { std::cout << text << std::flush; }});
  std::cout << '\n';
  if (!answer) std::cerr << answer.error().message << '\n';
  return answer ? 0 : 1;
}
