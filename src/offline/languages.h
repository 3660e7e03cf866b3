// Which language a file is written in, judged by its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wright::offline {

// How a language marks its comments.
enum class Marks : std::uint8_t {
  slashes,    // as C, Java, JavaScript, Go, Rust
  hash,       // as Python, Ruby, shell, CMake
  dashes,     // as SQL, Lua, Haskell
  semicolon,  // as Lisp
  prose,      // Markdown, reStructuredText, plain text: nothing else than comment
  none,       // JSON, YAML, XML, and whatever is not known
};

struct Language {
  std::string_view name;
  Marks marks = Marks::none;
  std::string_view fence;       // the tag of a Markdown code block
  std::string_view extensions;  // with blanks between them
  std::string_view aliases;     // as people write the name, in lower case
};

const Language& language_of(std::string_view path);

// Whether the text is the name of a file: a usual name, or one with an extension that files have.
// "Store.open" is none.
bool looks_like_file(std::string_view text);

// Whether the text can only be a path: "/etc/passwd", "../x", "~/notes".
bool looks_like_path(std::string_view text);

// Whether people would call the file source code.
bool is_code(std::string_view path);

// Globs for files of a type as people name it: "python", "c++", ".py", "py", "*.h", "header".
// Empty when nobody knows the type.
std::vector<std::string> globs_for_type(std::string_view type);

}  // namespace wright::offline
