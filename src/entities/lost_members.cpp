#include "entities/lost_members.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/text.h"
#include "entities/entity_types.h"
#include "entities/source_marks.h"

namespace wright::entities {
namespace {

re2::StringPiece piece_of(std::string_view text) {
  return {text.data(), text.size()};
}

// Where the body of a class opens: at the first brace outside of other brackets.
std::size_t opening_of(const CodeEntity& owner, const std::vector<Mark>& marks,
                       const SourceLines& lines) {
  const auto first =
      std::ranges::lower_bound(marks, lines.offset(owner.start_line), {}, &Mark::offset);
  int round = 0;
  for (auto mark = first; mark != marks.end(); ++mark) {
    if (mark->kind == MarkKind::end_of_statement && round == 0) break;
    if (mark->bracket == Bracket::round) round += mark->kind == MarkKind::open ? 1 : -1;
    const bool is_brace = mark->bracket == Bracket::brace && mark->kind == MarkKind::open;
    if (is_brace && round == 0) return static_cast<std::size_t>(mark - marks.begin());
  }
  return marks.size();
}

// The lines on which a member of the body begins: no other bracket is open there, and no line is
// indented less. What goes on from the line before is indented more.
std::vector<int> lines_of_body(const CodeEntity& owner, const std::vector<Mark>& marks,
                               const SourceLines& lines) {
  std::size_t at = opening_of(owner, marks, lines);
  if (at == marks.size()) return {};
  std::vector<std::pair<std::size_t, int>> open;  // how far indented, and the number of the line
  int depth = 1;
  bool is_comment = false;
  for (int number = lines.line_of(marks[at].offset) + 1; number <= lines.count() + 1; ++number) {
    for (++at; at < marks.size() && marks[at].offset < lines.offset(number); ++at) {
      if (marks[at].kind == MarkKind::open) ++depth;
      if (marks[at].kind == MarkKind::close) --depth;
    }
    --at;
    if (depth <= 0) break;
    const std::string_view line = lines.line(number);
    const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view text = line.substr(indent);
    const bool was_comment = is_comment;
    const std::size_t opens = text.rfind("/*");
    const std::size_t closes = text.rfind("*/");
    if (opens != std::string_view::npos) is_comment = true;
    if (closes != std::string_view::npos && (opens == std::string_view::npos || opens < closes))
      is_comment = false;
    const bool says_something = !text.empty() && !was_comment && !text.starts_with("//") &&
                                !text.starts_with("/*") && !text.starts_with('}');
    if (depth == 1 && says_something) open.emplace_back(indent, number);
  }
  if (depth > 0) return {};  // never closed
  std::vector<int> found;
  const auto least = std::ranges::min_element(open);
  for (const auto& [indent, number] : open) {
    if (indent == least->first) found.push_back(number);
  }
  return found;
}

struct Member {
  std::string name;
  std::string type;
  std::string visibility = "public";
};

std::string visibility_in(const std::string& modifiers) {
  for (const char* word : {"private", "protected"}) {
    if (modifiers.contains(word)) return word;
  }
  return "public";
}

std::optional<Member> script_member(std::string_view line) {
  static const RE2 kMember(
      R"(^\s*(?:@\w+(?:\([^)]*\))?\s+)*((?:(?:public|private|protected|static|readonly|abstract|override|declare|async|get|set|accessor)\s+)*)\*?\s*(#?[\w$]+)\s*[?!]?\s*(?:<[^(]*>\s*)?([(:=;]|$))");
  static const RE2 kNoName(R"(static|if|for|while|switch|return|else|case|default)");
  std::string modifiers;
  std::string name;
  std::string sign;
  if (!RE2::PartialMatch(piece_of(line), kMember, &modifiers, &name, &sign)) return std::nullopt;
  if (RE2::FullMatch(name, kNoName)) return std::nullopt;
  return Member{name, sign == "(" ? "method" : "property",
                name.starts_with('#') ? "private" : visibility_in(modifiers)};
}

// `constructor(private readonly limit: number)` makes fields of its parameters.
std::vector<Member> parameter_fields(std::string_view text) {
  static const RE2 kParameter(
      R"([(,]\s*((?:(?:public|private|protected|readonly)\s+)+)(\w+)\s*[?:=,)])");
  std::vector<Member> fields;
  re2::StringPiece rest = piece_of(text.substr(0, text.find('{')));
  std::string modifiers;
  std::string name;
  while (RE2::FindAndConsume(&rest, kParameter, &modifiers, &name)) {
    fields.push_back({name, "property", visibility_in(modifiers)});
    // The comma that ended this one begins the next.
    rest = re2::StringPiece(rest.data() - 1, rest.size() + 1);
  }
  return fields;
}

std::optional<Member> record_member(std::string_view line, const std::string& record) {
  static const RE2 kMember(
      R"(^\s*(?:@\w+(?:\([^)]*\))?\s+)*((?:(?:public|private|protected|static|final|abstract|default|synchronized)\s+)*)(?:<[^>]+>\s+)?(?:[\w.]+(?:<.*>)?(?:\[\])*\s+)?(\w+)\s*([({=;]))");
  std::string modifiers;
  std::string name;
  std::string sign;
  if (!RE2::PartialMatch(piece_of(line), kMember, &modifiers, &name, &sign)) return std::nullopt;
  if (sign == "{" && name != record) return std::nullopt;
  const bool is_field = sign == "=" || sign == ";";
  return Member{name, is_field ? "field" : "method", visibility_in(modifiers)};
}

// "(long cents, List<String> names)" → cents, names
std::vector<std::string> components_in(std::string_view signature) {
  static const RE2 kComponent(R"((\w+)\s*$)");
  std::vector<std::string> names;
  int depth = 0;
  std::string part;
  for (const char c : signature) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    const bool ends = (c == ',' && depth == 1) || (c == ')' && depth == 1);
    if (ends) {
      std::string name;
      if (RE2::PartialMatch(part, kComponent, &name)) names.push_back(name);
      part.clear();
    } else {
      part += c;
    }
    if (c == ')' || c == '>' || c == ']') --depth;
  }
  return names;
}

class Finder {
 public:
  Finder(std::vector<CodeEntity>& entities, std::string_view text, const SourceLines& lines)
      : entities_(entities), text_(text), lines_(lines) {
    for (const CodeEntity& entity : entities) known_.emplace(entity.parent, entity.name);
  }

  void find_script_members() {
    const std::vector<Mark> marks = read_marks(text_, "TypeScript");
    const std::size_t count = entities_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const CodeEntity owner = entities_[i];
      if (owner.language != "TypeScript" || owner.type != "class") continue;
      for (const int number : lines_of_body(owner, marks, lines_)) {
        const auto member = script_member(lines_.line(number));
        if (!member) continue;
        add(owner, *member, number);
        if (member->name != "constructor") continue;
        for (const Member& field : parameter_fields(text_.substr(lines_.offset(number), 4000)))
          add(owner, field, number);
      }
    }
  }

  void find_records() {
    const std::vector<Mark> marks = read_marks(text_, "Java");
    const std::size_t count = entities_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_record(entities_[i])) continue;
      CodeEntity& record = entities_[i];
      record.type = "class";
      record.kind = "record";
      const CodeEntity owner = record;
      for (const std::string& name : components_in(owner.signature))
        add(owner, {name, "field", "private"}, owner.start_line);
      for (const int number : lines_of_body(owner, marks, lines_)) {
        if (const auto member = record_member(lines_.line(number), owner.name))
          add(owner, *member, number);
      }
    }
  }

  // A constant of Rust belongs to what opened last among the lines that are indented less.
  void find_constants() {
    static const RE2 kConstant(R"(^\s*(pub\b(?:\([^)]*\))?\s+)?const\s+([A-Za-z]\w*|_\w+)\s*:)");
    std::vector<std::pair<CodeEntity, Member>> found;
    for (int number = 1; number <= lines_.count(); ++number) {
      const std::string_view line = lines_.line(number);
      std::string visibility;
      std::string name;
      if (!RE2::PartialMatch(piece_of(line), kConstant, &visibility, &name)) continue;
      const std::size_t indent = line.find_first_not_of(" \t");
      const CodeEntity* owner = nullptr;
      for (const CodeEntity& entity : entities_) {
        const bool may_hold = may_have_methods(entity.type) || entity.type == "implementation" ||
                              entity.type == "function" || entity.type == "method";
        if (!may_hold || entity.start_line >= number) continue;
        if (lines_.line(entity.start_line).find_first_not_of(" \t") >= indent) continue;
        if (owner == nullptr || entity.start_line >= owner->start_line) owner = &entity;
      }
      CodeEntity made;
      made.language = "Rust";
      made.start_line = number;
      if (owner != nullptr) made.qualified_name = owner->qualified_name;
      found.emplace_back(std::move(made),
                         Member{name, "constant", visibility.empty() ? "" : "public"});
    }
    for (const auto& [owner, member] : found) add(owner, member, owner.start_line);
  }

 private:
  bool is_record(const CodeEntity& entity) const {
    if (entity.language != "Java" || (entity.type != "method" && entity.type != "function"))
      return false;
    const std::string_view line = lines_.line(entity.start_line);
    return RE2::PartialMatch(
        piece_of(line), fmt::format(R"((?:^|\s)record\s+{}\s*[(<])", RE2::QuoteMeta(entity.name)));
  }

  void add(const CodeEntity& owner, const Member& member, int line) {
    if (!known_.emplace(owner.qualified_name, member.name).second) return;
    CodeEntity entity;
    entity.type = member.type;
    entity.kind = member.type;
    entity.language = owner.language;
    entity.name = member.name;
    entity.parent = owner.qualified_name;
    entity.qualified_name = owner.qualified_name.empty()
                                ? member.name
                                : fmt::format("{}{}{}", owner.qualified_name,
                                              scope_separator(owner.language), member.name);
    entity.visibility = member.visibility;
    entity.start_line = line;
    entities_.push_back(std::move(entity));
  }

  std::vector<CodeEntity>& entities_;
  std::string_view text_;
  const SourceLines& lines_;
  std::set<std::pair<std::string, std::string>> known_;
};

}  // namespace

void add_lost_members(std::vector<CodeEntity>& entities, std::string_view language,
                      std::string_view text, const SourceLines& lines) {
  Finder finder(entities, text, lines);
  if (language == "TypeScript") finder.find_script_members();
  if (language == "Java" && text.contains("record ")) finder.find_records();
  if (language == "Rust") finder.find_constants();
}

}  // namespace wright::entities
