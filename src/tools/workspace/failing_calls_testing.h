// For tests: system calls of which the n-th fails, or all of one kind; and calls that do not wait
// for the disk, for tests that make thousands.
#pragma once

#include <cerrno>
#include <functional>
#include <string_view>
#include <utility>

#include "tools/workspace/file_calls.h"

namespace wright::tools {

class UnsyncedCalls : public FileCalls {
 public:
  Done sync(int) override { return {}; }
};

class FailingCalls : public FileCalls {
 public:
  // Answers with the errno that a call is to fail with, or 0 to let it pass. `count` is how many
  // calls there were before.
  using Decide = std::function<int(std::string_view call, int count)>;

  explicit FailingCalls(Decide decide) : decide_(std::move(decide)) {}

  int count() const { return count_; }

  std::expected<FileDescriptor, int> create_nameless(int folder) override {
    if (const int problem = decide("create_nameless")) return std::unexpected(problem);
    return FileCalls::create_nameless(folder);
  }
  std::expected<FileDescriptor, int> create(int folder, const std::string& name) override {
    if (const int problem = decide("create")) return std::unexpected(problem);
    return FileCalls::create(folder, name);
  }
  Done give_name(int file, int folder, const std::string& name) override {
    if (const int problem = decide("give_name")) return std::unexpected(problem);
    return FileCalls::give_name(file, folder, name);
  }
  // Half of the bytes arrive before it fails, as on a disk that becomes full.
  Done write(int file, std::string_view bytes) override {
    const int problem = decide("write");
    if (problem == 0) return FileCalls::write(file, bytes);
    (void)FileCalls::write(file, bytes.substr(0, bytes.size() / 2));
    return std::unexpected(problem);
  }
  Done take_owner_and_mode(int file, const struct stat& like) override {
    if (const int problem = decide("take_owner_and_mode")) return std::unexpected(problem);
    return FileCalls::take_owner_and_mode(file, like);
  }
  Done sync(int file_or_folder) override {
    if (const int problem = decide("sync")) return std::unexpected(problem);
    return file_or_folder < 0 ? Done(std::unexpected(EBADF)) : Done();
  }
  Done rename(int folder, const std::string& from, const std::string& to, Renaming how) override {
    const auto* name = how == Renaming::exchange ? "exchange" : "rename";
    if (const int problem = decide(name)) return std::unexpected(problem);
    return FileCalls::rename(folder, from, to, how);
  }
  Done remove_file(int folder, const std::string& name) override {
    if (const int problem = decide("remove_file")) return std::unexpected(problem);
    return FileCalls::remove_file(folder, name);
  }
  Done make_folder(int folder, const std::string& name) override {
    if (const int problem = decide("make_folder")) return std::unexpected(problem);
    return FileCalls::make_folder(folder, name);
  }
  Done remove_folder(int folder, const std::string& name) override {
    if (const int problem = decide("remove_folder")) return std::unexpected(problem);
    return FileCalls::remove_folder(folder, name);
  }

 private:
  int decide(std::string_view call) { return decide_(call, count_++); }

  Decide decide_;
  int count_ = 0;
};

}  // namespace wright::tools
