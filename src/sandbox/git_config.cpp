#include "sandbox/git_config.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "core/text.h"

namespace wright::sandbox {
namespace {

namespace fs = std::filesystem;

// What follows them no call for files would see.
constexpr std::string_view kEndsOfPath("\n\0", 2);

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  std::vector<GitSetting> settings() && {
    while (!text_.empty()) {
      const char c = text_.front();
      if (is_blank(c) || c == '\n') {
        text_.remove_prefix(1);
      } else if (c == '[') {
        read_header();
      } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        read_setting();
      } else {
        pass_line();
      }
    }
    return std::move(settings_);
  }

 private:
  void pass_line() { text_.remove_prefix(std::min(text_.find('\n'), text_.size())); }

  void pass_blanks() {
    while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
  }

  std::string_view take_name() {
    const auto end = std::ranges::find_if_not(text_, is_of_name);
    const auto name = text_.substr(0, static_cast<std::size_t>(end - text_.begin()));
    text_.remove_prefix(name.size());
    return name;
  }

  // `[section]`, `[section "Name"]` or `[section.name]`. A setting may follow on the same line.
  void read_header() {
    text_.remove_prefix(1);
    pass_blanks();
    section_ = lower(take_name());
    has_subsection_ = !text_.starts_with(']');
    bool is_quoted = false;
    std::size_t at = 0;
    for (; at < text_.size() && text_[at] != '\n'; ++at) {
      if (text_[at] == '"') is_quoted = !is_quoted;
      if (text_[at] == '\\' && is_quoted && at + 1 < text_.size() && text_[at + 1] != '\n') ++at;
      if (text_[at] == ']' && !is_quoted) break;
    }
    const bool is_closed = at < text_.size() && text_[at] == ']';
    text_.remove_prefix(is_closed ? at + 1 : at);
  }

  void read_setting() {
    const std::string name = lower(take_name());
    pass_blanks();
    std::string value;
    if (text_.starts_with('=')) {
      text_.remove_prefix(1);
      pass_blanks();
      value = take_value();
    }
    settings_.push_back({section_, name, std::move(value), has_subsection_});
    pass_line();
  }

  // To the end of the line, or a comment. A backslash at the end of a line continues it.
  std::string take_value() {
    std::string value;
    std::size_t kept = 0;  // blanks behind this count for nothing
    bool is_quoted = false;
    while (!text_.empty() && text_.front() != '\n') {
      const char c = text_.front();
      if (!is_quoted && (c == '#' || c == ';')) break;
      text_.remove_prefix(1);
      if (c == '"') {
        is_quoted = !is_quoted;
        kept = value.size();
      } else if (c == '\\') {
        if (const auto meant = take_escaped()) value += *meant;
        kept = value.size();
      } else if (is_quoted || !is_blank(c) || !value.empty()) {
        value += c;
        if (is_quoted || !is_blank(c)) kept = value.size();
      }
    }
    value.resize(kept);
    return value;
  }

  // Nothing for the end of a line.
  std::optional<char> take_escaped() {
    if (text_.starts_with("\r\n")) text_.remove_prefix(1);
    if (text_.empty()) return std::nullopt;
    const char c = text_.front();
    text_.remove_prefix(1);
    if (c == '\n') return std::nullopt;
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
  }

  std::string_view text_;
  std::string section_;
  bool has_subsection_ = false;
  std::vector<GitSetting> settings_;
};

fs::path folder_of(const std::string& person) {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  const int problem = ::getpwnam_r(person.c_str(), &entry, memory.data(), memory.size(), &found);
  return problem == 0 && found != nullptr ? fs::path(found->pw_dir) : fs::path();
}

}  // namespace

std::vector<GitSetting> settings_in_git_config(std::string_view text) {
  return Reader(text).settings();
}

fs::path folder_of_person() {
  const char* folder = std::getenv("HOME");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

fs::path path_of_git(std::string value, const fs::path& folder) {
  value.resize(std::min(value.find_first_of(kEndsOfPath), value.size()));
  if (!value.starts_with('~')) return folder / value;
  const std::size_t slash = std::min(value.find('/'), value.size());
  const fs::path person = slash == 1 ? folder_of_person() : folder_of(value.substr(1, slash - 1));
  return person / value.substr(std::min(slash + 1, value.size()));
}

}  // namespace wright::sandbox
