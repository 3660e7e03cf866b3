// When files were committed last, and as which content. Asks git as a confined child process, and
// says nothing where there is no repository, no git, or no answer in time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wright/sandbox.h"

namespace wright::entities {

struct CommittedFile {
  std::string hash = {};           // of its content in HEAD
  std::int64_t committed_ms = -1;  // by the last commit that changed it; -1 when that is not known
};

using CommittedFiles = std::map<std::string, CommittedFile>;  // by path relative to the base

class GitHistory {
 public:
  // The folders that git reads for a repository that `base` is in; none when it is in none.
  static std::vector<std::filesystem::path> folders_of(const std::filesystem::path& base);

  // `sandbox` may read the folder and those of folders_of(), and outlives this.
  GitHistory(const Sandbox& sandbox, std::filesystem::path base);

  // The commit that is checked out.
  std::optional<std::string> head(const std::stop_token& stop) const;

  // The files of HEAD. Of those that did not change since `known_head` (empty: nothing is known),
  // committed_ms stays unknown, where that commit is part of the history; otherwise all are told.
  struct Changes {
    CommittedFiles files;
    bool is_complete = false;  // every commit was looked at, not only those since known_head
  };
  std::optional<Changes> changes_since(const std::string& known_head,
                                       const std::stop_token& stop) const;

 private:
  std::optional<std::string> output_of(std::vector<std::string> arguments,
                                       const std::stop_token& stop) const;

  const Sandbox& sandbox_;
  std::filesystem::path base_;
};

}  // namespace wright::entities
