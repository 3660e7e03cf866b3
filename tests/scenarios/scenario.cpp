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

// Reads a file line by line.
class Reader {
 public:
  Result<void> take(const std::string& line) {
    const auto [word, rest] = split(line);
    if (word == "limit") {
      scenario_.max_iterations = std::stoi(rest);
    } else if (word == "conveniences") {
      scenario_.has_conveniences = true;
    } else if (word == "handoff") {
      scenario_.has_handoff = true;
    } else if (word == "specialist") {
      script_ = &scenario_.specialists[rest];
      expected_ = &scenario_.expected_below;
      expected_->push_back(line);
    } else if (word == "call") {
      return take_call(rest);
    } else {
      if (auto taken = take_turn(word, rest); !taken) return taken;
      // Below, the error of the session says it.
      const bool is_told = word != "model-error" || expected_ == &scenario_.expected;
      if (is_told) expected_->push_back(line);
    }
    return {};
  }

  Scenario finish() { return std::move(scenario_); }

 private:
  Result<void> take_turn(const std::string& word, const std::string& rest) {
    if (word == "model") {
      script_->emplace_back(rest.empty() ? Response{} : testing::says(unescaped(rest)));
    } else if (word == "model-error") {
      const auto [code, message] = split(rest);
      const auto known = error_code_from(code);
      if (!known) return std::unexpected(known.error());
      script_->emplace_back(fail(*known, message));
    } else if (word == "user" && expected_ == &scenario_.expected) {
      if (scenario_.prompt.empty()) {
        scenario_.prompt = unescaped(rest);
      } else {
        scenario_.continuations.push_back({.message = unescaped(rest)});
      }
    } else if (word == "reply") {
      const auto [id, json] = split(rest);
      const auto answer = parse_json(json);
      if (!answer) return std::unexpected(answer.error());
      if (!last_was_reply()) scenario_.continuations.emplace_back();
      scenario_.continuations.back().replies.push_back({id, *answer});
    } else if (word != "user" && word != "tool" && word != "wait" && word != "status" &&
               word != "answer" && word != "error") {
      return fail(ErrorCode::invalid_argument, "unknown word '" + word + "'");
    }
    return {};
  }

  Result<void> take_call(const std::string& rest) {
    if (script_->empty() || !script_->back()) {
      return fail(ErrorCode::invalid_argument, "a call without a model line");
    }
    const auto [id, call] = split(rest);
    const auto [name, arguments] = split(call);
    const std::size_t equals = id.find('=');
    script_->back()->content.emplace_back(
        ToolCall{id.substr(0, equals), name, unescaped(arguments)});
    const std::string given = equals == std::string::npos ? id : id.substr(equals + 1);
    expected_->push_back(fmt::format("call {} {}", given, call));
    return {};
  }

  bool last_was_reply() const {
    return !expected_->empty() && expected_->back().starts_with("reply ");
  }

  Scenario scenario_;
  std::vector<Result<Response>>* script_ = &scenario_.script;
  std::vector<std::string>* expected_ = &scenario_.expected;
};

}  // namespace

Result<Scenario> load(const std::filesystem::path& file) {
  std::ifstream in(file);
  Reader reader;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    if (auto taken = reader.take(line); !taken) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{}:{}: {}", file.string(), number, taken.error().message));
    }
  }
  Scenario scenario = reader.finish();
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

void Protocol::add_reply(const Reply& reply) {
  add_line("reply", fmt::format("{} {}", reply.call_id, to_text(reply.answer)));
}

void Protocol::add_specialist(std::string_view name) {
  add_line("specialist", name);
}

void Protocol::add_end(std::string_view status, std::string_view word, std::string_view text) {
  add_line("status", status);
  if (!word.empty()) add_line(word, text);
}

}  // namespace wright::scenarios
