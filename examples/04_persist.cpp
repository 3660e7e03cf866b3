// A run that is kept. Every step is in a SQLite file before the next one begins; afterwards anyone
// can read what was asked, what was called and what came back.
#include <wright/wright.h>

#include <filesystem>
#include <iostream>

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city"))

wright::Result<void> show(wright::Store& store) {
  const auto sessions = store.list_sessions({});
  if (!sessions) return std::unexpected(sessions.error());
  for (const wright::Session& session : *sessions) {
    std::cout << "session " << session.id << " of " << session.agent_name << " is "
              << to_string(session.status) << ": " << session.user_prompt << '\n';
    const auto messages = store.get_messages(session.id);
    if (!messages) return std::unexpected(messages.error());
    for (const wright::StoredMessage& stored : *messages) {
      std::cout << "  " << to_string(stored.message.role) << ": " << stored.content << '\n';
    }
    const auto calls = store.get_tool_calls(session.id);
    if (!calls) return std::unexpected(calls.error());
    for (const wright::StoredCall& call : *calls) {
      std::cout << "  call " << call.tool_name << ' ' << call.request << " is "
                << to_string(call.status) << '\n';
    }
  }
  return {};
}

wright::Result<void> run_and_show(const std::filesystem::path& database) {
  const wright::Agent agent{
      .name = "weather",
      .instructions = "Answer briefly.",
      .model = wright::offline_model(),
      .tools = {wright::tool("weather", "Weather in a city",
                             [](const Place& p) { return "sunny in " + p.city; })}};
  auto store = wright::open_sqlite_store(database);
  if (!store) return std::unexpected(store.error());
  for (const char* question : {"Weather in Oslo?", "Weather in Rome?"}) {
    const auto answer = wright::run(**store, agent, question);
    if (!answer) return std::unexpected(answer.error());
  }
  return show(**store);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: 04_persist DATABASE\n";
    return 2;
  }
  const auto shown = run_and_show(argv[1]);
  if (!shown) std::cerr << shown.error().message << '\n';
  return shown ? 0 : 1;
}
