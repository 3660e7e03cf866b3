#include "offline/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "core/json_members.h"

namespace wright::offline {
namespace {

std::string string_at(const Json& json, std::string_view key) {
  const Json* found = member(json, key);
  if (found == nullptr) return {};
  if (found->is_string()) return std::string(std::string_view(found->get_string()));
  return found->is_number() ? to_text(*found) : std::string();
}

std::int64_t integer_at(const Json& json, std::string_view key, std::int64_t otherwise = 0) {
  const Json* found = member(json, key);
  if (found == nullptr) return otherwise;
  if (found->is_int64()) return found->get_int64();
  if (found->is_double()) {
    const double value = found->get_double();
    if (value > -9e15 && value < 9e15) return static_cast<std::int64_t>(value);
  }
  return otherwise;
}

int line_at(const Json& json, std::string_view key) {
  return static_cast<int>(
      std::clamp<std::int64_t>(integer_at(json, key), 0, std::numeric_limits<int>::max() / 2));
}

bool is_set(const Json& json, std::string_view key) {
  const Json* found = member(json, key);
  return found != nullptr && found->is_bool() && found->get_bool();
}

const JsonArray& array_at(const Json& json, std::string_view key) {
  static const JsonArray kEmpty;
  const Json* found = member(json, key);
  return found != nullptr && found->is_array() ? found->get_array() : kEmpty;
}

}  // namespace

Listing read_listing(const Json& json) {
  Listing listing;
  for (const Json& item : array_at(json, "files")) {
    if (item.is_string()) {
      listing.files.push_back({std::string(std::string_view(item.get_string())), -1, {}});
    } else if (item.is_object()) {
      FileEntry entry{string_at(item, "path"), integer_at(item, "size", -1),
                      string_at(item, "modified")};
      if (!entry.path.empty()) listing.files.push_back(std::move(entry));
    }
  }
  const auto shown = static_cast<std::int64_t>(listing.files.size());
  listing.total = std::max(shown, integer_at(json, "total_files"));
  listing.is_truncated = is_set(json, "truncated") || listing.total > shown;
  if (const Json* skipped = member(json, "skipped")) {
    listing.ignored = integer_at(*skipped, "ignored");
    listing.hidden = integer_at(*skipped, "hidden");
  }
  return listing;
}

FileText read_file_text(const Json& json) {
  FileText text;
  text.path = string_at(json, "file_path");
  text.content = string_at(json, "content");
  text.start_line = std::max(1, line_at(json, "start_line"));
  text.total_lines = line_at(json, "total_lines");
  text.size = integer_at(json, "size");
  text.is_truncated = is_set(json, "truncated");
  text.is_binary = is_set(json, "binary");
  text.media_type = string_at(json, "media_type");
  return text;
}

Matches read_matches(const Json& json) {
  Matches found;
  std::set<std::string_view> files;
  for (const Json& item : array_at(json, "matches")) {
    Match match{string_at(item, "file_path"), line_at(item, "line_number"),
                string_at(item, "line_content")};
    if (!match.path.empty()) found.matches.push_back(std::move(match));
  }
  for (const Match& match : found.matches) files.insert(match.path);
  for (const Json& item : array_at(json, "files")) {
    if (item.is_string()) {
      found.counts.push_back({std::string(std::string_view(item.get_string())), 0});
    } else if (item.is_object()) {
      found.counts.push_back({string_at(item, "file_path"), integer_at(item, "count")});
    }
  }
  const auto shown = static_cast<std::int64_t>(found.matches.size());
  found.total = std::max(shown, integer_at(json, "total_matches"));
  found.files_with_matches =
      std::max(static_cast<std::int64_t>(std::max(files.size(), found.counts.size())),
               integer_at(json, "files_with_matches"));
  found.files_searched = integer_at(json, "files_searched");
  found.is_truncated = is_set(json, "truncated");
  if (const Json* skipped = member(json, "skipped")) {
    found.left_out = {.hidden = integer_at(*skipped, "hidden"),
                      .ignored = integer_at(*skipped, "ignored"),
                      .binary = integer_at(*skipped, "binary"),
                      .unreadable = integer_at(*skipped, "unreadable"),
                      .links = integer_at(*skipped, "links")};
  }
  return found;
}

}  // namespace wright::offline
