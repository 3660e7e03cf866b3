// A regular expression as RE2 takes it, piece by piece: enough of its syntax to see what it may
// match and to say what it means beyond ASCII. Whether it is valid is up to RE2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wright::tools {

struct PatternPiece {
  // A character, an escape like \d, all of \Q…\E, the opening of a set with what belongs to it
  // ("[", "[^", "[]", "[^]"), or a class like [:alpha:] in a set.
  std::string_view text;
  bool is_in_set = false;
};

// Together they are the whole pattern.
std::vector<PatternPiece> pieces_of(std::string_view pattern);

// Whether every match contains a line break, because the pattern spells one out.
bool asks_for_line_break(std::string_view pattern);

// Whether a match may contain a line break when . matches one too. Errs on the side of yes.
bool may_match_line_break(std::string_view pattern);

// The pattern with \d, \s and \w as Unicode has them, and their opposites. RE2 by itself takes them
// in ASCII. \W in a set stays as it is, and so does \b, for which RE2 has nothing else.
std::string with_unicode_classes(std::string_view pattern);

// The pattern with the ends of a line for \A and \z, the ends of a text.
std::string with_line_anchors(std::string_view pattern);

}  // namespace wright::tools
