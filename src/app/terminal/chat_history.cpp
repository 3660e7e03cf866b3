#include "app/terminal/chat_history.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "app/settings/file_output.h"
#include "app/terminal/console.h"
#include "core/file_descriptor.h"
#include "core/try.h"
#include "wright/json.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} * 1024 * 1024;

Error problem(std::string_view what, const std::filesystem::path& file, int error) {
  return {ErrorCode::storage,
          to_valid_utf8(fmt::format("cannot {} the history of chats {}: {}", what, file.string(),
                                    std::strerror(error))),
          {}};
}

// The end of the file, from the beginning of a line on.
Result<std::string> last_part(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return std::unexpected(problem("read", file, errno));
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, stream.tellg()));
  const std::size_t begin = size > kMostBytes ? size - kMostBytes : 0;
  stream.seekg(static_cast<std::streamoff>(begin));
  std::string text(size - begin, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (begin > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

std::string history_line_of(std::string_view entry) {
  return to_text(Json(to_valid_utf8(std::string(entry)))) + "\n";
}

}  // namespace

Result<std::vector<std::string>> ChatHistory::load() const {
  std::vector<std::string> entries;
  std::error_code ignored;
  // A device or a pipe in its place would never end.
  if (file_.empty() || !std::filesystem::is_regular_file(file_, ignored)) return entries;
  const auto text = TRY(last_part(file_));
  std::size_t lines = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line); ++lines) {
    const auto entry = parse_json(line);
    if (entry && entry->is_string() && !entry->get_string().empty()) {
      entries.emplace_back(entry->get_string());
    }
  }
  if (entries.size() > kMostEntries) {
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kMostEntries));
  }
  if (lines > 2 * kMostEntries || text.size() >= kMostBytes / 2) {
    std::string kept;
    for (const std::string& entry : entries) kept += history_line_of(entry);
    TRY(write_file(file_, kept));
  }
  return entries;
}

Result<void> ChatHistory::add(std::string_view entry) const {
  if (file_.empty() || entry.size() > kLongestEntry) return {};
  std::error_code ignored;  // opening the file fails for the same reason, and says so
  std::filesystem::create_directories(file_.parent_path(), ignored);
  constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
  const FileDescriptor descriptor(
      open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, kOwnerOnly));
  if (!descriptor.is_open()) return std::unexpected(problem("write", file_, errno));
  if (const int failed = write_all(descriptor.get(), history_line_of(entry)); failed != 0) {
    return std::unexpected(problem("write", file_, failed));
  }
  return {};
}

}  // namespace wright::app
