// Where git takes commands and settings from: its own folder, wherever that is, and the hooks,
// programs and configurations that its settings name. Looked up anew each time: people change
// repositories.
#pragma once

#include <filesystem>
#include <vector>

#include "sandbox/git_allowance.h"
#include "sandbox/git_index.h"

namespace wright::sandbox {

// Absolute where the `.git` is; they need not exist.
struct GitPlaces {
  std::vector<std::filesystem::path> folders = {};  // its own elsewhere, and those of hooks
  std::vector<std::filesystem::path> files = {};    // of settings, programs, hooks that are links
  bool is_complete = true;                          // false where there are too many
  // Of a repository: what its index is of, and the index.
  std::filesystem::path worktree = {};
  std::filesystem::path index = {};
  HashLength hash = HashLength::sha1;
};

// As git itself tells a folder of its own from any other: a repository without a worktree (a "bare"
// one) is nothing else. Placeholders do not count.
bool is_git_folder(const std::filesystem::path& folder);

// Where `folder`, in which commands may make anything, is a folder of git: what it takes commands
// from. Where it could become one: what must not come to be, so that it does not. A repository with
// a `.git` of its own is never taken for one.
GitPlaces places_at_top(const std::filesystem::path& folder);

// What belongs to the repository with this `.git`, a folder, a file or a link to one, or with this
// folder of git of any other name, and lies elsewhere: where a file says that its folder is, where
// links to settings and hooks in it lead, and where the settings say that hooks, programs and more
// settings are: its own, those that they include, the person's and the system's.
GitPlaces places_named_by_git(const std::filesystem::path& dot_git, GitAllowance& allowance);

// What the settings of the person and the system name for all repositories, with these settings.
GitPlaces places_of_the_person(GitAllowance& allowance);

// The `.git` of every repository that a folder, which is absolute, lies in without being its top.
std::vector<std::filesystem::path> repositories_around(const std::filesystem::path& folder);

// Whether `path` lies in a folder of git, or in what the settings of a repository name that it lies
// in, or the person's own, below `root`, which is absolute and without links. `root` itself is
// never taken for such a folder: then nothing could be written at all. The path need not exist.
bool belongs_to_git(const std::filesystem::path& path, const std::filesystem::path& root);

}  // namespace wright::sandbox
