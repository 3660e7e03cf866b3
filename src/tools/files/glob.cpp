#include "tools/files/glob.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "core/text.h"
#include "core/try.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMaxLength = 4096;
constexpr std::size_t kMaxAlternatives = 256;
constexpr int kMaxNesting = 8;

// What stands in {1..9}, {08..12} or {a..e..2}.
class BraceRange {
 public:
  // Nothing when the text is no range.
  static std::optional<BraceRange> parse(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t dots = 0; dots != std::string_view::npos; text.remove_prefix(dots + 2)) {
      dots = text.find("..");
      parts.push_back(text.substr(0, dots));
      if (dots == std::string_view::npos) break;
    }
    if (parts.size() != 2 && parts.size() != 3) return std::nullopt;
    const bool is_of_letters = is_letter_alone(parts[0]) && is_letter_alone(parts[1]) &&
                               (parts[0].front() < 'a') == (parts[1].front() < 'a');
    const auto value = [&](std::string_view part) {
      return is_of_letters ? std::optional<std::int64_t>(part.front()) : number(part);
    };
    const auto first = value(parts[0]);
    const auto last = value(parts[1]);
    const auto step = parts.size() == 3 ? number(parts[2]) : std::optional<std::int64_t>(1);
    if (!first || !last || !step) return std::nullopt;
    BraceRange range;
    range.first_ = *first;
    range.last_ = *last;
    range.step_ = std::max<std::int64_t>(1, std::abs(*step));
    range.is_of_letters_ = is_of_letters;
    if (is_padded(parts[0]) || is_padded(parts[1])) {
      range.width_ = std::max(parts[0].size(), parts[1].size());
    }
    return range;
  }

  std::size_t size() const {
    return static_cast<std::size_t>(std::abs(last_ - first_) / step_) + 1;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> made;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::int64_t distance = static_cast<std::int64_t>(i) * step_;
      const std::int64_t each = first_ <= last_ ? first_ + distance : first_ - distance;
      made.push_back(is_of_letters_ ? std::string(1, static_cast<char>(each))
                                    : fmt::format("{:0{}}", each, width_));
    }
    return made;
  }

 private:
  static bool is_letter_alone(std::string_view text) {
    return text.size() == 1 && is_letter(text.front());
  }

  static bool is_padded(std::string_view text) {
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return text.size() > 1 && text.starts_with('0');
  }

  static std::optional<std::int64_t> number(std::string_view text) {
    constexpr std::size_t kMostDigits = 12;
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = problem == std::errc() && end == text.data() + text.size();
    return is_whole && text.size() <= kMostDigits ? std::optional(value) : std::nullopt;
  }

  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::int64_t step_ = 1;
  std::size_t width_ = 0;
  bool is_of_letters_ = false;
};

// Writes out {a,b}: every combination becomes a pattern without braces.
class BraceExpansion {
 public:
  explicit BraceExpansion(std::string_view pattern) : pattern_(pattern) {}

  Result<std::vector<std::string>> expand() {
    auto expanded = sequence(0);
    if (expanded && at_ < pattern_.size()) return malformed("has a '}' without its '{'");
    return expanded;
  }

 private:
  using Texts = std::vector<std::string>;

  std::unexpected<Error> malformed(std::string_view what) const {
    return fail(ErrorCode::invalid_argument, fmt::format("The glob '{}' {}", pattern_, what));
  }

  std::unexpected<Error> explodes() const {
    return malformed(fmt::format("stands for more than {} patterns", kMaxAlternatives));
  }

  // Up to the end, or to the ',' or '}' that ends an alternative of the braces around it.
  Result<Texts> sequence(int nesting) {
    Texts texts{""};
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '}' || (c == ',' && nesting > 0)) return texts;
      if (c == '{') {
        const auto choices = TRY(braces(nesting + 1));
        if (texts.size() * choices.size() > kMaxAlternatives) return explodes();
        texts = combined(texts, choices);
        continue;
      }
      const std::size_t length = c == '\\' ? 2 : c == '[' ? set_length() : 1;
      const std::string_view piece = pattern_.substr(at_, length);
      for (std::string& text : texts) text += piece;
      at_ += piece.size();
    }
    return texts;
  }

  Result<Texts> braces(int nesting) {
    if (nesting > kMaxNesting) return malformed("nests braces too deeply");
    if (const std::size_t end = pattern_.find_first_of("{,}\\", at_ + 1);
        end != std::string_view::npos && pattern_[end] == '}') {
      if (const auto range = BraceRange::parse(pattern_.substr(at_ + 1, end - at_ - 1))) {
        at_ = end + 1;
        if (range->size() > kMaxAlternatives) return explodes();
        return range->texts();
      }
    }
    Texts choices;
    do {
      ++at_;  // the '{' or the ','
      auto choice = TRY(sequence(nesting));
      std::ranges::move(choice, std::back_inserter(choices));
      if (choices.size() > kMaxAlternatives) return explodes();
    } while (at_ < pattern_.size() && pattern_[at_] == ',');
    if (at_ == pattern_.size()) return malformed("has a '{' without its '}'");
    ++at_;
    return choices;
  }

  static Texts combined(const Texts& starts, const Texts& ends) {
    Texts all;
    all.reserve(starts.size() * ends.size());
    for (const std::string& start : starts) {
      for (const std::string& end : ends) all.push_back(start + end);
    }
    return all;
  }

  // Braces and commas mean nothing inside of [ ]. An open bracket is reported by Wildcard.
  std::size_t set_length() const {
    std::size_t end = at_ + 1;
    if (end < pattern_.size() && (pattern_[end] == '!' || pattern_[end] == '^')) ++end;
    if (end < pattern_.size() && pattern_[end] == ']') ++end;
    while (end < pattern_.size() && pattern_[end] != ']') {
      if (pattern_[end] == '\\') {
        end += 2;
      } else if (pattern_.substr(end).starts_with("[:")) {
        const std::size_t close = pattern_.find(":]", end + 2);
        end = close == std::string_view::npos ? end + 1 : close + 2;
      } else {
        ++end;
      }
    }
    return end + 1 - at_;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
};

bool has_parent_component(std::string_view pattern) {
  return pattern == ".." || pattern.starts_with("../") || pattern.ends_with("/..") ||
         pattern.find("/../") != std::string_view::npos;
}

}  // namespace

Result<Glob> Glob::parse(std::string_view pattern) {
  if (pattern.empty()) {
    return fail(ErrorCode::invalid_argument, "The glob is empty; '*' matches everything");
  }
  if (pattern.size() > kMaxLength || pattern.find('\0') != std::string_view::npos) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("The glob is longer than {} bytes, or contains a NUL byte", kMaxLength));
  }
  auto texts = TRY(BraceExpansion(pattern).expand());
  Glob glob;
  for (std::string& text : texts) {
    if (has_parent_component(text)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The glob '{}' goes up with '..'; name the folder in 'path' instead",
                              pattern));
    }
    const bool is_name_only = text.find('/') == std::string::npos;
    while (text.starts_with("./")) text.erase(0, 2);
    while (text.starts_with('/')) text.erase(0, 1);
    if (!is_name_only && (text.empty() || text.ends_with('/'))) text += "**";
    auto wildcard = TRY(Wildcard::compile(text, WildcardStyle::people));
    glob.alternatives_.push_back({std::move(wildcard), is_name_only});
  }
  return glob;
}

bool Glob::matches(std::string_view path) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(alternatives_, [&](const Alternative& alternative) {
    return alternative.wildcard.matches(alternative.is_name_only ? name : path);
  });
}

}  // namespace wright::tools
