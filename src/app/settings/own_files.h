// Wright's own files: what it is told to do, who may use it, and what it remembers. No tool may
// read or change them, whatever folder it works in: who could rewrite the rules would be bound by
// none.
#pragma once

#include <filesystem>
#include <vector>

#include "app/settings/environment.h"

namespace wright::app {

struct OwnFilesOf {
  std::filesystem::path config = {};    // the file that was read, or would be
  std::filesystem::path database = {};  // of the sessions; empty where there is none
  // What tools work in. A folder that holds one of these is not hidden whole.
  std::vector<std::filesystem::path> workplaces = {};
};

// Absolute, without links. They need not exist.
struct OwnFiles {
  std::vector<std::filesystem::path> folders = {};  // by the XDG rules
  std::vector<std::filesystem::path> files = {};    // wherever they lie
};
OwnFiles own_files(const OwnFilesOf& of, const Environment& environment);

}  // namespace wright::app
