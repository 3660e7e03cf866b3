// The text of a configuration of git, read as git reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wright::sandbox {

struct GitSetting {
  std::string section;  // in small letters, without the name of a subsection
  std::string name;     // likewise
  std::string value;    // without comments, quotes and escapes; empty where there is none

  bool operator==(const GitSetting&) const = default;
};

// What git would refuse is passed over, to the end of its line.
std::vector<GitSetting> settings_in_git_config(std::string_view text);

}  // namespace wright::sandbox
