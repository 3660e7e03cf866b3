// The brackets and ends of statements in a text of source, without those inside of strings,
// comments, regular expressions and here-documents.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace wright::entities {

enum class Bracket : std::uint8_t { none, brace, round, square, keyword };
enum class MarkKind : std::uint8_t { open, close, end_of_statement };

struct Mark {
  std::size_t offset = 0;
  MarkKind kind = MarkKind::open;
  Bracket bracket = Bracket::none;
};

// In the order of their offsets. `language` is one of those that BlockEnds knows.
std::vector<Mark> read_marks(std::string_view text, std::string_view language);

}  // namespace wright::entities
