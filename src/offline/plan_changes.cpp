// Small changes that need no understanding: a given patch is applied, a name is replaced where it
// stands as a whole word, the project's tests are run. Everything else is left to a language model.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "core/text.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/regex_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kMostRenamedFiles = 40;
constexpr int kMostRenamedLines = 1000;

std::string text_in(const Json& json, std::string_view key) {
  const JsonObject* object = json.if_object();
  const Json* value = object != nullptr ? object->if_contains(key) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// --- a given patch -------------------------------------------------------------------------------

std::optional<std::string> patch_in(const std::string& prompt) {
  constexpr std::string_view kBegin = "*** Begin Patch";
  constexpr std::string_view kEnd = "*** End Patch";
  const std::size_t begin = prompt.find(kBegin);
  const std::size_t end = prompt.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return std::nullopt;
  return prompt.substr(begin, end + kEnd.size() - begin);
}

std::string plan_patch(const std::string& patch, Investigation& look) {
  const Json done = look.call("apply_patch", {{"patch", patch}});
  if (look.is_waiting()) return "I apply the patch.";
  if (look.has_failed()) return "The patch was not applied; no file was changed.";
  return fmt::format("{}. I ran no tests; `run the tests` does.", text_in(done, "message"));
}

// --- a name --------------------------------------------------------------------------------------

struct Renaming {
  std::string from;
  std::string to;
};

std::optional<Renaming> renaming_in(const std::string& prompt) {
  static const RE2 kRename(
      R"((?i)^(?:please\s+)?rename\s+(?:the\s+)?(?:(?:function|class|struct|method|variable|constant|symbol|type|field|name)\s+)?[`"']?([A-Za-z_]\w*)(?:\(\))?[`"']?\s+(?:to|into|as)\s+[`"']?([A-Za-z_]\w*)(?:\(\))?[`"']?\s*(?:everywhere|in all files)?[.!]?$)");
  Renaming renaming;
  if (!RE2::FullMatch(std::string(trimmed(prompt)), kRename, &renaming.from, &renaming.to)) {
    return std::nullopt;
  }
  return renaming;
}

std::string word_pattern(const std::string& word) {
  return fmt::format(R"(\b{}\b)", word);
}

// One hunk: from the first line that changes to the last.
std::string update_of(const FileText& file, const Renaming& renaming) {
  std::vector<std::string> before;
  std::vector<std::string> after;
  const RE2 word(word_pattern(renaming.from));
  std::string_view rest = file.content;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string line(rest.substr(0, end));
    if (line.ends_with('\r')) line.pop_back();
    rest.remove_prefix(std::min(end + 1, rest.size()));
    before.push_back(line);
    RE2::GlobalReplace(&line, word, renaming.to);
    after.push_back(std::move(line));
  }
  const auto [first, unused] = std::ranges::mismatch(before, after);
  if (first == before.end()) return {};
  std::size_t last = before.size();
  while (before[last - 1] == after[last - 1]) --last;
  std::string text = fmt::format("*** Update File: {}\n@@\n", file.path);
  for (auto i = static_cast<std::size_t>(first - before.begin()); i < last; ++i) {
    if (before[i] == after[i]) {
      text += fmt::format(" {}\n", before[i]);
    } else {
      text += fmt::format("-{}\n+{}\n", before[i], after[i]);
    }
  }
  return text;
}

std::string plan_rename(const Renaming& renaming, Investigation& look) {
  if (renaming.from == renaming.to) return "Both names are the same; there is nothing to do.";
  const GrepRequest old{.pattern = word_pattern(renaming.from), .limit = kMostRenamedLines};
  const Matches taken =
      look.grep({.pattern = word_pattern(renaming.to), .output_mode = "count", .limit = 10});
  const Matches found = look.grep(old);
  if (look.is_waiting()) return fmt::format("I look for {}.", code_span(renaming.from));
  if (look.has_failed()) return "Nothing was renamed.";
  std::map<std::string, int> files;
  for (const Match& match : found.matches) ++files[match.path];
  if (files.empty()) {
    return fmt::format("{} stands nowhere as a whole word, so nothing was renamed.",
                       code_span(renaming.from));
  }
  if (taken.total > 0) {
    return fmt::format(
        "There is a {} already ({}), so nothing was renamed: the two would become "
        "one.",
        code_span(renaming.to), counted(taken.total, "line", "lines"));
  }
  if (found.is_truncated || files.size() > kMostRenamedFiles) {
    return fmt::format(
        "{} stands in more places than I change at once ({} in {}), so nothing was "
        "renamed.",
        code_span(renaming.from), counted(found.total, "line", "lines"),
        counted(static_cast<std::int64_t>(files.size()), "file", "files"));
  }
  std::string updates;
  for (const auto& [path, count] : files) {
    const FileText file = look.read_file({.path = path, .limit = 20'000});
    if (look.is_waiting()) continue;
    if (file.is_truncated || file.is_binary || file.start_line != 1) {
      return fmt::format("{} is too large to be read whole, so nothing was renamed.",
                         code_span(path));
    }
    updates += update_of(file, renaming);
  }
  if (look.is_waiting()) return "I read the files.";
  if (look.has_failed()) return "Nothing was renamed.";
  const Json done = look.call(
      "apply_patch", {{"patch", fmt::format("*** Begin Patch\n{}*** End Patch", updates)}});
  if (look.is_waiting()) return "I replace the name.";
  if (look.has_failed()) return "Nothing was renamed.";
  AnswerText answer;
  answer.paragraph(fmt::format("Renamed {} to {}: {} in {}.", code_span(renaming.from),
                               code_span(renaming.to), counted(found.total, "line", "lines"),
                               counted(static_cast<std::int64_t>(files.size()), "file", "files")));
  for (const auto& [path, count] : files) {
    answer.item(fmt::format("{} ({})", code_span(path), counted(count, "line", "lines")));
  }
  answer.paragraph(
      "I replaced whole words and understand no language: a name in a comment or a string was "
      "replaced as well, and what git ignores or is hidden was not looked at. I ran no tests; `run "
      "the tests` does.");
  return answer.text();
}

// --- the tests -----------------------------------------------------------------------------------

bool asks_for_tests(const std::string& prompt) {
  static const RE2 kRun(
      R"((?i)^(?:please\s+)?run\s+(?:all\s+)?(?:(?:of\s+)?(?:the|its|your|our|my|this project's)\s+)?(?:unit\s+)?tests?(?:\s+and\s+report.*)?[.!?]?$)");
  return RE2::FullMatch(std::string(trimmed(prompt)), kRun);
}

struct Runner {
  std::string_view file;
  std::string_view pattern;  // that must stand in it; empty: any
  std::string_view command;
};
constexpr auto kRunners = std::to_array<Runner>({
    {"Makefile", R"(^(?:test|check)\s*:)", ""},
    {"package.json", R"("test"\s*:)", "npm test"},
    {"Cargo.toml", "", "cargo test"},
    {"go.mod", "", "go test ./..."},
    {"pytest.ini", "", "pytest -q"},
    {"pyproject.toml", "pytest", "pytest -q"},
});

std::string plan_tests(Investigation& look) {
  const Listing top = look.list_files({.is_recursive = false});
  if (look.is_waiting()) return "I look for how the tests are run.";
  std::string command;
  std::string reason;
  for (const Runner& runner : kRunners) {
    if (std::ranges::find(top.files, runner.file, &FileEntry::path) == top.files.end()) continue;
    const Matches rule =
        look.grep({.pattern = runner.pattern.empty() ? "." : std::string(runner.pattern),
                   .path = std::string(runner.file),
                   .limit = 1});
    if (look.is_waiting()) continue;
    if (rule.matches.empty()) continue;
    const std::string target = rule.matches.front().text.starts_with("check") ? "check" : "test";
    command = runner.command.empty() ? "make " + target : std::string(runner.command);
    reason = place(runner.file, rule.matches.front().line);
    break;
  }
  if (look.is_waiting()) return "I look for how the tests are run.";
  if (command.empty()) {
    return "I found no way to run tests here: no Makefile with a target test or check, no "
           "package.json with a script test, no Cargo.toml, go.mod or configuration of pytest.";
  }
  const Json done = look.call("bash", {{"command", command}});
  if (look.is_waiting()) return fmt::format("I run {}.", code_span(command));
  if (look.has_failed()) return fmt::format("{} did not run.", code_span(command));
  const JsonObject* result = done.if_object();
  const Json* code = result != nullptr ? result->if_contains("exit_code") : nullptr;
  const bool is_known = code != nullptr && code->is_int64();
  std::string output = text_in(done, "stdout") + text_in(done, "stderr");
  constexpr std::size_t kShown = 2000;
  if (output.size() > kShown) output = "…" + to_valid_utf8(output.substr(output.size() - kShown));
  AnswerText answer;
  answer.paragraph(fmt::format("{} ({}) {}.", code_span(command), reason,
                               !is_known ? "ended, and I cannot tell how"
                               : code->get_int64() == 0
                                   ? "passed: its exit code is 0"
                                   : fmt::format("failed with exit code {}", code->get_int64())));
  answer.block(fmt::format("```\n{}\n```", trimmed(output)));
  return answer.text();
}

}  // namespace

bool changes_code(const Investigation& look) {
  return look.offers("update_plan") && look.offers("bash");
}

std::optional<std::string> plan_change(const std::string& prompt, Investigation& look) {
  if (!changes_code(look)) return std::nullopt;
  if (look.offers("apply_patch")) {
    if (const auto patch = patch_in(prompt)) return plan_patch(*patch, look);
    if (const auto renaming = renaming_in(prompt)) return plan_rename(*renaming, look);
  }
  if (asks_for_tests(prompt)) return plan_tests(look);
  return std::nullopt;
}

}  // namespace wright::offline
