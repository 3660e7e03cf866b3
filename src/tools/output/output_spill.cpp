#include "tools/output/output_spill.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <system_error>
#include <vector>

#include "core/try.h"
#include "tools/workspace/file_calls.h"
#include "tools/workspace/open_directory.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::string_view kPrefix = "output-";
constexpr std::string_view kSuffix = ".txt";

std::unexpected<Error> unusable(const std::string& path, const std::string& why) {
  return fail(ErrorCode::storage,
              fmt::format("Long output cannot be kept in {}: {}", shown_path(path), why));
}

// Begins with the time, so that names are in the order in which they were made.
std::string new_name() {
  std::uint32_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) number = 0;
  return fmt::format("{}{:%Y%m%d-%H%M%S}-{:08x}{}", kPrefix, fmt::gmtime(std::time(nullptr)),
                     number, kSuffix);
}

struct KeptFile {
  std::int64_t modified;
  std::uint64_t size;
  std::string name;
};

std::vector<KeptFile> kept_files(int folder) {
  std::vector<KeptFile> files;
  const OpenDirectory directory(
      ::fdopendir(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (directory == nullptr) return files;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    struct stat status {};
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) ||
        ::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode)) {
      continue;
    }
    files.push_back(
        {status.st_mtim.tv_sec, static_cast<std::uint64_t>(status.st_size), std::string(name)});
  }
  std::ranges::sort(files, {}, [](const KeptFile& file) {
    return std::pair<std::int64_t, std::string_view>(file.modified, file.name);
  });
  return files;
}

}  // namespace

Result<OutputSpill> OutputSpill::open(SpillOptions options) {
  const std::string name = options.folder.native();
  if (name.empty()) return fail(ErrorCode::invalid_argument, "No folder for long output was named");
  std::error_code problem;
  std::filesystem::create_directories(options.folder.parent_path(), problem);
  if (::mkdir(name.c_str(), 0700) != 0 && errno != EEXIST) {
    return unusable(name, std::generic_category().message(errno));
  }
  FileDescriptor folder(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return unusable(name, std::generic_category().message(errno));
  const auto canonical = std::filesystem::canonical(options.folder, problem);
  if (problem) return unusable(name, problem.message());
  OutputSpill spill(std::move(options), canonical.native(), std::move(folder));
  spill.make_room(0);
  return spill;
}

Result<std::string> OutputSpill::keep(std::string_view text) {
  if (text.size() > options_.max_bytes) {
    return fail(ErrorCode::limit_reached,
                fmt::format("An output of {} bytes is more than is kept", text.size()));
  }
  make_room(text.size());
  const std::string name = new_name();
  const FileDescriptor file(::openat(folder_.get(), name.c_str(),
                                     O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return unusable(path_, std::generic_category().message(errno));
  FileCalls calls;
  if (const auto written = calls.write(file.get(), text); !written) {
    ::unlinkat(folder_.get(), name.c_str(), 0);
    return unusable(path_, std::generic_category().message(written.error()));
  }
  return fmt::format("{}/{}", path_, name);
}

void OutputSpill::make_room(std::uint64_t needed) {
  const auto files = kept_files(folder_.get());
  const std::int64_t oldest = std::time(nullptr) - std::chrono::seconds(options_.max_age).count();
  std::uint64_t bytes = needed;
  for (const KeptFile& file : files) bytes += file.size;
  for (const KeptFile& file : files) {
    if (file.modified >= oldest && bytes <= options_.max_bytes) break;
    // Another process may have been quicker.
    ::unlinkat(folder_.get(), file.name.c_str(), 0);
    bytes -= file.size;
  }
}

}  // namespace wright::tools

namespace wright {

Result<Spill> spill_output(SpillOptions options) {
  auto opened = TRY(tools::OutputSpill::open(std::move(options)));
  return [spill = std::make_shared<tools::OutputSpill>(std::move(opened))](std::string_view text) {
    return spill->keep(text);
  };
}

}  // namespace wright
