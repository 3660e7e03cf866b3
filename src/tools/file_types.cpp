#include "tools/file_types.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace wright::tools {
namespace {

// Lists are separated by spaces; extensions are written without their dot.
struct Row {
  std::string_view types;
  std::string_view extensions;
  std::string_view names;
};

constexpr std::array kRows{
    Row{"ada", "adb ads", ""},
    Row{"asm", "asm s", ""},
    Row{"awk", "awk", ""},
    Row{"bazel", "bazel bzl", "BUILD WORKSPACE"},
    Row{"c", "c h", ""},
    Row{"clojure", "clj cljs cljc edn", ""},
    Row{"cmake", "cmake", "CMakeLists.txt"},
    Row{"config", "cfg conf config ini", ""},
    Row{"cpp c++ cxx", "cpp cc cxx c++ hpp hh hxx h++ h inl ipp tpp ixx cppm", ""},
    Row{"cs csharp", "cs", ""},
    Row{"css", "css scss sass less", ""},
    Row{"csv", "csv tsv", ""},
    Row{"cuda", "cu cuh", ""},
    Row{"d", "d", ""},
    Row{"dart", "dart", ""},
    Row{"docker", "dockerfile", "Dockerfile Containerfile"},
    Row{"elixir", "ex exs eex heex", ""},
    Row{"erlang", "erl hrl", ""},
    Row{"fortran", "f f77 f90 f95 f03 for", ""},
    Row{"fsharp", "fs fsi fsx", ""},
    Row{"go", "go", "go.mod"},
    Row{"graphql", "graphql gql", ""},
    Row{"groovy", "groovy gradle", "Jenkinsfile"},
    Row{"haskell hs", "hs lhs", ""},
    Row{"html", "html htm xhtml", ""},
    Row{"java", "java", ""},
    Row{"js javascript", "js jsx mjs cjs vue", ""},
    Row{"json", "json jsonl json5 jsonc", ""},
    Row{"julia", "jl", ""},
    Row{"kotlin", "kt kts", ""},
    Row{"lisp", "lisp lsp el scm ss rkt", ""},
    Row{"log", "log", ""},
    Row{"lua", "lua", ""},
    Row{"make", "mk mak", "Makefile makefile GNUmakefile"},
    Row{"markdown md", "md markdown mdx mdown", ""},
    Row{"meson", "", "meson.build meson_options.txt"},
    Row{"nim", "nim nims", ""},
    Row{"nix", "nix", ""},
    Row{"objc", "m mm h", ""},
    Row{"ocaml", "ml mli mll mly", ""},
    Row{"perl", "pl pm t", ""},
    Row{"php", "php phtml", ""},
    Row{"protobuf proto", "proto", ""},
    Row{"ps powershell", "ps1 psm1 psd1", ""},
    Row{"py python", "py pyi pyx pyw", ""},
    Row{"r", "r rmd rnw", ""},
    Row{"rst", "rst", ""},
    Row{"ruby rb", "rb erb rake gemspec", "Gemfile Rakefile"},
    Row{"rust rs", "rs", ""},
    Row{"scala", "scala sbt", ""},
    Row{"sh shell bash", "sh bash zsh ksh fish", ""},
    Row{"sql", "sql psql", ""},
    Row{"svelte", "svelte", ""},
    Row{"swift", "swift", ""},
    Row{"tcl", "tcl", ""},
    Row{"tex", "tex ltx cls sty bib", ""},
    Row{"tf terraform", "tf tfvars hcl", ""},
    Row{"toml", "toml", "Cargo.lock"},
    Row{"ts typescript", "ts tsx mts cts", ""},
    Row{"txt text", "txt", ""},
    Row{"verilog", "v vh sv svh", ""},
    Row{"vhdl", "vhd vhdl", ""},
    Row{"vim", "vim", ""},
    Row{"vue", "vue", ""},
    Row{"xml", "xml xsd xsl xslt svg", ""},
    Row{"yaml", "yaml yml", ""},
    Row{"zig", "zig", ""},
};

std::vector<std::string_view> words(std::string_view list) {
  std::vector<std::string_view> found;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (end > 0) found.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return found;
}

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return made;
}

}  // namespace

FileType::FileType(std::string_view name) {
  while (name.starts_with('.') || name.starts_with('*')) name.remove_prefix(1);
  own_extension_ = lower(name);
  for (const Row& row : kRows) {
    const auto types = words(row.types);
    if (std::ranges::find(types, own_extension_) == types.end()) continue;
    extensions_ = words(row.extensions);
    names_ = words(row.names);
    is_known_ = true;
    return;
  }
}

bool FileType::matches(std::string_view path) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (std::ranges::find(names_, name) != names_.end()) return true;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string extension = lower(name.substr(dot + 1));
  if (!is_known_) return extension == own_extension_;
  return std::ranges::find(extensions_, extension) != extensions_.end();
}

std::string known_file_types() {
  std::string all;
  for (const Row& row : kRows) {
    for (const std::string_view type : words(row.types)) {
      if (!all.empty()) all += ", ";
      all += type;
    }
  }
  return all;
}

}  // namespace wright::tools
