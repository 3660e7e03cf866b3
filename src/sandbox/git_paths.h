// Where git takes commands and settings from: its own folder, wherever that is, and the hooks and
// configurations that its settings name. Looked up anew each time: people change repositories.
#pragma once

#include <filesystem>
#include <vector>

namespace wright::sandbox {

// The folders that a file `.git` of a worktree, a submodule or a repository with its folder
// elsewhere points to; nothing for anything else. They need not exist.
std::vector<std::filesystem::path> folders_in_git_file(const std::filesystem::path& file);

// Where the settings of the repository with this `.git`, a folder or a file, say that hooks and
// more settings are: its own, those that they include, the person's and the system's. Absolute
// where `dot_git` is; they need not exist.
std::vector<std::filesystem::path> paths_named_by_git(const std::filesystem::path& dot_git);

// The `.git` of every repository that a folder, which is absolute, lies in without being its top.
std::vector<std::filesystem::path> repositories_around(const std::filesystem::path& folder);

// Whether `path` lies in a folder of git, or in what the settings of a repository name that it lies
// in, below `root`, which is absolute and without links. `root` itself is never taken for such a
// folder: then nothing could be written at all. The path need not exist.
bool belongs_to_git(const std::filesystem::path& path, const std::filesystem::path& root);

}  // namespace wright::sandbox
