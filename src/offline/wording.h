// Small operations on English words and on names in code. Pure; all of it is ASCII-aware and
// leaves other bytes alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lines.h"  // IWYU pragma: export
#include "core/text.h"

namespace wright::offline {

char to_upper(char c);
inline std::string_view trim(std::string_view text) {
  return trimmed(text, " \t\r\n\v\f");
}
bool contains_ignoring_case(std::string_view text, std::string_view part);

// The words of a text: runs of letters, digits and underscores.
std::vector<std::string> words_of(std::string_view text);

// The words that carry meaning: without articles, pronouns, question words and such, in lower
// case, each once.
std::vector<std::string> content_words(std::string_view text);

// The part of a word that its inflections share: "sessions" → "session", "caching" → "cach".
std::string stem(std::string_view word);

// The words inside a name: "RetryPolicy", "retry_policy" and "retry-policy" → {retry, policy}.
std::vector<std::string> words_in_name(std::string_view name);

// Whether the text is one name as code writes it: foo, Foo::bar, foo.bar, foo?, my-command.
bool is_identifier(std::string_view text);

// Whether nobody writes such a word in prose: it has an underscore, inner capitals, digits, "::"…
bool looks_like_code(std::string_view text);

bool has_glob_characters(std::string_view text);

// A regular expression (RE2) for the text itself.
std::string quote_for_regex(std::string_view text);

// A regular expression for a name that is no part of a longer one.
std::string regex_for_name(std::string_view name);

// A glob for file names that contain the word with either case of its first letter.
std::string glob_for_word(std::string_view word);

// The last component of a path, and what stands before it ("" when nothing does).
std::string_view file_name(std::string_view path);
std::string_view folder_of(std::string_view path);
std::string extension_of(std::string_view path);  // lower case, without the dot

}  // namespace wright::offline
