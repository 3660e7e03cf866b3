#include "project/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/file_descriptor.h"
#include "core/try.h"
#include "tools/text/text_file.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::project {

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  if (error) return false;
  const auto real_folder = std::filesystem::weakly_canonical(folder, error);
  if (error) return false;
  const auto [end, rest] = std::ranges::mismatch(real_folder, real);
  return end == real_folder.end() || end->empty();
}

Result<std::string> read_bytes(const std::filesystem::path& file, std::size_t most_bytes,
                               const std::filesystem::path& inside) {
  const std::string shown = tools::shown_path(file.string());
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!opened.is_open()) {
    const int problem = errno;
    const bool is_missing = problem == ENOENT || problem == ENOTDIR;
    return fail(
        is_missing ? ErrorCode::not_found : ErrorCode::storage,
        fmt::format("{} cannot be read: {}", shown, std::generic_category().message(problem)));
  }
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} is not a regular file", shown));
  }
  if (!inside.empty() && !is_inside(file, inside)) {
    return fail(ErrorCode::permission_denied,
                fmt::format("{} is a link that leads out of {}", shown,
                            tools::shown_path(inside.string())));
  }
  if (static_cast<std::size_t>(status.st_size) > most_bytes) {
    return fail(ErrorCode::limit_reached,
                fmt::format("{} is larger than {} KiB", shown, most_bytes / 1024));
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const auto length = tools::read_fully(opened.get(), text);
  if (!length) {
    return fail(ErrorCode::storage, fmt::format("{} cannot be read: {}", shown,
                                                std::generic_category().message(length.error())));
  }
  text.resize(*length);
  return text;
}

Result<std::string> read_text(const std::filesystem::path& file, std::size_t most_bytes,
                              const std::filesystem::path& inside) {
  auto text = TRY(read_bytes(file, most_bytes, inside));
  if (text.find('\0') != std::string::npos || !is_valid_utf8(text)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is not text in UTF-8", tools::shown_path(file.string())));
  }
  if (text.starts_with(tools::kUtf8Mark)) text.erase(0, tools::kUtf8Mark.size());
  return text;
}

}  // namespace wright::project
