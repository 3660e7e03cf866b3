#include "tools/search/line_search.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/try.h"
#include "tools/text/character_set.h"
#include "tools/text/text_file.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kSmallestBuffer = 64 * 1024;
constexpr std::size_t kBlockBytes = 4 * 1024 * 1024;
constexpr std::size_t kMaxLineBytes = std::size_t{32} * 1024 * 1024;  // what of a line is searched
constexpr std::size_t kWholeBytes = std::size_t{64} * 1024 * 1024;    // of a file read in one block
constexpr std::size_t kExcerptBytes = 300;
constexpr std::size_t kLongExcerptBytes = 2000;  // of a match over several lines

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

constexpr std::string_view kCut = "…";

MatchedLine excerpt(std::int64_t number, std::string_view line, std::size_t start, std::size_t end,
                    std::size_t longest) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::size_t from = 0;
  std::size_t to = line.size();
  if (line.size() > longest) {
    const std::size_t length = std::min(end - start, longest);
    const std::size_t before = (longest - length) / 2;
    from = std::min(start > before ? start - before : 0, line.size() - longest);
    to = cut_before(line, from + longest);
    from = cut_after(line, from);
  }
  const auto piece = [&](std::size_t first, std::size_t last) {
    first = std::clamp(first, from, to);
    last = std::clamp(last, first, to);
    return to_valid_utf8(std::string(line.substr(first, last - first)));
  };
  MatchedLine made{number, from > 0 ? std::string(kCut) : std::string(), 0, 0, {}, {}};
  made.text += piece(from, start);
  made.match_start = made.text.size();
  made.text += piece(start, end);
  made.match_end = made.text.size();
  made.text += piece(end, to);
  if (to < line.size()) made.text += kCut;
  return made;
}

std::string context_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const bool is_cut = line.size() > kExcerptBytes;
  if (is_cut) line = line.substr(0, cut_before(line, kExcerptBytes));
  std::string made = to_valid_utf8(std::string(line));
  if (is_cut) made += kCut;
  return made;
}

void remove_carriage_returns(std::string_view text, std::string& without) {
  without.clear();
  without.reserve(text.size());
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t at = std::min(text.find("\r\n", from), text.size());
    without.append(text, from, at - from);
    from = at + 1;
  }
}

// Takes a file block by block, each of whole lines, and gathers what matches.
class Collector {
 public:
  Collector(const LinePattern& pattern, ContextLines context, std::size_t lines_wanted)
      : pattern_(pattern), context_(context), lines_wanted_(lines_wanted) {}

  void add(std::string_view block) {
    if (!pattern_.names_carriage_return() && block.contains("\r\n")) {
      remove_carriage_returns(block, without_carriage_returns_);
      block = without_carriage_returns_;
    }
    const bool is_one_line = pattern_.span() == Span::one_line;
    std::size_t counted_to = 0;
    for (std::size_t from = 0; from < block.size();) {
      const auto match = pattern_.find(block, from);
      if (!match) break;
      // An empty match behind the last line break is in no line.
      if (match->start == block.size() && block.back() == '\n') break;
      ++found_.count;
      const std::size_t line_end = end_of_lines(block, *match);
      if (wants_lines()) {
        const std::size_t line_start = start_of_line(block, match->start);
        line_ += std::ranges::count(block.substr(counted_to, line_start - counted_to), '\n');
        counted_to = line_start;
        keep(block, line_start, line_end, *match);
      }
      from = is_one_line ? line_end + 1 : std::max(match->end, match->start + 1);
    }
    if (wants_lines()) line_ += std::ranges::count(block.substr(counted_to), '\n');
  }

  // A line goes on behind what add() got of it, and is not searched any further.
  void leave_line() { ++found_.long_lines; }
  void end_left_line() { ++line_; }

  FileMatches take() && { return std::move(found_); }

 private:
  bool wants_lines() const { return found_.lines.size() < lines_wanted_; }

  static std::size_t start_of_line(std::string_view block, std::size_t at) {
    const std::size_t before = at == 0 ? std::string_view::npos : block.rfind('\n', at - 1);
    return before == std::string_view::npos ? 0 : before + 1;
  }

  // The line break behind the last line that the match touches.
  static std::size_t end_of_lines(std::string_view block, LinePattern::Match match) {
    const std::size_t last = match.end > match.start ? match.end - 1 : match.start;
    return std::min(block.find('\n', last), block.size());
  }

  void keep(std::string_view block, std::size_t start, std::size_t end, LinePattern::Match match) {
    const bool is_one_line = pattern_.span() == Span::one_line;
    MatchedLine line = excerpt(line_, block.substr(start, end - start), match.start - start,
                               match.end - start, is_one_line ? kExcerptBytes : kLongExcerptBytes);
    for (std::size_t i = 0, at = start; i < context_.before && at > 0; ++i) {
      const std::size_t above = start_of_line(block, at - 1);
      line.before.insert(line.before.begin(), context_line(block.substr(above, at - 1 - above)));
      at = above;
    }
    for (std::size_t i = 0, at = end + 1; i < context_.after && at < block.size(); ++i) {
      const std::size_t below = std::min(block.find('\n', at), block.size());
      line.after.push_back(context_line(block.substr(at, below - at)));
      at = below + 1;
    }
    found_.lines.push_back(std::move(line));
  }

  const LinePattern& pattern_;
  ContextLines context_;
  std::size_t lines_wanted_;
  std::int64_t line_ = 1;  // kept up only while lines are wanted
  std::string without_carriage_returns_;
  FileMatches found_;
};

// A file that is there as a whole.
FileMatches search_text(std::string_view text, Collector collector) {
  std::string decoded;
  if (has_utf16_mark(text)) text = decoded = decoded_text(text, {}).text;
  if (text.find('\0') != std::string_view::npos) return {.is_binary = true};
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  collector.add(text);
  return std::move(collector).take();
}

}  // namespace

void LineSearch::ensure_capacity(std::size_t bytes, std::size_t used) {
  if (bytes <= capacity_) return;
  auto larger = std::make_unique_for_overwrite<char[]>(bytes);
  if (used > 0) std::memcpy(larger.get(), buffer_.get(), used);
  buffer_ = std::move(larger);
  capacity_ = bytes;
}

std::expected<std::size_t, int> LineSearch::read_whole(int descriptor, std::size_t filled,
                                                       const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return std::unexpected(ECANCELED);
    const auto length = read_fully(descriptor, {buffer_.get() + filled, capacity_ - filled});
    if (!length) return length;
    filled += *length;
    if (filled < capacity_) return filled;
    if (capacity_ >= kWholeBytes) return std::unexpected(EFBIG);
    ensure_capacity(std::min(2 * capacity_, kWholeBytes), filled);
  }
}

std::expected<FileMatches, int> LineSearch::search(int descriptor, std::int64_t expected_size,
                                                   std::size_t lines_wanted,
                                                   const std::stop_token& stop) {
  // One byte more than the file is thought to have shows its end without another block.
  const std::size_t expected = static_cast<std::size_t>(std::max<std::int64_t>(expected_size, 0));
  const bool is_whole =
      pattern_.span() == Span::many_lines || context_.before > 0 || context_.after > 0;
  ensure_capacity(std::clamp(expected + 1, kSmallestBuffer, is_whole ? kWholeBytes : kBlockBytes),
                  0);
  Collector collector(pattern_, context_, lines_wanted);
  std::size_t filled = 0;
  bool is_start = true;
  bool is_inside_long_line = false;  // in the part of a line that is not searched
  const auto discard = [&](std::size_t bytes) {
    filled -= bytes;
    std::memmove(buffer_.get(), buffer_.get() + bytes, filled);
  };
  while (true) {
    if (stop.stop_requested()) return std::unexpected(ECANCELED);
    const auto length = TRY(read_fully(descriptor, {buffer_.get() + filled, capacity_ - filled}));
    const std::string_view added(buffer_.get() + filled, length);
    filled += length;
    const bool is_end = filled < capacity_;
    const bool is_utf16 = is_start && has_utf16_mark(added);
    if (is_utf16 || pattern_.span() == Span::many_lines) {
      const auto all = TRY(is_end ? filled : read_whole(descriptor, filled, stop));
      return search_text({buffer_.get(), all}, std::move(collector));
    }
    if (added.find('\0') != std::string_view::npos) return FileMatches{.is_binary = true};
    if (is_start && added.starts_with(kUtf8Mark)) discard(kUtf8Mark.size());
    is_start = false;
    std::string_view block(buffer_.get(), filled);
    if (is_inside_long_line) {
      const std::size_t line_end = block.find('\n');
      is_inside_long_line = line_end == std::string_view::npos;
      if (is_inside_long_line && is_end) return std::move(collector).take();
      if (!is_inside_long_line) collector.end_left_line();
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
        collector.leave_line();
      }
    }
    collector.add(block);
    if (is_end) return std::move(collector).take();
    discard(block.size());
  }
}

}  // namespace wright::tools
