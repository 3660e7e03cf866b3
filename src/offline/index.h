// What the tools over an index of code answer, as values, and the questions that plans put to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "offline/investigation.h"
#include "wright/json.h"

namespace wright::offline {

struct Entity {
  std::string name;
  std::string type;
  std::string file;
  int line = 0;
  int end_line = 0;
  std::int64_t line_count = 0;
  std::optional<std::int64_t> method_count;
  std::string signature;
  std::string last_modified;
  std::string visibility;      // empty where the index has none
  std::string parent;          // without the made-up names of what has none
  std::string qualified_name;  // likewise
  std::string key;             // the qualified name as the index has it
};

struct Entities {
  std::vector<Entity> found;
  std::int64_t total = 0;
  std::string from;  // of a search by time
  std::string until;
};

struct EntityOrder {
  std::string field;
  bool is_descending = true;
};

// Whether the agent offers the index, and it is one of code.
bool has_index(const Investigation& look);
bool is_entity_tool(std::string_view name);

JsonObject condition(std::string_view field, std::string_view sign, Json value);

// A condition that holds for what stands in the file or below the folder.
JsonObject within(std::string_view path);

// Reading never fails: what is absent is left out.
Entities read_entities(const Json& answer);

// The entities for which all of the conditions hold. None while waiting, and after a failure.
Entities find_entities(Investigation& look, std::string_view type, JsonArray conditions,
                       const std::optional<EntityOrder>& order = {}, int limit = 50);

// Everything whose name is `name`, or with an owner ("Store::open", "store.open") only what stands
// in one; definitions before declarations, sources before tests and generated files.
Entities find_named(Investigation& look, std::string_view name, std::string_view path = {});

// What is like the words of the question, the best first.
Entities find_similar(Investigation& look, std::string_view words, int most);

// "`Store::open` (method) at src/store.cpp:12"
std::string described(const Entity& entity);
// "src/store.cpp:12: method of `Store`"
std::string kind_and_place(const Entity& entity);

// Worse for tests, examples, generated and foreign code.
int path_penalty(std::string_view path);

}  // namespace wright::offline
