#include "entities/python_fields.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace wright::entities {
namespace {

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// On which lines a statement begins, and no text or list goes on.
class Statements {
 public:
  explicit Statements(const SourceLines& lines) {
    for (int number = 1; number <= lines.count(); ++number) {
      const std::string_view line = lines.line(number);
      const std::size_t indent = indent_of(line);
      const bool is_empty = indent == line.size() || line[indent] == '#';
      if (quote_.empty() && depth_ == 0 && !is_continued_ && !is_empty) begins_.insert(number);
      pass(line);
    }
  }

  bool begins(int number) const { return begins_.contains(number); }

 private:
  void pass(std::string_view line) {
    is_continued_ = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '\\') {
        is_continued_ = i + 1 == line.size();
        ++i;
      } else if (!quote_.empty()) {
        if (!line.substr(i).starts_with(quote_)) continue;
        i += quote_.size() - 1;
        quote_ = {};
      } else if (c == '#') {
        break;
      } else if (c == '"' || c == '\'') {
        const bool is_long = i + 2 < line.size() && line[i + 1] == c && line[i + 2] == c;
        quote_ = c == '"' ? (is_long ? "\"\"\"" : "\"") : (is_long ? "'''" : "'");
        if (is_long) i += 2;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth_;
      } else if (c == ')' || c == ']' || c == '}') {
        depth_ = std::max(0, depth_ - 1);
      }
    }
    if (quote_.size() == 1) quote_ = {};
  }

  std::set<int> begins_;
  std::string_view quote_;  // what ends the text that is open
  int depth_ = 0;
  bool is_continued_ = false;
};

std::string visibility_of(std::string_view name) {
  if (name.starts_with("__") && !name.ends_with("__")) return "private";
  return name.starts_with("_") ? "protected" : "public";
}

// The names before "=" in "self.a, self.b = f()" and "self.a: int = 3".
std::vector<std::string> assigned_in(std::string_view line) {
  static const RE2 kTargets(
      R"(^\s*(\(?\s*self\.\w+\s*(?:,\s*[\w.]+\s*)*\)?)\s*(?::[^=]+)?(?:=(?:[^=]|$)|$))");
  static const RE2 kAnnotated(R"(^\s*(self\.\w+)\s*:[^=]+(?:=|$))");
  static const RE2 kTarget(R"(self\.(\w+))");
  std::vector<std::string> names;
  const re2::StringPiece piece(line.data(), line.size());
  std::string targets;
  const bool is_assigned =
      line.find('=') != std::string_view::npos && RE2::PartialMatch(piece, kTargets, &targets);
  if (!is_assigned && !RE2::PartialMatch(piece, kAnnotated, &targets)) return names;
  re2::StringPiece rest(targets);
  std::string name;
  while (RE2::FindAndConsume(&rest, kTarget, &name)) names.push_back(name);
  return names;
}

// "sku: str", and no "else: x".
std::optional<std::string> annotated_in(std::string_view line) {
  static const RE2 kField(R"(^\s*(\w+)\s*:\s*[^\s=].*$)");
  static const RE2 kWord(R"(else|try|finally|except|lambda|class|def|with|match|case|if|elif)");
  std::string name;
  if (!RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kField, &name)) return {};
  if (RE2::FullMatch(name, kWord)) return {};
  return name;
}

struct Field {
  std::size_t owner = 0;
  std::string name;
  int line = 0;
};

}  // namespace

void add_python_fields(std::vector<CodeEntity>& entities, const SourceLines& lines) {
  std::vector<std::size_t> classes;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    if (entities[i].language == "Python" && entities[i].type == "class") classes.push_back(i);
  }
  if (classes.empty()) return;
  const Statements statements(lines);
  std::set<std::pair<std::string, std::string>> known;
  for (const CodeEntity& entity : entities) known.emplace(entity.parent, entity.name);
  std::vector<Field> fields;
  for (const std::size_t index : classes) {
    const CodeEntity& owner = entities[index];
    std::optional<std::size_t> body;  // how far its statements are indented
    for (int number = owner.start_line + 1; number <= owner.end_line; ++number) {
      if (!statements.begins(number)) continue;
      const std::string_view line = lines.line(number);
      const std::size_t indent = indent_of(line);
      if (!body) body = indent;
      const bool is_nested = std::ranges::any_of(classes, [&](std::size_t other) {
        return other != index && entities[other].start_line > owner.start_line &&
               entities[other].start_line <= number && number <= entities[other].end_line;
      });
      if (is_nested || indent < *body) continue;
      std::vector<std::string> names;
      if (indent > *body) {
        names = assigned_in(line);
      } else if (const auto name = annotated_in(line)) {
        names.push_back(*name);
      }
      for (std::string& name : names) {
        if (known.emplace(owner.qualified_name, name).second)
          fields.push_back({index, std::move(name), number});
      }
    }
  }
  for (Field& field : fields) {
    const CodeEntity& owner = entities[field.owner];
    CodeEntity entity;
    entity.type = "field";
    entity.kind = "field";
    entity.language = "Python";
    entity.parent = owner.qualified_name;
    entity.qualified_name = owner.qualified_name + "." + field.name;
    entity.visibility = visibility_of(field.name);
    entity.name = std::move(field.name);
    entity.start_line = field.line;
    entity.end_line = field.line;
    entities.push_back(std::move(entity));
  }
}

}  // namespace wright::entities
