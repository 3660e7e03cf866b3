// Where a sandbox keeps what its commands see instead of the machine's: their home, their /tmp, and
// what stands where something is hidden.
#pragma once

#include <filesystem>
#include <utility>

#include "sandbox/namespaces.h"
#include "wright/error.h"

namespace wright::sandbox {

// A folder that is removed with everything in it.
class PrivateFolder {
 public:
  static Result<PrivateFolder> make(const std::filesystem::path& root);
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path home() const { return path_ / "home"; }
  std::filesystem::path temporary() const { return path_ / "tmp"; }
  PrivatePlaces places() const;

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace wright::sandbox
