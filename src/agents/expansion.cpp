#include "agents/expansion.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.h"

namespace wright {
namespace {

bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !is_digit(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
}

// How many may stand inside of one another: each takes a part of the stack.
constexpr int kMostNested = 20;

Result<std::string> expanded(std::string_view text, const ExpansionValues& variables, int depth);

// `inside` is what stands between the braces.
Result<std::string> value_of(std::string_view inside, const ExpansionValues& variables, int depth) {
  const std::size_t dash = inside.find(":-");
  const std::string_view name = inside.substr(0, dash);
  if (!is_variable_name(name)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'${{{}}}' does not name an environment variable; write $${{ for a "
                            "literal ${{",
                            inside));
  }
  const auto value = variables.find(name);
  const bool is_set = value != variables.end();
  if (dash != std::string_view::npos) {
    if (is_set && !value->second.empty()) return value->second;
    return expanded(inside.substr(dash + 2), variables, depth + 1);
  }
  if (!is_set) {
    return fail(ErrorCode::not_found,
                fmt::format("the environment variable {} is not set; set it, or give a default: "
                            "${{{}:-…}}",
                            name, name));
  }
  return value->second;
}

// The "}" that closes the "${" at `start`: those in its default close what is opened there.
std::size_t closing_of(std::string_view text, std::size_t start) {
  int open = 1;
  for (std::size_t i = start + 2; i < text.size(); ++i) {
    if (text[i] == '}' && --open == 0) return i;
    if (text[i - 1] != '$' && text.substr(i).starts_with("${")) ++open;
  }
  return std::string_view::npos;
}

Result<std::string> expanded(std::string_view text, const ExpansionValues& variables, int depth) {
  if (depth > kMostNested) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("more than {} '${{' stand inside of one another", kMostNested));
  }
  std::string out;
  while (true) {
    const std::size_t start = text.find("${");
    if (start == std::string_view::npos) return out.append(text);
    if (start > 0 && text[start - 1] == '$') {
      out.append(text.substr(0, start - 1)).append("${");
      text.remove_prefix(start + 2);
      continue;
    }
    const std::size_t end = closing_of(text, start);
    if (end == std::string_view::npos) {
      return fail(ErrorCode::invalid_argument,
                  "'${' has no closing '}'; write $${ for a literal ${");
    }
    const auto value = TRY(value_of(text.substr(start + 2, end - start - 2), variables, depth));
    out.append(text.substr(0, start)).append(value);
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<std::string> expand(std::string_view text, const ExpansionValues& variables) {
  return expanded(text, variables, 0);
}

}  // namespace wright
