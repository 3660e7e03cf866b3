#include "app/commands/chat_mentions.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/settings/paths.h"
#include "core/text.h"
#include "project/attachment.h"
#include "project/text_file.h"
#include "sandbox/path_patterns.h"
#include "wright/json.h"

namespace wright::app {
namespace {

constexpr std::size_t kLargestMention = std::size_t{256} * 1024;
constexpr std::size_t kMostMentioned = std::size_t{512} * 1024;  // of one message
constexpr std::size_t kMostEntries = 200;                        // of a folder
constexpr std::string_view kBlanksAround = " \t\r\n";

std::vector<std::string> paths_in(std::string_view message) {
  std::vector<std::string> paths;
  for (std::size_t at = message.find('@'); at != std::string_view::npos;
       at = message.find('@', at + 1)) {
    if (at > 0 && kBlanksAround.find(message[at - 1]) == std::string_view::npos) continue;
    std::string_view rest = message.substr(at + 1);
    std::string_view path;
    if (rest.starts_with('"')) {
      rest.remove_prefix(1);
      path = rest.substr(0, std::min(rest.find('"'), rest.size()));
    } else {
      path = rest.substr(0, std::min(rest.find_first_of(kBlanksAround), rest.size()));
    }
    if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.emplace_back(path);
  }
  return paths;
}

std::string listing_of(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const bool is_folder = entry.is_directory(error);
    names.push_back(to_valid_utf8(entry.path().filename().string()) + (is_folder ? "/" : ""));
    if (names.size() > kMostEntries) break;
  }
  std::ranges::sort(names);
  const bool is_cut = names.size() > kMostEntries;
  if (is_cut) names.resize(kMostEntries);
  return fmt::format("{}{}", fmt::join(names, "\n"), is_cut ? "\n…" : "");
}

// A fence that does not occur in the text.
std::string fence_for(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fence;
}

// A full stop behind a path ends the sentence.
std::filesystem::path existing(std::string path, const std::filesystem::path& base,
                               const Environment& environment) {
  std::error_code error;
  while (true) {
    const auto expanded = expand_home(path, environment);
    auto full = expanded.is_absolute() ? expanded : base / expanded;
    if (std::filesystem::exists(full, error)) return full;
    if (path.empty() || std::string_view(".,;:!?)").find(path.back()) == std::string_view::npos) {
      return {};
    }
    path.pop_back();
  }
}

bool is_named_like_image(const std::filesystem::path& path) {
  const std::string kind = lower(path.extension().string());
  return kind == ".png" || kind == ".jpg" || kind == ".jpeg" || kind == ".gif" || kind == ".webp";
}

// By its name: of a kind that goes along as it is, and not as text.
bool is_named_like_attachment(const std::filesystem::path& path) {
  const std::string kind = lower(path.extension().string());
  return is_named_like_image(path) || kind == ".pdf" || kind == ".wav" || kind == ".mp3";
}

// The paths of images in a message, as terminals write files that are dropped on them: absolute, in
// quotes or with a backslash before blanks.
std::vector<std::string> pasted_images_in(std::string_view message) {
  std::vector<std::string> paths;
  std::string word;
  char quote = '\0';
  const auto end_word = [&] {
    if (is_named_like_image(word) && (word.starts_with('/') || word.starts_with("~/")))
      paths.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (word.empty() && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && i + 1 < message.size()) {
      word += message[++i];
    } else if (kBlanksAround.find(c) != std::string_view::npos) {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return paths;
}

bool is_kept_back(const std::filesystem::path& file, const std::filesystem::path& base,
                  const std::vector<std::string>& unreadable) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(file, error);
  const auto below = real.lexically_relative(std::filesystem::weakly_canonical(base, error));
  if (std::ranges::find(below, ".git") != below.end()) return true;
  return std::ranges::find(unreadable, real.native()) != unreadable.end() ||
         sandbox::is_meant_by_any(unreadable, below.native());
}

void add_image(Mentions& mentions, const std::string& path, Image image) {
  mentions.notes.push_back(fmt::format("{} ({})", path, project::described(image)));
  mentions.images.push_back(std::move(image));
}

}  // namespace

Mentions with_mentions(std::string_view message, const std::filesystem::path& base,
                       const Environment& environment, const MentionRules& rules) {
  Mentions mentions{.text = std::string(message)};
  std::size_t left = kMostMentioned;
  for (const std::string& path : paths_in(rules.typed ? *rules.typed : message)) {
    const auto file = existing(path, base, environment);
    if (file.empty()) {
      // Many words begin with '@'; one that names a picture was meant to show it.
      if (is_named_like_attachment(path)) {
        mentions.problems.push_back(
            fmt::format("@{} does not go along: there is no such file", path));
      }
      continue;
    }
    // A text that was pasted may name anything.
    if (!project::is_inside(file, base)) {
      mentions.problems.push_back(
          fmt::format("@{} does not go along: it is outside of the folder", path));
      continue;
    }
    if (is_kept_back(file, base, rules.unreadable)) {
      mentions.problems.push_back(
          fmt::format("@{} does not go along: agents may not read it (bash.unreadable)", path));
      continue;
    }
    std::error_code error;
    std::string content;
    if (std::filesystem::is_directory(file, error)) {
      content = listing_of(file);
    } else {
      auto image = project::read_attachment(file, base);
      if (image) {
        add_image(mentions, path, std::move(*image));
        continue;
      }
      auto text = project::read_text(file, kLargestMention, base);
      if (!text) {
        const Error& why = is_named_like_attachment(file) ? image.error() : text.error();
        mentions.problems.push_back(fmt::format("@{} does not go along: {}", path, why.message));
        continue;
      }
      content = std::move(*text);
    }
    if (content.size() > left) {
      mentions.problems.push_back(
          fmt::format("@{} does not go along: it is too much with the "
                      "others",
                      path));
      continue;
    }
    left -= content.size();
    const std::string fence = fence_for(content);
    mentions.text += fmt::format("\n\n{}:\n{}\n{}{}{}\n", path, fence, content,
                                 content.ends_with('\n') ? "" : "\n", fence);
  }
  if (!rules.takes_pasted_images || rules.typed) return mentions;
  for (const std::string& path : pasted_images_in(message)) {
    const auto file = expand_home(path, environment);
    if (is_kept_back(file, base, rules.unreadable)) continue;
    if (auto image = project::read_attachment(file)) {
      add_image(mentions, path, std::move(*image));
    }
  }
  return mentions;
}

std::vector<std::string> mentions_beginning_with(std::string_view typed,
                                                 const std::filesystem::path& base) {
  const std::size_t blank = typed.find_last_of(kBlanksAround);
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  if (begin >= typed.size() || typed[begin] != '@') return {};
  const std::string_view path = typed.substr(begin + 1);
  const std::size_t slash = path.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? "" : path.substr(0, slash + 1);
  const std::string_view name = path.substr(folder.size());
  const std::filesystem::path where =
      folder.starts_with('/') ? std::filesystem::path(folder) : base / folder;
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(where, error)) {
    const std::string other = entry.path().filename().string();
    const bool is_hidden = other.starts_with('.') && !name.starts_with('.');
    const bool has_blank = other.find_first_of(kBlanksAround) != std::string::npos;
    if (is_hidden || has_blank || !other.starts_with(name) || !is_valid_utf8(other)) continue;
    found.push_back(fmt::format("{}@{}{}{}", typed.substr(0, begin), folder, other,
                                entry.is_directory(error) ? "/" : ""));
    if (found.size() >= kMostEntries) break;
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace wright::app
