// Questions about files and folders: what one says about itself and defines, its text, what is in a
// folder, where a file is.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "offline/index.h"
#include "offline/languages.h"
#include "offline/lines.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/source_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr int kLinesRead = 400;
constexpr int kLinesShown = 120;
constexpr std::size_t kMostShown = 60;

// The exact path, then what is nearest to the root.
std::vector<std::string> ordered(const Listing& listing, std::string_view wanted) {
  std::vector<std::string> paths;
  for (const FileEntry& file : listing.files) {
    const bool fits = file.path == wanted || file.path.ends_with("/" + std::string(wanted));
    if (fits) paths.push_back(file.path);
  }
  std::ranges::stable_sort(paths, {}, [&](const std::string& path) {
    return std::tuple(path != wanted, path_penalty(path), std::ranges::count(path, '/'),
                      path.size());
  });
  return paths;
}

std::vector<std::string> headings_of(const std::vector<std::string_view>& lines,
                                     std::string_view path) {
  std::vector<std::string> headings;
  bool is_fenced = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("```")) is_fenced = !is_fenced;
    if (is_fenced || !lines[i].starts_with('#')) continue;
    headings.push_back(
        fmt::format("{}: {}", place(path, static_cast<int>(i) + 1), shortened(lines[i], 100)));
  }
  return headings;
}

// Definitions that stand in nothing but namespaces; those of locals and parameters say little.
bool is_outline(const Entity& entity) {
  constexpr auto kTypes = std::to_array<std::string_view>(
      {"class", "struct", "interface", "trait", "enum", "function", "method", "prototype", "macro",
       "typedef", "union", "table", "target", "selector", "constant", "implementation"});
  return std::ranges::find(kTypes, entity.type) != kTypes.end();
}

std::string shown(const ParsedPrompt& question, const FileText& file) {
  const Window window = window_of(file);
  AnswerText answer;
  answer.paragraph(fmt::format(
      "**{}** ({}):", question.first_line > 0 ? place(file.path, file.start_line) : file.path,
      counted(file.total_lines, "line", "lines")));
  answer.block(excerpt(window, 0, window.lines.size(), kLinesShown));
  const int last = window.line_of(std::min<std::size_t>(window.lines.size(), kLinesShown)) - 1;
  if (question.first_line == 0 && last < file.total_lines) {
    answer.paragraph(fmt::format("(lines {} to {} of {}; ask for `{} lines {}-{}` to go on)",
                                 file.start_line, last, file.total_lines, file.path, last + 1,
                                 last + kLinesShown));
  }
  return answer.text();
}

std::string explained(const FileText& file, const Entities& inside) {
  const Language& language = language_of(file.path);
  const Window window = window_of(file);
  AnswerText answer;
  answer.paragraph(fmt::format("**{}**: {}{}, {}.", file.path,
                               language.name == "other" ? "" : std::string(language.name) + ", ",
                               counted(file.total_lines, "line", "lines"), human_size(file.size)));
  const std::string opening = opening_of(language.marks, window.lines);
  if (!opening.empty()) {
    answer.paragraph((language.marks == Marks::prose ? "It begins: " : "It says of itself: ") +
                     shortened(opening, 900));
  }
  if (language.marks == Marks::prose) {
    const auto headings = headings_of(window.lines, file.path);
    if (!headings.empty()) answer.heading("Headings").items(headings, 40, "headings");
    return answer.text();
  }
  std::vector<std::string> items;
  for (const Entity& entity : inside.found) {
    if (!is_outline(entity)) continue;
    items.push_back(fmt::format("{}: {} ({}{})", place(file.path, entity.line),
                                code_span(entity.name + entity.signature), entity.type,
                                entity.parent.empty() ? "" : " of " + entity.parent));
  }
  if (!items.empty()) answer.heading("Defines").items(items, 40, "definitions");
  if (inside.total > std::ssize(inside.found))
    answer.paragraph(fmt::format("(from the first {} of {} names in it)", inside.found.size(),
                                 with_separators(inside.total)));
  if (items.empty() && opening.empty()) answer.block(excerpt(window, 0, window.lines.size(), 30));
  return answer.text();
}

// What a listing does not have may be among what it left out.
std::string not_listed(const Listing& listing) {
  return listing.ignored == 0 ? std::string()
                              : fmt::format(" Not looked at: what .gitignore names ({}).",
                                            counted(listing.ignored, "entry", "entries"));
}

std::string not_there(const std::string& wanted, const Listing& listing,
                      const Investigation& look) {
  if (look.has_reached_limit()) return fmt::format("I could not look for {}.", code_span(wanted));
  return fmt::format("There is no file or folder {} here.{}", code_span(wanted),
                     not_listed(listing));
}

// The first sentence of what a file says about itself.
std::string first_sentence(const FileText& file) {
  const Window window = window_of(file);
  const std::string opening = opening_of(language_of(file.path).marks, window.lines);
  const std::size_t end = opening.find(". ");
  return shortened(opening.substr(0, end == std::string::npos ? opening.find('\n') : end + 1), 160);
}

}  // namespace

std::vector<std::string> folders_named(const Listing& inside, const std::string& name) {
  std::vector<std::string> folders;
  for (const FileEntry& file : inside.files) {
    const std::size_t at = ("/" + file.path).find("/" + name + "/");
    if (at == std::string::npos) continue;
    const std::string folder = file.path.substr(0, at + name.size());
    if (std::ranges::count(folders, folder) == 0) folders.push_back(folder);
  }
  return folders;
}

std::string plan_file(const ParsedPrompt& question, Investigation& look) {
  const bool shows_text = question.qualifier == "show" || question.first_line > 0;
  const std::string& wanted = question.subject;
  const Listing named = look.list_files(
      {.pattern = std::string(file_name(wanted)), .with_hidden = true, .limit = 50});
  if (look.is_waiting()) return fmt::format("Looking for {}.", code_span(wanted));
  std::vector<std::string> paths = ordered(named, wanted);
  // An ignored file can still be read by its path.
  const bool is_listed = !paths.empty();
  if (!is_listed) paths = {wanted};
  ReadRequest request{.path = paths.front(), .offset = question.first_line};
  request.limit = question.first_line > 0
                      ? std::clamp(question.last_line - question.first_line + 1, 1, kLinesShown)
                      : kLinesRead;
  const FileText file = look.read_file(request);
  const Entities inside = is_listed && !shows_text && has_index(look)
                              ? find_entities(look, "any",
                                              {condition("file", "=", Json(request.path)),
                                               condition("type", "!=", Json("file"))},
                                              EntityOrder{"start_line", false})
                              : Entities{};
  if (look.is_waiting()) return fmt::format("Reading {}.", code_span(request.path));
  if (look.has_failed() && file.content.empty() && !file.is_binary) {
    if (is_listed) return fmt::format("I could not read {}.", code_span(request.path));
    look.forget_problems();
    const Listing folder = look.list_files({.path = wanted, .is_recursive = false, .limit = 1});
    const bool may_be_end = wanted.contains('/') && !looks_like_path(wanted);
    const Listing inside =
        may_be_end ? look.list_files({.pattern = "**/" + wanted + "/**", .limit = 50}) : Listing{};
    if (look.is_waiting()) return fmt::format("Looking for {}.", code_span(wanted));
    const std::vector<std::string> folders = folders_named(inside, wanted);
    if (folder.total == 0 && folders.size() != 1) {
      look.forget_problems();
      return not_there(wanted, named, look);
    }
    ParsedPrompt asked = question;
    asked.path = folder.total > 0 ? wanted : folders.front();
    return plan_folder(asked, look);
  }
  AnswerText answer;
  if (file.is_binary) {
    answer.paragraph(fmt::format("**{}** is a binary file ({}{}); I cannot say what is in it.",
                                 file.path, human_size(file.size),
                                 file.media_type.empty() ? "" : ", " + file.media_type));
  } else {
    answer.block(shows_text ? shown(question, file) : explained(file, inside));
  }
  if (paths.size() > 1) {
    std::vector<std::string> others(paths.begin() + 1, paths.end());
    answer.heading("Other files of that name").items(others, 10, "files");
  }
  return answer.text();
}

std::string plan_folder(const ParsedPrompt& question, Investigation& look) {
  constexpr std::size_t kMostOpenings = 12;
  const Listing direct =
      look.list_files({.pattern = "*", .path = question.path, .is_recursive = false, .limit = 300});
  const Listing all = look.list_files({.pattern = "*", .path = question.path, .limit = 1000});
  if (look.is_waiting()) return "Looking into the folder.";
  if (direct.files.empty() && all.files.empty()) {
    if (!look.has_failed()) return "There are no files here.";
    if (question.path.empty()) return "I could not list this folder.";
    look.forget_problems();
    // A folder may be named by its last part.
    const std::string name(file_name(question.path));
    const Listing inside = look.list_files({.pattern = "**/" + name + "/**", .limit = 300});
    if (look.is_waiting()) return fmt::format("Looking for a folder {}.", code_span(name));
    const std::vector<std::string> folders = folders_named(inside, name);
    if (folders.empty() || question.path.contains('/')) {
      look.forget_problems();
      ParsedPrompt file = question;
      file.subject = std::exchange(file.path, {});
      return plan_file(file, look);
    }
    ParsedPrompt found = question;
    if (folders.size() == 1) {
      found.path = folders.front();
      return plan_folder(found, look);
    }
    return AnswerText()
        .paragraph(fmt::format("Several folders are called {}:", code_span(name)))
        .items(folders, 20, "folders")
        .text();
  }
  std::vector<std::string> folders;
  std::vector<std::string> files;
  std::vector<FileText> texts;
  for (const FileEntry& entry : direct.files) {
    if (!entry.path.ends_with('/') && texts.size() < kMostOpenings && is_code(entry.path) &&
        !question.path.empty()) {
      texts.push_back(look.read_file({.path = entry.path, .limit = 40}));
    }
  }
  if (look.is_waiting()) return "Reading how its files begin.";
  for (const FileEntry& entry : direct.files) {
    std::string_view path = entry.path;
    if (path.ends_with('/')) path.remove_suffix(1);
    std::string name(file_name(path));
    if (!entry.path.ends_with('/')) {
      const auto text = std::ranges::find(texts, entry.path, &FileText::path);
      const std::string says = text == texts.end() ? "" : first_sentence(*text);
      files.push_back(says.empty() ? name : fmt::format("{}: {}", name, says));
      continue;
    }
    const auto inside = std::ranges::count_if(all.files, [&](const FileEntry& file) {
      return file.path.starts_with(std::string(path) + "/");
    });
    folders.push_back(all.is_truncated
                          ? name + "/"
                          : fmt::format("{}/ ({})", name, counted(inside, "file", "files")));
  }
  AnswerText answer;
  answer.paragraph(fmt::format("{} holds {} and {} directly, {} in all.",
                               question.path.empty() ? "This folder" : code_span(question.path),
                               counted(std::ssize(folders), "folder", "folders"),
                               counted(std::ssize(files), "file", "files"),
                               counted(all.total, "file", "files")));
  if (!folders.empty()) answer.heading("Folders").items(folders, kMostShown, "folders");
  if (!files.empty()) answer.heading("Files").items(files, kMostShown, "files");
  if (direct.is_truncated)
    answer.paragraph(fmt::format("(first {} of {} entries)", direct.files.size(), direct.total));
  if (all.ignored > 0) {
    answer.paragraph(fmt::format("{} not counted because .gitignore names them.",
                                 counted(all.ignored, "entry was", "entries were")));
  }
  return answer.text();
}

std::string plan_find_files(const ParsedPrompt& question, Investigation& look) {
  const std::string& wanted = question.subject;
  const bool is_glob = has_glob_characters(wanted);
  const bool is_file = looks_like_file(wanted);
  const std::string glob = is_glob   ? wanted
                           : is_file ? std::string(file_name(wanted))
                                     : glob_for_word(file_name(wanted));
  const Listing found =
      look.list_files({.pattern = glob, .path = question.path, .with_hidden = true, .limit = 300});
  if (look.is_waiting()) return fmt::format("Looking for files: {}.", code_span(wanted));
  std::vector<std::string> paths;
  for (const FileEntry& file : found.files) {
    const bool fits = !wanted.contains('/') || is_glob || file.path == wanted ||
                      file.path.ends_with("/" + wanted);
    if (fits) paths.push_back(file.path);
  }
  if (paths.empty())
    return look.has_failed() ? fmt::format("I could not look for {}.", code_span(wanted))
           : is_glob         ? fmt::format("No file here matches {}{}.{}", code_span(wanted),
                                           folder_phrase(question), not_listed(found))
                             : not_there(wanted, found, look);
  const auto total = wanted.contains('/') && !is_glob ? std::ssize(paths) : found.total;
  return AnswerText()
      .paragraph(fmt::format("{} {} {}{}:", counted(total, "file", "files"),
                             is_glob   ? (total == 1 ? "matches" : "match")
                             : is_file ? (total == 1 ? "is called" : "are called")
                                       : (total == 1 ? "has in its name" : "have in their names"),
                             code_span(wanted), folder_phrase(question)))
      .items(paths, kMostShown, "files")
      .text();
}

}  // namespace wright::offline
