// One vocabulary of entity types for all languages, from the kinds that ctags has for each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wright::entities {

struct TypeDescription {
  std::string_view name;
  std::string_view description;
};

// The types that can always be asked for, whether or not a code base has any.
std::span<const TypeDescription> known_types();

// The type of a tag: "func" of Go inside of a struct is a method, "member" of Python as well.
std::string entity_type(std::string_view language, std::string_view kind,
                        std::string_view scope_kind);

// Whether methods are counted for entities of this type.
bool may_have_methods(std::string_view type);

// What stands between the names of a qualified name.
std::string_view scope_separator(std::string_view language);

// The language of a file that ctags says nothing about, by its name; empty when it is not known.
std::string_view language_by_name(std::string_view path);

}  // namespace wright::entities
