#include "entities/tcl_procedures.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"

namespace wright::entities {
namespace {

// The name in "proc name {arguments} {"; empty for other lines.
std::string_view procedure_in(std::string_view line) {
  constexpr std::string_view kProc = "proc";
  line = trimmed(line);
  if (!line.starts_with(kProc) || line.size() == kProc.size()) return {};
  if (line[kProc.size()] != ' ' && line[kProc.size()] != '\t') return {};
  line = trimmed(line.substr(kProc.size()));
  return line.substr(0, line.find_first_of(" \t{"));
}

// A command ends at a line end outside of braces; a backslash takes the meaning from what follows.
int end_of_command(const SourceLines& lines, int start) {
  int depth = 0;
  for (int number = start; number <= lines.count(); ++number) {
    const std::string_view line = lines.line(number);
    bool is_continued = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        is_continued = i + 1 == line.size();
        ++i;
      } else if (line[i] == '{') {
        ++depth;
      } else if (line[i] == '}') {
        --depth;
      }
    }
    if (depth <= 0 && !is_continued) return number;
  }
  return start;  // never closed: nothing is known
}

}  // namespace

void correct_tcl_procedures(std::vector<CodeEntity>& entities, const SourceLines& lines) {
  for (CodeEntity& entity : entities) {
    if (entity.start_line > 0) entity.end_line = end_of_command(lines, entity.start_line);
  }
  for (int number = 1; number <= lines.count(); ++number) {
    const std::string_view name = procedure_in(lines.line(number));
    const bool is_known = std::ranges::any_of(
        entities, [&](const CodeEntity& entity) { return entity.start_line == number; });
    if (name.empty() || is_known) continue;
    CodeEntity entity;
    entity.type = "function";
    entity.kind = "procedure";
    entity.language = "Tcl";
    entity.name = name;
    entity.qualified_name = name;
    entity.start_line = number;
    entity.end_line = end_of_command(lines, number);
    entities.push_back(std::move(entity));
  }
}

}  // namespace wright::entities
