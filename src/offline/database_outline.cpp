#include "offline/database_outline.h"

#include <fmt/format.h>

#include <algorithm>

#include "offline/markdown.h"
#include "offline/wording.h"

namespace wright::offline {

// Not the columns of views: one that is broken would spoil the whole answer.
const std::string_view kColumnsQuery =
    "SELECT m.name, m.type, c.name, c.type, c.pk, c.cid FROM sqlite_schema m, "
    "pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND substr(m.name, 1, 7) <> 'sqlite_' "
    "UNION ALL SELECT name, type, NULL, NULL, NULL, NULL FROM sqlite_schema WHERE type = 'view' "
    "ORDER BY 1, 6";

namespace {

const JsonArray* rows_of(const Json& answer) {
  const JsonObject* object = answer.if_object();
  const Json* rows = object == nullptr ? nullptr : object->if_contains("rows");
  return rows == nullptr ? nullptr : rows->if_array();
}

const Json* cell_at(const Json& row, std::size_t index) {
  const JsonArray* cells = row.if_array();
  return cells == nullptr || index >= cells->size() ? nullptr : &(*cells)[index];
}

std::string text_at(const Json& row, std::size_t index) {
  const Json* cell = cell_at(row, index);
  if (cell == nullptr || !cell->is_string()) return {};
  return std::string(std::string_view(cell->get_string()));
}

std::optional<std::int64_t> integer_at(const Json& row, std::size_t index) {
  const Json* cell = cell_at(row, index);
  if (cell == nullptr || !cell->is_int64()) return std::nullopt;
  return cell->get_int64();
}

bool is_true(const Json& answer, std::string_view key) {
  const JsonObject* object = answer.if_object();
  const Json* value = object == nullptr ? nullptr : object->if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

// How well a prompt mentions a name: 0 not at all; more for longer names and for quoted ones.
std::size_t mention(std::string_view name, std::string_view prompt,
                    const std::vector<std::string>& said) {
  constexpr std::size_t kQuoted = 1000;
  if (name.empty()) return 0;
  for (const char quote : {'"', '\'', '`'}) {
    if (contains_ignoring_case(prompt, fmt::format("{}{}{}", quote, name, quote))) {
      return kQuoted + name.size();
    }
  }
  const std::vector<std::string> words = words_in_name(name);
  const bool is_said = !words.empty() && std::ranges::all_of(words, [&](const std::string& word) {
    return std::ranges::count(said, stem(lower(word))) > 0;
  });
  if (is_said) return name.size();
  // Names that are not made of ASCII words.
  const bool is_ascii = std::ranges::all_of(name, [](char c) { return c > 0; });
  return !is_ascii && contains_ignoring_case(prompt, name) ? name.size() : 0;
}

template <class Named>
const Named* mentioned(const std::vector<Named>& candidates, std::string_view prompt) {
  std::vector<std::string> said;
  for (const std::string& word : words_of(prompt)) {
    said.push_back(stem(lower(word)));
    for (const std::string& part : words_in_name(word)) said.push_back(stem(lower(part)));
  }
  const Named* best = nullptr;
  std::size_t most = 0;
  for (const Named& candidate : candidates) {
    const std::size_t found = mention(candidate.name, prompt, said);
    if (found <= most) continue;
    most = found;
    best = &candidate;
  }
  return best;
}

std::string table_cell(const Json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.is_null()     ? "NULL"
                     : value.is_string() ? shortened(value.get_string(), kLongest)
                                         : to_text(value);
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

}  // namespace

DatabaseOutline read_outline(const Json& columns, const Json& stats) {
  DatabaseOutline outline;
  outline.is_truncated = is_true(columns, "truncated") || is_true(stats, "truncated");
  if (const JsonArray* rows = rows_of(columns)) {
    for (const Json& row : *rows) {
      const std::string name = text_at(row, 0);
      if (name.empty()) continue;
      if (outline.tables.empty() || outline.tables.back().name != name) {
        outline.tables.push_back({.name = name, .is_view = text_at(row, 1) == "view"});
      }
      if (outline.tables.back().is_view) continue;
      outline.tables.back().columns.push_back(
          {text_at(row, 2), text_at(row, 3), integer_at(row, 4).value_or(0) > 0});
    }
  }
  std::size_t known = 0;
  if (const JsonArray* rows = rows_of(stats)) {
    for (const Json& row : *rows) {
      const std::string name = text_at(row, 0);
      auto table = std::ranges::find(outline.tables, name, &DatabaseTable::name);
      if (table == outline.tables.end()) {
        outline.tables.push_back({.name = name});
        table = outline.tables.end() - 1;
      }
      table->rows = integer_at(row, 1);
      ++known;
    }
    // The parts of full-text indexes are tables that stats does not count; nobody asks for them.
    if (known > 0) {
      std::erase_if(outline.tables, [&](const DatabaseTable& table) {
        return !table.is_view && std::ranges::none_of(*rows, [&](const Json& row) {
          return text_at(row, 0) == table.name;
        });
      });
    }
  }
  const JsonObject* object = stats.if_object();
  const Json* facts = object == nullptr ? nullptr : object->if_contains("database");
  const JsonObject* known_facts = facts == nullptr ? nullptr : facts->if_object();
  const Json* size = known_facts == nullptr ? nullptr : known_facts->if_contains("size_bytes");
  if (size != nullptr && size->is_int64()) outline.size_bytes = size->get_int64();
  return outline;
}

std::string quoted_name(std::string_view name) {
  std::string made = "\"";
  for (const char c : name) made += c == '"' ? std::string("\"\"") : std::string(1, c);
  return made + '"';
}

const DatabaseTable* mentioned_table(const DatabaseOutline& outline, std::string_view prompt) {
  return mentioned(outline.tables, prompt);
}

const DatabaseColumn* mentioned_column(const DatabaseTable& table, std::string_view prompt) {
  return mentioned(table.columns, prompt);
}

std::string markdown_table(const Json& answer, std::size_t most) {
  const JsonObject* object = answer.if_object();
  const Json* columns = object == nullptr ? nullptr : object->if_contains("columns");
  const JsonArray* rows = rows_of(answer);
  if (columns == nullptr || !columns->is_array() || rows == nullptr) return {};
  std::string text = "|";
  std::string rule = "|";
  for (const Json& column : columns->get_array()) {
    text += fmt::format(" {} |", table_cell(column));
    rule += "---|";
  }
  text += '\n' + rule;
  for (std::size_t i = 0; i < std::min(rows->size(), most); ++i) {
    const JsonArray* cells = (*rows)[i].if_array();
    if (cells == nullptr) continue;
    text += "\n|";
    for (const Json& value : *cells) text += fmt::format(" {} |", table_cell(value));
  }
  if (rows->size() > most) text += fmt::format("\n\n({} more rows)", rows->size() - most);
  return text;
}

}  // namespace wright::offline
