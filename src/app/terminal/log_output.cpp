#include "app/terminal/log_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "app/settings/file_output.h"
#include "app/terminal/console.h"
#include "app/terminal/screen_text.h"
#include "core/try.h"

namespace wright::app {
namespace {

// An open file that lines are appended to, each in one write.
class LogFile {
 public:
  explicit LogFile(int descriptor) : descriptor_(descriptor) {}
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile() { close(descriptor_); }

  // A full disk must not end a run; there is nobody to tell.
  void write(std::string_view line) const { (void)write_all(descriptor_, line); }

 private:
  int descriptor_;
};

Result<std::shared_ptr<LogFile>> open_log(const std::filesystem::path& path) {
  if (path.has_parent_path()) {
    std::error_code ignored;  // opening says what is wrong
    std::filesystem::create_directories(path.parent_path(), ignored);
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return fail(ErrorCode::permission_denied,
                fmt::format("{}: cannot write the log: {}", path.string(), std::strerror(errno)));
  }
  return std::make_shared<LogFile>(descriptor);
}

// The text of a setting, empty when nothing sets it.
std::string text_of(const Setting& setting) {
  const auto* text = std::get_if<std::string>(&setting.value);
  return text != nullptr ? *text : std::string();
}

std::unexpected<Error> refused(const Setting& setting, const Error& error) {
  return fail(error.code, fmt::format("{}: {}", setting.origin.text(), error.message));
}

}  // namespace

Result<Logger> make_logger(const Settings& settings, std::function<void(std::string_view)> write,
                           LogLevel otherwise) {
  const Setting& level_setting = settings.get(keys::kLogLevel);
  const Setting& format_setting = settings.get(keys::kLogFormat);
  const std::string file = text_of(settings.get(keys::kLogFile));
  std::string level_name = text_of(level_setting);
  // Who names a file wants to see something in it.
  if (level_name.empty()) level_name = file.empty() ? to_string(otherwise) : "debug";
  const auto level = log_level_from(level_name);
  if (!level) return refused(level_setting, level.error());
  const auto format = log_format_from(text_of(format_setting));
  if (!format) return refused(format_setting, format.error());
  if (*level == LogLevel::off) return Logger();
  if (!file.empty()) {
    auto opened = TRY(open_log(file));
    write = [log = std::move(opened)](std::string_view line) { log->write(line); };
  }
  // Also in a file, which somebody will look at in a terminal.
  return line_logger(*format, *level, [write = std::move(write)](std::string_view line) {
    write(escaped_json(line));
  });
}

}  // namespace wright::app
