// Which branch of git a folder is on. Reads git's own files; starts no program.
#pragma once

#include <filesystem>
#include <string>

namespace wright::app {

// Of the repository, work tree or submodule whose topmost folder this is. The beginning of the hash
// where no branch is checked out; empty where there is no repository.
std::string git_branch(const std::filesystem::path& root);

}  // namespace wright::app
