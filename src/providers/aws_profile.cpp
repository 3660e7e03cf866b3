#include "providers/aws_profile.h"

#include <algorithm>

#include "core/text.h"

namespace wright::providers {
namespace {

void read_section(std::string_view text, std::string_view wanted,
                  std::map<std::string, std::string>& settings) {
  bool is_wanted = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view line = trimmed(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      const std::size_t end_of_name = line.find(']');
      is_wanted = end_of_name != std::string_view::npos &&
                  trimmed(line.substr(1, end_of_name - 1)) == wanted;
      continue;
    }
    // An indented line belongs to the setting before it (s3 = …), which is none of ours.
    const bool is_nested = raw.front() == ' ' || raw.front() == '\t';
    const std::size_t equals = line.find('=');
    if (!is_wanted || is_nested || equals == std::string_view::npos) continue;
    settings.insert_or_assign(lower(trimmed(line.substr(0, equals))),
                              std::string(trimmed(line.substr(equals + 1))));
  }
}

}  // namespace

std::map<std::string, std::string> aws_profile(std::string_view config,
                                               std::string_view credentials,
                                               std::string_view name) {
  std::map<std::string, std::string> settings;
  if (name == "default") read_section(config, "default", settings);
  read_section(config, "profile " + std::string(name), settings);
  read_section(credentials, name, settings);
  return settings;
}

}  // namespace wright::providers
