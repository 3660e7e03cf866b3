#include "offline/manifests.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <memory>

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

std::string text_at(const JsonObject& object, std::string_view key) {
  const Json* found = object.if_contains(key);
  if (found == nullptr || !found->is_string()) return {};
  return std::string(std::string_view(found->get_string()));
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
  manifest.name = text_at(object, "name");
  manifest.version = text_at(object, "version");
  manifest.description = text_at(object, "description");
  manifest.licence = text_at(object, "license");
  for (const char* key : {"dependencies", "devDependencies", "peerDependencies",
                          "optionalDependencies", "require", "require-dev"}) {
    add_keys(manifest.dependencies, object, key);
  }
  add(manifest.entry_points, text_at(object, "main"));
  add(manifest.entry_points, text_at(object, "module"));
  add(manifest.entry_points, text_at(object, "bin"));
  add_keys(manifest.entry_points, object, "bin");
  if (const Json* scripts = object.if_contains("scripts"); scripts && scripts->is_object()) {
    if (scripts->get_object().contains("test")) manifest.test_command = "npm test";
    const std::string start = text_at(scripts->get_object(), "start");
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
  if (contains_ignoring_case(content, "enable_testing") ||
      contains_ignoring_case(content, "include(CTest)")) {
    manifest.test_command = "ctest";
  }
}

void read_go(Manifest& manifest, std::string_view content) {
  static const RE2 kModule(R"((?m)^module\s+(\S+))");
  static const RE2 kRequired(R"((?m)^(?:require\s+|\t)([\w./-]+\.[\w./-]+ v\S+))");
  manifest.name = first_match(content, kModule);
  add_all(manifest.dependencies, content, kRequired);
  manifest.test_command = "go test ./...";
}

void read_debian(Manifest& manifest, std::string_view content) {
  static const RE2 kSource(R"((?m)^Source:\s*(\S+))");
  static const RE2 kDescription(R"((?m)^Description:\s*(.+)$)");
  manifest.name = first_match(content, kSource);
  manifest.description = first_match(content, kDescription);
  bool in_list = false;
  for (const std::string_view line : split_lines(content)) {
    const bool starts = line.starts_with("Build-Depends") || line.starts_with("Depends:");
    if (!starts && !(in_list && line.starts_with(' '))) {
      in_list = false;
      continue;
    }
    in_list = true;
    std::string_view rest = starts ? line.substr(std::min(line.find(':') + 1, line.size())) : line;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      const std::string_view item = trim(rest.substr(0, comma));
      if (!item.starts_with('$') && !item.starts_with('#'))
        add(manifest.dependencies, std::string(item));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
}

void read_requirements(Manifest& manifest, std::string_view content) {
  for (const std::string_view line : split_lines(content)) {
    const std::string_view text = trim(line.substr(0, line.find('#')));
    if (!text.empty() && !text.starts_with('-')) add(manifest.dependencies, std::string(text));
  }
}

// Files for which a few patterns are enough.
struct PatternReader {
  const char* name = nullptr;
  const char* version = nullptr;
  const char* description = nullptr;
  const char* dependency = nullptr;
};

void read_patterns(Manifest& manifest, std::string_view content, const PatternReader& reader) {
  if (reader.name != nullptr) manifest.name = first_match(content, RE2(reader.name));
  if (reader.version != nullptr) manifest.version = first_match(content, RE2(reader.version));
  if (reader.description != nullptr) {
    manifest.description = first_match(content, RE2(reader.description));
  }
  if (reader.dependency != nullptr) add_all(manifest.dependencies, content, RE2(reader.dependency));
}

using Reader = void (*)(Manifest&, std::string_view);

struct Kind {
  const char* file;  // RE2, over the file's name or the end of its path
  const char* kind;
  Reader read = nullptr;
  PatternReader patterns = {};
};

constexpr auto kKinds = std::to_array<Kind>({
    {R"((?:^|/)package\.json$)", "npm package", read_json},
    {R"((?:^|/)composer\.json$)", "Composer package", read_json},
    {R"((?:^|/)vcpkg\.json$)", "vcpkg manifest", read_json},
    {R"((?:^|/)Cargo\.toml$)", "Rust crate", read_toml},
    {R"((?:^|/)pyproject\.toml$)", "Python project", read_toml},
    {R"((?:^|/)CMakeLists\.txt$)", "CMake project", read_cmake},
    {R"((?:^|/)go\.mod$)", "Go module", read_go},
    {R"((?:^|/)debian/control$)", "Debian package", read_debian},
    {R"((?:^|/)requirements[\w-]*\.txt$)", "Python requirements", read_requirements},
    {R"((?:^|/)setup\.(?:py|cfg)$)",
     "Python package",
     nullptr,
     {R"((?m)\bname\s*=\s*['"]?([\w.-]+))", R"((?m)\bversion\s*=\s*['"]?([\w.]+))",
      R"((?m)\bdescription\s*=\s*['"]?([^'"\n]+))",
      R"((?m)^\s+['"]?([A-Za-z][\w.-]*(?:\[\w+\])?\s*[<>=~!]=[^'",\n]+))"}},
    {R"((?:^|/)Gemfile$)",
     "Ruby bundle",
     nullptr,
     {nullptr, nullptr, nullptr, R"((?m)^\s*gem\s+['"]([\w-]+))"}},
    {R"(\.gemspec$)",
     "Ruby gem",
     nullptr,
     {R"(\.name\s*=\s*['"]([\w-]+))", R"(\.version\s*=\s*['"]([\w.]+))",
      R"(\.summary\s*=\s*['"]([^'"]+))", R"(add_(?:\w+_)?dependency\s*\(?\s*['"]([\w-]+))"}},
    {R"((?:^|/)pom\.xml$)",
     "Maven project",
     nullptr,
     {R"(<artifactId>([^<]+)</artifactId>)", R"(<version>([^<]+)</version>)",
      R"(<description>([^<]+)</description>)",
      R"((?s)<dependency>.*?<artifactId>([^<]+)</artifactId>)"}},
    {R"((?:^|/)build\.gradle(?:\.kts)?$)",
     "Gradle project",
     nullptr,
     {nullptr, R"((?m)^version\s*=?\s*['"]([^'"]+))", nullptr,
      R"((?m)^\s*(?:implementation|api|compile|testImplementation|runtimeOnly|compileOnly)\s*\(?\s*['"]([^'"]+))"}},
    {R"((?:^|/)meson\.build$)",
     "Meson project",
     nullptr,
     {R"((?s)project\s*\(\s*'([^']+))", R"(version\s*:\s*'([^']+))", nullptr,
      R"(dependency\s*\(\s*'([^']+))"}},
    {R"((?:^|/)configure\.(?:ac|in)$)",
     "Autotools project",
     nullptr,
     {R"(AC_INIT\s*\(\s*\[?([\w. -]+))", R"(AC_INIT\s*\([^,]*,\s*\[?([\w.]+))", nullptr,
      R"(PKG_CHECK_MODULES\s*\(\s*\[?\w+\]?\s*,\s*\[?([^\],)]+))"}},
    {R"((?:^|/)mix\.exs$)",
     "Elixir project",
     nullptr,
     {R"(app:\s*:(\w+))", R"(version:\s*"([^"]+))", nullptr, R"(\{:(\w+),\s*"~>)"}},
    {R"((?:^|/)conanfile\.txt$)",
     "Conan manifest",
     nullptr,
     {nullptr, nullptr, nullptr, R"((?m)^([\w.+-]+/[\w.+-]+))"}},
});

const Kind* kind_of(std::string_view path) {
  // One pass over all names; a listing has thousands of paths.
  static const std::unique_ptr<const RE2::Set> kNames = [] {
    auto names = std::make_unique<RE2::Set>(RE2::Options(), RE2::UNANCHORED);
    for (const Kind& kind : kKinds) names->Add(kind.file, nullptr);
    names->Compile();
    return names;
  }();
  std::vector<int> found;
  if (!kNames->Match(piece(path), &found) || found.empty()) return nullptr;
  return &kKinds[static_cast<std::size_t>(*std::ranges::min_element(found))];
}

}  // namespace

bool is_manifest(std::string_view path) {
  return kind_of(path) != nullptr;
}

std::optional<Manifest> read_manifest(std::string_view path, std::string_view content) {
  const Kind* kind = kind_of(path);
  if (kind == nullptr) return std::nullopt;
  Manifest manifest;
  manifest.path = path;
  manifest.kind = kind->kind;
  if (kind->read != nullptr) {
    kind->read(manifest, content);
  } else {
    read_patterns(manifest, content, kind->patterns);
  }
  if (manifest.kind == "Rust crate") manifest.test_command = "cargo test";
  return manifest;
}

}  // namespace wright::offline
