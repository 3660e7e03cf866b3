#include "entities/script_functions.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <string>
#include <string_view>

namespace wright::entities {
namespace {

bool is_script(const CodeEntity& entity) {
  return entity.language == "JavaScript" || entity.language == "TypeScript";
}

// The line that defines it and some more, on which its parameters may stand.
std::string opening_of(const SourceLines& lines, int start) {
  constexpr int kMostLines = 12;
  constexpr std::size_t kLongestLine = 500;
  std::string text;
  for (int number = start; number < start + kMostLines && number <= lines.count(); ++number) {
    text += lines.line(number).substr(0, kLongestLine);
    text += '\n';
  }
  return text;
}

// const f = (a, b) => …, let f = async function …, const f: (a: T) => U = a => …
bool holds_function(const CodeEntity& entity, const SourceLines& lines) {
  const std::string text = opening_of(lines, entity.start_line);
  if (!text.contains("=>") && !text.contains("function")) return false;
  const RE2 pattern(fmt::format(
      R"(^[^\n]*\b(?:const|let|var)\s+{}\s*(?::[^;\n]*?)?=\s*(?:async\s*)?(?:function\b|(?:<[^>(]*>\s*)?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*(?::[^={{;]+)?=>|[\w$]+\s*=>))",
      RE2::QuoteMeta(entity.name)));
  return RE2::PartialMatch(text, pattern);
}

// No body of a class has the word `function` where a statement begins.
bool is_statement(const CodeEntity& entity, const SourceLines& lines) {
  const std::string_view line = lines.line(entity.start_line);
  if (!line.contains("function")) return false;
  const RE2 pattern(fmt::format(
      R"((?:^|[;{{}}])\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\b\s*\*?\s*{}\s*[<(])",
      RE2::QuoteMeta(entity.name)));
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), pattern);
}

}  // namespace

void correct_script_functions(std::vector<CodeEntity>& entities, const SourceLines& lines) {
  for (CodeEntity& entity : entities) {
    if (!is_script(entity)) continue;
    const bool is_value = entity.type == "constant" || entity.type == "variable";
    if (is_value && holds_function(entity, lines)) {
      entity.type = "function";
    } else if (entity.type == "method" && is_statement(entity, lines)) {
      entity.type = "function";
      entity.parent.clear();
      entity.qualified_name = entity.name;
    }
  }
}

}  // namespace wright::entities
