// Reads what manifest files (package.json, Cargo.toml, CMakeLists.txt, …) say about a project.
// Nothing is evaluated; what they say in a way that is not understood is told of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wright::offline {

// Dependencies that not everybody needs.
struct DependencyGroup {
  std::string title;  // "with the extra `docs`", "in the group `dev`", "to build it"
  std::vector<std::string> dependencies;
};

struct Manifest {
  std::string path;
  std::string kind;  // "npm package", "CMake project", …
  std::string name;
  std::string version;
  std::string description;
  std::string licence;
  std::vector<std::string> dependencies;
  std::vector<DependencyGroup> groups;
  std::vector<std::string> entry_points;  // programs that it builds or runs
  // Clauses about what was not read: without them the list of dependencies would claim too much.
  std::vector<std::string> not_read;

  // Each is added once, without blanks around it.
  void add_dependency(std::string_view dependency);
  void add_dependency_of(std::string_view group, std::string_view dependency);
  void add_entry_point(std::string_view entry_point);
};

bool is_manifest(std::string_view path);

// "Maven" for pom.xml: a manifest of a kind that nobody here reads. Empty for all other files.
std::string_view foreign_manifest(std::string_view path);

// A glob for both.
std::string manifest_glob();

// Nothing when the file is no manifest; whatever could be read otherwise.
std::optional<Manifest> read_manifest(std::string_view path, std::string_view content);

}  // namespace wright::offline
