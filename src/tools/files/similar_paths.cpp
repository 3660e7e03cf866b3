#include "tools/files/similar_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "tools/files/tree_walk.h"

namespace wright::tools {
namespace {

constexpr int kMaxVisited = 50'000;
constexpr std::size_t kMaxSuggestions = 3;
constexpr std::size_t kMaxComparedName = 64;

std::string lower_name(std::string_view path) {
  std::string name(path.substr(path.rfind('/') + 1));
  std::ranges::transform(name, name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return name;
}

// How many characters must be added, removed or changed.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t changed = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// Smaller is more alike; nothing when two names have nothing to do with each other.
std::optional<std::size_t> difference(std::string_view wanted, std::string_view name) {
  if (wanted == name) return 0;
  if (wanted.size() > kMaxComparedName || name.size() > kMaxComparedName) return std::nullopt;
  const std::size_t tolerated = std::max<std::size_t>(1, wanted.size() / 3);
  const std::size_t length_difference =
      std::max(wanted.size(), name.size()) - std::min(wanted.size(), name.size());
  if (length_difference <= tolerated) {
    const std::size_t distance = edit_distance(wanted, name);
    if (distance <= tolerated) return distance;
  }
  const std::string_view stem = wanted.substr(0, wanted.rfind('.'));
  if (stem.size() >= 3 && name.find(stem) != std::string_view::npos) return tolerated + 1;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> similar_paths(const Workspace& workspace, const std::string& path,
                                       const std::stop_token& stop) {
  const auto base = workspace.open_folder(".");
  if (!base) return {};
  const std::string wanted = lower_name(path);
  std::vector<std::tuple<std::size_t, std::string>> best;
  int visited = 0;
  const WalkOptions options{.hidden = Hidden::visit, .links = Links::follow};
  const auto walked = walk(workspace, *base, options, stop, [&](const WalkEntry& entry) {
    if (const auto found = difference(wanted, lower_name(entry.path))) {
      best.emplace_back(*found, entry.path);
      std::ranges::sort(best);
      if (best.size() > kMaxSuggestions) best.pop_back();
    }
    return ++visited < kMaxVisited ? Visited::proceed : Visited::end;
  });
  if (!walked) return {};
  std::vector<std::string> paths;
  for (auto& [difference, found] : best) paths.push_back(to_valid_utf8(std::move(found)));
  return paths;
}

Error with_suggestions(Error error, const Workspace& workspace, const std::string& path,
                       const std::stop_token& stop) {
  if (error.code != ErrorCode::not_found) return error;
  const auto similar = similar_paths(workspace, path, stop);
  if (!similar.empty()) {
    error.message += fmt::format(". Similar paths: {}", fmt::join(similar, ", "));
  }
  return error;
}

}  // namespace wright::tools
