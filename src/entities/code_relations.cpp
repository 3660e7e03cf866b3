#include "entities/code_relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/try.h"
#include "entities/index_database.h"
#include "entities/source_lines.h"
#include "tools/text/text_file.h"
#include "wright/json.h"

namespace wright::entities {
namespace {

constexpr std::int64_t kMostStarts = 20;
constexpr std::size_t kMostCandidates = 5;  // of one name
constexpr std::size_t kMostNames = 2'000;   // of one entity
constexpr std::size_t kLargestFile = std::size_t{16} << 20;

// What may be referred to by its name, and is worth telling.
constexpr const char* kNamedTypes =
    "type NOT IN ('file', 'field', 'variable', 'enumerator', 'section', 'prototype', 'property', "
    "'target', 'selector', 'attribute', 'implementation', 'package')";

struct Node {
  std::int64_t id = 0;
  std::int64_t file_id = 0;
  std::string type;
  std::string name;
  std::string qualified_name;
  std::string file;
  std::int64_t start_line = 0;
  std::int64_t end_line = 0;
  std::string parent;
  bool parent_is_here = false;
  std::string language;

  bool is_file() const { return type == "file"; }
};

constexpr const char* kNodeColumns =
    "id, file_id, type, name, qualified_name, file, start_line, end_line, parent, parent_is_here, "
    "language";

Node node_of(const sqlite::Row& row) {
  return {.id = row.integer(0),
          .file_id = row.integer(1),
          .type = row.text(2),
          .name = row.text(3),
          .qualified_name = row.text(4),
          .file = row.text(5),
          .start_line = row.integer(6),
          .end_line = row.integer(7),
          .parent = row.text(8),
          .parent_is_here = row.integer(9) != 0,
          .language = row.text(10)};
}

JsonObject shown(const Node& node) {
  return {{"type", node.type},
          {"name", node.name},
          {"file", node.file},
          {"start_line", node.start_line},
          {"end_line", node.end_line}};
}

bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_of_identifier(char c) {
  return starts_identifier(c) || (c >= '0' && c <= '9');
}

// Each name in the text with the offset of its first occurrence.
std::map<std::string_view, std::size_t> names_in(std::string_view text) {
  std::map<std::string_view, std::size_t> names;
  for (std::size_t at = 0; at < text.size() && names.size() < kMostNames;) {
    if (!is_of_identifier(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_of_identifier(text[end])) ++end;
    if (starts_identifier(text[at]) && end - at > 1) names.emplace(text.substr(at, end - at), at);
    at = end;
  }
  return names;
}

// "a::b::c" → c.
std::string last_name(std::string_view qualified) {
  const std::size_t at = qualified.find_last_of(":.\\");
  return std::string(at == std::string_view::npos ? qualified : qualified.substr(at + 1));
}

class Explorer {
 public:
  Explorer(EntitySession& session, const tools::Workspace& workspace, const RelationQuery& question,
           const std::stop_token& stop)
      : session_(session), workspace_(workspace), question_(question), stop_(stop) {}

  Result<JsonObject> explore() {
    const auto starts = TRY(find_starts());
    TRY(find_target());
    for (const Node& start : starts) {
      if (is_full()) break;
      TRY(explore_from(start));
    }
    const std::size_t count = relations_.size();
    JsonObject answer{{"relationship_type", question_.relationship_type},
                      {"direction", encode(question_.direction)},
                      {"starts", starts.size()},
                      {"relations", std::move(relations_)},
                      {"count", count},
                      {"truncated", has_more_},
                      {"limit", question_.limit}};
    if (question_.relationship_type == "references") {
      answer["note"] =
          "A reference says that the name occurs there; names are not resolved, so it may be "
          "another entity of that name, or stand in a comment.";
    }
    return answer;
  }

 private:
  bool is_full() const { return has_more_; }
  bool goes(RelationDirection direction) const {
    return question_.direction == direction || question_.direction == RelationDirection::both;
  }

  Result<std::vector<Node>> nodes(const Sql& sql) {
    std::vector<Node> found;
    TRY(session_.query(sql, [&](const sqlite::Row& row) -> Result<void> {
      found.push_back(node_of(row));
      return {};
    }));
    return found;
  }

  // "SELECT … FROM entity WHERE " with the type of the targets.
  Sql select(std::string_view otherwise = "1") const {
    Sql sql{fmt::format("SELECT {} FROM entity WHERE ", kNodeColumns)};
    if (target_) {
      sql.add("type = ").value(*target_);
    } else {
      sql.add(otherwise);
    }
    return sql.add(" AND ");
  }

  Result<std::vector<Node>> find_starts() {
    const auto type = TRY(find_type(session_.schema(), question_.start_entity_type));
    EntityFilter filter(*type);
    TRY(filter.add(question_.start_conditions));
    Sql sql{fmt::format("SELECT {} ", kNodeColumns)};
    sql.add(filter.sql()).add(" ORDER BY ").add(type->tie_order).add(" LIMIT ");
    return nodes(sql.value(kMostStarts));
  }

  Result<void> find_target() {
    if (question_.target_entity_type.empty()) return {};
    const auto type = TRY(find_type(session_.schema(), question_.target_entity_type));
    target_ = type->is;
    return {};
  }

  void add(const Node& from, const Node& to, JsonObject more = {}) {
    if (relations_.size() >= question_.limit) {
      has_more_ = true;
      return;
    }
    JsonObject relation{
        {"from", shown(from)}, {"relationship", question_.relationship_type}, {"to", shown(to)}};
    for (auto& [key, value] : more) relation[key] = std::move(value);
    relations_.push_back(std::move(relation));
  }

  Result<void> explore_from(const Node& start) {
    const bool is_reference = question_.relationship_type == "references";
    Result<void> done;
    if (goes(RelationDirection::outgoing)) done = is_reference ? named_by(start) : inside(start);
    if (done && goes(RelationDirection::incoming)) {
      done = is_reference ? naming(start) : around(start);
    }
    return done;
  }

  Result<void> inside(const Node& start) {
    Sql sql = select();
    if (start.is_file()) {
      sql.add("file_id = ").value(start.file_id).add(" AND type <> 'file'");
      if (question_.relationship_type == "contains") sql.add(" AND parent_is_here = 0");
    } else {
      sql.add("parent = ")
          .value(start.qualified_name)
          .add(" AND (parent_is_here = 0 OR file_id = ");
      sql.value(start.file_id).add(")");
    }
    const auto found = TRY(nodes(sql.add(" ORDER BY file, start_line")));
    for (const Node& node : found) add(start, node);
    return {};
  }

  Result<void> around(const Node& start) {
    if (start.is_file()) return {};
    const bool wants_file = question_.relationship_type == "defines" || !start.parent_is_here;
    Sql sql = select();
    sql.add("((file_id = ").value(start.file_id).add(" AND type = 'file' AND ");
    sql.value(std::int64_t{wants_file ? 1 : 0}).add(") OR (name = ").value(last_name(start.parent));
    sql.add(" AND qualified_name = ").value(start.parent).add(" AND (file_id = ");
    sql.value(start.file_id).add(" OR ").value(std::int64_t{start.parent_is_here ? 0 : 1});
    sql.add("))) AND id <> ").value(start.id);
    const auto found = TRY(nodes(sql.add(" ORDER BY file, start_line")));
    for (const Node& node : found) add(node, start);
    return {};
  }

  // The bytes of a file of the index; nothing when it cannot be read as text.
  std::optional<std::string> content_of(const Node& node) {
    std::string key;
    Sql sql{"SELECT key FROM file WHERE id = "};
    auto done =
        session_.query(sql.value(node.file_id), [&](const sqlite::Row& row) -> Result<void> {
          key = row.text(0);
          return {};
        });
    if (!done || key.empty()) return std::nullopt;
    const auto opened = workspace_.open_file(path_of_key(key));
    if (!opened || opened->status.size > static_cast<std::int64_t>(kLargestFile))
      return std::nullopt;
    std::string content(static_cast<std::size_t>(opened->status.size), '\0');
    const auto size = tools::read_fully(opened->descriptor.get(), content);
    if (!size) return std::nullopt;
    content.resize(*size);
    if (tools::is_binary(std::string_view(content).substr(0, tools::kSniffedBytes))) {
      return std::nullopt;
    }
    return content;
  }

  Result<void> named_by(const Node& start) {
    const auto content = content_of(start);
    if (!content) return {};
    const SourceLines lines(*content);
    const std::size_t first = lines.offset(static_cast<int>(start.start_line));
    const std::size_t last = lines.offset(static_cast<int>(start.end_line) + 1);
    const std::string_view text = std::string_view(*content).substr(first, last - first);
    struct Use {
      std::size_t offset;
      std::string_view name;
    };
    std::vector<Use> uses;
    for (const auto& [name, offset] : names_in(text)) {
      if (name != start.name) uses.push_back({offset, name});
    }
    std::ranges::sort(uses, {}, &Use::offset);
    for (const Use& use : uses) {
      if (is_full()) return {};
      if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "The search was cancelled");
      Sql sql = select(kNamedTypes);
      sql.add("name = ").value(to_valid_utf8(std::string(use.name)));
      sql.add(" AND NOT (file_id = ").value(start.file_id).add(" AND start_line >= ");
      sql.value(start.start_line).add(" AND end_line <= ").value(start.end_line);
      // The nearest first: in the same file, then in the same language.
      sql.add(") ORDER BY file_id <> ").value(start.file_id).add(", language IS NOT ");
      sql.value(start.language).add(", file, start_line LIMIT ");
      const auto found = TRY(nodes(sql.value(static_cast<std::int64_t>(kMostCandidates))));
      if (found.empty()) continue;
      JsonObject more{{"line", lines.line_of(first + use.offset)}};
      if (found.size() > 1) more["candidates"] = found.size();
      add(start, found.front(), std::move(more));
    }
    return {};
  }

  // Looks for the name in all files.
  Result<void> naming(const Node& start) {
    if (start.name.size() < 2) return {};
    Sql files{
        fmt::format("SELECT {} FROM entity WHERE type = 'file' AND line_count > 0 ", kNodeColumns)};
    const auto all = TRY(nodes(files.add("ORDER BY file")));
    for (const Node& file : all) {
      if (is_full()) return {};
      if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "The search was cancelled");
      TRY(naming_in(file, start));
    }
    return {};
  }

  Result<void> naming_in(const Node& file, const Node& start) {
    const auto content = content_of(file);
    if (!content || !content->contains(start.name)) return {};
    const SourceLines lines(*content);
    std::set<std::int64_t> told;
    for (std::size_t at = content->find(start.name); at != std::string::npos && !is_full();
         at = content->find(start.name, at + 1)) {
      const std::size_t end = at + start.name.size();
      const bool is_whole = (at == 0 || !is_of_identifier((*content)[at - 1])) &&
                            (end == content->size() || !is_of_identifier((*content)[end]));
      if (!is_whole) continue;
      const std::int64_t line = lines.line_of(at);
      const bool is_itself =
          file.file_id == start.file_id && line >= start.start_line && line <= start.end_line;
      if (is_itself) continue;
      const auto user = TRY(innermost(file, line));
      const bool is_definition = user.name == start.name && user.start_line == line;
      if (is_definition || !told.insert(user.id).second) continue;
      if (target_ && user.type != *target_) continue;
      add(user, start, {{"line", line}});
    }
    return {};
  }

  Result<Node> innermost(const Node& file, std::int64_t line) {
    Sql sql{fmt::format("SELECT {} FROM entity WHERE file_id = ", kNodeColumns)};
    sql.value(file.file_id).add(" AND type <> 'file' AND start_line <= ").value(line);
    sql.add(" AND end_line >= ").value(line).add(" ORDER BY line_count, start_line DESC LIMIT 1");
    auto found = TRY(nodes(sql));
    if (found.empty()) return file;
    return std::move(found.front());
  }

  EntitySession& session_;
  const tools::Workspace& workspace_;
  const RelationQuery& question_;
  const std::stop_token& stop_;
  std::optional<std::string> target_;
  JsonArray relations_;
  bool has_more_ = false;
};

}  // namespace

Result<JsonObject> code_relations(EntitySession& session, const tools::Workspace& workspace,
                                  const RelationQuery& question, const std::stop_token& stop) {
  TRY(check_relationship(session.schema(), question.relationship_type));
  return Explorer(session, workspace, question, stop).explore();
}

}  // namespace wright::entities
