#include "offline/manifest_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "offline/index.h"

namespace wright::offline {

int depth_of(std::string_view path) {
  return static_cast<int>(std::ranges::count(path, '/'));
}

std::vector<std::string> manifest_paths(const Listing& all, std::size_t most) {
  std::vector<std::string> paths;
  for (const FileEntry& file : all.files) {
    if (is_manifest(file.path) && path_penalty(file.path) == 0) paths.push_back(file.path);
  }
  std::ranges::stable_sort(paths, {}, depth_of);
  if (paths.size() > most) paths.resize(most);
  return paths;
}

std::vector<Manifest> read_manifests(const std::vector<std::string>& paths, Investigation& look) {
  constexpr int kMostLines = 2000;
  std::vector<Manifest> manifests;
  for (const std::string& path : paths) {
    const FileText file = look.read_file({.path = path, .limit = kMostLines});
    if (look.is_waiting()) continue;
    auto manifest = read_manifest(path, file.content);
    if (!manifest) continue;
    if (file.is_truncated)
      manifest->not_read.insert(manifest->not_read.begin(), "only its beginning was looked at");
    manifests.push_back(std::move(*manifest));
  }
  return manifests;
}

}  // namespace wright::offline
