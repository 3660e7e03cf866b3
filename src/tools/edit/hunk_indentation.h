// The blanks before lines that a hunk adds, where its other lines fit the text apart from theirs.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wright::tools {

class HunkIndentation {
 public:
  // A line of the hunk, and that of the text which it stands for.
  struct Pair {
    std::string_view hunk;
    std::string_view text;
  };

  HunkIndentation() = default;  // the text has those of the hunk
  explicit HunkIndentation(std::span<const Pair> lines);

  // An added line, with blanks like those of the text. As it is where nothing tells what they are.
  std::string fitted(std::string_view added) const;
  // The lines differ in ways that say nothing about others.
  bool is_uneven() const { return kind_ == Kind::uneven; }

 private:
  enum class Kind : std::uint8_t {
    same,
    longer,          // in the text, all by the same blanks
    shorter,         // likewise
    tabs_in_text,    // for so many spaces of the hunk each
    spaces_in_text,  // so many for each tab of the hunk
    uneven,
  };

  static HunkIndentation between(std::string_view hunk, std::string_view text);
  static HunkIndentation by_units(std::span<const Pair> lines);
  bool operator==(const HunkIndentation&) const = default;

  Kind kind_ = Kind::same;
  std::string_view blanks_ = {};  // of the text, or the hunk, alone
  std::size_t spaces_ = 0;        // that stand for a tab
};

}  // namespace wright::tools
