// Questions about one file: what it does, or its text.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "offline/definitions.h"
#include "offline/locate.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr int kLinesRead = 1200;
constexpr int kLinesShown = 120;

// The file that is most likely meant, best first: the exact path, then the shortest.
std::vector<std::string> ordered(const Listing& listing, std::string_view wanted) {
  std::vector<std::string> paths;
  for (const FileEntry& file : listing.files) {
    if (wanted.find('/') == std::string_view::npos || file.path.ends_with(wanted)) {
      paths.push_back(file.path);
    }
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

std::vector<std::string> keys_of(std::string_view content) {
  std::vector<std::string> keys;
  const auto json = parse_json(content);
  if (!json || !json->is_object()) return keys;
  for (const auto& member : json->get_object()) {
    const Json& value = member.value();
    const bool is_nested = value.is_object() || value.is_array();
    keys.push_back(fmt::format("{}: {}", code_span(member.key()),
                               is_nested ? std::string(value.is_array() ? "a list" : "an object")
                                         : shortened(to_text(value), 80)));
  }
  return keys;
}

// "12 functions, 3 types", from the words of the outline.
std::string summed_up(const std::vector<OutlineEntry>& outline) {
  std::map<std::string_view, int> counts;
  for (const OutlineEntry& entry : outline) ++counts[entry.what];
  std::string text;
  for (const auto& [what, count] : counts) {
    if (!text.empty()) text += ", ";
    const bool is_class = what.ends_with("s");
    text += fmt::format("{} {}{}", count, what, count == 1 ? "" : is_class ? "es" : "s");
  }
  return text;
}

std::string shown(const Question& question, const FileText& file) {
  const Window window = window_of(file);
  Answer answer;
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

std::string explained(const FileText& file) {
  const Language& language = language_of(file.path);
  const Window window = window_of(file);
  Answer answer;
  answer.paragraph(
      fmt::format("**{}**: {}{}, {}.", file.path,
                  language.family == Family::unknown ? "" : std::string(language.name) + ", ",
                  counted(file.total_lines, "line", "lines"), human_size(file.size)));
  const std::string opening = opening_of(language.family, window.lines);
  if (!opening.empty()) {
    answer.paragraph((language.family == Family::prose ? "It begins: " : "It says of itself: ") +
                     shortened(opening, 900));
  }
  if (language.family == Family::prose) {
    const auto headings = headings_of(window.lines, file.path);
    if (!headings.empty()) answer.heading("Headings").items(headings, 40, "headings");
  } else if (language.name == "JSON") {
    answer.heading("Keys").items(keys_of(file.content), 30, "keys");
  } else {
    const auto imports = imports_of(language.family, window.lines);
    if (!imports.empty()) {
      std::string joined;
      for (std::size_t i = 0; i < imports.size() && i < 25; ++i) {
        joined += fmt::format("{}{}", i == 0 ? "" : ", ", code_span(imports[i]));
      }
      if (imports.size() > 25) joined += fmt::format(" and {} more", imports.size() - 25);
      answer.paragraph("Uses: " + joined + ".");
    }
    const auto outline = outline_of(file.path, window.lines);
    std::vector<std::string> items;
    for (const OutlineEntry& entry : outline) {
      items.push_back(fmt::format("{}: {} ({})", place(file.path, entry.line),
                                  code_span(entry.text), entry.what));
    }
    if (!items.empty()) {
      answer.heading(fmt::format("Defines {}", summed_up(outline))).items(items, 40, "definitions");
    } else if (opening.empty()) {
      answer.block(excerpt(window, 0, window.lines.size(), 30));
    }
  }
  if (file.is_truncated || static_cast<int>(window.lines.size()) < file.total_lines) {
    answer.paragraph(fmt::format("(judged from the first {} of {} lines)", window.lines.size(),
                                 file.total_lines));
  }
  return answer.text();
}

}  // namespace

std::string plan_file(const Question& question, Investigation& look) {
  const bool is_count = question.qualifier == "count";
  const bool shows_text = question.qualifier == "show" || question.first_line > 0;
  const std::string wanted = question.subject;
  const Listing named = look.list_files({.pattern = std::string(file_name(wanted)), .limit = 50});
  if (look.is_waiting()) return fmt::format("Looking for {}.", code_span(wanted));
  std::vector<std::string> paths = ordered(named, wanted);
  // A hidden or ignored file can still be read by its path.
  const bool is_listed = !paths.empty();
  if (!is_listed) paths = {wanted};
  ReadRequest request{.path = paths.front(), .offset = question.first_line};
  request.limit = is_count ? 1
                  : question.first_line > 0
                      ? std::clamp(question.last_line - question.first_line + 1, 20, kLinesShown)
                      : kLinesRead;
  const FileText file = look.read_file(request);
  if (look.is_waiting()) return fmt::format("Reading {}.", code_span(request.path));
  if (look.has_failed() && file.content.empty() && !file.is_binary) {
    if (is_listed) return fmt::format("I could not read {}.", code_span(request.path));
    look.forget_problems();
    Question search = question;
    search.topic = Topic::find_files;
    return plan_find_files(search, look);
  }
  Answer answer;
  if (file.is_binary) {
    answer.paragraph(fmt::format("**{}** is a binary file ({}{}); I cannot say what is in it.",
                                 file.path, human_size(file.size),
                                 file.media_type.empty() ? "" : ", " + file.media_type));
  } else if (is_count) {
    answer.paragraph(fmt::format("**{}** has {} ({}).", file.path,
                                 counted(file.total_lines, "line", "lines"),
                                 human_size(file.size)));
  } else {
    answer.block(shows_text ? shown(question, file) : explained(file));
  }
  if (paths.size() > 1) {
    std::vector<std::string> others(paths.begin() + 1, paths.end());
    answer.heading("Other files of that name").items(others, 10, "files");
  }
  return answer.text();
}

}  // namespace wright::offline
