#include "offline/languages.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "offline/wording.h"

namespace wright::offline {
namespace {

const std::vector<Language>& languages() {
  static const std::vector<Language> kLanguages{
      {"C", Family::c, "c", {"c"}, {"c"}},
      {"C++",
       Family::c,
       "cpp",
       {"cpp", "cc", "cxx", "c++", "ipp", "tcc", "inl", "ixx", "cppm"},
       {"c++", "cpp", "cplusplus"}},
      {"C/C++ header",
       Family::c,
       "cpp",
       {"h", "hpp", "hh", "hxx", "h++"},
       {"header", "headers", "include"}},
      {"Objective-C", Family::c, "objc", {"m", "mm"}, {"objective-c", "objc"}},
      {"CUDA", Family::c, "cpp", {"cu", "cuh"}, {"cuda"}},
      {"Java", Family::java, "java", {"java"}, {"java"}},
      {"C#", Family::java, "csharp", {"cs"}, {"c#", "csharp"}},
      {"Kotlin", Family::java, "kotlin", {"kt", "kts"}, {"kotlin"}},
      {"Scala", Family::java, "scala", {"scala", "sc"}, {"scala"}},
      {"Swift", Family::java, "swift", {"swift"}, {"swift"}},
      {"Dart", Family::java, "dart", {"dart"}, {"dart"}},
      {"Groovy", Family::java, "groovy", {"groovy", "gradle"}, {"groovy"}},
      {"JavaScript",
       Family::script,
       "js",
       {"js", "mjs", "cjs", "jsx"},
       {"javascript", "js", "node"}},
      {"TypeScript", Family::script, "ts", {"ts", "tsx", "mts", "cts"}, {"typescript", "ts"}},
      {"Vue", Family::script, "html", {"vue", "svelte"}, {"vue", "svelte"}},
      {"Python", Family::python, "python", {"py", "pyi", "pyx", "pyw"}, {"python", "py"}},
      {"Ruby", Family::ruby, "ruby", {"rb", "rake", "gemspec"}, {"ruby"}},
      {"Go", Family::go, "go", {"go"}, {"go", "golang"}},
      {"Rust", Family::rust, "rust", {"rs"}, {"rust"}},
      {"Shell", Family::shell, "sh", {"sh", "bash", "zsh", "ksh", "fish"}, {"shell", "bash", "sh"}},
      {"SQL", Family::sql, "sql", {"sql", "ddl", "pgsql"}, {"sql"}},
      {"PHP", Family::php, "php", {"php", "inc"}, {"php"}},
      {"Perl", Family::perl, "perl", {"pl", "pm", "t"}, {"perl"}},
      {"Lua", Family::lua, "lua", {"lua"}, {"lua"}},
      {"CMake", Family::cmake, "cmake", {"cmake"}, {"cmake"}},
      {"Make", Family::make, "make", {"mk", "mak", "am"}, {"make", "makefile"}},
      {"Haskell", Family::functional, "haskell", {"hs", "lhs"}, {"haskell"}},
      {"OCaml", Family::functional, "ocaml", {"ml", "mli"}, {"ocaml"}},
      {"Elixir", Family::functional, "elixir", {"ex", "exs"}, {"elixir"}},
      {"Erlang", Family::functional, "erlang", {"erl", "hrl"}, {"erlang"}},
      {"Lisp",
       Family::functional,
       "lisp",
       {"lisp", "el", "clj", "cljs", "scm", "rkt"},
       {"lisp", "clojure", "scheme"}},
      {"Zig", Family::rust, "zig", {"zig"}, {"zig"}},
      {"Protocol Buffers", Family::schema, "proto", {"proto"}, {"protobuf", "proto"}},
      {"GraphQL", Family::schema, "graphql", {"graphql", "gql"}, {"graphql"}},
      {"Thrift", Family::schema, "thrift", {"thrift"}, {"thrift"}},
      {"JSON", Family::data, "json", {"json", "jsonc", "json5"}, {"json"}},
      {"YAML", Family::data, "yaml", {"yaml", "yml"}, {"yaml", "yml"}},
      {"TOML", Family::data, "toml", {"toml"}, {"toml"}},
      {"INI", Family::data, "ini", {"ini", "cfg", "conf", "properties"}, {"ini"}},
      {"XML", Family::data, "xml", {"xml", "xsd", "svg", "plist"}, {"xml"}},
      {"HTML", Family::data, "html", {"html", "htm", "xhtml"}, {"html"}},
      {"CSS", Family::data, "css", {"css", "scss", "sass", "less"}, {"css"}},
      {"Markdown", Family::prose, "", {"md", "markdown", "mdx"}, {"markdown", "md"}},
      {"reStructuredText", Family::prose, "", {"rst"}, {"rst", "restructuredtext"}},
      {"Text",
       Family::prose,
       "",
       {"txt", "text", "adoc", "org", "tex", "log", "po", "pot"},
       {"text", "txt"}},
  };
  return kLanguages;
}

const Language& language_named(std::string_view name) {
  return *std::ranges::find(languages(), name, &Language::name);
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
  static const Language kUnknown{"other", Family::unknown, "", {}, {}};
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
  for (const Language& language : languages()) {
    if (std::ranges::count(language.extensions, extension) > 0) return language;
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
  const bool has_known_extension = language_of(text).family != Family::unknown ||
                                   std::ranges::count(kOtherExtensions, extension_of(text)) > 0;
  return has_known_extension || text.find('/') != std::string_view::npos;
}

bool looks_like_path(std::string_view text) {
  static const RE2 kRooted(R"((?:/|~/|\.{1,2}/)[^\s*?\[{"'`<>|]+)");
  constexpr std::size_t kLongest = 1024;
  return text.size() <= kLongest &&
         RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kRooted);
}

bool is_code(Family family) {
  return family != Family::data && family != Family::prose && family != Family::unknown;
}

std::vector<std::string> globs_for_type(std::string_view type) {
  const std::string wanted = lower(type);
  std::vector<std::string> globs;
  if (wanted.empty()) return globs;
  if (has_glob_characters(wanted)) return {wanted};
  if (wanted.starts_with('.')) return {"*" + wanted};
  for (const Language& language : languages()) {
    if (std::ranges::count(language.aliases, wanted) == 0) continue;
    for (const std::string_view extension : language.extensions) {
      globs.push_back("*." + std::string(extension));
    }
    // People who ask about C or C++ mean the headers, too.
    if (language.name == "C" || language.name == "C++") globs.push_back("*.h");
    if (language.name == "C++") globs.insert(globs.end(), {"*.hpp", "*.hh", "*.hxx"});
    if (language.name == "CMake") globs.push_back("CMakeLists.txt");
    if (language.name == "Make") globs.push_back("Makefile");
    return globs;
  }
  for (const Language& language : languages()) {
    if (std::ranges::count(language.extensions, wanted) > 0) return {"*." + wanted};
  }
  return globs;
}

std::string glob_for_type(std::string_view type) {
  const std::vector<std::string> globs = globs_for_type(type);
  if (globs.size() <= 1) return globs.empty() ? std::string() : globs.front();
  std::string joined;
  for (const std::string& glob : globs) joined += (joined.empty() ? "{" : ",") + glob;
  return joined + "}";
}

}  // namespace wright::offline
