// Sees when somebody outside puts another file in the place of one that a running command must not
// read or change: an editor that saves a file under another name and renames it, `git checkout`,
// `mv`. The kernel then takes away what is mounted over the old one, in every namespace, and the
// command could reach the new one. So the command is ended at once.
//
// A thread waits for the kernel's word (inotify), because a run may be busy with what the command
// prints.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sandbox/guarded_paths.h"
#include "wright/error.h"

namespace wright::sandbox {

class ReplacementWatch {
 public:
  // Refused where the kernel has no inotify, or this user has used it up.
  static Result<std::unique_ptr<ReplacementWatch>> start();
  // One for all sandboxes: a user has few of what the kernel needs for it.
  static Result<std::shared_ptr<ReplacementWatch>> of_this_process();
  ReplacementWatch(const ReplacementWatch&) = delete;
  ReplacementWatch& operator=(const ReplacementWatch&) = delete;
  ~ReplacementWatch();  // after every Run

  // What one run guards. To be made before anything is mounted: what is replaced until then has
  // another identity than what was found, and is not mounted over.
  class Run {
   public:
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run();

    // From now on this process is killed when something is replaced, also when that has happened
    // already. `process` is a pidfd, and stays open until forget() was called.
    void kill_if_replaced(int process);
    void forget();

    // The path of what was replaced, or moved away from where it must stay, as far as the kernel
    // has told.
    std::optional<std::string> replaced();
    // When the command has ended. Counts also a replacement that is under way: the kernel takes the
    // mount away first, and tells of it last.
    std::optional<std::string> replaced_in_the_end();

   private:
    friend class ReplacementWatch;
    explicit Run(ReplacementWatch& watch) : watch_(watch) {}
    ReplacementWatch& watch_;
    std::vector<std::string> folders_ = {};  // where it guards something
    int process_ = -1;
    std::optional<std::string> replaced_;
  };
  // Refused where this user has used up what can be watched. May be called from several threads.
  Result<std::unique_ptr<Run>> watch(std::span<const GuardedMount> mounts);

 private:
  struct State;
  explicit ReplacementWatch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wright::sandbox
