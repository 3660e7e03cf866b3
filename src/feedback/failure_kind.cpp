#include "feedback/failure_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "core/text.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kLongestMessage = 2'000;  // looked at
constexpr std::size_t kLongestSubject = 64;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}
bool is_operator_character(char c) {
  return std::string_view("=!<>~").find(c) != std::string_view::npos;
}

// The name that begins at `text`, or the one in quotes just after it.
std::string name_at(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" :'\"`");
  if (begin == std::string_view::npos || begin > 4) return {};
  text.remove_prefix(begin);
  std::size_t length = 0;
  while (length < text.size() && is_name_character(text[length])) ++length;
  if (length == 0) {
    while (length < text.size() && is_operator_character(text[length])) ++length;
  }
  while (length > 0 && (text[length - 1] == '.' || text[length - 1] == '-')) --length;
  return std::string(text.substr(0, std::min(length, kLongestSubject)));
}

using Phrase = std::pair<std::string_view, FailureKind>;

// Phrases of tools, SQLite and schemas; the subject follows.
constexpr std::array kBeforeSubject{
    Phrase{"no such column", FailureKind::unknown_field},
    Phrase{"unknown column", FailureKind::unknown_field},
    Phrase{"has no column named", FailureKind::unknown_field},
    Phrase{"has no column", FailureKind::unknown_field},
    Phrase{"unknown field", FailureKind::unknown_field},
    Phrase{"no such field", FailureKind::unknown_field},
    Phrase{"has no field", FailureKind::unknown_field},
    Phrase{"there is no field", FailureKind::unknown_field},
    Phrase{"unknown property", FailureKind::unknown_field},
    Phrase{"unknown attribute", FailureKind::unknown_field},
    Phrase{"unknown operator", FailureKind::unsupported_operator},
    Phrase{"unsupported operator", FailureKind::unsupported_operator},
    Phrase{"no such operator", FailureKind::unsupported_operator},
    Phrase{"there is no operator", FailureKind::unsupported_operator},
    Phrase{"does not support the operator", FailureKind::unsupported_operator},
    Phrase{"no such function", FailureKind::unsupported_operator},
    Phrase{"no such table", FailureKind::unknown_entity},
    Phrase{"unknown table", FailureKind::unknown_entity},
    Phrase{"unknown entity type", FailureKind::unknown_entity},
    Phrase{"unknown entity_type", FailureKind::unknown_entity},
    Phrase{"no entity type", FailureKind::unknown_entity},
    Phrase{"unknown relationship", FailureKind::unknown_relationship},
    Phrase{"no such relationship", FailureKind::unknown_relationship},
    Phrase{"unknown relation", FailureKind::unknown_relationship},
};

// Phrases that follow their subject: "field 'x' does not exist".
constexpr std::array kAfterKind{
    Phrase{"field ", FailureKind::unknown_field},
    Phrase{"column ", FailureKind::unknown_field},
    Phrase{"operator ", FailureKind::unsupported_operator},
    Phrase{"relationship ", FailureKind::unknown_relationship},
};
constexpr auto kDenials =
    std::to_array<std::string_view>({"does not exist", "not found", "not supported", "unsupported",
                                     "is not known", "is not available"});

std::optional<Failure> named_in(std::string_view message, std::string_view small) {
  for (const auto& [phrase, kind] : kBeforeSubject) {
    const std::size_t found = small.find(phrase);
    if (found != std::string_view::npos) {
      return Failure{kind, name_at(message.substr(found + phrase.size()))};
    }
  }
  const bool is_denied = std::ranges::any_of(kDenials, [&](std::string_view words) {
    return small.find(words) != std::string_view::npos;
  });
  if (!is_denied) return std::nullopt;
  for (const auto& [phrase, kind] : kAfterKind) {
    const std::size_t found = small.find(phrase);
    if (found != std::string_view::npos) {
      return Failure{kind, name_at(message.substr(found + phrase.size()))};
    }
  }
  return std::nullopt;
}

// "Parameter operator must be one of: …": the tool has no such operator, field or type.
std::optional<Failure> refused_choice(std::string_view small) {
  constexpr std::string_view kParameter = "parameter ";
  constexpr std::string_view kChoice = " must be one of";
  const std::size_t choice = small.find(kChoice);
  if (choice == std::string_view::npos) return std::nullopt;
  const std::size_t begin = small.rfind(kParameter, choice);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view path =
      small.substr(begin + kParameter.size(), choice - begin - kParameter.size());
  if (const std::size_t dot = path.rfind('.'); dot != std::string_view::npos) {
    path.remove_prefix(dot + 1);
  }
  if (path == "operator" || path == "op" || path == "mode" || path == "comparison") {
    return Failure{FailureKind::unsupported_operator, {}};
  }
  if (path == "field" || path == "column") return Failure{FailureKind::unknown_field, {}};
  if (path == "entity_type" || path == "table") return Failure{FailureKind::unknown_entity, {}};
  if (path == "relationship" || path == "relationship_type") {
    return Failure{FailureKind::unknown_relationship, {}};
  }
  return std::nullopt;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

Failure failure_of(ErrorCode code, std::string_view message) {
  const std::string small = lower(std::string_view(message).substr(0, kLongestMessage));
  if (small.starts_with("unknown tool: ")) return {FailureKind::unknown_tool, {}};
  if (code == ErrorCode::invalid_json || small.starts_with("the arguments are not valid json") ||
      small.starts_with("the arguments must be a json object")) {
    return {FailureKind::broken_arguments, {}};
  }
  if (code == ErrorCode::permission_denied) return {FailureKind::permission, {}};
  if (code == ErrorCode::timeout) return {FailureKind::timeout, {}};
  if (auto choice = refused_choice(small)) return *choice;
  if (small.starts_with("unknown parameter: ")) {
    return {FailureKind::unknown_field, name_at(message.substr(18))};
  }
  if (small.starts_with("missing required parameter") ||
      (small.starts_with("parameter ") && small.find(" must ") != std::string::npos)) {
    return {FailureKind::refused_arguments, {}};
  }
  if (auto named = named_in(message.substr(0, kLongestMessage), small)) return *named;
  if (has_any(small, {"permission denied", "not permitted", "is not allowed", "may not",
                      "outside of the", "outside the"})) {
    return {FailureKind::permission, {}};
  }
  if (has_any(small, {"timed out", "time is up", "timeout"})) return {FailureKind::timeout, {}};
  if (code == ErrorCode::limit_reached || code == ErrorCode::rate_limited ||
      has_any(small, {"too large", "too long", "too many", "rate limit"})) {
    return {FailureKind::too_much, {}};
  }
  if (code == ErrorCode::unavailable || code == ErrorCode::network ||
      code == ErrorCode::overloaded) {
    return {FailureKind::unavailable, {}};
  }
  return {FailureKind::other, {}};
}

}  // namespace wright::feedback
