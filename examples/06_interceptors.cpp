// Interceptors wrap every call of a tool: the shipped conveniences (checking, logging, metadata),
// and hooks of one's own. The tool itself knows nothing of them.
#include <wright/wright.h>

#include <iostream>

// Any callable is a tool. This one came with a JSON schema instead of a struct.
wright::Result<wright::Json> convert(const wright::Json& arguments, const wright::Context&) {
  const double celsius = arguments.at("celsius").to_number<double>();
  return wright::JsonObject{{"fahrenheit", celsius * 9 / 5 + 32}};
}

int main() {
  auto converter =
      wright::tool({.name = "convert",
                    .description = "Celsius to Fahrenheit",
                    .parameters = *wright::parse_json(R"({"type": "object", "required": ["celsius"],
                        "properties": {"celsius": {"type": "number", "minimum": -273.15}}})"),
                    .options = {.effect = wright::Effect::read}},
                   convert);
  if (!converter) {
    std::cerr << converter.error().message << '\n';
    return 1;
  }

  // Lines without their times, which differ from run to run; and without durations.
  const wright::Logger logger(
      [](const wright::LogRecord& record) {
        std::cout << "log    " << record.message.substr(0, record.message.find(" (")) << '\n';
      },
      wright::LogLevel::debug);

  wright::Agent agent{.name = "weather", .tools = {converter->as("to_fahrenheit")}};
  wright::add_conveniences(agent, {}, logger);
  agent.interceptors.push_back(
      wright::intercept::before([](const wright::Invocation& call, const wright::Context&) {
        if (call.unusable != nullptr) return;
        std::cout << "hook   arguments are " << wright::to_text(call.arguments) << '\n';
      }));

  const auto call = [&](std::string arguments) {
    const auto outcome = wright::execute(agent, {"call_1", "to_fahrenheit", std::move(arguments)},
                                         {.agent_name = agent.name});
    if (outcome.result.is_error) {
      std::cout << "error  " << outcome.error_message() << "\n\n";
      return;
    }
    const wright::Json& stamp = outcome.response.at("_execution_metadata");
    std::cout << "result " << wright::to_text(outcome.response.at("fahrenheit")) << ", by "
              << wright::to_text(stamp.at("tool_name")) << " for "
              << wright::to_text(stamp.at("agent_name")) << "\n\n";
  };
  call(R"({"celsius": 20})");
  call(R"({"celsius": "warm"})");
  call(R"({"celsius": -300})");
}
