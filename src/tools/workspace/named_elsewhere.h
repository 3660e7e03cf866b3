// What is kept from the tools for files though its own name does not tell: what is unreadable
// because a link with such a name leads to it (of `.env -> prod.txt` also prod.txt), and what
// repositories anywhere below the folders name as theirs. The same look-up as before a command
// (guarded_paths.h), made again when a while has passed since the last one.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/guarded_paths.h"

namespace wright::tools {

class NamedElsewhere {
 public:
  // Below these folders, which exist.
  NamedElsewhere(std::vector<std::filesystem::path> folders, std::vector<std::string> unreadable);

  // Whether a path without links, or a folder that it lies in, is such a place. May be called from
  // several threads.
  bool hides(std::string_view absolute);
  bool is_of_git(std::string_view absolute);

 private:
  void look_when_due();  // with the lock

  sandbox::GuardedPaths paths_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point look_at_ = {};  // again, then
  sandbox::GuardedPaths::Elsewhere known_ = {};         // as of then
};

}  // namespace wright::tools
