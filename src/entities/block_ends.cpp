#include "entities/block_ends.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "entities/source_marks.h"

namespace wright::entities {
namespace {

// Far from all languages that have such blocks, but those that ctags gives no ends for.
constexpr auto kLanguages = std::to_array<std::string_view>(
    {"JavaScript", "TypeScript", "Rust", "PHP",      "Kotlin", "Sh",     "Lua",  "Perl",
     "R",          "SCSS",       "CSS",  "Protobuf", "Awk",    "Zephir", "Haxe", "C",
     "C++",        "Java",       "C#",   "Go",       "D",      "Vala"});

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Where the name stands in the line as a word of its own; 0 when it does not.
std::size_t column_of(std::string_view name, std::string_view line) {
  if (name.empty()) return 0;
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool starts = at == 0 || !is_of_word(line[at - 1]) || !is_of_word(name.front());
    const bool ends = end == line.size() || !is_of_word(line[end]) || !is_of_word(name.back());
    if (starts && ends) return at;
  }
  return 0;
}

}  // namespace

// The marks of a text, and which closing one belongs to which opening one.
struct BlockEnds::Blocks {
  std::vector<Mark> marks;
  std::vector<std::size_t> partner;  // of an opening mark; its own index where there is none
};

bool BlockEnds::knows(std::string_view language) {
  return std::ranges::find(kLanguages, language) != kLanguages.end();
}

BlockEnds::BlockEnds(std::string_view text, const SourceLines& lines, std::string_view language)
    : text_(text),
      lines_(&lines),
      ends_with_lines_(language == "Go"),
      blocks_(std::make_unique<Blocks>()) {
  blocks_->marks = read_marks(text, language);
  const auto& marks = blocks_->marks;
  auto& partner = blocks_->partner;
  partner.resize(marks.size());
  std::vector<std::size_t> open;
  std::array<std::size_t, 5> open_of_kind{};
  const auto count_of = [&](std::size_t mark) -> std::size_t& {
    return open_of_kind[static_cast<std::size_t>(marks[mark].bracket)];
  };
  for (std::size_t i = 0; i < marks.size(); ++i) {
    partner[i] = i;
    if (marks[i].kind == MarkKind::open) {
      open.push_back(i);
      ++count_of(i);
    } else if (marks[i].kind == MarkKind::close && count_of(i) > 0) {
      // A bracket that was never closed must not take the end of what stands around it.
      while (marks[open.back()].bracket != marks[i].bracket) {
        --count_of(open.back());
        open.pop_back();
      }
      partner[open.back()] = i;
      --count_of(open.back());
      open.pop_back();
    }
  }
}

BlockEnds::~BlockEnds() = default;
BlockEnds::BlockEnds(BlockEnds&&) noexcept = default;

// In Go a line ends the statement, unless an operator or a comma stands last.
bool BlockEnds::is_whole(int line) const {
  std::string_view text = lines_->line(line);
  text = text.substr(0, text.find("//"));
  const std::size_t last = text.find_last_not_of(" \t");
  return last != std::string_view::npos &&
         !std::string_view("+-*/%&|^<>=!,.:({[").contains(text[last]);
}

int BlockEnds::end_of(std::string_view name, int line, int next_line) const {
  const auto& marks = blocks_->marks;
  const std::size_t line_start = lines_->offset(line);
  const std::size_t limit = lines_->offset(std::max(next_line, line + 1));
  const std::size_t start = line_start + column_of(name, lines_->line(line));
  auto at = static_cast<std::size_t>(std::ranges::lower_bound(marks, start, {}, &Mark::offset) -
                                     marks.begin());
  // In Lua the block opens before the name: "function name()".
  if (at > 0 && marks[at - 1].bracket == Bracket::keyword && marks[at - 1].offset >= line_start)
    --at;
  int last_line = line;
  for (; at < marks.size() && marks[at].offset < limit; ++at) {
    const Mark& mark = marks[at];
    if (ends_with_lines_ && lines_->line_of(mark.offset) > last_line && is_whole(last_line))
      return last_line;
    const std::size_t partner = blocks_->partner[at];
    switch (mark.kind) {
      case MarkKind::end_of_statement: return lines_->line_of(mark.offset);
      case MarkKind::close: return last_line;  // what it stands in ends first
      case MarkKind::open: break;
    }
    if (partner == at) return last_line;
    last_line = lines_->line_of(marks[partner].offset);
    const bool is_block = mark.bracket == Bracket::brace || mark.bracket == Bracket::keyword;
    at = partner;
    if (!is_block) continue;
    // A type in braces before the body: "(): { a: number } {".
    const std::size_t next = text_.find_first_not_of(" \t", marks[partner].offset + 1);
    if (next == std::string_view::npos || text_[next] != '{') return last_line;
  }
  return last_line;
}

}  // namespace wright::entities
