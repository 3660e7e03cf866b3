#include "scenarios/scenario.h"

#include <fmt/format.h>

#include <fstream>

#include "wright/testing.h"

namespace wright::scenarios {
namespace {

// Splits off the first word; what follows the single space after it is the rest.
std::pair<std::string, std::string> split(const std::string& line) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return {line, ""};
  return {line.substr(0, space), line.substr(space + 1)};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string unescaped(const std::string& text) {
  return replaced(text, "\\n", "\n");
}
std::string escaped(std::string_view text) {
  return replaced(std::string(text), "\n", "\\n");
}

Result<void> take_line(Scenario& scenario, const std::string& line) {
  const auto [word, rest] = split(line);
  if (word == "limit") {
    scenario.max_iterations = std::stoi(rest);
    return {};
  }
  if (word == "conveniences") {
    scenario.has_conveniences = true;
    return {};
  }
  if (word == "user") {
    scenario.prompt = unescaped(rest);
  } else if (word == "model") {
    scenario.script.emplace_back(rest.empty() ? Response{} : testing::says(unescaped(rest)));
  } else if (word == "model-error") {
    const auto [code, message] = split(rest);
    const auto known = error_code_from(code);
    if (!known) return std::unexpected(known.error());
    scenario.script.emplace_back(fail(*known, message));
  } else if (word == "call") {
    if (scenario.script.empty() || !scenario.script.back()) {
      return fail(ErrorCode::invalid_argument, "a call without a model line");
    }
    const auto [id, call] = split(rest);
    const auto [name, arguments] = split(call);
    const std::size_t equals = id.find('=');
    scenario.script.back()->content.emplace_back(
        ToolCall{id.substr(0, equals), name, unescaped(arguments)});
    const std::string given = equals == std::string::npos ? id : id.substr(equals + 1);
    scenario.expected.push_back(fmt::format("call {} {}", given, call));
    return {};
  } else if (word != "tool" && word != "wait" && word != "status" && word != "answer" &&
             word != "error") {
    return fail(ErrorCode::invalid_argument, "unknown word '" + word + "'");
  }
  scenario.expected.push_back(line);
  return {};
}

}  // namespace

Result<Scenario> load(const std::filesystem::path& file) {
  std::ifstream in(file);
  Scenario scenario;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    if (auto taken = take_line(scenario, line); !taken) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{}:{}: {}", file.string(), number, taken.error().message));
    }
  }
  if (scenario.prompt.empty() || scenario.expected.empty()) {
    return fail(ErrorCode::invalid_argument, file.string() + ": no user line");
  }
  return scenario;
}

void Protocol::add_line(std::string_view word, std::string_view text) {
  lines_.push_back(text.empty() ? std::string(word) : fmt::format("{} {}", word, escaped(text)));
}

void Protocol::add(const Message& message) {
  if (message.role == Role::user) add_line("user", message.text());
  if (message.role == Role::assistant) add_line("model", message.text());
  for (const Part& part : message.parts) {
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      add_line("call", fmt::format("{} {}{}{}", call->id, call->name,
                                   call->arguments.empty() ? "" : " ", call->arguments));
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      add_line("tool", fmt::format("{} {} {}", result->call_id, result->is_error ? "error" : "ok",
                                   result->content));
    }
  }
}

void Protocol::add_model_error(const Error& error) {
  add_line("model-error", fmt::format("{} {}", to_string(error.code), error.message));
}

void Protocol::add_wait(const ToolCall& call, const Json& shown) {
  add_line("wait", fmt::format("{} {}", call.id, to_text(shown)));
}

void Protocol::add_end(std::string_view status, std::string_view word, std::string_view text) {
  add_line("status", status);
  if (!word.empty()) add_line(word, text);
}

}  // namespace wright::scenarios
