#include "tools/files/file_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/text.h"

namespace wright::tools {
namespace {

// Lists are separated by spaces. What ripgrep knows means the same here, because those who ask for
// a type have learned the names there.
struct Row {
  std::string_view types;
  std::string_view globs;
};

constexpr std::array kRows{
    Row{"ada", "*.adb *.ads"},
    Row{"asm", "*.asm *.[sS]"},
    Row{"awk", "*.awk"},
    Row{"bazel", "*.bazel *.bazelrc *.bzl *.BUILD BUILD WORKSPACE"},
    Row{"c", "*.[chH] *.[chH].in *.cats"},
    Row{"clojure", "*.clj *.cljs *.cljc *.cljx *.edn"},
    Row{"cmake", "*.cmake CMakeLists.txt"},
    Row{"config", "*.cfg *.conf *.config *.ini"},
    Row{"cpp c++ cxx",
        "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in "
        "*.[ch]++ *.inl"},
    Row{"cs csharp", "*.cs"},
    Row{"css", "*.css *.scss"},
    Row{"csv", "*.csv"},
    Row{"cuda", "*.cu *.cuh"},
    Row{"d", "*.d"},
    Row{"dart", "*.dart"},
    Row{"docker", "*Dockerfile* *.dockerfile Containerfile"},
    Row{"elixir", "*.ex *.exs *.eex *.heex"},
    Row{"erlang", "*.erl *.hrl"},
    Row{"fortran", "*.[fF] *.[fF]77 *.[fF]90 *.[fF]95 *.f03 *.for *.pfo"},
    Row{"fsharp", "*.fs *.fsi *.fsx"},
    Row{"go", "*.go"},
    Row{"graphql", "*.graphql *.gql"},
    Row{"groovy", "*.groovy *.gradle Jenkinsfile"},
    Row{"haskell", "*.hs *.lhs *.hsc *.c2hs *.cpphs"},
    Row{"hs", "*.hs *.lhs"},
    Row{"html", "*.html *.htm *.ejs"},
    Row{"java", "*.java *.jsp *.jspx *.properties"},
    Row{"js javascript", "*.js *.jsx *.mjs *.cjs *.vue"},
    Row{"json", "*.json composer.lock"},
    Row{"julia", "*.jl"},
    Row{"kotlin", "*.kt *.kts"},
    Row{"less", "*.less"},
    Row{"lisp", "*.lisp *.lsp *.el *.jl *.sc *.scm"},
    Row{"log", "*.log"},
    Row{"lua", "*.lua"},
    Row{"make",
        "*.mk *.mak [Mm]akefile [Mm]akefile.am [Mm]akefile.in [Gg][Nn][Uu]makefile "
        "[Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in"},
    Row{"markdown md", "*.md *.markdown *.mdown *.mkdn"},
    Row{"meson", "meson.build meson_options.txt"},
    Row{"nim", "*.nim *.nims *.nimf *.nimble"},
    Row{"nix", "*.nix"},
    Row{"objc", "*.m *.h"},
    Row{"ocaml", "*.ml *.mli *.mll *.mly"},
    Row{"perl", "*.pl *.pm *.t *.perl *.PL *.plh *.plx"},
    Row{"php", "*.php *.php3 *.php4 *.php5 *.phtml"},
    Row{"protobuf proto", "*.proto"},
    Row{"ps powershell", "*.ps1 *.psm1 *.psd1 *.ps1xml *.cdxml"},
    Row{"py python", "*.py"},
    Row{"r", "*.[rR] *.Rmd *.Rnw"},
    Row{"rst", "*.rst"},
    Row{"ruby rb", "*.rb *.rbw *.gemspec .irbrc Gemfile Rakefile config.ru"},
    Row{"rust rs", "*.rs"},
    Row{"sass", "*.sass *.scss"},
    Row{"scala", "*.scala *.sbt"},
    Row{"sh shell bash",
        "*.sh *.bash *.zsh *.ksh *.csh *.tcsh *.bashrc *.kshrc *.cshrc .bashrc .kshrc .cshrc "
        ".tcshrc .zshrc .zshenv .profile .login .logout .bash_login .bash_logout .bash_profile "
        ".zlogin .zlogout .zprofile bashrc zshrc zshenv profile bash_login bash_logout "
        "bash_profile zlogin zlogout zprofile"},
    Row{"sql", "*.sql *.psql"},
    Row{"svelte", "*.svelte"},
    Row{"svg", "*.svg"},
    Row{"swift", "*.swift"},
    Row{"tcl", "*.tcl"},
    Row{"tex", "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins"},
    Row{"tf terraform", "*.tf"},
    Row{"toml", "*.toml Cargo.lock"},
    Row{"ts typescript", "*.ts *.tsx *.mts *.cts"},
    Row{"txt text", "*.txt"},
    Row{"verilog", "*.v *.vh *.sv *.svh"},
    Row{"vhdl", "*.vhd *.vhdl"},
    Row{"vim", "*.vim"},
    Row{"vue", "*.vue"},
    Row{"xml", "*.xml *.xml.dist *.dtd *.xsd *.xsl *.xslt *.rng *.sch *.xhtml *.xjb"},
    Row{"yaml", "*.yaml *.yml"},
    Row{"zig", "*.zig"},
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

}  // namespace

FileType::FileType(std::string_view name) {
  while (name.starts_with('.') || name.starts_with('*')) name.remove_prefix(1);
  own_extension_ = lower(name);
  for (const Row& row : kRows) {
    const auto types = words(row.types);
    if (std::ranges::find(types, own_extension_) == types.end()) continue;
    for (const std::string_view glob : words(row.globs)) {
      if (auto wildcard = Wildcard::compile(glob, WildcardStyle::people)) {
        globs_.push_back(std::move(*wildcard));
      }
    }
    return;
  }
}

bool FileType::matches(std::string_view path) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto is_matched = [this](std::string_view candidate) {
    return std::ranges::any_of(globs_, [&](const auto& glob) { return glob.matches(candidate); });
  };
  if (is_matched(name)) return true;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view extension = name.substr(dot + 1);
  const std::string lower_extension = lower(extension);
  if (!is_known()) return lower_extension == own_extension_;
  // One letter may mean two languages, as c and C do.
  const bool may_be_shouted = extension.size() > 1 && lower_extension != extension;
  return may_be_shouted && is_matched(std::string(name.substr(0, dot + 1)) + lower_extension);
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
