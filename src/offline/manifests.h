// Reads what manifest files (package.json, Cargo.toml, CMakeLists.txt, …) say about a project.
// Judged line by line; nothing is evaluated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wright::offline {

struct Manifest {
  std::string path;
  std::string kind;  // "npm package", "CMake project", …
  std::string name;
  std::string version;
  std::string description;
  std::string licence;
  std::vector<std::string> dependencies;
  std::vector<std::string> entry_points;  // programs that it builds or runs
};

bool is_manifest(std::string_view path);

// Nothing when the file is no manifest; whatever could be read otherwise.
std::optional<Manifest> read_manifest(std::string_view path, std::string_view content);

}  // namespace wright::offline
