// The protocols of the vendors without a network: what would be sent, and what an answer that comes
// in pieces means. Bring your own transport, or let wright::Models do it all.
#include <wright/provider.h>
#include <wright/wright.h>

#include <iostream>

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city"))

int main() {
  const auto endpoint = wright::Catalogue::built_in().find("mistral:mistral-small-latest");
  if (!endpoint) return 1;

  const std::vector<wright::Message> messages{wright::Message::user("Weather in Oslo?")};
  const std::vector<wright::Tool> tools{wright::tool(
      "weather", "Weather in a city", [](const Place& place) { return "sunny in " + place.city; })};
  const wright::Sampling sampling{.max_tokens = 100};
  const wright::Request request{.messages = messages, .tools = tools, .sampling = &sampling};

  const auto sent = wright::encode(*endpoint, request, wright::Delivery::streamed);
  if (!sent) return 1;
  std::cout << sent->method << ' ' << sent->url << '\n';

  const auto decoder = wright::make_decoder(*endpoint, request);
  const auto print = [](std::string_view text) { std::cout << "text: " << text << '\n'; };
  for (const char* piece :
       {R"(data: {"choices":[{"index":0,"delta":{"content":"Let me lo)", R"(ok."}}]})", "\n\ndata:",
        R"( {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a1b2c3d4e",)",
        R"("function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}]},)",
        R"("finish_reason":"tool_calls"}]})", "\n\ndata: [DONE]\n\n"}) {
    if (const auto fed = decoder->feed(piece, print); !fed)
      std::cout << fed.error().message << '\n';
  }
  const auto response = decoder->finish(print);
  if (!response) return 1;
  for (const wright::ToolCall& call : response->tool_calls()) {
    std::cout << "call: " << call.name << ' ' << call.arguments << '\n';
  }
}
