// Reads described types (wright/schema.h) from JSON that somebody else wrote: what fits is kept,
// what does not is left out with a note. Where decode() of schema.h refuses the whole, this never
// fails.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "wright/schema.h"

namespace wright::feedback {

inline constexpr std::size_t kMostItems = 100;         // of one list
inline constexpr std::size_t kLongestText = 4 * 1024;  // bytes of one string
inline constexpr std::size_t kMostNotes = 100;

class LenientReader {
 public:
  // Nothing when the value, or a required part of it, does not fit.
  template <class T>
  std::optional<T> read(const Json& json, const detail::Path& path = {},
                        const FieldRules* rules = nullptr) {
    if constexpr (detail::is_a<T, std::optional>) {
      if (json.is_null()) return T{};
      return T(read<typename T::value_type>(json, path, rules));
    } else if constexpr (detail::is_a<T, std::vector>) {
      return read_list<T>(json, path);
    } else if constexpr (DescribedStruct<T>) {
      auto parts = read_parts<T>(json, path);
      return parts.is_whole ? std::optional<T>(std::move(parts.value)) : std::nullopt;
    } else {
      return read_leaf<T>(json, path, rules);
    }
  }

  template <class T>
  struct Parts {
    T value = {};
    bool is_whole = true;
  };
  // Every member that fits; the others have their initial values.
  template <class T>
  Parts<T> read_parts(const Json& json, const detail::Path& path = {}) {
    Parts<T> parts;
    detail::Problems problems;
    const JsonObject* object = detail::expect_object(json, path, problems);
    if (object == nullptr) {
      note_all(problems);
      parts.is_whole = false;
      return parts;
    }
    std::apply([&](const auto&... field) { (read_field(*object, field, path, parts), ...); },
               wright_fields(Of<T>{}));
    static constexpr auto known = detail::field_names<T>();
    detail::refuse_unknown(*object, known, path, problems);
    note_all(problems);
    return parts;
  }

  void note(std::string text) {
    if (notes_.size() < kMostNotes) {
      notes_.push_back(std::move(text));
    } else if (notes_.size() == kMostNotes) {
      notes_.push_back("There was more that was dropped");
    }
  }
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  template <class T, class Member>
  void read_field(const JsonObject& object, const Field<T, Member>& field,
                  const detail::Path& parent, Parts<T>& parts) {
    const detail::Path path{&parent, field.rules.name};
    constexpr bool may_be_absent =
        detail::is_a<Member, std::optional> || detail::is_a<Member, std::vector>;
    const Json* found = object.if_contains(field.rules.name);
    if (found == nullptr) {
      if (may_be_absent) return;
      note(fmt::format("{} is missing", path.text()));
      parts.is_whole = false;
    } else if (auto value = read<Member>(*found, path, &field.rules)) {
      parts.value.*field.member = std::move(*value);
    } else if (!may_be_absent) {
      parts.is_whole = false;
    }
  }

  template <class List>
  std::optional<List> read_list(const Json& json, const detail::Path& path) {
    detail::Problems problems;
    const JsonArray* array = detail::expect_array(json, path, problems);
    if (array == nullptr) {
      note_all(problems);
      return std::nullopt;
    }
    List list;
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i == kMostItems) {
        note(fmt::format("{} has {} items; those after the first {} were dropped", path.text(),
                         array->size(), kMostItems));
        break;
      }
      const detail::Path item{&path, {}, i};
      if (auto value = read<typename List::value_type>(array->at(i), item)) {
        list.push_back(std::move(*value));
      } else {
        note(fmt::format("{} was dropped", item.text()));
      }
    }
    return list;
  }

  template <class T>
  std::optional<T> read_leaf(const Json& json, const detail::Path& path, const FieldRules* rules) {
    T value{};
    detail::Problems problems;
    detail::decode_into(json, value, rules, path, problems);
    if (!problems.found.empty()) {
      note_all(problems);
      return std::nullopt;
    }
    if constexpr (std::same_as<T, std::string>) {
      if (value.size() > kLongestText) {
        note(fmt::format("{} was cut: it had {} bytes", path.text(), value.size()));
        value.resize(utf8_prefix(value, kLongestText).size());
      }
    }
    return value;
  }

  void note_all(const detail::Problems& problems) {
    for (const std::string& problem : problems.found) note(problem + "; dropped");
  }

  std::vector<std::string> notes_;
};

}  // namespace wright::feedback
