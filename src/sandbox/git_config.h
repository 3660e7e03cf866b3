// The text of a configuration of git, read as git reads it, and the paths in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wright::sandbox {

struct GitSetting {
  std::string section;  // in small letters, without the name of a subsection
  std::string name;     // likewise
  std::string value;    // without comments, quotes and escapes; empty where there is none
  bool has_subsection = false;

  bool operator==(const GitSetting&) const = default;
};

// What git would refuse is passed over, to the end of its line.
std::vector<GitSetting> settings_in_git_config(std::string_view text);

// The path that a setting in a file of `folder`, or about it, means. `~` and `~name` are folders of
// people.
std::filesystem::path path_of_git(std::string value, const std::filesystem::path& folder);

// Empty where `HOME` is not set.
std::filesystem::path folder_of_person();

}  // namespace wright::sandbox
