#include "sandbox/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/file_descriptor.h"

namespace wright::sandbox {

Result<PrivateFolder> PrivateFolder::make(const std::filesystem::path& root) {
  std::string name = (root / "wright-sandbox-XXXXXX").native();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail(ErrorCode::storage, fmt::format("Cannot create a folder in '{}': {}", root.string(),
                                                std::generic_category().message(errno)));
  }
  PrivateFolder folder{std::filesystem::path(name)};
  const PrivatePlaces places = folder.places();
  bool is_made = true;
  for (const auto& path : {places.home, places.temporary, places.shared_memory, places.root}) {
    is_made = is_made && ::mkdir(path.c_str(), 0700) == 0;
  }
  is_made = is_made && ::mkdir(places.hidden_folder.c_str(), 0555) == 0;
  const FileDescriptor hidden(
      ::open(places.hidden_file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0000));
  if (!is_made || !hidden.is_open()) {
    return fail(ErrorCode::storage, fmt::format("Cannot create a folder in '{}': {}", name,
                                                std::generic_category().message(errno)));
  }
  return folder;
}

PrivatePlaces PrivateFolder::places() const {
  return {.home = home(),
          .temporary = temporary(),
          .shared_memory = path_ / "shm",
          .hidden_file = path_ / "hidden",
          .hidden_folder = path_ / "nothing",
          .root = path_ / "root"};
}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace wright::sandbox
