#include "offline/source_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>

#include "offline/regex_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Lines = std::vector<std::string_view>;

bool is_comment(Marks marks, std::string_view line) {
  line = trim(line);
  switch (marks) {
    case Marks::slashes:
      return line.starts_with("//") || line.starts_with("/*") || line.starts_with("* ") ||
             line == "*" || line.ends_with("*/");
    case Marks::hash: return line.starts_with('#');
    case Marks::dashes: return line.starts_with("--");
    case Marks::semicolon: return line.starts_with(';');
    case Marks::prose:
    case Marks::none: return false;
  }
  return false;
}

std::string_view without_marks(std::string_view line) {
  line = trim(line);
  if (line.starts_with("r\"\"\"")) line.remove_prefix(1);
  for (const std::string_view mark :
       {"/**", "/*!", "/*", "*/", "///", "//!", "//", "**", "*", "\"\"\"", "'''", "##", "#!", "#",
        "---", "--", ";;;", ";;", ";"}) {
    if (line.starts_with(mark)) {
      line.remove_prefix(mark.size());
      break;
    }
  }
  for (const std::string_view mark : {"*/", "\"\"\"", "'''"}) {
    if (line.ends_with(mark)) line.remove_suffix(mark.size());
  }
  return trim(line);
}

// Comment lines as flowing text: one line a paragraph, without those about rights.
std::string flowing(const Lines& lines, std::size_t first, std::size_t last) {
  constexpr std::size_t kLongest = 1500;
  std::vector<std::string> paragraphs;
  bool is_new = true;
  for (std::size_t i = first; i < last; ++i) {
    const std::string_view line = without_marks(lines[i]);
    if (line.find_first_not_of("-=*#~_/[] ") == std::string_view::npos) {
      is_new = true;
      continue;
    }
    if (is_new) {
      paragraphs.emplace_back(line);
    } else {
      paragraphs.back().append(" ").append(line);
    }
    is_new = false;
  }
  std::string text;
  for (const std::string& paragraph : paragraphs) {
    const bool is_about_rights =
        std::ranges::any_of(std::to_array<std::string_view>(
                                {"copyright", "licen", "all rights reserved", "spdx-", "warrant"}),
                            [&](auto word) { return contains_ignoring_case(paragraph, word); });
    if (is_about_rights || paragraph.starts_with("-*-") || paragraph.starts_with("vim:")) continue;
    if (text.size() < kLongest) text += (text.empty() ? "" : "\n") + paragraph;
  }
  return text;
}

// The last line of the docstring that starts at lines[index], if one does.
std::optional<std::size_t> docstring_end(const Lines& lines, std::size_t index) {
  std::string_view line = trim(lines[index]);
  if (line.starts_with('r')) line.remove_prefix(1);
  const std::string_view mark = line.substr(0, 3);
  if (mark != "\"\"\"" && mark != "'''") return std::nullopt;
  if (line.size() > 5 && line.ends_with(mark)) return index;
  for (std::size_t i = index + 1; i < lines.size(); ++i) {
    if (lines[i].find(mark) != std::string_view::npos) return i;
  }
  return lines.size() - 1;  // it goes on below what was read
}

std::string opening_of_prose(const Lines& lines) {
  constexpr std::size_t kLongest = 900;
  static const RE2 kNoise(R"(^(?:!?\[!?\[|<|!\[|\[[^\]]*\]:|\.\. |:\w+:|[=\-~^*#]{3,}$|\|))");
  std::string text;
  for (const std::string_view raw : lines) {
    const std::string_view line = trim(raw);
    if (line.starts_with('#') && text.empty()) continue;
    if (RE2::PartialMatch(piece(line), kNoise)) continue;
    if (line.empty() || line.starts_with('#')) {
      if (text.size() > 60) break;
      continue;
    }
    if (!text.empty()) text += ' ';
    text += line;
    if (text.size() > kLongest) break;
  }
  return text;
}

}  // namespace

Window window_of(const FileText& file) {
  return {file.path, file.start_line, file.total_lines, split_lines(file.content)};
}

std::size_t start_of_comment(Marks marks, const Lines& lines, std::size_t index) {
  constexpr std::size_t kMostLines = 30;
  std::size_t first = std::min(index, lines.size());
  while (first > 0 && index - first < kMostLines) {
    const std::string_view above = trim(lines[first - 1]);
    const bool leads_in = above.starts_with('@') || above.starts_with("#[") ||
                          above.starts_with("template <") || above.starts_with("template<");
    const bool is_directive =
        marks == Marks::slashes && above.starts_with('#') && !above.starts_with("#[");
    if (is_directive || (!is_comment(marks, above) && !leads_in)) break;
    --first;
  }
  return first;
}

std::string opening_of(Marks marks, const Lines& lines) {
  if (marks == Marks::prose) return opening_of_prose(lines);
  constexpr std::size_t kSearchedLines = 80;
  for (std::size_t i = 0; i < lines.size() && i < kSearchedLines; ++i) {
    const std::string_view line = trim(lines[i]);
    if (line.empty() || line.starts_with("#!") || line.starts_with("<?php")) continue;
    if (marks == Marks::hash) {
      if (const auto end = docstring_end(lines, i)) return flowing(lines, i, *end + 1);
    }
    std::size_t end = i;
    if (line.starts_with("/*") && marks == Marks::slashes) {
      while (end < lines.size() && lines[end].find("*/") == std::string_view::npos) ++end;
      end = std::min(end + 1, lines.size());
    } else {
      while (end < lines.size() && is_comment(marks, lines[end])) ++end;
    }
    if (end == i) {
      // Guards, includes and imports may stand before the comment that matters.
      static const RE2 kBefore(
          R"(^(?:#|import\b|from\b|use\b|package\b|using\b|extern\b|require\b|['"]use strict))");
      if (RE2::PartialMatch(piece(line), kBefore)) continue;
      break;
    }
    std::string text = flowing(lines, i, end);
    if (text.size() > 5) return text;
    i = end - 1;
  }
  return {};
}

}  // namespace wright::offline
