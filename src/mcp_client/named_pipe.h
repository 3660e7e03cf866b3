// A named pipe in a folder of its own, through which a program gets its input. Both are removed at
// the end. What a killed process left behind is removed by the next that makes one.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/file_descriptor.h"
#include "wright/error.h"

namespace wright::mcp_client {

class NamedPipe {
 public:
  static Result<NamedPipe> make(const std::filesystem::path& root);
  NamedPipe(NamedPipe&& other) noexcept
      : folder_(std::exchange(other.folder_, {})),
        in_use_(std::move(other.in_use_)),
        writing_(std::move(other.writing_)) {}
  NamedPipe& operator=(NamedPipe&&) = delete;
  ~NamedPipe();

  std::string path() const { return folder_ + "/input"; }
  const std::string& folder() const { return folder_; }
  int descriptor() const { return writing_.get(); }  // neither opening nor writing waits
  void close() { writing_ = FileDescriptor(); }

 private:
  explicit NamedPipe(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
  FileDescriptor in_use_;  // a lock on the folder, which ends with the process
  FileDescriptor writing_;
};

}  // namespace wright::mcp_client
