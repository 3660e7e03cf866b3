#include "tools/line_search.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/text_file.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kSmallestBuffer = 64 * 1024;
constexpr std::size_t kBlockBytes = 4 * 1024 * 1024;
constexpr std::size_t kMaxLineBytes = 16 * 1024 * 1024;  // what of a line is searched
constexpr std::size_t kExcerptBytes = 300;

bool is_literal(std::string_view pattern) {
  return pattern.find_first_of("\\.+*?()|[]{}^$") == std::string_view::npos;
}

// Whether the pattern asks for a line break, which no line contains. One inside of [ ] only widens
// or narrows a set.
bool asks_for_line_break(std::string_view pattern) {
  bool is_in_set = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '[' && !is_in_set) {
      is_in_set = true;
      if (pattern.substr(i + 1).starts_with('^')) ++i;
      if (pattern.substr(i + 1).starts_with(']')) ++i;
    } else if (c == ']') {
      is_in_set = false;
    } else if (c == '\n' && !is_in_set) {
      return true;
    } else if (c == '\\' && ++i < pattern.size() && pattern[i] == 'n' && !is_in_set) {
      return true;
    }
  }
  return false;
}

bool is_tail_byte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Where to cut at or after (before) `at` so that no character is split.
std::size_t cut_after(std::string_view line, std::size_t at) {
  for (int i = 0; i < 3 && at < line.size() && is_tail_byte(line[at]); ++i) ++at;
  return at;
}
std::size_t cut_before(std::string_view line, std::size_t at) {
  for (int i = 0; i < 3 && at > 0 && at < line.size() && is_tail_byte(line[at]); ++i) --at;
  return at;
}

MatchedLine excerpt(std::int64_t number, std::string_view line, std::size_t start,
                    std::size_t end) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::size_t from = 0;
  std::size_t to = line.size();
  if (line.size() > kExcerptBytes) {
    const std::size_t length = std::min(end - start, kExcerptBytes);
    const std::size_t before = (kExcerptBytes - length) / 2;
    from = std::min(start > before ? start - before : 0, line.size() - kExcerptBytes);
    to = cut_before(line, from + kExcerptBytes);
    from = cut_after(line, from);
  }
  constexpr std::string_view kCut = "…";
  const auto piece = [&](std::size_t first, std::size_t last) {
    first = std::clamp(first, from, to);
    last = std::clamp(last, first, to);
    return to_valid_utf8(std::string(line.substr(first, last - first)));
  };
  MatchedLine made{number, from > 0 ? std::string(kCut) : std::string(), 0, 0};
  made.text += piece(from, start);
  made.match_start = made.text.size();
  made.text += piece(start, end);
  made.match_end = made.text.size();
  made.text += piece(end, to);
  if (to < line.size()) made.text += kCut;
  return made;
}

// Takes a file block by block, each of whole lines, and gathers the lines that match.
class Collector {
 public:
  Collector(const LinePattern& pattern, std::size_t lines_wanted)
      : pattern_(pattern), lines_wanted_(lines_wanted) {}

  void add(std::string_view block) {
    std::size_t counted_to = 0;
    for (std::size_t from = 0; from < block.size();) {
      const auto match = pattern_.find(block, from);
      if (!match) break;
      // An empty match behind the last line break is in no line.
      if (match->start == block.size() && block.back() == '\n') break;
      const std::size_t before =
          match->start == 0 ? std::string_view::npos : block.rfind('\n', match->start - 1);
      const std::size_t line_start = before == std::string_view::npos ? 0 : before + 1;
      const std::size_t line_end = std::min(block.find('\n', match->start), block.size());
      ++found_.count;
      if (wants_lines()) {
        line_ += std::ranges::count(block.substr(counted_to, line_start - counted_to), '\n');
        counted_to = line_start;
        found_.lines.push_back(excerpt(line_, block.substr(line_start, line_end - line_start),
                                       match->start - line_start, match->end - line_start));
      }
      from = line_end + 1;
    }
    if (wants_lines()) line_ += std::ranges::count(block.substr(counted_to), '\n');
  }

  // Past the end of a line of which add() got only the beginning.
  void end_line() { ++line_; }

  FileMatches take() && { return std::move(found_); }

 private:
  bool wants_lines() const { return found_.lines.size() < lines_wanted_; }

  const LinePattern& pattern_;
  std::size_t lines_wanted_;
  std::int64_t line_ = 1;  // kept up only while lines are wanted
  FileMatches found_;
};

}  // namespace

LinePattern::LinePattern(std::unique_ptr<re2::RE2> expression, std::string literal)
    : expression_(std::move(expression)), literal_(std::move(literal)) {}
LinePattern::LinePattern(LinePattern&&) noexcept = default;
LinePattern::~LinePattern() = default;

Result<LinePattern> LinePattern::compile(const std::string& pattern, LetterCase letters) {
  if (pattern.empty()) return fail(ErrorCode::invalid_argument, "The pattern is empty");
  if (asks_for_line_break(pattern)) {
    return fail(ErrorCode::invalid_argument,
                "The pattern contains a line break, but each line is searched by itself");
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
  options.set_never_nl(true);
  auto expression = std::make_unique<RE2>("(?m)" + pattern, options);
  if (!expression->ok()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The pattern cannot be used: {}", expression->error()));
  }
  const bool is_plain = letters == LetterCase::distinguish && is_literal(pattern);
  return LinePattern(std::move(expression), is_plain ? pattern : std::string());
}

std::optional<LinePattern::Match> LinePattern::find(std::string_view text, std::size_t from) const {
  if (!literal_.empty()) {
    const void* found =
        ::memmem(text.data() + from, text.size() - from, literal_.data(), literal_.size());
    if (found == nullptr) return std::nullopt;
    const auto start = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    return Match{start, start + literal_.size()};
  }
  re2::StringPiece match;
  if (!expression_->Match(text, from, text.size(), RE2::UNANCHORED, &match, 1)) {
    return std::nullopt;
  }
  const auto start = static_cast<std::size_t>(match.data() - text.data());
  return Match{start, start + match.size()};
}

void LineSearch::ensure_capacity(std::size_t bytes, std::size_t used) {
  if (bytes <= capacity_) return;
  auto larger = std::make_unique_for_overwrite<char[]>(bytes);
  if (used > 0) std::memcpy(larger.get(), buffer_.get(), used);
  buffer_ = std::move(larger);
  capacity_ = bytes;
}

std::expected<FileMatches, int> LineSearch::search(int descriptor, std::int64_t expected_size,
                                                   std::size_t lines_wanted,
                                                   const std::stop_token& stop) {
  // One byte more than the file is thought to have shows its end without another block.
  const std::size_t expected = static_cast<std::size_t>(std::max<std::int64_t>(expected_size, 0));
  ensure_capacity(std::clamp(expected + 1, kSmallestBuffer, kBlockBytes), 0);
  Collector collector(pattern_, lines_wanted);
  std::size_t filled = 0;
  bool is_start = true;
  bool is_inside_long_line = false;  // in the part of a line that is not searched
  const auto discard = [&](std::size_t bytes) {
    filled -= bytes;
    std::memmove(buffer_.get(), buffer_.get() + bytes, filled);
  };
  while (true) {
    if (stop.stop_requested()) return std::unexpected(ECANCELED);
    const auto length = read_fully(descriptor, {buffer_.get() + filled, capacity_ - filled});
    if (!length) return std::unexpected(length.error());
    filled += *length;
    const bool is_end = filled < capacity_;
    std::string_view block(buffer_.get(), filled);
    if (is_start && is_binary(block)) return FileMatches{.is_binary = true};
    is_start = false;
    if (is_inside_long_line) {
      const std::size_t line_end = block.find('\n');
      is_inside_long_line = line_end == std::string_view::npos;
      if (is_inside_long_line && is_end) return std::move(collector).take();
      if (!is_inside_long_line) collector.end_line();
      discard(is_inside_long_line ? filled : line_end + 1);
      continue;
    }
    if (!is_end) {
      const std::size_t last_break = block.rfind('\n');
      if (last_break != std::string_view::npos) {
        block = block.substr(0, last_break + 1);
      } else if (capacity_ < kMaxLineBytes) {
        ensure_capacity(std::min(2 * capacity_, kMaxLineBytes), filled);
        continue;
      } else {
        is_inside_long_line = true;
      }
    }
    collector.add(block);
    if (is_end) return std::move(collector).take();
    discard(block.size());
  }
}

}  // namespace wright::tools
