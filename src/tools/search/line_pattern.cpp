#include "tools/search/line_pattern.h"

#include <fmt/format.h>
#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "tools/search/pattern_pieces.h"

namespace wright::tools {
namespace {

constexpr std::string_view kSpecial = "\\.+*?()|[]{}^$";
constexpr int kShortestRequired = 2;
// Beyond this, RE2 runs out of the memory that makes it fast.
constexpr int kMaxUnicodeInstructions = 40'000;

bool asks_for_carriage_return(std::string_view pattern) {
  constexpr std::array<std::string_view, 6> kNames{"\r",    "\\r",    "\\x0d",
                                                   "\\x0D", "\\x{d}", "\\x{D}"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return pattern.contains(name); });
}

// The fixed texts of "one|two|three"; empty when there is more to the pattern, or too many.
std::vector<std::string> fixed_texts(std::string_view pattern) {
  std::vector<std::string> texts;
  while (true) {
    const std::size_t end = std::min(pattern.find('|'), pattern.size());
    const std::string_view text = pattern.substr(0, end);
    if (text.empty() || text.find_first_of(kSpecial) != std::string_view::npos) return {};
    texts.emplace_back(text);
    if (end == pattern.size()) break;
    pattern.remove_prefix(end + 1);
  }
  if (texts.size() > LiteralSearch::kMaxLiterals) return {};
  return texts;
}

// The longest part of a required text that has only one form in a file, apart from the case of
// ASCII letters. RE2 gives required texts in lower case. Beyond ASCII, that is no more a matter of
// single bytes; and where case is ignored, k and s also match letters there (U+212A, U+017F).
std::string plain_part(std::string_view text, LetterCase letters) {
  std::string_view best;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool is_plain =
        i < text.size() && static_cast<unsigned char>(text[i]) < 0x80 &&
        (letters == LetterCase::distinguish || (text[i] != 'k' && text[i] != 's'));
    if (is_plain) continue;
    if (i - start > best.size()) best = text.substr(start, i - start);
    start = i + 1;
  }
  return std::string(best);
}

// Texts of which every match contains at least one; empty when none are known.
std::vector<std::string> required_texts(const std::string& pattern, const RE2::Options& options) {
  re2::FilteredRE2 filter(kShortestRequired);
  int id = 0;
  if (filter.Add(pattern, options, &id) != RE2::NoError) return {};
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  const auto matches_without = [&](std::size_t left_out) {
    std::vector<int> present;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      if (i != left_out) present.push_back(static_cast<int>(i));
    }
    std::vector<int> possible;
    filter.AllPotentials(present, &possible);
    return !possible.empty();
  };
  std::vector<int> possible;
  filter.AllPotentials({}, &possible);
  if (atoms.empty() || !possible.empty()) return {};
  // A flag inside of the pattern may turn case off as well.
  const bool folds = !options.case_sensitive() || pattern.find("(?") != std::string::npos;
  const LetterCase letters = folds ? LetterCase::ignore : LetterCase::distinguish;
  // One that no match can do without is best; the longest of those is the rarest.
  std::string best;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const std::string part = plain_part(atoms[i], letters);
    if (part.size() > best.size() && !matches_without(i)) best = part;
    all.push_back(part);
  }
  if (best.size() >= kShortestRequired) return {best};
  const bool is_usable =
      all.size() <= LiteralSearch::kMaxLiterals &&
      std::ranges::all_of(all, [](const std::string& text) { return text.size() >= 2; });
  return is_usable ? all : std::vector<std::string>();
}

}  // namespace

LinePattern::LinePattern(Span span) : span_(span) {}
LinePattern::LinePattern(LinePattern&&) noexcept = default;
LinePattern::~LinePattern() = default;

Result<LinePattern> LinePattern::compile(const std::string& pattern, LetterCase letters,
                                         Span span) {
  if (pattern.empty()) return fail(ErrorCode::invalid_argument, "The pattern is empty");
  if (span == Span::one_line && asks_for_line_break(pattern)) {
    return fail(ErrorCode::invalid_argument,
                "The pattern contains a line break, but each line is searched by itself; set "
                "multiline to search across lines");
  }
  RE2::Options options(RE2::Quiet);
  options.set_case_sensitive(letters == LetterCase::distinguish);
  const RE2 alone(pattern, options);
  if (!alone.ok()) {
    const bool is_foreign =
        alone.error_code() == RE2::ErrorBadPerlOp || alone.error_code() == RE2::ErrorBadEscape;
    return fail(ErrorCode::invalid_argument,
                fmt::format("The pattern is not a valid regular expression: {}{}", alone.error(),
                            is_foreign ? " (the syntax is RE2's: no look-around, no "
                                         "back-references)"
                                       : ""));
  }
  // Where no match can go over lines, searching line by line finds the same and is faster.
  if (!may_match_line_break(pattern)) span = Span::one_line;
  LinePattern made(span);
  made.names_carriage_return_ = asks_for_carriage_return(pattern);
  if (auto texts = fixed_texts(pattern); !texts.empty() && letters == LetterCase::distinguish) {
    made.literals_.emplace(std::move(texts), AsciiCase::distinguish);
    return made;
  }
  options.set_never_nl(span == Span::one_line);
  options.set_dot_nl(span == Span::many_lines);
  const std::string anchored = span == Span::one_line ? with_line_anchors(pattern) : pattern;
  std::string searched = with_unicode_classes(anchored);
  made.expression_ = std::make_unique<RE2>("(?m)" + searched, options);
  if (!made.expression_->ok() || made.expression_->ProgramSize() > kMaxUnicodeInstructions) {
    searched = anchored;  // in ASCII, classes are much smaller
    made.expression_ = std::make_unique<RE2>("(?m)" + searched, options);
  }
  if (!made.expression_->ok()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The pattern cannot be used: {}", made.expression_->error()));
  }
  if (span == Span::one_line) {
    auto texts = required_texts(searched, options);
    if (!texts.empty()) made.required_.emplace(std::move(texts), AsciiCase::ignore);
  }
  return made;
}

std::optional<LinePattern::Match> LinePattern::match(std::string_view text, std::size_t from,
                                                     std::size_t end) const {
  re2::StringPiece found;
  if (!expression_->Match(text, from, end, RE2::UNANCHORED, &found, 1)) return std::nullopt;
  const auto start = static_cast<std::size_t>(found.data() - text.data());
  return Match{start, start + found.size()};
}

std::optional<LinePattern::Match> LinePattern::find(std::string_view text, std::size_t from) const {
  if (literals_) {
    const auto found = literals_->find(text, from);
    if (!found) return std::nullopt;
    return Match{found->start, found->start + literals_->length(found->literal)};
  }
  if (!required_) return match(text, from, text.size());
  while (const auto candidate = required_->find(text, from)) {
    const std::size_t before = text.substr(0, candidate->start).rfind('\n');
    const std::size_t line_start =
        std::max(from, before == std::string_view::npos ? 0 : before + 1);
    const std::size_t line_end = std::min(text.find('\n', candidate->start), text.size());
    const std::string_view line = text.substr(line_start, line_end - line_start);
    if (const auto found = match(line, 0, line.size())) {
      return Match{line_start + found->start, line_start + found->end};
    }
    from = line_end + 1;
    if (from >= text.size()) break;
  }
  return std::nullopt;
}

}  // namespace wright::tools
