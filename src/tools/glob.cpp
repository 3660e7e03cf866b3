#include "tools/glob.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace wright::tools {
namespace {

constexpr std::size_t kMaxLength = 4096;
constexpr std::size_t kMaxAlternatives = 256;
constexpr int kMaxNesting = 8;

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

  // Up to the end, or to the ',' or '}' that ends an alternative of the braces around it.
  Result<Texts> sequence(int nesting) {
    Texts texts{""};
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '}' || (c == ',' && nesting > 0)) return texts;
      if (c == '{') {
        const auto choices = braces(nesting + 1);
        if (!choices) return choices;
        if (texts.size() * choices->size() > kMaxAlternatives) {
          return malformed(fmt::format("stands for more than {} patterns", kMaxAlternatives));
        }
        texts = combined(texts, *choices);
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
    Texts choices;
    do {
      ++at_;  // the '{' or the ','
      auto choice = sequence(nesting);
      if (!choice) return choice;
      std::ranges::move(*choice, std::back_inserter(choices));
      if (choices.size() > kMaxAlternatives) {
        return malformed(fmt::format("stands for more than {} patterns", kMaxAlternatives));
      }
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
  auto texts = BraceExpansion(pattern).expand();
  if (!texts) return std::unexpected(std::move(texts).error());
  Glob glob;
  for (std::string& text : *texts) {
    if (has_parent_component(text)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The glob '{}' goes up with '..'; name the folder in 'path' instead",
                              pattern));
    }
    const bool is_name_only = text.find('/') == std::string::npos;
    while (text.starts_with("./")) text.erase(0, 2);
    while (text.starts_with('/')) text.erase(0, 1);
    if (!is_name_only && (text.empty() || text.ends_with('/'))) text += "**";
    auto wildcard = Wildcard::compile(text, WildcardStyle::people);
    if (!wildcard) return std::unexpected(std::move(wildcard).error());
    glob.alternatives_.push_back({std::move(*wildcard), is_name_only});
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
