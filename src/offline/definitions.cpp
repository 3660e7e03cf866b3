#include "offline/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "offline/regex_text.h"
#include "offline/source_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

using Lines = std::vector<std::string_view>;

std::string with_name(std::string_view pattern, std::string_view name_regex) {
  constexpr std::string_view kPlaceholder = "NAME";
  std::string made;
  for (std::size_t found; (found = pattern.find(kPlaceholder)) != std::string_view::npos;) {
    made.append(pattern.substr(0, found)).append(name_regex);
    pattern.remove_prefix(found + kPlaceholder.size());
  }
  return made.append(pattern);
}

bool is_cpp_header(std::string_view path) {
  const std::string extension = extension_of(path);
  return extension.empty() || extension.starts_with('h') || extension == "inl" ||
         extension == "ipp" || extension == "tcc";
}

bool has_quotes(Family family) {
  return family == Family::c || family == Family::java || family == Family::go ||
         family == Family::rust;
}

// The families by whose rules a file of unknown language is judged: those of C++ headers and
// scripts without an extension, and those with telling keywords.
bool is_guessed(Family family) {
  return family == Family::c || family == Family::python || family == Family::shell ||
         family == Family::perl || family == Family::ruby || family == Family::lua;
}

bool is_inside_string(std::string_view line, std::size_t position) {
  bool inside = false;
  for (std::size_t i = 0; i < position && i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      inside = !inside;
    } else if (!inside && line.substr(i).starts_with("//")) {
      return true;  // the rest is a comment, which is no code either
    }
  }
  return inside;
}

// What stands before a function's name is its type, not an expression.
bool is_type_prefix(std::string_view prefix) {
  static const RE2 kExpression(R"(<<|>>\s*\w|\.\s|\(\s*$|,\s*$|\b(?:return|else|and|or|not|in)\s)");
  int depth = 0;
  for (const char c : prefix) {
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) return false;  // a list of expressions
  }
  return !RE2::PartialMatch(piece(prefix), kExpression) &&
         std::ranges::count(prefix, '<') >= std::ranges::count(prefix, '>');
}

// Whether the line goes on with an expression that was begun before it: it closes a parenthesis
// that it did not open, or a comma follows the call at `name_end`.
bool continues_expression(std::string_view line, std::size_t name_end) {
  int depth = 0;
  bool has_call = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      i = std::min(line.find('"', i + 1), line.size());
      continue;
    }
    if (line.substr(i).starts_with("//") || line.substr(i).starts_with("/*")) return false;
    if (c == '(') {
      ++depth;
    } else if (c == ')') {
      if (--depth < 0) return true;
      if (depth == 0 && i > name_end && !has_call) {
        has_call = true;
        if (trim(line.substr(i + 1)) == ",") return true;
      }
    }
  }
  return false;
}

// Whether a line can stand before a function's name: its type or specifiers, and nothing else.
bool is_type_alone(std::string_view line) {
  static const RE2 kTypeAlone(R"([A-Za-z_][\w\s*&:<>,()\[\]]*[\w*&>)\]])");
  static const RE2 kStatement(
      R"(^(?:if|else|for|while|switch|do|return|case|goto|throw|try|template)\b|\s&&$)");
  return RE2::FullMatch(piece(line), kTypeAlone) && !RE2::PartialMatch(piece(line), kStatement);
}

enum class Following : std::uint8_t { body, end, call, unseen };

// What follows the parameter list that opens at or after `column` of lines[index].
Following after_parameters(const Lines& lines, std::size_t index, std::size_t column) {
  constexpr std::size_t kMostLines = 60;
  int depth = 0;
  bool has_parameters = false;
  char previous = ' ';
  for (std::size_t i = index; i < lines.size() && i < index + kMostLines; ++i) {
    std::string_view line = lines[i];
    if (i > index && trim(line).starts_with('#')) continue;
    for (std::size_t k = i == index ? column : 0; k < line.size(); ++k) {
      const char c = line[k];
      if (c == '"') {
        k = std::min(line.find('"', k + 1), line.size());
        continue;
      }
      if (c == '/' && k + 1 < line.size() && line[k + 1] == '/') break;
      if (c == '/' && k + 1 < line.size() && line[k + 1] == '*') {
        const std::size_t end = line.find("*/", k + 2);
        if (end == std::string_view::npos) break;
        k = end + 1;
        continue;
      }
      if (c == '(' || c == '[') {
        ++depth;
        has_parameters = true;
      } else if (c == ')' || c == ']') {
        if (--depth < 0) return Following::call;
      } else if (depth == 0 && has_parameters) {
        if (c == '{') return Following::body;
        if (c == ';') return Following::end;
        if (c == '=' && previous != '=') {
          const std::string_view rest = trim(line.substr(k + 1));
          const bool is_marker =
              rest.starts_with("0") || rest.starts_with("default") || rest.starts_with("delete");
          return is_marker ? Following::end : Following::body;
        }
        if (c == '.' || c == '?' || c == '+' || c == '|' || c == '%') return Following::call;
      }
      if (c != ' ' && c != '\t') previous = c;
    }
  }
  return Following::unseen;
}

// The line on which the bracket around lines[index] was opened.
struct Opener {
  std::size_t line = 0;
  char bracket = 0;
};
std::optional<Opener> opener_of(const Lines& lines, std::size_t index) {
  int depth = 0;
  for (std::size_t i = index; i-- > 0;) {
    std::string_view line = lines[i];
    if (const std::size_t comment = line.find("//"); comment != std::string_view::npos) {
      line = line.substr(0, comment);
    }
    for (std::size_t k = line.size(); k-- > 0;) {
      const char c = line[k];
      if (c == '}' || c == ')') ++depth;
      if (c == '{' || c == '(') {
        if (depth == 0) return Opener{i, c};
        --depth;
      }
    }
  }
  return std::nullopt;
}

// Whether the statement that lines[index] is part of has the keyword: on the line, or on one of the
// two before it where those are not finished.
bool statement_has(const Lines& lines, std::size_t index, const RE2& keyword) {
  for (std::size_t back = 0; back < 3 && back <= index; ++back) {
    const std::string_view line = trim(lines[index - back]);
    const bool is_finished = line.ends_with(';') || line.ends_with('}') || line.starts_with('#');
    if (back > 0 && (is_finished || line.empty())) return false;
    if (RE2::PartialMatch(piece(line), keyword)) return true;
  }
  return false;
}

bool is_in_block_comment(const Lines& lines, std::size_t index) {
  for (std::size_t i = index + 1; i-- > 0;) {
    const std::string_view line = lines[i];
    const std::size_t opened = line.rfind("/*");
    const std::size_t closed = line.rfind("*/");
    if (i == index) {
      if (opened != std::string_view::npos && trim(line.substr(0, opened)).empty()) return true;
      continue;
    }
    if (closed != std::string_view::npos && (opened == std::string_view::npos || closed > opened)) {
      return false;
    }
    if (opened != std::string_view::npos) return true;
  }
  return false;
}

std::string_view next_text(const Lines& lines, std::size_t index) {
  for (std::size_t i = index + 1; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    if (!line.empty() && !line.starts_with("//") && !line.starts_with("/*")) return line;
  }
  return {};
}

Verdict as(Verdict verdict, LineRole role, int score, std::string_view what = {}) {
  verdict.role = role;
  verdict.score = score;
  if (!what.empty()) verdict.what = what;
  return verdict;
}

Verdict settle_callable(const Verdict& verdict, std::string_view path, const Lines& lines,
                        std::size_t index) {
  const std::string_view line = lines[index];
  const bool starts_line = !line.empty() && line.front() != ' ' && line.front() != '\t';
  const bool is_c = language_of(path).family == Family::c;
  bool has_type = !is_c;
  if (is_c) {
    static const RE2 kNameFirst(R"(^\s*(?:\w+(?:<[^>]*>)?::)*[~\w$]+\s*\()");
    const std::string_view before = index > 0 ? trim(lines[index - 1]) : std::string_view();
    const bool is_name_first = RE2::PartialMatch(piece(line), kNameFirst);
    has_type = !is_name_first || is_type_alone(before) || verdict.what == "constructor" ||
               (starts_line && line.substr(0, verdict.name_end).find("::") != line.npos);
    // What stands between a type and a body is a function, not a call.
    if (is_name_first && !starts_line && verdict.what != "constructor" && !has_type) return {};
  }
  const int body_score = verdict.what == "function" ? std::max(verdict.score, 95) : verdict.score;
  switch (after_parameters(lines, index, verdict.name_end)) {
    case Following::body:
      return as(verdict, LineRole::definition, has_type ? body_score : 30,
                has_type ? verdict.what : "macro used like a function");
    case Following::end:
      if (!has_type) return as(verdict, LineRole::use, 0);
      if (is_c && !starts_line) {
        return as(verdict, LineRole::declaration, is_cpp_header(path) ? 50 : 10);
      }
      return as(verdict, LineRole::declaration, 55);
    case Following::call: return as(verdict, LineRole::use, 0);
    case Following::unseen:
      return as(verdict, LineRole::declaration, has_type ? verdict.score / 2 : 10);
  }
  return verdict;
}

Verdict settle_constant(const Verdict& verdict, std::string_view path, const Lines& lines,
                        std::size_t index) {
  static const RE2 kEnum(R"(\b(?:enum|NS_ENUM|NS_OPTIONS)\b)");
  static const RE2 kConstBlock(R"(^\s*(?:const|var)\s*\(|\b(?:struct|interface)\s*\{)");
  const auto opener = opener_of(lines, index);
  const bool has_value = lines[index].find('=') != std::string_view::npos;
  if (!opener) return as(verdict, LineRole::constant, has_value ? 45 : 20);
  if (language_of(path).family == Family::go) {
    const bool fits = RE2::PartialMatch(piece(lines[opener->line]), kConstBlock);
    return fits ? as(verdict, LineRole::definition, 70) : as(verdict, LineRole::use, 0);
  }
  const bool is_enum = opener->bracket == '{' && statement_has(lines, opener->line, kEnum);
  return is_enum ? as(verdict, LineRole::definition, 85) : as(verdict, LineRole::use, 0);
}

Verdict settle_typedef_end(const Verdict& verdict, const Lines& lines, std::size_t index) {
  static const RE2 kTypedef(R"(\btypedef\b)");
  const auto opener = opener_of(lines, index);
  if (!opener) return as(verdict, LineRole::definition, 80, "type or variable");
  if (statement_has(lines, opener->line, kTypedef)) {
    return as(verdict, LineRole::definition, 92, "type");
  }
  return as(verdict, LineRole::definition, 55, "variable");
}

Verdict settle_variable(const Verdict& verdict, const Lines& lines, std::size_t index) {
  static const RE2 kTypedef(R"(^\s*typedef\b)");
  static const RE2 kType(R"(\b(?:struct|class|union)\b)");
  if (index > 0 && statement_has(lines, index, kTypedef)) {
    return as(verdict, LineRole::definition, 90, "typedef");
  }
  if (verdict.role != LineRole::assignment) return verdict;
  const auto opener = opener_of(lines, index);
  if (!opener) return verdict;
  if (opener->bracket == '{' && statement_has(lines, opener->line, kType)) {
    return as(verdict, LineRole::definition, 50, "field");
  }
  return as(verdict, LineRole::assignment, 15, "local variable");
}

// Rules for a name given as a regular expression: those of one family, or all.
std::vector<CompiledRule> compiled(std::string_view name_regex, std::optional<Family> family) {
  RE2::Options options;
  options.set_log_errors(false);
  std::vector<CompiledRule> rules;
  for (const Rule& rule : definition_rules()) {
    if (family && rule.family != *family) continue;
    auto pattern = std::make_unique<RE2>(with_name(rule.pattern, name_regex), options);
    if (pattern->ok()) rules.push_back({&rule, std::move(pattern)});
  }
  return rules;
}

Verdict judge_line(const std::vector<CompiledRule>& rules, std::string_view path,
                   std::string_view line) {
  constexpr std::size_t kLongestLine = 2000;
  line = line.substr(0, kLongestLine);
  const Family family = language_of(path).family;
  const bool is_guess = family == Family::unknown;
  if (family == Family::prose || (!is_guess && is_comment_line(family, line))) return {};
  for (const CompiledRule& compiled : rules) {
    const Rule& rule = *compiled.rule;
    if (!is_guess && rule.family != family) continue;
    if (is_guess && (rule.role == LineRole::use || !is_guessed(rule.family))) continue;
    std::array<re2::StringPiece, 2> found;
    const int groups = std::min(1, compiled.pattern->NumberOfCapturingGroups());
    if (!compiled.pattern->Match(piece(line), 0, line.size(), RE2::UNANCHORED, found.data(),
                                 groups + 1)) {
      continue;
    }
    if (rule.role == LineRole::use) return {};
    const auto start = static_cast<std::size_t>(found[1].data() - line.data());
    if (has_quotes(rule.family) && is_inside_string(line, start)) return {};
    if (rule.family == Family::c && rule.role == LineRole::callable &&
        !is_type_prefix(line.substr(0, start))) {
      return {};
    }
    const bool is_guessed_from_line =
        rule.role == LineRole::callable || rule.role == LineRole::assignment;
    if (rule.family == Family::c && is_guessed_from_line &&
        continues_expression(line, start + found[1].size())) {
      return {};
    }
    const int score = is_guess ? rule.score * 2 / 3 : rule.score;
    return {rule.role, score, rule.what, start, start + found[1].size()};
  }
  return {};
}

Verdict settled(const Verdict& verdict, std::string_view path, const Lines& lines,
                std::size_t index) {
  const Family family = language_of(path).family;
  const bool has_braces = family == Family::c || family == Family::java ||
                          family == Family::script || family == Family::rust ||
                          family == Family::go || family == Family::unknown;
  if (verdict.is_use() || !has_braces) return verdict;
  if (is_in_block_comment(lines, index)) return {};
  switch (verdict.role) {
    case LineRole::callable: return settle_callable(verdict, path, lines, index);
    case LineRole::constant: return settle_constant(verdict, path, lines, index);
    case LineRole::typedef_end: return settle_typedef_end(verdict, lines, index);
    case LineRole::assignment:
      return family == Family::c ? settle_variable(verdict, lines, index) : verdict;
    case LineRole::definition:
      if (family != Family::c) return verdict;
      if (verdict.what == "type" && trim(lines[index].substr(verdict.name_end)).empty()) {
        const std::string_view next = next_text(lines, index);
        if (!next.starts_with('{') && !next.starts_with(':')) return {};
      }
      if (verdict.what == "variable") return settle_variable(verdict, lines, index);
      return verdict;
    case LineRole::declaration:
    case LineRole::use: return verdict;
  }
  return verdict;
}

}  // namespace

DefinitionJudge::DefinitionJudge(std::string_view name, LetterCase letters)
    : rules_(compiled(
          fmt::format("(?{}:{})", letters == LetterCase::any ? "i" : "-i", regex_for_name(name)),
          std::nullopt)) {}

Verdict DefinitionJudge::judge(std::string_view path, std::string_view line) const {
  return judge_line(rules_, path, line);
}

Verdict DefinitionJudge::judge(std::string_view path, const Lines& lines, std::size_t index) const {
  return settled(judge(path, lines[index]), path, lines, index);
}

std::string likely_definitions_of(std::string_view name) {
  return with_name(likely_definitions(), regex_for_name(name));
}

std::string possible_definitions_of(std::string_view name) {
  return with_name(possible_definitions(), regex_for_name(name));
}

std::string surest_definitions_of(std::string_view name) {
  return with_name(surest_definitions(), regex_for_name(name));
}

int path_penalty(std::string_view path) {
  static const RE2 kTests(
      R"((?i)(?:^|/)(?:tests?|testing|testdata|specs?|__tests__|fixtures|mocks?|bench(?:marks?)?|fuzz)(?:/|$)|[._-](?:test|spec|tests)\.\w+$|(?:^|/)test_[^/]*$)");
  static const RE2 kForeign(
      R"((?i)(?:^|/)(?:third[-_]?party|vendor|vendored|node_modules|external|extern|deps|build|dist|out|target|generated|gen|site-packages|typeshed|__pycache__|\.venv|venv)/|\.min\.|_pb2\.py$|\.pb\.)");
  static const RE2 kExamples(R"((?i)(?:^|/)(?:examples?|samples?|demos?|docs?|documentation)/)");
  int penalty = 0;
  if (path.ends_with(".pyi") || path.ends_with(".d.ts")) penalty += 10;
  if (RE2::PartialMatch(piece(path), kTests)) penalty += 15;
  if (RE2::PartialMatch(piece(path), kForeign)) penalty += 15;
  if (RE2::PartialMatch(piece(path), kExamples)) penalty += 12;
  if (language_of(path).family == Family::prose) penalty += 40;
  return penalty;
}

bool is_comment_line(Family family, std::string_view line) {
  line = trim(line);
  switch (family) {
    case Family::c:
    case Family::java:
    case Family::script:
    case Family::go:
    case Family::rust:
    case Family::php:
    case Family::schema:
      return line.starts_with("//") || line.starts_with("/*") || line == "*" ||
             line.starts_with("* ") || line.starts_with("*/") || line.starts_with("**");
    case Family::sql:
    case Family::lua: return line.starts_with("--") || line.starts_with("/*");
    case Family::functional:
      return line.starts_with("--") || line.starts_with(';') || line.starts_with("(*") ||
             line.starts_with('#') || line.starts_with('%');
    default: return line.starts_with('#');
  }
}

std::vector<OutlineEntry> outline_of(std::string_view path, const Lines& lines) {
  constexpr int kLowestScore = 80;
  constexpr int kLowestPrototype = 55;
  constexpr std::size_t kMostEntries = 400;
  const std::vector<CompiledRule> rules =
      compiled(R"(\b[~A-Za-z_$][\w$]*[?!]?)", language_of(path).family);
  std::vector<OutlineEntry> entries;
  for (std::size_t i = 0; i < lines.size() && entries.size() < kMostEntries; ++i) {
    if (trim(lines[i]).empty()) continue;
    const Verdict verdict = settled(judge_line(rules, path, lines[i]), path, lines, i);
    const bool is_shown =
        (verdict.role == LineRole::definition && verdict.score >= kLowestScore) ||
        (verdict.role == LineRole::declaration && verdict.score >= kLowestPrototype);
    if (!is_shown) continue;
    const std::string_view name =
        lines[i].substr(verdict.name_start, verdict.name_end - verdict.name_start);
    entries.push_back(
        {static_cast<int>(i) + 1, std::string(name), verdict.what, std::string(trim(lines[i]))});
  }
  return entries;
}

}  // namespace wright::offline
