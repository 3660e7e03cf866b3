// Which files a run sees, as a list of steps that build its tree: what the policy names, at its
// usual place, and the links and folders that lead there. Everything else is absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "wright/error.h"
#include "wright/sandbox.h"

namespace wright::sandbox {

struct TreeStep {
  enum class Kind : std::uint8_t { folder, file, link, mount } kind = Kind::folder;
  std::string target;            // from the root of the tree: no slash in front, empty for the root
  std::string source = {};       // of a mount; the target of a link
  std::uint64_t attributes = 0;  // MOUNT_ATTR_… of a mount and of what is mounted below it
};

struct FileTree {
  std::vector<TreeStep> steps;
  std::vector<std::filesystem::path> writable;  // without links; those inside others are left out

  // Whether the tree is the machine's whole tree, not a new one with parts of it.
  bool is_whole() const;
};

// The private folders of a sandbox.
struct PrivatePlaces {
  std::filesystem::path home;
  std::filesystem::path temporary;
  std::filesystem::path shared_memory;  // is at /dev/shm
  std::filesystem::path hidden_file;    // shown in place of an unreadable file
  std::filesystem::path hidden_folder;
  std::filesystem::path root;  // where a tree is assembled
};

// Refuses paths that do not exist.
Result<FileTree> plan_tree(const SandboxPolicy& policy, const PrivatePlaces& places);

}  // namespace wright::sandbox
