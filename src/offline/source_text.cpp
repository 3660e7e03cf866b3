#include "offline/source_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "offline/definitions.h"
#include "offline/regex_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Lines = std::vector<std::string_view>;

std::size_t indentation(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? line.size() : first;
}

bool ends_by_indentation(Family family) {
  return family == Family::python || family == Family::ruby || family == Family::lua;
}

// A line that belongs to the definition below it: attributes, decorators, templates, return types.
bool leads_in(Family family, std::string_view line) {
  static const RE2 kLead(
      R"(^(?:\[\[|__attribute__|template\s*<|#\[|@\w|extern "C"|static\b|inline\b|const\b|typedef\b|(?:[A-Za-z_][\w:<>*&]*\s*){1,4}$))");
  line = trim(line);
  if (line.empty() || line.ends_with(';') || line.ends_with('}') || line.ends_with('{') ||
      line.ends_with(':') || line.ends_with(',')) {
    return false;
  }
  const bool may_lead = family == Family::c || family == Family::java || family == Family::rust ||
                        family == Family::python || family == Family::script;
  if (family != Family::c && !line.starts_with('@') && !line.starts_with("#[")) return false;
  return may_lead && RE2::PartialMatch(piece(line), kLead);
}

// The indices [first, last) of the comment right above lines[index].
std::optional<std::pair<std::size_t, std::size_t>> comment_above(Family family, const Lines& lines,
                                                                 std::size_t index) {
  constexpr std::size_t kMostLines = 40;
  std::size_t first = index;
  const auto above = [&] { return trim(lines[first - 1]); };
  bool in_block = false;
  // Some leave a blank line between a block comment and what it is about.
  const bool is_apart = family == Family::c && index > 1 && trim(lines[index - 1]).empty() &&
                        trim(lines[index - 2]).ends_with("*/");
  if (is_apart) --first;
  while (first > 0 && index - first < kMostLines) {
    const std::string_view line = above();
    if (in_block) {
      --first;
      if (line.starts_with("/*")) in_block = false;
      if (!in_block) break;
      continue;
    }
    if (line.ends_with("*/")) {
      const std::size_t opened = line.find("/*");
      if (opened != std::string_view::npos && opened > 0) break;  // a trailing comment of code
      --first;
      if (opened == 0) break;
      in_block = true;
      continue;
    }
    if (!is_comment_line(family, line) || (family == Family::c && line.starts_with('#'))) break;
    --first;
  }
  if (in_block || first == index || (is_apart && first + 1 == index)) return std::nullopt;
  return std::pair{first, index};
}

std::size_t start_of_lead(Family family, const Lines& lines, std::size_t index) {
  while (index > 0 && leads_in(family, lines[index - 1])) --index;
  return index;
}

std::string_view without_marks(std::string_view line) {
  line = trim(line);
  for (const std::string_view mark :
       {"/**<",   "/**", "/*!", "/*", "*/", "///", "//!", "//",  "**", "*",
        "\"\"\"", "'''", "##",  "#!", "#",  "---", "--",  ";;;", ";;", ";"}) {
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

// Comment lines as flowing text: one line a paragraph.
std::string flowing(const Lines& lines, std::size_t first, std::size_t last) {
  constexpr std::size_t kLongest = 1500;
  std::string text;
  bool is_paragraph_end = false;
  for (std::size_t i = first; i < last && text.size() < kLongest; ++i) {
    const std::string_view line = without_marks(lines[i]);
    const bool is_rule = line.find_first_not_of("-=*#~_/[] ") == std::string_view::npos ||
                         line.starts_with("[=") || line.starts_with("]=");
    if (line.empty() || is_rule) {
      is_paragraph_end = !text.empty();
      continue;
    }
    if (!text.empty()) text += is_paragraph_end ? "\n" : " ";
    is_paragraph_end = false;
    text += line;
  }
  return text;
}

bool is_about_licence(std::string_view text) {
  return contains_ignoring_case(text, "copyright") || contains_ignoring_case(text, "licen") ||
         contains_ignoring_case(text, "all rights reserved") ||
         contains_ignoring_case(text, "spdx-");
}

std::string without_licence(const std::string& text) {
  std::string kept;
  for (const std::string_view paragraph : split_lines(text)) {
    if (is_about_licence(paragraph) || contains_ignoring_case(paragraph, "warrant")) continue;
    if (paragraph.starts_with("-*-") || paragraph.starts_with("vim:")) continue;
    if (!kept.empty()) kept += '\n';
    kept += paragraph;
  }
  return kept;
}

// The docstring that starts at lines[index], if one does: its last index.
std::optional<std::size_t> docstring_end(const Lines& lines, std::size_t index) {
  if (index >= lines.size()) return std::nullopt;
  std::string_view line = trim(lines[index]);
  if (line.starts_with('r') || line.starts_with('u')) line.remove_prefix(1);
  const std::string_view mark = line.substr(0, 3);
  if (mark != "\"\"\"" && mark != "'''") return std::nullopt;
  if (line.size() > 5 && line.ends_with(mark)) return index;
  for (std::size_t i = index + 1; i < lines.size() && i < index + 60; ++i) {
    if (lines[i].find(mark) != std::string_view::npos) return i;
  }
  return std::nullopt;
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

std::size_t start_with_comment(Family family, const Lines& lines, std::size_t index) {
  index = start_of_lead(family, lines, index);
  const auto comment = comment_above(family, lines, index);
  return comment ? comment->first : index;
}

std::size_t end_of_definition(Family family, const Lines& lines, std::size_t index) {
  const std::string_view first = lines[index];
  if (trim(first).starts_with('#') && family == Family::c) {
    while (index + 1 < lines.size() && trim(lines[index]).ends_with('\\')) ++index;
    return index;
  }
  if (ends_by_indentation(family)) {
    std::size_t end = index;
    int open = 0;
    for (std::size_t i = index; i < lines.size(); ++i) {
      const std::string_view line = lines[i];
      const bool is_inner =
          indentation(line) > indentation(first) || trim(line).empty() || open > 0 || i == index;
      if (!is_inner) {
        const std::string_view text = trim(line);
        return text == "end" || text.starts_with("end ") ? i : end;
      }
      for (const char c : line) open += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (!trim(line).empty()) end = i;
    }
    return end;
  }
  int depth = 0;
  bool has_body = false;
  const bool is_plain = first.find_first_of("(<") == std::string_view::npos;  // an enum constant
  for (std::size_t i = index; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (i > index && !has_body && depth == 0 && trim(line).empty()) return i - 1;
    for (const char c : line) {
      if (c == '{' || c == '(') ++depth;
      if (c == '}' || c == ')') --depth;
      if (c == '{') has_body = true;
      if (depth < 0) return i;
      if (depth == 0 && (c == ';' || (c == ',' && is_plain && !has_body && i == index))) return i;
    }
    if (has_body && depth == 0 && !line.empty() &&
        (i + 1 >= lines.size() || !trim(lines[i + 1]).starts_with(';'))) {
      return i;
    }
  }
  return lines.empty() ? 0 : lines.size() - 1;
}

std::string comment_of(Family family, const Lines& lines, std::size_t index) {
  if (family == Family::python) {
    std::size_t below = index;
    while (below < lines.size() && !trim(lines[below]).ends_with(':')) ++below;
    if (const auto end = docstring_end(lines, below + 1)) {
      return flowing(lines, below + 1, *end + 1);
    }
  }
  const std::size_t start = start_of_lead(family, lines, index);
  const auto comment = comment_above(family, lines, start);
  return comment ? without_licence(flowing(lines, comment->first, comment->second)) : std::string();
}

std::string opening_of(Family family, const Lines& lines) {
  if (family == Family::prose) return opening_of_prose(lines);
  constexpr std::size_t kSearchedLines = 80;
  for (std::size_t i = 0; i < lines.size() && i < kSearchedLines; ++i) {
    const std::string_view line = trim(lines[i]);
    if (line.empty() || line.starts_with("#!") || line.starts_with("<?php")) continue;
    if (family == Family::python) {
      if (const auto end = docstring_end(lines, i)) return flowing(lines, i, *end + 1);
    }
    std::size_t end = i;
    const bool is_bracketed = family == Family::cmake && line.starts_with("#[");
    if (line.starts_with("/*") || is_bracketed) {
      const std::string_view mark = is_bracketed ? "]=" : "*/";
      while (end < lines.size() && lines[end].find(mark) == std::string_view::npos) ++end;
      end = std::min(end + 1, lines.size());
    } else {
      while (end < lines.size() && is_comment_line(family, lines[end]) &&
             !(family == Family::c && trim(lines[end]).starts_with('#'))) {
        ++end;
      }
    }
    if (end == i) {
      // Guards, includes and imports may stand before the comment that matters.
      static const RE2 kBefore(
          R"(^(?:#|import\b|from\b|use\b|package\b|using\b|extern\b|require\b|include\b|['"]use strict))");
      if (RE2::PartialMatch(piece(line), kBefore)) continue;
      break;
    }
    std::string text = without_licence(flowing(lines, i, end));
    if (text.size() > 15) return text;
    i = end - 1;
  }
  return {};
}

std::vector<std::string> imports_of(Family family, const Lines& lines) {
  static const RE2 kC(R"(^\s*#\s*(?:include|import)\s*[<"]([^>"]+)[>"])");
  static const RE2 kPython(R"(^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w., ]+)))");
  static const RE2 kScript(
      R"((?:^\s*(?:import|export)\b.*?from\s*|\brequire\(\s*|^\s*import\s+)['"]([^'"]+)['"])");
  static const RE2 kGo(R"re(^\s*(?:import\s+)?(?:\w+\s+)?"([\w./-]+)"\s*$)re");
  static const RE2 kOther(
      R"(^\s*(?:pub\s+)?(?:use|import|using|require|require_relative|require_once|include|source|extern crate|open|mod)\b\s*\(?\s*['"]?([\w.:/\\*{}-]+))");
  const RE2& pattern = family == Family::c        ? kC
                       : family == Family::python ? kPython
                       : family == Family::script ? kScript
                       : family == Family::go     ? kGo
                                                  : kOther;
  std::vector<std::string> imports;
  for (const std::string_view line : lines) {
    std::string first;
    std::string second;
    const bool is_found =
        pattern.NumberOfCapturingGroups() == 2
            ? RE2::PartialMatch(piece(line.substr(0, 1000)), pattern, &first, &second)
            : RE2::PartialMatch(piece(line.substr(0, 1000)), pattern, &first);
    if (!is_found) continue;
    std::string name = first.empty() ? second : first;
    if (!name.empty() && std::ranges::count(imports, name) == 0) imports.push_back(std::move(name));
  }
  return imports;
}

}  // namespace wright::offline
