#include "offline/locate.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kReadCandidates = 6;
constexpr std::size_t kKeptCandidates = 60;

bool fits_qualifier(std::string_view qualifier, std::string_view what) {
  const auto has = [&](std::string_view word) { return what.find(word) != std::string_view::npos; };
  if (qualifier.starts_with("func") || qualifier.starts_with("method") ||
      qualifier.starts_with("proc") || qualifier.starts_with("routine") ||
      qualifier.starts_with("subroutine")) {
    return has("function") || has("method") || has("subroutine") || has("macro");
  }
  if (qualifier.starts_with("class") || qualifier.starts_with("struct") ||
      qualifier.starts_with("enum") || qualifier.starts_with("union") ||
      qualifier.starts_with("type") || qualifier.starts_with("interface") ||
      qualifier.starts_with("trait")) {
    return has("type") || has("class");
  }
  if (qualifier.starts_with("macro")) return has("macro");
  if (qualifier.starts_with("table") || qualifier.starts_with("view")) return has("database");
  if (qualifier.starts_with("variable") || qualifier.starts_with("constant")) {
    return has("variable") || has("constant") || has("macro");
  }
  return false;
}

// Better when the line itself names the kind: "struct stat" beats "enum stat" for struct.
bool line_says(std::string_view qualifier, std::string_view text) {
  if (qualifier.empty()) return false;
  if (qualifier.ends_with('s') && qualifier != "class") qualifier.remove_suffix(1);
  return text.find(qualifier) != std::string_view::npos;
}

// Whether the name in the line stands behind its owner: Owner::name, func (o *Owner) name, ….
bool is_owned(const Definition& candidate, const QualifiedName& name) {
  const std::string_view line = candidate.window.lines.empty()
                                    ? std::string_view(candidate.text)
                                    : candidate.window.lines[candidate.index];
  const std::string_view before =
      line.substr(0, std::min(candidate.verdict.name_start, line.size()));
  const RE2 owner(regex_for_name(name.owner) + R"((?:<[^>]*>)?\s*(?:::|\.|#|\)|\[\w+\]\))\s*~?$)");
  return RE2::PartialMatch(re2::StringPiece(before.data(), before.size()), owner);
}

// What is known about the owner in "Owner::name".
struct Owners {
  std::vector<Match> types;           // lines that look like its definition
  std::vector<FileCount> namespaces;  // files that open a namespace or package of that name
};

bool belongs(const Definition& candidate, const QualifiedName& name, const Owners& owners) {
  if (name.owner.empty() || is_owned(candidate, name)) return true;
  const bool is_below_type = std::ranges::any_of(owners.types, [&](const Match& owner) {
    return owner.path == candidate.path && owner.line <= candidate.line;
  });
  const std::string_view file = file_name(candidate.path);
  const bool is_module = lower(file.substr(0, file.find('.'))) == lower(name.owner);
  return is_below_type || is_module ||
         std::ranges::count(owners.namespaces, candidate.path, &FileCount::path) > 0;
}

int rank_of(const Definition& candidate, const Question& question, const QualifiedName& name) {
  const bool is_unread = candidate.window.lines.empty();
  int rank = candidate.verdict.score - path_penalty(candidate.path);
  if (is_unread && candidate.verdict.role == LineRole::callable) rank -= 15;
  if (!question.qualifier.empty()) {
    if (fits_qualifier(question.qualifier, candidate.verdict.what)) rank += 25;
    if (line_says(question.qualifier, candidate.text)) rank += 10;
  }
  const bool wants_declaration = contains_ignoring_case(question.prompt, " declared");
  if (wants_declaration && candidate.verdict.role == LineRole::declaration) rank += 50;
  if (name.owner.empty()) {
    const std::string_view before =
        std::string_view(candidate.text).substr(0, candidate.verdict.name_start);
    return before.ends_with("::") ? rank - 8 : rank;
  }
  if (is_owned(candidate, name)) return rank + 60;
  return rank + (candidate.has_owner ? 40 : -20);
}

void sort_by_rank(std::vector<Definition>& definitions) {
  std::ranges::stable_sort(definitions, [](const Definition& a, const Definition& b) {
    return std::tuple(-a.rank, std::string_view(a.path), a.line) <
           std::tuple(-b.rank, std::string_view(b.path), b.line);
  });
}

ReadRequest around(const Definition& candidate) {
  const bool looks_back = candidate.verdict.role == LineRole::typedef_end ||
                          candidate.verdict.role == LineRole::constant;
  const int before = looks_back ? 150 : 40;
  const int first = std::max(1, candidate.line - before);
  return {candidate.path, first, candidate.line - first + 90};
}

void settle(Definition& candidate, const DefinitionJudge& judge, FileText file) {
  candidate.file = std::make_unique<FileText>(std::move(file));
  candidate.window = window_of(*candidate.file);
  const int index = candidate.line - candidate.window.first_line;
  if (index < 0 || static_cast<std::size_t>(index) >= candidate.window.lines.size()) {
    candidate.window = {};
    return;
  }
  candidate.index = static_cast<std::size_t>(index);
  candidate.verdict = judge.judge(candidate.path, candidate.window.lines, candidate.index);
}

}  // namespace

QualifiedName split_qualified(std::string_view name) {
  std::size_t cut = std::string_view::npos;
  std::size_t length = 0;
  for (const std::string_view separator : {"::", "->", ".", "#"}) {
    const std::size_t found = name.rfind(separator);
    if (found == std::string_view::npos || found == 0) continue;
    if (cut == std::string_view::npos || found > cut) {
      cut = found;
      length = separator.size();
    }
  }
  if (cut == std::string_view::npos || cut + length >= name.size()) {
    return {{}, std::string(name)};
  }
  std::string_view owner = name.substr(0, cut);
  if (const QualifiedName outer = split_qualified(owner); !outer.owner.empty()) {
    return {outer.name, std::string(name.substr(cut + length))};
  }
  return {std::string(owner), std::string(name.substr(cut + length))};
}

Window window_of(const FileText& file) {
  return {file.path, file.start_line, file.total_lines, split_lines(file.content)};
}

std::optional<Definitions> locate(const Question& question, Investigation& look,
                                  LetterCase letters) {
  const QualifiedName name = split_qualified(question.subject);
  const auto search = [&](std::string pattern, std::string mode, int limit) {
    GrepRequest wanted = in_scope(question, std::move(pattern));
    wanted.output_mode = std::move(mode);
    wanted.limit = limit;
    wanted.ignores_case = letters == LetterCase::any;
    return look.grep(wanted);
  };
  const Matches likely = search(likely_definitions_of(name.name), "content", 200);
  const Matches possible = search(possible_definitions_of(name.name), "content", 120);
  const Matches mentions = search(regex_for_name(name.name), "count", 40);
  Owners owners;
  if (!name.owner.empty()) {
    const std::string owner = regex_for_name(name.owner);
    owners.types =
        search(R"(\b(?:class|struct|trait|impl|interface|module|type|enum|object)\b.*)" + owner,
               "content", 100)
            .matches;
    owners.namespaces =
        search(R"(^\s*(?:inline\s+)?(?:namespace|package|module)\s+(?:[\w.]+(?:::|\.))*)" + owner,
               "files", 1000)
            .counts;
  }
  if (look.is_waiting()) return std::nullopt;
  const Matches surest =
      likely.is_truncated ? search(surest_definitions_of(name.name), "content", 200) : Matches{};
  if (look.is_waiting()) return std::nullopt;

  Definitions located;
  located.mentions = mentions.total;
  located.mentioning_files = mentions.files_with_matches;
  located.files = mentions.counts;
  located.is_complete = !likely.is_truncated || !surest.is_truncated;

  const DefinitionJudge judge(name.name, letters);
  std::set<std::pair<std::string, int>> seen;
  for (const Matches* source : {&surest, &likely, &possible}) {
    for (const Match& match : source->matches) {
      if (!seen.emplace(match.path, match.line).second) continue;
      Definition candidate;
      candidate.path = match.path;
      candidate.line = match.line;
      candidate.text = match.text;
      candidate.verdict = judge.judge(match.path, match.text);
      if (candidate.verdict.is_use()) continue;
      candidate.has_owner = belongs(candidate, name, owners);
      candidate.rank = rank_of(candidate, question, name);
      located.found.push_back(std::move(candidate));
    }
  }
  sort_by_rank(located.found);
  if (located.found.size() > kKeptCandidates) located.found.resize(kKeptCandidates);

  if (look.offers("read_file")) {
    for (std::size_t i = 0; i < located.found.size() && i < kReadCandidates; ++i) {
      FileText file = look.read_file(around(located.found[i]));
      if (!look.is_waiting() && !file.content.empty()) {
        settle(located.found[i], judge, std::move(file));
        located.found[i].rank = rank_of(located.found[i], question, name);
      }
    }
    if (look.is_waiting()) return std::nullopt;
  }
  std::erase_if(located.found, [](const Definition& d) { return d.verdict.is_use(); });
  sort_by_rank(located.found);
  return located;
}

}  // namespace wright::offline
