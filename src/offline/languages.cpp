#include "offline/languages.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr auto kLanguages = std::to_array<Language>({
    {"C", Marks::slashes, "c", "c", "c"},
    {"C++", Marks::slashes, "cpp", "cpp cc cxx c++ ipp tcc inl ixx cppm", "c++ cpp"},
    {"C/C++ header", Marks::slashes, "cpp", "h hpp hh hxx h++", "header headers"},
    {"Objective-C", Marks::slashes, "objc", "m mm", "objective-c objc"},
    {"CUDA", Marks::slashes, "cpp", "cu cuh", "cuda"},
    {"Java", Marks::slashes, "java", "java", "java"},
    {"C#", Marks::slashes, "csharp", "cs", "c# csharp"},
    {"Kotlin", Marks::slashes, "kotlin", "kt kts", "kotlin"},
    {"Scala", Marks::slashes, "scala", "scala sc", "scala"},
    {"Swift", Marks::slashes, "swift", "swift", "swift"},
    {"Dart", Marks::slashes, "dart", "dart", "dart"},
    {"Groovy", Marks::slashes, "groovy", "groovy gradle", "groovy"},
    {"JavaScript", Marks::slashes, "js", "js mjs cjs jsx", "javascript js"},
    {"TypeScript", Marks::slashes, "ts", "ts tsx mts cts", "typescript ts"},
    {"Vue", Marks::slashes, "html", "vue svelte", "vue svelte"},
    {"Python", Marks::hash, "python", "py pyi pyx pyw", "python py"},
    {"Ruby", Marks::hash, "ruby", "rb rake gemspec", "ruby"},
    {"Go", Marks::slashes, "go", "go", "go golang"},
    {"Rust", Marks::slashes, "rust", "rs", "rust"},
    {"Shell", Marks::hash, "sh", "sh bash zsh ksh fish", "shell bash sh"},
    {"SQL", Marks::dashes, "sql", "sql ddl pgsql", "sql"},
    {"PHP", Marks::slashes, "php", "php inc", "php"},
    {"Perl", Marks::hash, "perl", "pl pm t", "perl"},
    {"Lua", Marks::dashes, "lua", "lua", "lua"},
    {"Tcl", Marks::hash, "tcl", "tcl", "tcl"},
    {"CMake", Marks::hash, "cmake", "cmake", "cmake"},
    {"Make", Marks::hash, "make", "mk mak am", "make makefile"},
    {"Haskell", Marks::dashes, "haskell", "hs lhs", "haskell"},
    {"OCaml", Marks::none, "ocaml", "ml mli", "ocaml"},
    {"Elixir", Marks::hash, "elixir", "ex exs", "elixir"},
    {"Erlang", Marks::none, "erlang", "erl hrl", "erlang"},
    {"Lisp", Marks::semicolon, "lisp", "lisp el clj cljs scm rkt", "lisp clojure scheme"},
    {"Zig", Marks::slashes, "zig", "zig", "zig"},
    {"Protocol Buffers", Marks::slashes, "proto", "proto", "protobuf proto"},
    {"JSON", Marks::none, "json", "json jsonc json5", "json"},
    {"YAML", Marks::none, "yaml", "yaml yml", "yaml yml"},
    {"TOML", Marks::none, "toml", "toml", "toml"},
    {"INI", Marks::none, "ini", "ini cfg conf properties", "ini"},
    {"XML", Marks::none, "xml", "xml xsd svg plist", "xml"},
    {"HTML", Marks::none, "html", "html htm xhtml", "html"},
    {"CSS", Marks::none, "css", "css scss sass less", "css"},
    {"Markdown", Marks::prose, "", "md markdown mdx", "markdown md"},
    {"reStructuredText", Marks::prose, "", "rst", "rst restructuredtext"},
    {"Text", Marks::prose, "", "txt text adoc org tex log po pot", "text txt"},
});

std::vector<std::string> listed(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    words.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool has_word(std::string_view list, std::string_view wanted) {
  return std::ranges::count(listed(list), wanted) > 0;
}

const Language& language_named(std::string_view name) {
  return *std::ranges::find(kLanguages, name, &Language::name);
}

constexpr auto kFileNames = std::to_array<std::string_view>(
    {"makefile", "gnumakefile", "dockerfile", "readme", "license", "licence", "copying",
     "changelog", "gemfile", "rakefile", "news", "authors", "todo", "kconfig", "jenkinsfile",
     "procfile", "vagrantfile", "install", "contributing"});

// Extensions of files that are in no language.
constexpr auto kOtherExtensions = std::to_array<std::string_view>(
    {"lock", "log",   "csv",    "tsv", "png", "jpg",   "jpeg", "gif", "ico",  "pdf",
     "zip",  "gz",    "xz",     "bz2", "tar", "so",    "a",    "o",   "bin",  "exe",
     "dll",  "env",   "in",     "ac",  "m4",  "patch", "diff", "bat", "ps1",  "tf",
     "wasm", "db",    "sqlite", "out", "map", "tmpl",  "j2",   "tcl", "jl",   "nim",
     "d",    "f90",   "asm",    "s",   "y",   "l",     "def",  "pc",  "spec", "service",
     "dat",  "jsonl", "ipynb",  "r",   "nix", "sum",   "mod",  "whl", "jar",  "bak"});

}  // namespace

const Language& language_of(std::string_view path) {
  static constexpr Language kUnknown{"other", Marks::none, "", "", ""};
  const std::string name = lower(file_name(path));
  if (name == "cmakelists.txt" || name.ends_with(".cmake.in")) return language_named("CMake");
  if (name == "makefile" || name == "gnumakefile" || name.starts_with("makefile.") ||
      name == "rules" || name == "kbuild") {
    return language_named("Make");
  }
  if (name == "rakefile" || name == "gemfile" || name == "vagrantfile")
    return language_named("Ruby");
  if (name == "readme" || name == "license" || name == "copying" || name == "changelog") {
    return language_named("Text");
  }
  std::string extension = extension_of(name);
  if (extension == "in")
    extension = extension_of(std::string_view(name).substr(0, name.size() - 3));
  if (extension.empty()) return kUnknown;
  const bool is_manual_page = extension.size() == 1 && extension[0] >= '1' && extension[0] <= '9';
  if (is_manual_page) return language_named("Text");
  for (const Language& language : kLanguages) {
    if (has_word(language.extensions, extension)) return language;
  }
  return kUnknown;
}

bool looks_like_file(std::string_view text) {
  static const RE2 kWithExtension(
      R"((?:[^\s"'`<>|]*/)?[\w.+@-]*[\w+@-]\.[A-Za-z][A-Za-z0-9+]{0,9})");
  constexpr std::size_t kLongest = 1024;
  if (text.empty() || text.size() > kLongest || text.ends_with('/')) return false;
  if (text.find("::") != std::string_view::npos) return false;
  if (std::ranges::count(kFileNames, lower(file_name(text))) > 0) return true;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kWithExtension)) return false;
  const bool has_known_extension = !language_of(text).fence.empty() ||
                                   language_of(text).marks == Marks::prose ||
                                   std::ranges::count(kOtherExtensions, extension_of(text)) > 0;
  return has_known_extension || text.find('/') != std::string_view::npos;
}

bool looks_like_path(std::string_view text) {
  static const RE2 kRooted(R"((?:/|~/|\.{1,2}/)[^\s*?\[{"'`<>|]+)");
  constexpr std::size_t kLongest = 1024;
  return text.size() <= kLongest &&
         RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kRooted);
}

bool is_code(std::string_view path) {
  const Marks marks = language_of(path).marks;
  return marks != Marks::none && marks != Marks::prose;
}

std::vector<std::string> globs_for_type(std::string_view type) {
  const std::string wanted = lower(type);
  std::vector<std::string> globs;
  if (wanted.empty()) return globs;
  if (has_glob_characters(wanted)) return {wanted};
  if (wanted.starts_with('.')) return {"*" + wanted};
  for (const Language& language : kLanguages) {
    if (!has_word(language.aliases, wanted)) continue;
    for (const std::string& extension : listed(language.extensions))
      globs.push_back("*." + extension);
    // People who ask about C or C++ mean the headers, too.
    if (language.name == "C" || language.name == "C++") globs.push_back("*.h");
    if (language.name == "C++") globs.insert(globs.end(), {"*.hpp", "*.hh", "*.hxx"});
    if (language.name == "CMake") globs.push_back("CMakeLists.txt");
    if (language.name == "Make") globs.push_back("Makefile");
    return globs;
  }
  for (const Language& language : kLanguages) {
    if (has_word(language.extensions, wanted)) return {"*." + wanted};
  }
  return globs;
}

}  // namespace wright::offline
