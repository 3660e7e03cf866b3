// Exceptions of toml++ are caught here.
#include "offline/toml_manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "core/endless_keys.h"
#include "offline/markdown.h"

namespace wright::offline {
namespace {

std::optional<toml::table> parsed_toml(Manifest& manifest, std::string_view content) {
  const auto invalid = [&](std::size_t line) {
    manifest.not_read.push_back(fmt::format("it is not valid TOML (line {})", line));
    return std::nullopt;
  };
  if (const auto line = line_of_endless_key(content)) return invalid(*line);
  try {
    return toml::parse(content);
  } catch (const toml::parse_error& error) {
    return invalid(error.source().begin.line);
  }
}

const toml::table* table_at(const toml::table& parent, std::string_view key) {
  const toml::node* node = parent.get(key);
  return node == nullptr ? nullptr : node->as_table();
}

// The table at the end of the keys; null where one of them is missing, or no table.
const toml::table* table_at(const toml::table& parent,
                            std::initializer_list<std::string_view> keys) {
  const toml::table* table = &parent;
  for (const std::string_view key : keys) {
    if (table != nullptr) table = table_at(*table, key);
  }
  return table;
}

std::string toml_string(const toml::table& parent, std::string_view key) {
  const toml::node* node = parent.get(key);
  const auto* text = node == nullptr ? nullptr : node->as_string();
  return text == nullptr ? std::string() : text->get();
}

// toml++ sorts by name; people look for the order of the file.
using PlacedKeys = std::vector<std::pair<toml::source_position, std::string>>;

void add_keys_of(PlacedKeys& keys, const toml::table* table) {
  if (table == nullptr) return;
  for (const auto& [key, node] : *table) keys.emplace_back(key.source().begin, key.str());
}

std::vector<std::string> in_order(PlacedKeys keys) {
  std::ranges::sort(keys, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [place, name] : keys) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> keys_of(const toml::table* table) {
  PlacedKeys keys;
  add_keys_of(keys, table);
  return in_order(std::move(keys));
}

// What the tables [package], [project] and [tool.poetry] have in common.
void read_head(Manifest& manifest, const toml::table* head) {
  if (head == nullptr) return;
  const auto take = [](std::string& value, std::string found) {
    if (value.empty()) value = std::move(found);
  };
  take(manifest.name, toml_string(*head, "name"));
  take(manifest.version, toml_string(*head, "version"));
  take(manifest.description, toml_string(*head, "description"));
  take(manifest.licence, toml_string(*head, "license"));
  if (const toml::table* licence = table_at(*head, "license")) {
    take(manifest.licence, toml_string(*licence, "text"));
    take(manifest.licence, toml_string(*licence, "file"));
  }
}

// --- Rust

void add_cargo_keys(PlacedKeys& keys, const toml::table& table) {
  for (const std::string_view key : {"dependencies", "dev-dependencies", "dev_dependencies",
                                     "build-dependencies", "build_dependencies"}) {
    add_keys_of(keys, table_at(table, key));
  }
}

// --- Python

// Texts of PEP 508, and groups that stand in for what is in them (PEP 735).
std::vector<std::string> requirements_in(Manifest& manifest, const toml::node* list,
                                         std::string_view where) {
  std::vector<std::string> found;
  if (list == nullptr) return found;
  const auto not_understood = [&] {
    manifest.not_read.push_back(fmt::format("{} is not a plain list of texts", where));
  };
  const toml::array* array = list->as_array();
  if (array == nullptr) {
    not_understood();
    return found;
  }
  for (const toml::node& item : *array) {
    const toml::table* table = item.as_table();
    const std::string included =
        table == nullptr ? std::string() : toml_string(*table, "include-group");
    if (const auto* text = item.as_string()) {
      found.push_back(text->get());
    } else if (!included.empty()) {
      found.push_back(fmt::format("all of group {}", included));
    } else {
      not_understood();
    }
  }
  return found;
}

std::string in_group(std::string_view name) {
  return fmt::format("in the group {}", code_span(name));
}

// A table of lists: the keys are names of extras or groups and no dependencies.
template <typename Title>
void read_groups(Manifest& manifest, const toml::table* groups, std::string_view where,
                 Title title) {
  for (const std::string& name : keys_of(groups)) {
    for (const std::string& each : requirements_in(
             manifest, groups->get(name), fmt::format("{} of {}", code_span(name), where))) {
      manifest.add_dependency_of(title(name), each);
    }
  }
}

void read_project(Manifest& manifest, const toml::table& project) {
  for (const std::string& each :
       requirements_in(manifest, project.get("dependencies"), "`dependencies` of [project]")) {
    manifest.add_dependency(each);
  }
  read_groups(
      manifest, table_at(project, "optional-dependencies"), "[project.optional-dependencies]",
      [](std::string_view name) { return fmt::format("with the extra {}", code_span(name)); });
  const toml::node* dynamic = project.get("dynamic");
  if (dynamic == nullptr || !dynamic->is_array()) return;
  for (const toml::node& item : *dynamic->as_array()) {
    const std::string field = item.value_or(std::string());
    if (field.ends_with("dependencies"))
      manifest.not_read.push_back(
          fmt::format("its {} are only known to what builds it (`dynamic`)", code_span(field)));
  }
}

// Keys are the names; the interpreter is among them and no package.
void read_poetry_table(Manifest& manifest, const toml::table* table, const std::string& group) {
  for (const std::string& name : keys_of(table)) {
    const toml::table* wanted = table_at(*table, name);
    const toml::node* optional = wanted == nullptr ? nullptr : wanted->get("optional");
    if (name == "python") continue;
    if (!group.empty()) {
      manifest.add_dependency_of(group, name);
    } else if (optional != nullptr && optional->value_or(false)) {
      manifest.add_dependency_of("with one of its extras", name);
    } else {
      manifest.add_dependency(name);
    }
  }
}

void read_poetry(Manifest& manifest, const toml::table& poetry) {
  read_head(manifest, &poetry);
  read_poetry_table(manifest, table_at(poetry, "dependencies"), "");
  read_poetry_table(manifest, table_at(poetry, "dev-dependencies"), in_group("dev"));
  const toml::table* groups = table_at(poetry, "group");
  for (const std::string& name : keys_of(groups)) {
    read_poetry_table(manifest, table_at(*groups, {name, "dependencies"}), in_group(name));
  }
}

// Where other tools keep dependencies, in ways of their own.
void name_other_tables(Manifest& manifest, const toml::table& table, const std::string& path) {
  static const std::set<std::string, std::less<>> kRead{
      "tool.poetry.dependencies", "tool.poetry.dev-dependencies", "tool.uv.dev-dependencies"};
  for (const std::string& name : keys_of(&table)) {
    const std::string whole = fmt::format("{}.{}", path, name);
    const bool is_group = path.starts_with("tool.poetry.group.") && name == "dependencies";
    if (name.ends_with("dependencies")) {
      if (!kRead.contains(whole) && !is_group)
        manifest.not_read.push_back(fmt::format("{} is not understood", code_span(whole)));
    } else if (const toml::table* inner = table_at(table, name)) {
      name_other_tables(manifest, *inner, whole);
    }
  }
}

void add_scripts(Manifest& manifest, const toml::table* scripts) {
  for (const std::string& name : keys_of(scripts)) {
    manifest.add_entry_point(fmt::format("{} = {}", name, toml_string(*scripts, name)));
  }
}

}  // namespace

void read_cargo(Manifest& manifest, std::string_view content) {
  const auto document = parsed_toml(manifest, content);
  if (!document) return;
  read_head(manifest, table_at(*document, "package"));
  PlacedKeys keys;
  add_cargo_keys(keys, *document);
  if (const toml::table* workspace = table_at(*document, "workspace"))
    add_cargo_keys(keys, *workspace);
  const toml::table* targets = table_at(*document, "target");
  for (const std::string& target : keys_of(targets)) {
    if (const toml::table* table = table_at(*targets, target)) add_cargo_keys(keys, *table);
  }
  for (const std::string& name : in_order(std::move(keys))) manifest.add_dependency(name);
  const toml::node* programs = document->get("bin");
  if (programs == nullptr || !programs->is_array()) return;
  for (const toml::node& program : *programs->as_array()) {
    if (!program.is_table()) continue;
    manifest.add_entry_point(toml_string(*program.as_table(), "name"));
    manifest.add_entry_point(toml_string(*program.as_table(), "path"));
  }
}

void read_pyproject(Manifest& manifest, std::string_view content) {
  const auto document = parsed_toml(manifest, content);
  if (!document) return;
  if (const toml::table* project = table_at(*document, "project")) {
    read_head(manifest, project);
    read_project(manifest, *project);
    add_scripts(manifest, table_at(*project, "scripts"));
    add_scripts(manifest, table_at(*project, "gui-scripts"));
  }
  read_groups(manifest, table_at(*document, "dependency-groups"), "[dependency-groups]", in_group);
  if (const toml::table* poetry = table_at(*document, {"tool", "poetry"})) {
    read_poetry(manifest, *poetry);
    add_scripts(manifest, table_at(*poetry, "scripts"));
  }
  if (const toml::table* uv = table_at(*document, {"tool", "uv"})) {
    for (const std::string& each : requirements_in(manifest, uv->get("dev-dependencies"),
                                                   "`dev-dependencies` of [tool.uv]")) {
      manifest.add_dependency_of(in_group("dev"), each);
    }
  }
  if (const toml::table* build = table_at(*document, "build-system")) {
    for (const std::string& each :
         requirements_in(manifest, build->get("requires"), "`requires` of [build-system]")) {
      manifest.add_dependency_of("to build it", each);
    }
  }
  if (const toml::table* tools = table_at(*document, "tool"))
    name_other_tables(manifest, *tools, "tool");
}

}  // namespace wright::offline
