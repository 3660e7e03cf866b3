#include "app/settings/toml_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/file_descriptor.h"

namespace wright::app {
namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;

}  // namespace

Result<std::string> read_toml_file(const std::filesystem::path& path, std::string_view what) {
  const auto cannot_read = [&](int error) {
    const ErrorCode code = error == ENOENT ? ErrorCode::not_found : ErrorCode::permission_denied;
    return fail(code,
                fmt::format("{}: cannot read {}: {}", path.string(), what, std::strerror(error)));
  };
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return cannot_read(errno);
  std::string text;
  std::array<char, 16 * 1024> buffer{};
  while (text.size() <= kLargestFile) {
    const ssize_t count = read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(errno);
    if (count == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (text.size() > kLargestFile) {
    return fail(ErrorCode::limit_reached,
                fmt::format("{}: {} is larger than 1 MB", path.string(), what));
  }
  return text;
}

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a number with a fraction";
    case toml::node_type::boolean: return "a boolean";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time: return "a date or time";
    case toml::node_type::none: break;
  }
  return "nothing";
}

int line_of(const toml::source_region& source) {
  return static_cast<int>(source.begin.line);
}

std::optional<intercept::Permission> permission_named(std::string_view word) {
  if (word == "allow") return intercept::Permission::allow;
  if (word == "deny") return intercept::Permission::deny;
  if (word == "ask") return intercept::Permission::ask;
  return std::nullopt;
}

}  // namespace wright::app
