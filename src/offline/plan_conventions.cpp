// Questions about what projects keep by convention: open ends, tests, the licence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "offline/definitions.h"
#include "offline/languages.h"
#include "offline/manifests.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

struct LicenceMark {
  std::string_view phrase;
  std::string_view name;
};

// The first phrase that a text contains decides; narrower texts stand before wider ones.
constexpr auto kLicenceMarks = std::to_array<LicenceMark>({
    {"GNU AFFERO GENERAL PUBLIC LICENSE", "GNU AGPL"},
    {"GNU LESSER GENERAL PUBLIC LICENSE", "GNU LGPL"},
    {"GNU LIBRARY GENERAL PUBLIC LICENSE", "GNU LGPL"},
    {"GNU GENERAL PUBLIC LICENSE", "GNU GPL"},
    {"Apache License", "Apache License"},
    {"Mozilla Public License", "Mozilla Public License"},
    {"Boost Software License", "Boost Software License"},
    {"Eclipse Public License", "Eclipse Public License"},
    {"The Unlicense", "Unlicense"},
    {"This is free and unencumbered software", "Unlicense"},
    {"CC0 1.0", "CC0"},
    {"Permission to use, copy, modify, and/or distribute", "ISC or 0BSD"},
    {"Permission to use, copy, modify, and distribute", "ISC"},
    {"Permission is hereby granted, free of charge", "MIT"},
    {"Neither the name of", "BSD, 3 clauses"},
    {"Redistribution and use in source and binary forms", "BSD"},
    {"This software is provided 'as-is'", "zlib"},
    {"Artistic License", "Artistic License"},
    {"public domain", "public domain"},
});

std::string licence_in(std::string_view content) {
  std::string flat(content);
  std::ranges::replace(flat, '\n', ' ');
  for (const LicenceMark& mark : kLicenceMarks) {
    if (!contains_ignoring_case(flat, mark.phrase)) continue;
    std::string name(mark.name);
    for (const std::string_view version :
         {"Version 3", "Version 2.1", "Version 2.0", "Version 2", "Version 1.0"}) {
      const bool is_versioned = mark.name.starts_with("GNU") || mark.name.ends_with("License");
      if (is_versioned && contains_ignoring_case(flat.substr(0, 1500), version)) {
        return name + ", " + lower(version);
      }
    }
    return name;
  }
  return {};
}

bool is_licence_file(std::string_view path) {
  const std::string name = lower(file_name(path));
  return name.starts_with("license") || name.starts_with("licence") ||
         name.starts_with("copying") || name.starts_with("unlicense") ||
         (name == "copyright" && path.ends_with("debian/copyright"));
}

}  // namespace

std::string plan_todos(const Question& question, Investigation& look) {
  GrepRequest wanted = in_scope(question, R"(\b(?:TODO|FIXME|XXX|HACK)\b)");
  wanted.limit = 200;
  const Matches found = look.grep(wanted);
  if (look.is_waiting()) return "Looking for TODO and FIXME marks.";
  if (found.matches.empty()) {
    return look.has_failed() ? "I could not look for TODO marks."
                             : "There is no TODO, FIXME, XXX or HACK here.";
  }
  std::map<std::string, int> marks;
  std::vector<std::string> items;
  for (const Match& match : found.matches) {
    for (const char* mark : {"TODO", "FIXME", "XXX", "HACK"}) {
      if (match.text.find(mark) != std::string::npos) ++marks[mark];
    }
    items.push_back(
        fmt::format("{}: {}", place(match.path, match.line), shortened(match.text, 160)));
  }
  Answer answer;
  std::string kinds;
  for (const auto& [mark, count] : marks)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, mark);
  answer.paragraph(
      fmt::format("{} in {} ({}{}).", counted(found.total, "open mark", "open marks"),
                  counted(found.files_with_matches, "file", "files"), kinds,
                  found.is_truncated ? fmt::format(" in the first {}", found.matches.size()) : ""));
  answer.items(items, 50, "marks");
  if (found.total > static_cast<std::int64_t>(found.matches.size())) {
    answer.paragraph(fmt::format("(from the first {} of {})", found.matches.size(), found.total));
  }
  return answer.text();
}

std::string plan_tests(const Question& question, Investigation& look) {
  const Listing named =
      look.list_files({.pattern = "*[Tt]est*", .path = question.path, .limit = 600});
  const Listing specs =
      look.list_files({.pattern = "*[._-]spec.*", .path = question.path, .limit = 200});
  const Listing inside =
      look.list_files({.pattern = "**/test*/**", .path = question.path, .limit = 600});
  GrepRequest wanted = in_scope(
      question,
      R"(^\s*(?:TEST(?:_F|_P|_CASE)?\s*\(|SECTION\s*\(|BOOST_AUTO_TEST_CASE|#\[(?:tokio::)?test\]|@Test\b|func\s+Test\w+\s*\(|(?:async\s+)?def\s+test_\w+|(?:it|test)\s*\(\s*['"`]))");
  wanted.output_mode = "count";
  wanted.limit = 200;
  const Matches cases = look.grep(wanted);
  GrepRequest targets{
      .pattern =
          R"(^(?:tests?|check)\s*:|"test"\s*:|enable_testing\s*\(|^\[tool\.pytest|^\[testenv)",
      .path = {},
      .glob =
          "{Makefile,GNUmakefile,Makefile.am,*.mk,package.json,CMakeLists.txt,pyproject.toml,tox."
          "ini}"};
  targets.limit = 30;
  const Matches commands = look.grep(targets);
  if (look.is_waiting()) return "Looking for tests.";
  std::map<std::string, int> folders;
  std::vector<std::string> seen;
  for (const Listing* listing : {&named, &specs, &inside}) {
    for (const FileEntry& file : listing->files) {
      if (!is_code(language_of(file.path).family) || std::ranges::count(seen, file.path) > 0)
        continue;
      seen.push_back(file.path);
      ++folders[std::string(folder_of(file.path))];
    }
  }
  Answer answer;
  if (seen.empty() && cases.total == 0) {
    return look.has_failed() ? "I could not look for tests."
                             : "I found no tests: no file named like one, and no test cases of a "
                               "framework I know.";
  }
  answer.paragraph(fmt::format(
      "{} {} test code by name or folder; {} found by shape.",
      counted(static_cast<std::int64_t>(seen.size()), "source file", "source files"),
      seen.size() == 1 ? "is" : "are", counted(cases.total, "test case was", "test cases were")));
  std::vector<std::pair<std::string, int>> sorted(folders.begin(), folders.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& e) { return e.second; });
  std::vector<std::string> items;
  for (const auto& [folder, count] : sorted) {
    items.push_back(
        fmt::format("{}/ ({})", folder.empty() ? "." : folder, counted(count, "file", "files")));
  }
  if (!items.empty()) answer.heading("Folders").items(items, 15, "folders");
  std::vector<FileCount> richest = cases.counts;
  std::ranges::stable_sort(richest, std::ranges::greater{}, &FileCount::count);
  items.clear();
  for (const FileCount& file : richest)
    items.push_back(fmt::format("{} ({})", file.path, counted(file.count, "case", "cases")));
  if (!items.empty()) answer.heading("Files with the most cases").items(items, 10, "files");
  items.clear();
  for (const Match& match : commands.matches) {
    items.push_back(fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
  }
  const auto has_tests_in = [&](Family family) {
    return std::ranges::any_of(
        seen, [&](const std::string& path) { return language_of(path).family == family; });
  };
  if (has_tests_in(Family::rust)) items.push_back("`cargo test`, as usual in Rust");
  if (has_tests_in(Family::go)) items.push_back("`go test ./...`, as usual in Go");
  if (!items.empty()) answer.heading("How they may be run").items(items, 8, "places");
  if (named.is_truncated || inside.is_truncated)
    answer.paragraph("(the listing of files was cut; there may be more)");
  return answer.text();
}

std::string plan_licence(const Question&, Investigation& look) {
  std::vector<std::string> paths;
  for (const char* pattern :
       {"[Ll][Ii][Cc][Ee][Nn][CScs][Ee]*", "COPYING*", "UNLICENSE*", "copyright"}) {
    for (const FileEntry& file : look.list_files({.pattern = pattern, .limit = 30}).files) {
      if (is_licence_file(file.path)) paths.push_back(file.path);
    }
  }
  GrepRequest wanted{.pattern =
                         R"((?i)^\s*["']?licen[cs]e["']?\s*[:=]\s*["'{]|SPDX-License-Identifier)"};
  wanted.limit = 60;
  const Matches fields = look.grep(wanted);
  if (look.is_waiting()) return "Looking for a licence.";
  std::ranges::stable_sort(paths, {}, [](const std::string& path) {
    return std::pair(std::ranges::count(path, '/'), path.size());
  });
  std::vector<std::string> items;
  for (std::size_t i = 0; i < paths.size() && i < 4; ++i) {
    const FileText file = look.read_file({.path = paths[i], .limit = 60});
    const std::string name = licence_in(file.content);
    items.push_back(fmt::format("{}: {}", place(paths[i], 1),
                                name.empty() ? "a text that I do not recognise" : name));
  }
  if (look.is_waiting()) return "Reading it.";
  Answer answer;
  if (!items.empty()) answer.heading("Licence files").items(items, 10, "files");
  if (paths.size() > 4)
    answer.paragraph(fmt::format("(and {} more licence files)", paths.size() - 4));
  items.clear();
  std::vector<std::string> seen;
  for (const Match& match : fields.matches) {
    const std::string text = shortened(match.text, 100);
    if (std::ranges::count(seen, text) > 0) continue;
    seen.push_back(text);
    items.push_back(fmt::format("{}: {}", place(match.path, match.line), code_span(match.text)));
  }
  if (!items.empty()) answer.heading("Stated in files").items(items, 8, "statements");
  if (fields.total > 0 && items.size() < static_cast<std::size_t>(fields.total)) {
    answer.paragraph(fmt::format("({} such lines in all, repeated ones left out)",
                                 with_separators(fields.total)));
  }
  if (answer.is_empty())
    return look.has_failed() ? "I could not look for a licence."
                             : "I found no licence file and no statement of a licence.";
  return answer.text();
}

}  // namespace wright::offline
