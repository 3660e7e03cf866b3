// A process that ends what is still running when this program is killed. It is a small shell,
// started once, that learns of every run and waits for this program to end. It is not a child of
// this program, so that no wait() sees it, and has no descriptor of this program.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

#include "core/file_descriptor.h"
#include "wright/error.h"

namespace wright::sandbox {

class ParentWatch {
 public:
  // `folder` is removed, with what is in it, when this program is killed. Refused where no process
  // can be started, or there is no shell.
  static Result<ParentWatch> start(const std::filesystem::path& folder);
  ParentWatch(ParentWatch&&) noexcept = default;
  ParentWatch& operator=(ParentWatch&&) = delete;
  ~ParentWatch();  // ends the process, which then touches nothing

  pid_t id() const { return id_; }
  bool is_alive() const;

  // The first process of a run announces it before the program starts, so that there is no moment
  // in which it runs unnoticed: `announcement()` sent to `socket()`, with the number of the process
  // written into it by write_number().
  int socket() const { return socket_.get(); }
  static std::string announcement(const std::filesystem::path& cgroup);
  static void write_number(char* announcement, pid_t process);  // may be called in a child

  // A placeholder that is also removed when this program is killed, unless another program uses it.
  void remove_later(const std::string& placeholder) const;

  // To be called before the process is waited for: later, its number may belong to another.
  void forget(pid_t process) const;

 private:
  ParentWatch(pid_t id, FileDescriptor process, FileDescriptor socket);

  pid_t id_;
  FileDescriptor process_;
  FileDescriptor socket_;
  struct Announced;
  std::shared_ptr<Announced> announced_;
};

}  // namespace wright::sandbox
