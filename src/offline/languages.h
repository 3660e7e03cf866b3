// Which language a file is written in, judged by its name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wright::offline {

// Languages whose definitions look alike share a family.
enum class Family : std::uint8_t {
  c,       // C, C++, Objective-C, CUDA
  java,    // Java, C#, Kotlin, Scala, Swift, Dart, Groovy
  script,  // JavaScript, TypeScript
  python,
  ruby,
  go,
  rust,
  shell,
  sql,
  php,
  perl,
  lua,
  cmake,
  make,
  functional,  // Haskell, OCaml, Elixir, Erlang, Clojure, Lisp
  schema,      // Protocol Buffers, Thrift, GraphQL
  data,        // JSON, YAML, TOML, INI, XML: keys, not definitions
  prose,       // Markdown, reStructuredText, plain text
  unknown,
};

struct Language {
  std::string_view name;
  Family family = Family::unknown;
  std::string_view fence;  // the tag of a Markdown code block
  std::vector<std::string_view> extensions;
  std::vector<std::string_view> aliases;  // as people write the name, in lower case
};

const Language& language_of(std::string_view path);

// Whether the text is the name of a file: a usual name, or one with an extension that files have.
// "Store.open" is none.
bool looks_like_file(std::string_view text);

// Whether the text can only be a path: "/etc/passwd", "../x", "~/notes".
bool looks_like_path(std::string_view text);

// Whether people would call a file of the family source code.
bool is_code(Family family);

// Globs for files of a type as people name it: "python", "c++", ".py", "py", "*.h", "header".
// Empty when nobody knows the type.
std::vector<std::string> globs_for_type(std::string_view type);

// The same as one glob: "*.rs", "{*.js,*.mjs}"; empty when nobody knows the type.
std::string glob_for_type(std::string_view type);

}  // namespace wright::offline
