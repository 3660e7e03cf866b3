#include "offline/manifests.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "core/json_members.h"
#include "offline/regex_text.h"
#include "offline/wording.h"
#include "wright/json.h"

namespace wright::offline {
namespace {

void add(std::vector<std::string>& list, std::string value) {
  value = trim(value);
  if (!value.empty() && value.size() < 120 && std::ranges::count(list, value) == 0) {
    list.push_back(std::move(value));
  }
}

std::string first_match(std::string_view content, const RE2& pattern) {
  std::string found;
  RE2::PartialMatch(piece(content), pattern, &found);
  return found;
}

void add_all(std::vector<std::string>& list, std::string_view content, const RE2& pattern) {
  re2::StringPiece rest = piece(content);
  std::string found;
  while (RE2::FindAndConsume(&rest, pattern, &found)) add(list, found);
}

void add_keys(std::vector<std::string>& list, const JsonObject& object, std::string_view key) {
  const Json* found = object.if_contains(key);
  if (found == nullptr || !found->is_object()) return;
  for (const auto& member : found->get_object()) {
    std::string entry(member.key());
    if (member.value().is_string())
      entry.append(" ").append(std::string_view(member.value().get_string()));
    add(list, entry);
  }
}

void read_json(Manifest& manifest, std::string_view content) {
  const auto json = parse_json(content);
  if (!json || !json->is_object()) return;
  const JsonObject& object = json->get_object();
  manifest.name = text_in(object, "name");
  manifest.version = text_in(object, "version");
  manifest.description = text_in(object, "description");
  manifest.licence = text_in(object, "license");
  for (const char* key : {"dependencies", "devDependencies", "peerDependencies",
                          "optionalDependencies", "require", "require-dev"}) {
    add_keys(manifest.dependencies, object, key);
  }
  add(manifest.entry_points, text_in(object, "main"));
  add(manifest.entry_points, text_in(object, "module"));
  add(manifest.entry_points, text_in(object, "bin"));
  add_keys(manifest.entry_points, object, "bin");
  if (const Json* scripts = object.if_contains("scripts"); scripts && scripts->is_object()) {
    const std::string start = text_in(scripts->get_object(), "start");
    if (!start.empty()) add(manifest.entry_points, "npm start: " + start);
  }
}

// TOML, far enough for the tables that manifests have.
void read_toml(Manifest& manifest, std::string_view content) {
  static const RE2 kTable(R"(^\s*\[+\s*([^\]]+?)\s*\]+)");
  static const RE2 kKey(R"(^\s*["']?([\w.-]+)["']?\s*=\s*(.*)$)");
  static const RE2 kDependencyTable(R"((?:^|\.)(?:[\w-]*dependencies|require)$)");
  static const RE2 kDependency(R"((?:.*\.)?[\w-]*dependencies\.([\w-]+))");
  static const RE2 kQuoted(R"(["']([^"']+)["'])");
  std::string table;
  bool in_list = false;
  for (const std::string_view line : split_lines(content)) {
    if (in_list) {
      std::string item;
      if (RE2::PartialMatch(piece(line), kQuoted, &item)) add(manifest.dependencies, item);
      if (trim(line).starts_with(']')) in_list = false;
      continue;
    }
    std::string key;
    std::string value;
    if (RE2::PartialMatch(piece(line), kTable, &key)) {
      table = key;
      std::string dependency;
      if (RE2::FullMatch(table, kDependency, &dependency)) add(manifest.dependencies, dependency);
      continue;
    }
    if (!RE2::FullMatch(piece(line), kKey, &key, &value)) continue;
    const std::string plain = first_match(value, kQuoted);
    const bool is_head = table == "package" || table == "project" || table == "tool.poetry";
    if (is_head && key == "name") manifest.name = plain;
    if (is_head && key == "version") manifest.version = plain;
    if (is_head && key == "description") manifest.description = plain;
    if (is_head && key == "license") manifest.licence = plain;
    if (table == "bin" && (key == "name" || key == "path")) add(manifest.entry_points, plain);
    if (table.ends_with("scripts")) add(manifest.entry_points, key + " = " + plain);
    if (RE2::PartialMatch(table, kDependencyTable)) add(manifest.dependencies, key);
    if (table == "project" && key == "dependencies") {
      add_all(manifest.dependencies, value, kQuoted);
      in_list = value.find(']') == std::string::npos;
    }
    if (table == "build-system" && key == "requires")
      add_all(manifest.dependencies, value, kQuoted);
  }
}

void read_cmake(Manifest& manifest, std::string_view content) {
  static const RE2 kProject(R"((?is)\bproject\s*\(\s*["']?([\w.+-]+))");
  static const RE2 kVersion(R"((?is)\bproject\s*\([^)]*\bVERSION\s+["']?([\w.]+))");
  static const RE2 kDescription(R"re((?is)\bproject\s*\([^)]*\bDESCRIPTION\s+"([^"]+)")re");
  static const RE2 kPackage(R"((?i)\bfind_package\s*\(\s*([\w.+-]+))");
  static const RE2 kModule(R"((?i)\bpkg_(?:check|search)_modules?\s*\(([^)]+)\))");
  static const RE2 kFetched(R"((?i)\bFetchContent_Declare\s*\(\s*([\w.+-]+))");
  static const RE2 kExecutable(R"((?i)\badd_executable\s*\(\s*([\w.${}+-]+))");
  manifest.name = first_match(content, kProject);
  manifest.version = first_match(content, kVersion);
  manifest.description = first_match(content, kDescription);
  add_all(manifest.dependencies, content, kPackage);
  add_all(manifest.dependencies, content, kModule);
  add_all(manifest.dependencies, content, kFetched);
  add_all(manifest.entry_points, content, kExecutable);
}

void read_go(Manifest& manifest, std::string_view content) {
  static const RE2 kModule(R"((?m)^module\s+(\S+))");
  static const RE2 kRequired(R"((?m)^(?:require\s+|\t)([\w./-]+\.[\w./-]+ v\S+))");
  manifest.name = first_match(content, kModule);
  add_all(manifest.dependencies, content, kRequired);
}

void read_requirements(Manifest& manifest, std::string_view content) {
  for (const std::string_view line : split_lines(content)) {
    const std::string_view text = trim(line.substr(0, line.find('#')));
    if (!text.empty() && !text.starts_with('-')) add(manifest.dependencies, std::string(text));
  }
}

// A script: what stands in it as plain text is read, what it computes is not.
void read_setup_py(Manifest& manifest, std::string_view content) {
  static const RE2 kName(R"re((?m)(?:^|[\s(,])name\s*=\s*["']([^"']+)["'])re");
  static const RE2 kVersion(R"re((?m)(?:^|[\s(,])version\s*=\s*["']([^"']+)["'])re");
  static const RE2 kDescription(R"re((?m)(?:^|[\s(,])description\s*=\s*["']([^"']+)["'])re");
  static const RE2 kLicence(R"re((?m)(?:^|[\s(,])license\s*=\s*["']([^"']+)["'])re");
  static const RE2 kClassifier(R"re(["']License :: (?:OSI Approved :: )?([^"']+)["'])re");
  static const RE2 kRequired(R"((?s)\binstall_requires\s*=\s*\[([^\]]*)\])");
  static const RE2 kScripts(R"((?s)["'](?:console|gui)_scripts["']\s*:\s*\[([^\]]*)\])");
  static const RE2 kQuoted(R"re(["']([^"']+)["'])re");
  manifest.name = first_match(content, kName);
  manifest.version = first_match(content, kVersion);
  manifest.description = first_match(content, kDescription);
  manifest.licence = first_match(content, kLicence);
  if (manifest.licence.empty()) manifest.licence = first_match(content, kClassifier);
  add_all(manifest.dependencies, first_match(content, kRequired), kQuoted);
  add_all(manifest.entry_points, first_match(content, kScripts), kQuoted);
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
    if (section == "options" && key == "install_requires") add(manifest.dependencies, value);
    if (section == "options.entry_points" && key.ends_with("_scripts"))
      add(manifest.entry_points, value);
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
    {"Cargo.toml", "Rust crate", read_toml},
    {"pyproject.toml", "Python project", read_toml},
    {"CMakeLists.txt", "CMake project", read_cmake},
    {"go.mod", "Go module", read_go},
    {"requirements.txt", "Python requirements", read_requirements},
    {"setup.py", "Python package", read_setup_py},
    {"setup.cfg", "Python package", read_setup_cfg},
});

const ManifestKind* kind_of(std::string_view path) {
  const auto found = std::ranges::find(kKinds, file_name(path), &ManifestKind::file);
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace

bool is_manifest(std::string_view path) {
  return kind_of(path) != nullptr;
}

std::optional<Manifest> read_manifest(std::string_view path, std::string_view content) {
  const ManifestKind* kind = kind_of(path);
  if (kind == nullptr) return std::nullopt;
  Manifest manifest;
  manifest.path = path;
  manifest.kind = kind->kind;
  kind->read(manifest, content);
  return manifest;
}

}  // namespace wright::offline
