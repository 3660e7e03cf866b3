// What is unreadable because a link with such a name leads to it: of `.env -> prod.txt` also
// prod.txt. The same look-up as before a command (guarded_paths.h), made again when a while has
// passed since the last one.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/guarded_paths.h"

namespace wright::tools {

class LinkTargets {
 public:
  // Below these folders, which exist.
  LinkTargets(std::vector<std::filesystem::path> folders, std::vector<std::string> unreadable);

  // Whether a link leads to this path, or to a folder that it lies in. May be called from several
  // threads.
  bool hold(std::string_view absolute);

 private:
  void look();

  sandbox::GuardedPaths paths_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point look_at_ = {};  // again, then
  std::vector<std::string> targets_ = {};  // as of then
};

}  // namespace wright::tools
