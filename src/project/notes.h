// AGENTS.md: what the people of a project ask of every agent that works on it. Files on the way
// from the root of the repository down to the base are read; those below the base are named, and
// told when an agent works there (folder_notes.h). The nearest to a file wins. Files and folders of
// other users of the machine do not count, nor links to what is not Markdown. Bounded.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace wright::project {

struct NotesOptions {
  std::filesystem::path base = {};
  // The person's own AGENTS.md is in here; empty: there is none.
  std::filesystem::path person = {};
  // No file in here or above it belongs to a project, unless it is the base itself.
  std::filesystem::path home = {};
  std::size_t most_bytes = 32 * 1024;  // of all files; the nearest are kept
};

struct Notes {
  std::string text = {};  // for the instructions of an agent; empty when there is nothing
  std::vector<std::filesystem::path> files = {};  // that are in it
  std::vector<std::string> problems = {};         // a sentence each: what was left out, and why
};

Notes read_notes(const NotesOptions& options);

// What holds for one folder below the base. Paths are relative to the base.
struct FolderNotes {
  std::string folder = {};
  std::string file = {};
  std::string text = {};  // as it stands there
};
struct NotesBelow {
  std::vector<FolderNotes> notes = {};  // the nearest last
  std::vector<std::string> problems = {};
};
// The files between the base and `folder`, which is relative to it and below it.
NotesBelow notes_below(const std::filesystem::path& base, const std::filesystem::path& folder);

// The folder of the repository that `base` is in: the nearest one above it, or itself, that has a
// `.git`. The base itself where there is none below `home`.
std::filesystem::path project_root(const std::filesystem::path& base,
                                   const std::filesystem::path& home);

}  // namespace wright::project
