// Where git takes commands and settings from: its own folder, wherever that is, and the hooks and
// configurations that its settings name. Looked up anew each time: people change repositories.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wright::sandbox {

// Where a configuration of git says that hooks and more configuration are: relative to the folder
// above .git, or absolute.
std::vector<std::string> paths_in_git_config(std::string_view text);

// The folders that a file `.git` of a worktree, a submodule or a repository with its folder
// elsewhere points to; nothing for anything else. They need not exist.
std::vector<std::filesystem::path> folders_in_git_file(const std::filesystem::path& file);

// What the settings of the repository with this `.git`, a folder or a file, name. Absolute where
// `dot_git` is; they need not exist.
std::vector<std::filesystem::path> paths_named_by_git(const std::filesystem::path& dot_git);

// Whether `path` lies in a folder of git, or in what its settings name, below `root`, which is
// absolute and without links. `root` itself is never taken for such a folder: then nothing could be
// written at all. The path need not exist.
bool belongs_to_git(const std::filesystem::path& path, const std::filesystem::path& root);

}  // namespace wright::sandbox
