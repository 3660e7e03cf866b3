// An agent that stands in a TOML file, loaded and run. What the file may use is handed in: the
// model, the tools, and values for its ${NAME}s. Nothing is read from the environment.
#include <wright/testing.h>
#include <wright/wright.h>

#include <filesystem>
#include <fstream>
#include <iostream>

constexpr const char* kFile = R"(
name = "greeter"
description = "Welcomes guests."
instructions = "You welcome guests of ${HOUSE}. Ask the guest book who they are."
model = "house:small"
tools = ["guest_book"]

[parameters]
temperature = 0.2
stop_sequences = ["Goodbye"]

[limits]
max_iterations = 4

[permissions]
"guest_*" = "allow"

[tool_execution]
enable_metadata = false
)";

int main() {
  using namespace wright;
  using namespace wright::testing;
  const auto folder = std::filesystem::temp_directory_path() / "wright-example-14";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "greeter.toml") << kFile;

  // In a program of yours: Models::get() with your keys, or wright::model.
  const ScriptedModel script({calls({call("guest_book")}), says("Welcome back, Ada!")});
  AgentFileOptions options;
  options.find_model = [&](std::string_view id) {
    std::cout << "the file wants the model " << id << '\n';
    return script.model();
  };
  options.tools = {tool("guest_book", "Who came before", [] { return "Ada, in spring"; })};
  options.variables = {{"HOUSE", "the old mill"}};

  const auto agent = load_agent(folder / "greeter.toml", options);
  if (!agent) {
    std::cout << agent.error().message << '\n';
    return 1;
  }
  std::cout << agent->name << ": " << agent->instructions << '\n';
  const auto answer = run(*agent, "Good evening!");
  std::cout << (answer ? answer->text : answer.error().message) << '\n';

  // What is wrong is said with file, line and key.
  const auto wrong = agent_from_toml(
      "instructions = \"Hello\"\n"
      "tools = [\"gest_book\"]\n"
      "temprature = 0.2\n",
      options, "wrong.toml");
  std::cout << (wrong ? "fine" : wrong.error().message) << '\n';
  std::filesystem::remove_all(folder);
}
