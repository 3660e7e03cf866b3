#include "offline/manifests.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "core/json_members.h"
#include "offline/markdown.h"
#include "offline/regex_text.h"
#include "offline/toml_manifests.h"
#include "offline/wording.h"
#include "wright/json.h"

namespace wright::offline {
namespace {

constexpr std::size_t kLongestEntry = 200;

void add_to(std::vector<std::string>& list, std::string_view value) {
  std::string entry = shortened(trim(value), kLongestEntry);
  if (!entry.empty() && std::ranges::count(list, entry) == 0) list.push_back(std::move(entry));
}

std::string first_match(std::string_view content, const RE2& pattern) {
  std::string found;
  RE2::PartialMatch(piece(content), pattern, &found);
  return found;
}

void add_all(std::vector<std::string>& list, std::string_view content, const RE2& pattern) {
  re2::StringPiece rest = piece(content);
  std::string found;
  while (RE2::FindAndConsume(&rest, pattern, &found)) add_to(list, found);
}

// A list of names, or of objects that have one, as vcpkg writes it.
void add_names(std::vector<std::string>& list, const JsonArray& names) {
  for (const Json& name : names) {
    add_to(list, name.is_string() ? std::string(name.get_string()) : text_in(name, "name"));
  }
}

void add_keys(std::vector<std::string>& list, const JsonObject& object, std::string_view key) {
  const Json* found = object.if_contains(key);
  if (found != nullptr && found->is_array()) add_names(list, found->get_array());
  if (found == nullptr || !found->is_object()) return;
  for (const auto& member : found->get_object()) {
    std::string entry(member.key());
    if (member.value().is_string())
      entry.append(" ").append(std::string_view(member.value().get_string()));
    add_to(list, entry);
  }
}

void read_json(Manifest& manifest, std::string_view content) {
  const auto json = parse_json(content);
  if (!json || !json->is_object()) {
    manifest.not_read.emplace_back("it is not valid JSON");
    return;
  }
  const JsonObject& object = json->get_object();
  manifest.name = text_in(object, "name");
  manifest.version = text_in(object, "version");
  manifest.description = text_in(object, "description");
  manifest.licence = text_in(object, "license");
  for (const char* key : {"dependencies", "devDependencies", "peerDependencies",
                          "optionalDependencies", "require", "require-dev"}) {
    add_keys(manifest.dependencies, object, key);
  }
  manifest.add_entry_point(text_in(object, "main"));
  manifest.add_entry_point(text_in(object, "module"));
  manifest.add_entry_point(text_in(object, "bin"));
  add_keys(manifest.entry_points, object, "bin");
  if (const Json* scripts = object.if_contains("scripts"); scripts && scripts->is_object()) {
    const std::string start = text_in(scripts->get_object(), "start");
    if (!start.empty()) manifest.add_entry_point("npm start: " + start);
  }
}

// Without comments: "#" outside of quotes begins one.
std::string without_hash_comments(std::string_view content) {
  std::string kept;
  for (const std::string_view line : split_lines(content)) {
    bool is_quoted = false;
    for (const char c : line) {
      if (c == '"') is_quoted = !is_quoted;
      if (c == '#' && !is_quoted) break;
      kept += c;
    }
    kept += '\n';
  }
  return kept;
}

void read_cmake(Manifest& manifest, std::string_view given) {
  static const RE2 kProject(R"((?is)\bproject\s*\(\s*["']?([\w.+-]+))");
  static const RE2 kVersion(R"((?is)\bproject\s*\([^)]*\bVERSION\s+["']?([\w.]+))");
  static const RE2 kDescription(R"re((?is)\bproject\s*\([^)]*\bDESCRIPTION\s+"([^"]+)")re");
  static const RE2 kPackage(R"((?i)\bfind_package\s*\(\s*([\w.+-]+))");
  static const RE2 kModule(R"((?i)\bpkg_(?:check|search)_modules?\s*\(([^)]+)\))");
  static const RE2 kFetched(R"((?i)\bFetchContent_Declare\s*\(\s*([\w.+-]+))");
  static const RE2 kExecutable(R"((?i)\badd_executable\s*\(\s*([\w.${}+-]+))");
  const std::string content = without_hash_comments(given);
  manifest.name = first_match(content, kProject);
  manifest.version = first_match(content, kVersion);
  manifest.description = first_match(content, kDescription);
  add_all(manifest.dependencies, content, kPackage);
  add_all(manifest.dependencies, content, kModule);
  add_all(manifest.dependencies, content, kFetched);
  add_all(manifest.entry_points, content, kExecutable);
}

// Only what is required: exclude and replace have lists of the same form.
void read_go(Manifest& manifest, std::string_view content) {
  static const RE2 kModule(R"(^module\s+(\S+))");
  static const RE2 kOpens(R"(^(\w+)\s*\($)");
  static const RE2 kSingle(R"(^require\s+(\S+\s+v\S+)$)");
  static const RE2 kListed(R"(^(\S+\s+v\S+)$)");
  std::string list;  // the word before the bracket that is open
  for (const std::string_view line : split_lines(content)) {
    const std::string_view text = trim(line.substr(0, line.find("//")));
    std::string found;
    if (text == ")") list.clear();
    if (list.empty() && RE2::PartialMatch(piece(text), kModule, &found)) manifest.name = found;
    if (list.empty() && RE2::PartialMatch(piece(text), kOpens, &found)) {
      list = found;
    } else if (RE2::PartialMatch(piece(text), list == "require" ? kListed : kSingle, &found)) {
      add_to(manifest.dependencies, found);
    }
  }
}

// A comment begins at the start of a line or behind a blank: "#egg=" of an address is none.
void read_requirements(Manifest& manifest, std::string_view content) {
  static const RE2 kComment(R"((?:^|\s)#.*$)");
  static const RE2 kOption(R"(^(-r|--requirement|-c|--constraint|-e|--editable)[\s=]*(\S+))");
  for (const std::string_view line : split_lines(content)) {
    std::string text(line);
    RE2::Replace(&text, kComment, "");
    RE2::Replace(&text, R"(\s*\\\s*$)", "");
    text = trim(text);
    std::string option;
    std::string value;
    if (!RE2::PartialMatch(text, kOption, &option, &value)) {
      if (!text.starts_with('-')) manifest.add_dependency(text);
    } else if (option == "-e" || option == "--editable") {
      manifest.add_dependency(value);
    } else if (option == "-r" || option == "--requirement") {
      manifest.not_read.push_back(fmt::format("it takes in {}", code_span(value)));
    }
  }
}

// The texts of a list of Python that begins where `rest` does; nothing where one is computed.
std::optional<std::vector<std::string>> texts_in_list(std::string_view rest) {
  std::vector<std::string> texts;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == ']') return texts;
    if (c == '#') {
      i = rest.find('\n', i);
      if (i == std::string_view::npos) return std::nullopt;
    } else if (c == '"' || c == '\'') {
      const std::size_t end = rest.find(c, i + 1);
      if (end == std::string_view::npos || end == i + 1) return std::nullopt;
      texts.emplace_back(rest.substr(i + 1, end - i - 1));
      i = end;
    } else if (c != ',' && trim(rest.substr(i, 1)).size() == 1) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// The list behind a key of a call in Python.
void add_list_of_call(std::vector<std::string>& list, Manifest& manifest, std::string_view content,
                      const RE2& key, std::string_view name) {
  re2::StringPiece rest = piece(content);
  if (!RE2::FindAndConsume(&rest, key)) return;
  const std::string_view behind(rest.data(), rest.size());
  const auto texts = behind.starts_with('[') ? texts_in_list(behind) : std::nullopt;
  if (!texts)
    return manifest.not_read.push_back(fmt::format("its {} is computed", code_span(name)));
  for (const std::string& text : *texts) add_to(list, text);
}

// A script: what stands in it as plain text is read, what it computes is not.
void read_setup_py(Manifest& manifest, std::string_view given) {
  static const RE2 kName(R"re((?m)(?:^|[\s(,])name\s*=\s*["']([^"']+)["'])re");
  static const RE2 kVersion(R"re((?m)(?:^|[\s(,])version\s*=\s*["']([^"']+)["'])re");
  static const RE2 kDescription(R"re((?m)(?:^|[\s(,])description\s*=\s*["']([^"']+)["'])re");
  static const RE2 kLicence(R"re((?m)(?:^|[\s(,])license\s*=\s*["']([^"']+)["'])re");
  static const RE2 kClassifier(R"re(["']License :: (?:OSI Approved :: )?([^"']+)["'])re");
  static const RE2 kCommentLine(R"((?m)^\s*#.*$)");
  static const RE2 kRequired(R"(\binstall_requires\s*=\s*)");
  static const RE2 kScripts(R"(["'](?:console|gui)_scripts["']\s*:\s*)");
  static const RE2 kExtras(R"(\bextras_require\s*=)");
  std::string content(given);
  RE2::GlobalReplace(&content, kCommentLine, "");
  manifest.name = first_match(content, kName);
  manifest.version = first_match(content, kVersion);
  manifest.description = first_match(content, kDescription);
  manifest.licence = first_match(content, kLicence);
  if (manifest.licence.empty()) manifest.licence = first_match(content, kClassifier);
  add_list_of_call(manifest.dependencies, manifest, content, kRequired, "install_requires");
  add_list_of_call(manifest.entry_points, manifest, content, kScripts, "console_scripts");
  if (RE2::PartialMatch(content, kExtras))
    manifest.not_read.emplace_back("its `extras_require` is not understood");
}

// An INI file: keys with one value, or with one on each of the lines below them.
void read_setup_cfg(Manifest& manifest, std::string_view content) {
  static const RE2 kSection(R"(^\[([^\]]+)\])");
  static const RE2 kKey(R"(^([\w.-]+)\s*[=:]\s*(.*)$)");
  std::string section;
  std::string key;
  for (const std::string_view line : split_lines(content)) {
    std::string value;
    if (RE2::PartialMatch(piece(line), kSection, &section)) {
      key.clear();
      continue;
    }
    const bool is_below = line.starts_with(' ') || line.starts_with('\t');
    if (is_below) {
      value = trim(line);
    } else if (!RE2::FullMatch(piece(line), kKey, &key, &value)) {
      continue;
    }
    if (value.empty() || value.starts_with('#')) continue;
    if (section == "metadata" && key == "name") manifest.name = value;
    if (section == "metadata" && key == "version") manifest.version = value;
    if (section == "metadata" && key == "description") manifest.description = value;
    if (section == "metadata" && key == "license") manifest.licence = value;
    if (section == "options" && key == "install_requires") manifest.add_dependency(value);
    if (section == "options.extras_require")
      manifest.add_dependency_of(fmt::format("with the extra {}", code_span(key)), value);
    if (section == "options.entry_points" && key.ends_with("_scripts"))
      manifest.add_entry_point(value);
  }
}

using Reader = void (*)(Manifest&, std::string_view);

struct ManifestKind {
  std::string_view file;
  std::string_view kind;
  Reader read;
};

constexpr auto kKinds = std::to_array<ManifestKind>({
    {"package.json", "npm package", read_json},
    {"composer.json", "Composer package", read_json},
    {"vcpkg.json", "vcpkg manifest", read_json},
    {"Cargo.toml", "Rust crate", read_cargo},
    {"pyproject.toml", "Python project", read_pyproject},
    {"CMakeLists.txt", "CMake project", read_cmake},
    {"go.mod", "Go module", read_go},
    {"requirements.txt", "Python requirements", read_requirements},
    {"setup.py", "Python package", read_setup_py},
    {"setup.cfg", "Python package", read_setup_cfg},
    {"requirements*.txt", "Python requirements", read_requirements},
});

struct ForeignKind {
  std::string_view file;
  std::string_view tool;
};

// Manifests with dependencies that nobody here reads.
constexpr auto kForeign = std::to_array<ForeignKind>({
    {"pom.xml", "Maven"},           {"build.gradle", "Gradle"},
    {"build.gradle.kts", "Gradle"}, {"libs.versions.toml", "Gradle"},
    {"build.sbt", "sbt"},           {"Gemfile", "Bundler"},
    {"*.gemspec", "RubyGems"},      {"Pipfile", "Pipenv"},
    {"environment.yml", "Conda"},   {"environment.yaml", "Conda"},
    {"pixi.toml", "Pixi"},          {"*.csproj", ".NET"},
    {"*.fsproj", ".NET"},           {"*.vbproj", ".NET"},
    {"packages.config", "NuGet"},   {"Directory.Packages.props", "NuGet"},
    {"Package.swift", "Swift"},     {"Podfile", "CocoaPods"},
    {"pubspec.yaml", "Dart"},       {"mix.exs", "Mix"},
    {"rebar.config", "Rebar"},      {"*.cabal", "Cabal"},
    {"package.yaml", "hpack"},      {"conanfile.txt", "Conan"},
    {"conanfile.py", "Conan"},      {"meson.build", "Meson"},
    {"deno.json", "Deno"},          {"MODULE.bazel", "Bazel"},
    {"WORKSPACE", "Bazel"},
});

// "*" stands for anything, at most once.
bool fits_name(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  const std::string_view end = pattern.substr(star + 1);
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) &&
         name.ends_with(end);
}

const ManifestKind* manifest_kind(std::string_view path) {
  const auto found = std::ranges::find_if(
      kKinds, [&](const ManifestKind& kind) { return fits_name(kind.file, file_name(path)); });
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace

void Manifest::add_dependency(std::string_view dependency) {
  add_to(dependencies, dependency);
}

void Manifest::add_dependency_of(std::string_view group, std::string_view dependency) {
  auto found = std::ranges::find(groups, group, &DependencyGroup::title);
  if (found == groups.end()) found = groups.insert(found, {.title = std::string(group)});
  add_to(found->dependencies, dependency);
}

void Manifest::add_entry_point(std::string_view entry_point) {
  add_to(entry_points, entry_point);
}

std::string_view foreign_manifest(std::string_view path) {
  const auto found = std::ranges::find_if(
      kForeign, [&](const ForeignKind& kind) { return fits_name(kind.file, file_name(path)); });
  return found == kForeign.end() ? std::string_view() : found->tool;
}

std::string manifest_glob() {
  std::string names;
  for (const ManifestKind& kind : kKinds) names.append(names.empty() ? "" : ",").append(kind.file);
  for (const ForeignKind& kind : kForeign) names.append(",").append(kind.file);
  return "{" + names + "}";
}

bool is_manifest(std::string_view path) {
  return manifest_kind(path) != nullptr;
}

std::optional<Manifest> read_manifest(std::string_view path, std::string_view content) {
  const ManifestKind* kind = manifest_kind(path);
  if (kind == nullptr) return std::nullopt;
  Manifest manifest;
  manifest.path = path;
  manifest.kind = kind->kind;
  kind->read(manifest, content);
  return manifest;
}

}  // namespace wright::offline
