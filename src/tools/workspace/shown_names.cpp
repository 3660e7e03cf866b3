#include "tools/workspace/shown_names.h"

#include <fcntl.h>

#include <algorithm>
#include <string_view>

#include "tools/workspace/open_directory.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::optional<std::string> name_shown_as(FileDescriptor folder, std::string_view shown) {
  const OpenDirectory directory(::fdopendir(folder.get()));
  if (directory == nullptr) return std::nullopt;
  folder.release();
  std::optional<std::string> found;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (to_valid_utf8(entry->d_name) != shown) continue;
    if (found) return std::nullopt;
    found = entry->d_name;
  }
  return found;
}

}  // namespace

std::optional<std::string> path_shown_as(int folder, const std::string& path, Resolver resolver) {
  if (path.find(kReplacement) == std::string::npos) return std::nullopt;
  std::string real = ".";
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    std::optional<std::string> name = path.substr(at, end - at);
    if (name->find(kReplacement) != std::string::npos) {
      auto opened = open_beneath(folder, real, O_RDONLY | O_DIRECTORY, Links::follow, resolver);
      if (!opened) return std::nullopt;
      name = name_shown_as(std::move(*opened), *name);
      if (!name) return std::nullopt;
    }
    real += "/" + *name;
    at = end + 1;
  }
  return real;
}

}  // namespace wright::tools
