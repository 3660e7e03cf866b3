// A hundred sessions at once in one process, each step of each in a SQLite file before the next one
// begins. A session that waits for its model holds no thread.
#include <wright/wright.h>

#include <iostream>

struct Place {
  std::string city;
};

wright::Result<void> ask_a_hundred(const std::filesystem::path& database) {
  using namespace wright;
  const auto agent = std::make_shared<const Agent>(
      Agent{.name = "weather",
            .model = offline_model(),
            .tools = {tool("weather", "Weather in a city",
                           [](const Place& p) { return "sunny in " + p.city; })}});
  const auto store = open_sqlite_store(database);
  if (!store) return std::unexpected(store.error());
  const auto runtime = Runtime::open({.store = store->get()});
  if (!runtime) return std::unexpected(runtime.error());

  std::vector<SessionId> sessions;
  for (int i = 1; i <= 100; ++i) {
    const auto id = (*runtime)->start(agent, "Weather in Town" + std::to_string(i) + "?");
    if (!id) return std::unexpected(id.error());
    sessions.push_back(*id);
  }
  int sunny = 0;
  for (const SessionId id : sessions) {
    const auto answer = (*runtime)->wait(id);
    if (!answer) return std::unexpected(answer.error());
    if (answer->text.find("sunny in Town") != std::string::npos) ++sunny;
  }
  const auto stored = (*store)->list_sessions({.limit = 1000});
  if (!stored) return std::unexpected(stored.error());
  std::cout << sunny << " of " << sessions.size() << " towns are sunny; " << stored->size()
            << " sessions are stored\n";
  return {};
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: 17_many_sessions DATABASE\n";
    return 2;
  }
  const auto asked = ask_a_hundred(argv[1]);
  if (!asked) std::cerr << asked.error().message << '\n';
  return asked ? 0 : 1;
}
