// For tests: a folder that is removed with everything in it, and ways to fill it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace wright {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "wright-XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = std::filesystem::canonical(name);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  operator const std::filesystem::path&() const { return path_; }  // NOLINT(*-explicit-*)
  std::filesystem::path operator/(std::string_view inside) const { return path_ / inside; }

  // Makes the folders on the way too.
  const TemporaryFolder& write(std::string_view inside, std::string_view content = "") const {
    const auto file = path_ / inside;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return *this;
  }
  const TemporaryFolder& make_folder(std::string_view inside) const {
    std::filesystem::create_directories(path_ / inside);
    return *this;
  }
  const TemporaryFolder& link(std::string_view inside, const std::filesystem::path& target) const {
    std::filesystem::create_directories((path_ / inside).parent_path());
    std::filesystem::create_symlink(target, path_ / inside);
    return *this;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace wright
