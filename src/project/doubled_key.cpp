#include "project/doubled_key.h"

#include <algorithm>
#include <set>
#include <vector>

#include "wright/json.h"

namespace wright::project {
namespace {

// Where the string that begins at `start` ends: behind its quote.
std::size_t end_of_string(std::string_view json, std::size_t start) {
  std::size_t at = start + 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

std::string meaning_of(std::string_view quoted) {
  const auto read = parse_json(quoted);
  return read && read->is_string() ? std::string(read->get_string()) : std::string(quoted);
}

}  // namespace

std::optional<std::string> doubled_key(std::string_view json) {
  std::vector<std::set<std::string>> keys;  // of the objects around; arrays have none
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '{' || c == '[') keys.emplace_back();
    if ((c == '}' || c == ']') && !keys.empty()) keys.pop_back();
    if (c != '"') {
      ++at;
      continue;
    }
    const std::size_t end = end_of_string(json, at);
    const std::size_t next = json.find_first_not_of(" \t\r\n", end);
    const bool is_key = next != std::string_view::npos && json[next] == ':' && !keys.empty();
    if (is_key) {
      const auto [key, is_new] = keys.back().insert(meaning_of(json.substr(at, end - at)));
      if (!is_new) return *key;
    }
    at = end;
  }
  return std::nullopt;
}

}  // namespace wright::project
