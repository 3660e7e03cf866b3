#include "offline/index.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/json_members.h"
#include "offline/languages.h"
#include "offline/markdown.h"
#include "offline/regex_text.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr auto kEntityTools = std::to_array<std::string_view>(
    {"query_entities", "number_range_search", "datetime_range_search", "text_pattern_search",
     "enum_filter_search", "aggregate_entities", "get_schema", "describe_entity",
     "explore_relationships", "semantic_search"});

// ctags makes names up for namespaces and types without one.
std::string without_made_up_names(std::string name) {
  static const RE2 kMadeUp(R"((?:^|\b)__anon[0-9a-f]+(?:::|\.|$))");
  RE2::GlobalReplace(&name, kMadeUp, "");
  if (name.ends_with("::")) name.resize(name.size() - 2);
  if (name.starts_with("::")) name.erase(0, 2);
  return name;
}

bool is_declaration(const Entity& entity) {
  return entity.type == "prototype" || entity.type == "parameter" || entity.type == "unknown";
}

int importance(const Entity& entity) {
  if (is_declaration(entity)) return 3;
  constexpr auto kFirst = std::to_array<std::string_view>(
      {"class", "struct", "interface", "trait", "enum", "function", "method", "macro", "typedef",
       "table", "union", "constant", "namespace", "module", "enumerator"});
  if (std::ranges::find(kFirst, entity.type) != kFirst.end()) return 0;
  return entity.type == "file" ? 2 : 1;
}

}  // namespace

bool is_entity_tool(std::string_view name) {
  return std::ranges::find(kEntityTools, name) != kEntityTools.end();
}

bool has_index(const Investigation& look) {
  return look.offers_file_tools() && look.offers("query_entities") &&
         look.offers("aggregate_entities") && look.offers("datetime_range_search") &&
         look.offers("semantic_search");
}

JsonObject condition(std::string_view field, std::string_view sign, Json value) {
  return {{"field", field}, {"operator", sign}, {"value", std::move(value)}};
}

JsonObject within(std::string_view path) {
  if (looks_like_file(path)) {
    return condition("file", "REGEX", Json("(?:^|/)" + quote_for_regex(path) + "$"));
  }
  return condition("file", "STARTS WITH", Json(std::string(path) + "/"));
}

Entities read_entities(const Json& json) {
  Entities read;
  const JsonObject* answer = json.if_object();
  if (answer == nullptr) return read;
  read.total = integer_in(*answer, "total").value_or(0);
  read.from = text_in(*answer, "from");
  read.until = text_in(*answer, "until");
  const Json* entities = answer->if_contains("entities");
  if (entities == nullptr || !entities->is_array()) return read;
  for (const Json& each : entities->get_array()) {
    const JsonObject* entity = each.if_object();
    if (entity == nullptr) continue;
    read.found.push_back(
        {.name = text_in(*entity, "name"),
         .type = text_in(*entity, "type"),
         .file = text_in(*entity, "file"),
         .line = static_cast<int>(integer_in(*entity, "start_line").value_or(0)),
         .end_line = static_cast<int>(integer_in(*entity, "end_line").value_or(0)),
         .line_count = integer_in(*entity, "line_count").value_or(0),
         .method_count = integer_in(*entity, "method_count"),
         .signature = text_in(*entity, "signature"),
         .last_modified = text_in(*entity, "last_modified"),
         .visibility = text_in(*entity, "visibility"),
         .parent = without_made_up_names(text_in(*entity, "parent")),
         .qualified_name = without_made_up_names(text_in(*entity, "qualified_name")),
         .key = text_in(*entity, "qualified_name")});
  }
  read.total = std::max(read.total, static_cast<std::int64_t>(read.found.size()));
  return read;
}

Entities find_entities(Investigation& look, std::string_view type, JsonArray conditions,
                       const std::optional<EntityOrder>& order, int limit) {
  JsonObject arguments{{"entity_type", type}};
  if (!conditions.empty()) arguments["conditions"] = std::move(conditions);
  if (order) {
    arguments["order_by"] =
        JsonObject{{"field", order->field}, {"direction", order->is_descending ? "DESC" : "ASC"}};
  }
  arguments["limit"] = limit;
  return read_entities(look.call("query_entities", std::move(arguments)));
}

Entities find_named(Investigation& look, std::string_view name, std::string_view path) {
  static const RE2 kOwned(R"((.+?)(?:::|\.|->|#)([^:.#>]+))");
  std::string owner;
  std::string own;
  const bool has_owner = RE2::FullMatch(piece(name), kOwned, &owner, &own);
  JsonArray conditions{condition("name", "=", Json(has_owner ? own : std::string(name)))};
  if (has_owner) {
    RE2::GlobalReplace(&owner, R"(::|\.|->|#)", "\n");
    std::string pattern = quote_for_regex(owner);
    RE2::GlobalReplace(&pattern, R"(\\?\n)", R"((?:::|[.#/]))");
    conditions.push_back(condition(
        "qualified_name", "REGEX",
        Json(fmt::format(R"((?:^|::|[.#/]){}(?:::|[.#/]){}$)", pattern, quote_for_regex(own)))));
  }
  if (!path.empty()) conditions.push_back(within(path));
  Entities named = find_entities(look, "any", std::move(conditions));
  std::ranges::stable_sort(named.found, {}, [](const Entity& entity) {
    return std::tuple(importance(entity), path_penalty(entity.file));
  });
  return named;
}

Entities find_similar(Investigation& look, std::string_view words, int most) {
  return read_entities(
      look.call("semantic_search", {{"entity_type", "any"}, {"query", words}, {"top_k", most}}));
}

std::string described(const Entity& entity) {
  if (entity.type == "file") return fmt::format("{} (a file)", entity.file);
  return fmt::format("{} ({}) at {}",
                     code_span(entity.qualified_name.empty() ? entity.name : entity.qualified_name),
                     entity.type, place(entity.file, entity.line));
}

std::string kind_and_place(const Entity& entity) {
  return fmt::format("{}: {}{}", place(entity.file, entity.line), entity.type,
                     entity.parent.empty() ? "" : " of " + code_span(entity.parent));
}

int path_penalty(std::string_view path) {
  static const RE2 kFar(
      R"((?i)(?:^|/)(?:tests?|testing|examples?|samples?|bench|benchmarks|fuzz|vendor|third_party|node_modules|generated|dist|site-packages|mocks?|fixtures?)/|[_.-](?:test|spec|generated|min|pb)\.|\.gen\.|(?:^|/)test_)");
  return RE2::PartialMatch(piece(path), kFar) ? 1 : 0;
}

}  // namespace wright::offline
