// Questions whose answer is a list of files: a folder, a name, a size, a content.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <utility>

#include "offline/languages.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kMostShown = 60;

std::string described(const FileEntry& file) {
  std::string text = file.path;
  if (file.size >= 0) text += fmt::format(" ({})", human_size(file.size));
  return text;
}

// The glob for what the question asks for, by type or by name.
std::string glob_for(const Question& question) {
  if (!question.file_type.empty()) {
    const std::string glob = glob_for_type(question.file_type);
    return glob.empty() ? glob_for_word(question.file_type) : glob;
  }
  if (has_glob_characters(question.subject)) return question.subject;
  if (looks_like_file(question.subject) && !question.subject.starts_with('.')) {
    return std::string(file_name(question.subject));
  }
  const std::string glob = glob_for_type(question.subject);
  return glob.empty() ? glob_for_word(question.subject) : glob;
}

// "src/ (12 files)" for each folder of a listing, by number of files.
std::vector<std::string> folders_in(const Listing& listing) {
  std::map<std::string, int> counts;
  for (const FileEntry& file : listing.files) ++counts[std::string(folder_of(file.path))];
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& e) { return e.second; });
  std::vector<std::string> items;
  for (const auto& [folder, count] : sorted) {
    items.push_back(
        fmt::format("{}/ ({})", folder.empty() ? "." : folder, counted(count, "file", "files")));
  }
  return items;
}

}  // namespace

std::string plan_list(const Question& question, Investigation& look) {
  const Listing direct =
      look.list_files({.pattern = "*", .path = question.path, .is_recursive = false, .limit = 300});
  const Listing all = look.list_files({.pattern = "*", .path = question.path, .limit = 1000});
  if (look.is_waiting()) return "Looking into the folder.";
  if (look.has_failed() && direct.files.empty() && all.files.empty()) {
    if (!question.path.empty()) {
      look.forget_problems();
      Question file = question;
      file.topic = Topic::file;
      file.subject = std::exchange(file.path, {});
      return plan_file(file, look);
    }
    return fmt::format("I could not list {}.",
                       question.path.empty() ? "this folder" : code_span(question.path));
  }
  std::vector<std::string> folders;
  std::vector<std::string> files;
  for (const FileEntry& entry : direct.files) {
    std::string_view path = entry.path;
    if (path.ends_with('/')) path.remove_suffix(1);
    const std::string name(file_name(path));
    if (!entry.path.ends_with('/')) {
      files.push_back(name);
      continue;
    }
    const std::string prefix = std::string(path) + "/";
    const auto inside = std::ranges::count_if(
        all.files, [&](const FileEntry& file) { return file.path.starts_with(prefix); });
    folders.push_back(all.is_truncated && inside == 0
                          ? name + "/"
                          : fmt::format("{}/ ({}{})", name, all.is_truncated ? "at least " : "",
                                        counted(inside, "file", "files")));
  }
  Answer answer;
  answer.paragraph(
      fmt::format("{} holds {} and {} directly, {} in all.",
                  question.path.empty() ? "This folder" : code_span(question.path),
                  counted(static_cast<std::int64_t>(folders.size()), "folder", "folders"),
                  counted(static_cast<std::int64_t>(files.size()), "file", "files"),
                  counted(all.total, "file", "files")));
  if (!folders.empty()) answer.heading("Folders").items(folders, kMostShown, "folders");
  if (!files.empty()) answer.heading("Files").items(files, kMostShown, "files");
  if (direct.is_truncated) {
    answer.paragraph(fmt::format("(first {} of {} entries)", direct.files.size(), direct.total));
  }
  if (all.ignored > 0) {
    answer.paragraph(fmt::format("{} not counted because .gitignore names them.",
                                 counted(all.ignored, "entry was", "entries were")));
  }
  return answer.text();
}

std::string plan_find_files(const Question& question, Investigation& look) {
  Listing found =
      look.list_files({.pattern = glob_for(question), .path = question.path, .limit = 300});
  const std::string wanted = question.file_type.empty() ? question.subject : question.file_type;
  if (look.is_waiting()) return fmt::format("Looking for files: {}.", code_span(wanted));
  if (question.subject.contains('/') && !has_glob_characters(question.subject)) {
    std::erase_if(found.files,
                  [&](const FileEntry& file) { return !file.path.ends_with(question.subject); });
    found.total = static_cast<std::int64_t>(found.files.size());
  }
  if (found.files.empty() && !look.has_failed()) {
    const std::string_view name = file_name(question.subject);
    const std::string word(name.substr(0, name.find_last_of('.')));
    const Listing similar = look.list_files({.pattern = glob_for_word(word), .limit = 20});
    if (look.is_waiting()) return "No such file; looking for similar names.";
    Answer answer;
    const bool is_pattern = !question.file_type.empty() || has_glob_characters(wanted);
    answer.paragraph(is_pattern
                         ? fmt::format("No file{} matches {}.", below(question), code_span(wanted))
                         : fmt::format("There is no file or folder {} below {}.", code_span(wanted),
                                       question.path.empty() ? "the folder that I look at"
                                                             : code_span(question.path)));
    if (!similar.files.empty()) answer.paragraph("Similar names:");
    for (const FileEntry& file : similar.files) answer.item(file.path);
    return answer.text();
  }
  if (found.files.empty()) return fmt::format("I could not look for {}.", code_span(wanted));
  Answer answer;
  answer.paragraph(fmt::format("{}{} {} {}.", counted(found.total, "file", "files"),
                               below(question), found.total == 1 ? "matches" : "match",
                               code_span(wanted)));
  std::vector<std::string> items;
  for (const FileEntry& file : found.files) items.push_back(described(file));
  answer.items(items, kMostShown, "files");
  if (found.is_truncated) answer.paragraph("(the listing was cut; there are more)");
  if (items.size() > kMostShown) {
    answer.heading("By folder").items(folders_in(found), 12, "folders");
  }
  return answer.text();
}

std::string plan_ranked_files(const Question& question, Investigation& look) {
  constexpr std::size_t kRanked = 15;
  constexpr int kMostJudged = 1000;  // the tool has no order that begins with the smallest
  const bool by_size = question.qualifier == "largest" || question.qualifier == "smallest";
  const bool from_end = question.qualifier == "smallest" || question.qualifier == "oldest";
  const std::string glob = glob_for_type(question.file_type);
  Listing found = look.list_files({.pattern = glob.empty() ? "*" : glob,
                                   .path = question.path,
                                   .with_details = true,
                                   .sort = from_end  ? "name"
                                           : by_size ? "size"
                                                     : "modified",
                                   .limit = from_end ? kMostJudged : 50});
  if (look.is_waiting()) return fmt::format("Looking for the {} files.", question.qualifier);
  std::ranges::stable_sort(found.files, [&](const FileEntry& a, const FileEntry& b) {
    const bool is_more = by_size ? a.size > b.size : a.modified > b.modified;
    const bool is_less = by_size ? a.size < b.size : a.modified < b.modified;
    return from_end ? is_less : is_more;
  });
  if (found.files.empty()) return "I found no files to rank.";
  if (std::ranges::all_of(found.files, [](const FileEntry& f) { return f.size < 0; })) {
    return "The tool `list_files` of this agent gives no sizes and dates, so I cannot rank files.";
  }
  Answer answer;
  static const RE2 kNumber(R"(\b(\d{1,2}) (?:\w+ )?(?:\w+est|most recent\w*)\b)");
  std::size_t most = kRanked;
  if (!RE2::PartialMatch(question.prompt, kNumber, &most) || most == 0) most = kRanked;
  const bool is_partial = from_end && found.is_truncated;
  answer.paragraph(is_partial
                       ? fmt::format("I saw only {} of {}{}; the {} of those, perhaps not of all:",
                                     with_separators(static_cast<std::int64_t>(found.files.size())),
                                     counted(found.total, "file", "files"), below(question),
                                     question.qualifier)
                       : fmt::format("The {} of {}{}:", question.qualifier,
                                     counted(found.total, "file", "files"), below(question)));
  for (std::size_t i = 0; i < found.files.size() && i < most; ++i) {
    const FileEntry& file = found.files[i];
    answer.item(fmt::format("{}: {}{}", file.path, human_size(file.size),
                            file.modified.empty() ? "" : ", modified " + file.modified));
  }
  return answer.text();
}

std::string plan_containing_files(const Question& question, Investigation& look) {
  const std::string pattern = is_identifier(question.subject) && !looks_like_file(question.subject)
                                  ? regex_for_name(question.subject)
                                  : quote_for_regex(question.subject);
  GrepRequest wanted = in_scope(question, pattern);
  wanted.output_mode = "count";
  wanted.limit = 200;
  if (!question.file_type.empty()) wanted.glob = glob_for_type(question.file_type);
  const Matches found = look.grep(wanted);
  std::vector<FileCount> files = found.counts;
  for (const Match& match : found.matches) {
    const bool is_known = std::ranges::count(files, match.path, &FileCount::path) > 0;
    if (!is_known) files.push_back({match.path, 0});
  }
  const std::int64_t total_files = found.files_with_matches;
  if (look.is_waiting())
    return fmt::format("Looking for files with {}.", code_span(question.subject));
  if (files.empty()) {
    return look.has_failed() ? fmt::format("I could not look for {}.", code_span(question.subject))
                             : fmt::format("No file{} contains {}.", below(question),
                                           code_span(question.subject));
  }
  std::ranges::stable_sort(files, std::ranges::greater{}, &FileCount::count);
  std::vector<std::string> items;
  for (const FileCount& file : files) {
    items.push_back(file.count > 0
                        ? fmt::format("{} ({})", file.path, counted(file.count, "line", "lines"))
                        : file.path);
  }
  Answer answer;
  answer.paragraph(fmt::format("{}{} contain {}, on {}.", counted(total_files, "file", "files"),
                               below(question), code_span(question.subject),
                               counted(found.total, "line", "lines")));
  answer.items(items, kMostShown, "files");
  if (total_files > static_cast<std::int64_t>(files.size())) {
    answer.paragraph(fmt::format("(the search listed {} of {} files)", files.size(), total_files));
  }
  return answer.text();
}

}  // namespace wright::offline
