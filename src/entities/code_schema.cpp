#include "entities/code_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/try.h"
#include "entities/entity_types.h"

namespace wright::entities {
namespace {

std::vector<EntityField> fields_of(std::string_view type) {
  std::vector<EntityField> fields{
      {"name", FieldKind::text, "its name", "name", true},
      {"type", FieldKind::text, "its entity type", "type", true},
      {"file", FieldKind::text, "path of its file, relative to the base", "file", true},
      {"start_line", FieldKind::number, "first line", "start_line", true},
      {"end_line", FieldKind::number, "last line", "end_line", true},
      {"line_count", FieldKind::number, "how many lines it has", "line_count", true},
      {"language", FieldKind::text, "programming language", "language", true},
      {"signature", FieldKind::text, "parameters, and what else ctags tells of a function",
       "signature", true},
      {"last_modified", FieldKind::datetime,
       "when its file was changed last: its last commit, or the file's time where it differs from "
       "what is committed",
       "last_modified", true},
      {"visibility", FieldKind::text, "public, protected, private, where the language says so",
       "visibility", true},
      {"parent", FieldKind::text, "qualified name of what it stands in", "parent", true},
      {"qualified_name", FieldKind::text, "name with those of its parents", "qualified_name", true},
      {"kind", FieldKind::text, "ctags' own word for its type", "kind", true, false},
      {"documentation", FieldKind::text, "the comment that belongs to it, shortened",
       "documentation", true, false},
  };
  if (type == "any" || may_have_methods(type)) {
    fields.push_back({"method_count", FieldKind::number,
                      "how many methods it has (declared or defined, overloads with as many "
                      "parameters once)",
                      "method_count", true, type != "any"});
  }
  return fields;
}

EntityType code_type(std::string_view name, std::string_view description) {
  EntityType type{.name = std::string(name),
                  .description = std::string(description),
                  .table = "entity",
                  .is = std::string(name),
                  .fields = fields_of(name),
                  .tie_order = "file, start_line, name",
                  .row = "id",
                  .tallies = {{"tally", {"type", "language", "visibility"}}}};
  if (name == "any") {
    type.is.reset();
    type.tallies.push_back({"file", {"last_modified"}});
  }
  return type;
}

}  // namespace

Result<EntitySchema> code_schema(tools::ReadOnlyDatabase& connection, bool has_history) {
  EntitySchema schema{.types = {},
                      .relationships = {{"contains",
                                         "what stands inside of it; incoming: what it "
                                         "stands in. A file contains its definitions"},
                                        {"defines",
                                         "the same, and of a file at every depth; "
                                         "incoming: also the file"},
                                        {"references",
                                         "entities whose names occur in its lines; "
                                         "incoming: those in whose lines its name "
                                         "occurs"}},
                      .nulls = Nulls::left_out};
  for (const TypeDescription& known : known_types()) {
    schema.types.push_back(code_type(known.name, known.description));
  }
  std::vector<std::string> present;
  const auto statement = TRY(connection.prepare("SELECT DISTINCT type FROM tally ORDER BY type"));
  auto read = connection.for_each_row(statement.get(), [&](const sqlite::Row& row) -> Result<void> {
    const std::string name = row.text(0);
    present.push_back(name);
    if (std::ranges::find(schema.types, name, &EntityType::name) == schema.types.end()) {
      schema.types.push_back(code_type(name, fmt::format("what ctags calls so: {}", name)));
    }
    return {};
  });
  TRY(read);
  schema.types.push_back(code_type("any", "every entity, of whatever type"));
  schema.types.back().members = std::move(present);
  schema.notes.emplace_back(has_history
                                ? "last_modified comes from git; files that differ from what is "
                                  "committed have the time of the file"
                                : "last_modified is the time of the file: there is no git history");
  return schema;
}

}  // namespace wright::entities
