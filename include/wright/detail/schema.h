// The templates behind schema.h. Everything that does not depend on a type is in
// src/core/schema.cpp. Not for direct inclusion.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace wright::detail {

template <class T, template <class...> class Of>
inline constexpr bool is_a = false;
template <template <class...> class Of, class... Args>
inline constexpr bool is_a<Of<Args...>, Of> = true;

template <class T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !Character<T>;
template <class T>
concept StringMap = (is_a<T, std::map> ||
                     is_a<T, std::unordered_map>)&&std::same_as<typename T::key_type, std::string>;

// The I-th field of a plain struct, in the shape of a Field.
template <class T, std::size_t I>
struct PlainField {
  FieldRules rules{.name = member_name<T, I>()};

  static constexpr auto& of(T& value) { return std::get<I>(members_of(value)); }
  static constexpr const auto& of(const T& value) { return std::get<I>(members_of(value)); }
};

template <class T>
constexpr auto fields_of() {
  if constexpr (DescribedStruct<T>) {
    return wright_fields(Of<T>{});
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<PlainField<T, I>...>{};
    }
    (std::make_index_sequence<count_members<T>()>());
  }
}

// The fields, made once.
template <class T>
inline constexpr auto kFields = fields_of<T>();

template <class T, std::size_t I, class... Above>
constexpr auto form_of_fields();

template <class T, class FieldOf>
using MemberOf = std::remove_cvref_t<decltype(std::declval<FieldOf>().of(std::declval<T&>()))>;

template <class T>
constexpr std::string_view name_of_struct() {
  if constexpr (DescribedStruct<T>) {
    return wright_type_name(Of<T>{});
  } else {
    return type_name<T>();
  }
}

template <class T>
concept JsonLeaf = std::same_as<T, bool> || Integer<T> || std::floating_point<T> ||
    std::same_as<T, std::string> || std::same_as<T, Json> || DescribedEnum<T>;

// Whether a type has a JSON form, and if not, which one in it has none.
template <class Unfit, class UsedIn>
struct Form {
  using Type = Unfit;
  using In = UsedIn;
  static constexpr bool is_there = std::is_void_v<Unfit>;
};
using Fits = Form<void, void>;

// Finds the first type in T that has no JSON form. Above are the structs that T is in.
template <class T, class... Above>
constexpr auto form_of() {
  if constexpr ((std::same_as<T, Above> || ...) || JsonLeaf<T>) {
    return Fits{};
  } else if constexpr (is_a<T, std::optional> || is_a<T, std::vector>) {
    return form_of<typename T::value_type, Above...>();
  } else if constexpr (StringMap<T>) {
    return form_of<typename T::mapped_type, Above...>();
  } else if constexpr (JsonStruct<T>) {
    return form_of_fields<T, 0, Above...>();
  } else {
    return Form<T, std::tuple_element_t<0, std::tuple<Above..., void>>>{};
  }
}

// From the I-th field on.
template <class T, std::size_t I, class... Above>
constexpr auto form_of_fields() {
  using Fields = decltype(fields_of<T>());
  if constexpr (I == std::tuple_size_v<Fields>) {
    return Fits{};
  } else {
    using Found = decltype(form_of<MemberOf<T, std::tuple_element_t<I, Fields>>, T, Above...>());
    if constexpr (Found::is_there) {
      return form_of_fields<T, I + 1, Above...>();
    } else {
      return Found{};
    }
  }
}

template <class T>
constexpr bool has_json_form() {
  return decltype(form_of<T>())::is_there;
}

// Fails to compile where T has no JSON form, with one message; then what needs it is left out.
template <class T>
constexpr bool require_json_form() {
  using Found = decltype(form_of<T>());
  return type_has_json_form<typename Found::Type, typename Found::In, Found::is_there>();
}

// The same for a T that is to be made.
template <class T>
constexpr bool require_readable() {
  using Found = decltype(form_of<T>());
  return can_be_read<T, std::default_initializable<T>>() &&
         type_has_json_form<typename Found::Type, typename Found::In, Found::is_there>();
}

// Where a value stands in the document; lives on the stack, costs nothing until it is printed.
struct Path {
  const Path* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;

  std::string text() const;
};

// Whether what fields say beyond their types (bounds, lengths, no others) counts.
enum class Rules : std::uint8_t { kept, ignored };

struct Problems {
  std::vector<std::string> found = {};
  Rules rules = Rules::kept;
};

// The name of a type at run time, to recognise types that contain themselves.
template <class T>
inline constexpr char type_key = 0;

template <class T>
constexpr bool is_struct_at_root() {
  if constexpr (is_a<T, std::optional>) {
    return is_struct_at_root<typename T::value_type>();
  } else {
    return JsonStruct<T>;
  }
}

class SchemaBuilder {
 public:
  // Returns a reference when the type is being described already, else remembers that it is.
  std::optional<Json> enter(const void* key, std::string_view name);
  Json leave(Json schema);  // of the innermost type; a reference to it when it contains itself
  Json finish(Json root);   // adds $defs

 private:
  struct Open {
    const void* key;
    std::string name;
    bool is_referenced = false;
  };
  std::vector<Open> open_;
  JsonObject definitions_;
};

void add_rules(JsonObject& schema, const FieldRules& rules);

const JsonObject* expect_object(const Json& json, const Path& path, Problems& problems);
const JsonArray* expect_array(const Json& json, const Path& path, Problems& problems);
void check_count(std::size_t count, const FieldRules* rules, const Path&, Problems& problems);
void check_range(double value, const FieldRules* rules, const Path& path, Problems& problems);
// The member of that name; most are given in the order in which they are looked for.
const Json* find_member(const JsonObject& object, std::string_view name,
                        std::size_t probable_place);
void refuse_unknown(const JsonObject& object, std::span<const std::string_view> known,
                    const Path& path, Problems& problems);
void report_missing(const Path& path, Problems& problems);
// Of a number that its type cannot hold. The rules are narrower than the type.
void report_out_of_range(std::int64_t least, std::uint64_t most, const FieldRules* rules,
                         const Path& path, Problems& problems);
bool read(const Json& json, bool& value, const Path& path, Problems& problems);
bool read(const Json& json, double& value, const Path& path, Problems& problems);
bool read(const Json& json, std::string& value, const FieldRules* rules, const Path& path,
          Problems& problems);
// An integer of either sign, or a number without a fraction; nothing when it is neither.
struct WideInteger {
  bool is_negative = false;
  std::uint64_t magnitude = 0;
  bool is_beyond = false;  // of all types
};
std::optional<WideInteger> read_integer(const Json& json, const Path& path, Problems& problems);
std::optional<std::size_t> read_choice(const Json& json, std::span<const std::string_view> names,
                                       const Path& path, Problems& problems);

template <class T>
constexpr auto enumerator_names() {
  constexpr auto all = wright_enumerators(Of<T>{});
  std::array<std::string_view, all.size()> names{};
  for (std::size_t i = 0; i < all.size(); ++i) names[i] = all[i].second;
  return names;
}

template <class T>
constexpr auto field_names() {
  return std::apply(
      [](const auto&... f) { return std::array<std::string_view, sizeof...(f)>{f.rules.name...}; },
      fields_of<T>());
}

template <class T>
Json build_schema(SchemaBuilder& builder);

template <class T, class FieldOf>
void add_property(SchemaBuilder& builder, const FieldOf& field, JsonObject& properties,
                  JsonArray& required) {
  using Member = MemberOf<T, FieldOf>;
  Json schema = build_schema<Member>(builder);
  if (!schema.is_object()) schema = JsonObject{};
  add_rules(schema.as_object(), field.rules);
  if (field.rules.has_default) {
    if constexpr (std::default_initializable<T>) {
      const T made{};
      schema.as_object()["default"] = encode(field.of(made));
    }
  } else if constexpr (!is_a<Member, std::optional>) {
    required.emplace_back(field.rules.name);
  }
  properties[field.rules.name] = std::move(schema);
}

template <class T>
Json build_struct_schema(SchemaBuilder& builder) {
  if (auto reference = builder.enter(&type_key<T>, name_of_struct<T>())) return *reference;
  JsonObject properties;
  JsonArray required;
  std::apply([&](const auto&... f) { (add_property<T>(builder, f, properties, required), ...); },
             kFields<T>);
  JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return builder.leave(std::move(schema));
}

template <class T>
Json build_schema(SchemaBuilder& builder) {
  if constexpr (std::same_as<T, bool>) {
    return JsonObject{{"type", "boolean"}};
  } else if constexpr (std::unsigned_integral<T>) {
    return JsonObject{{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (Integer<T>) {
    return JsonObject{{"type", "integer"}};
  } else if constexpr (std::floating_point<T>) {
    return JsonObject{{"type", "number"}};
  } else if constexpr (std::same_as<T, std::string>) {
    return JsonObject{{"type", "string"}};
  } else if constexpr (DescribedEnum<T>) {
    JsonArray names;
    for (std::string_view name : enumerator_names<T>()) names.emplace_back(name);
    return JsonObject{{"type", "string"}, {"enum", std::move(names)}};
  } else if constexpr (is_a<T, std::optional>) {
    return build_schema<typename T::value_type>(builder);
  } else if constexpr (is_a<T, std::vector>) {
    return JsonObject{{"type", "array"}, {"items", build_schema<typename T::value_type>(builder)}};
  } else if constexpr (StringMap<T>) {
    return JsonObject{{"type", "object"},
                      {"additionalProperties", build_schema<typename T::mapped_type>(builder)}};
  } else if constexpr (JsonStruct<T>) {
    return build_struct_schema<T>(builder);
  } else {
    return JsonObject{};  // Json: anything
  }
}

template <class T>
void decode_into(const Json& json, T& value, const FieldRules* rules, const Path& path,
                 Problems& problems);

// Whether the object has the field.
template <class T, class FieldOf>
bool decode_field(const JsonObject& object, std::size_t place, T& value, const FieldOf& field,
                  const Path& parent, Problems& problems) {
  const Path path{&parent, field.rules.name};
  const Json* found = find_member(object, field.rules.name, place);
  constexpr bool is_optional = is_a<MemberOf<T, FieldOf>, std::optional>;
  if (found == nullptr || (is_optional && found->is_null())) {
    if (!is_optional && !field.rules.has_default) report_missing(path, problems);
    return found != nullptr;
  }
  decode_into(*found, field.of(value), &field.rules, path, problems);
  return true;
}

template <class T>
void decode_struct(const Json& json, T& value, const Path& path, Problems& problems) {
  const JsonObject* object = expect_object(json, path, problems);
  if (object == nullptr) return;
  std::size_t place = 0;
  std::size_t found = 0;
  std::apply(
      [&](const auto&... f) {
        ((found += decode_field(*object, place++, value, f, path, problems) ? 1 : 0), ...);
      },
      kFields<T>);
  if (found == object->size()) return;
  static constexpr auto known = field_names<T>();
  refuse_unknown(*object, known, path, problems);
}

template <Integer T>
void decode_integer(const Json& json, T& value, const FieldRules* rules, const Path& path,
                    Problems& problems) {
  const auto wide = read_integer(json, path, problems);
  if (!wide) return;
  const bool fits = wide->is_negative
                        ? wide->magnitude <= std::uint64_t{1} << 63 &&
                              std::in_range<T>(static_cast<std::int64_t>(0 - wide->magnitude))
                        : std::in_range<T>(wide->magnitude);
  if (!fits || wide->is_beyond) {
    return report_out_of_range(static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                               static_cast<std::uint64_t>(std::numeric_limits<T>::max()), rules,
                               path, problems);
  }
  value = wide->is_negative ? static_cast<T>(0 - wide->magnitude) : static_cast<T>(wide->magnitude);
  check_range(static_cast<double>(value), rules, path, problems);
}

template <class T>
void decode_into(const Json& json, T& value, const FieldRules* rules, const Path& path,
                 Problems& problems) {
  if constexpr (std::same_as<T, bool>) {
    read(json, value, path, problems);
  } else if constexpr (Integer<T>) {
    decode_integer(json, value, rules, path, problems);
  } else if constexpr (std::floating_point<T>) {
    double number = 0;
    if (!read(json, number, path, problems)) return;
    check_range(number, rules, path, problems);
    value = static_cast<T>(number);
  } else if constexpr (std::same_as<T, std::string>) {
    read(json, value, rules, path, problems);
  } else if constexpr (DescribedEnum<T>) {
    static constexpr auto names = enumerator_names<T>();
    if (const auto index = read_choice(json, names, path, problems)) {
      value = wright_enumerators(Of<T>{})[*index].first;
    }
  } else if constexpr (is_a<T, std::optional>) {
    if (json.is_null()) {
      value.reset();
    } else {
      decode_into(json, value.emplace(), rules, path, problems);
    }
  } else if constexpr (is_a<T, std::vector>) {
    const JsonArray* array = expect_array(json, path, problems);
    if (array == nullptr) return;
    check_count(array->size(), rules, path, problems);
    value.clear();
    value.reserve(array->size());
    for (std::size_t i = 0; i < array->size(); ++i) {
      typename T::value_type item{};
      decode_into((*array)[i], item, nullptr, Path{&path, {}, i}, problems);
      value.push_back(std::move(item));
    }
  } else if constexpr (StringMap<T>) {
    const JsonObject* object = expect_object(json, path, problems);
    if (object == nullptr) return;
    check_count(object->size(), rules, path, problems);
    for (const auto& [key, item] : *object) {
      decode_into(item, value[std::string(key)], nullptr, Path{&path, key}, problems);
    }
  } else if constexpr (JsonStruct<T>) {
    decode_struct(json, value, path, problems);
  } else {
    value = json;
  }
}

template <class T>
Result<T> decoded(const Json& json, Problems problems) {
  if constexpr (require_readable<T>()) {
    Result<T> value{};
    decode_into(json, *value, nullptr, Path{}, problems);
    if (!problems.found.empty()) return std::unexpected(refused_arguments(problems.found));
    return value;
  } else {
    return std::unexpected(Error{});
  }
}

// Reads a T without its rules: only what its types demand.
template <class T>
Result<T> decode_types(const Json& json) {
  return decoded<T>(json, Problems{.rules = Rules::ignored});
}

}  // namespace wright::detail

namespace wright {

template <class T>
Json schema_of() {
  if constexpr (detail::require_json_form<T>()) {
    detail::SchemaBuilder builder;
    // A struct in a list or a map is not the root that it could refer to.
    if constexpr (!detail::is_struct_at_root<T>()) builder.enter(&detail::type_key<T>, {});
    return builder.finish(detail::build_schema<T>(builder));
  } else {
    return {};
  }
}

template <class T>
Result<T> decode(const Json& json) {
  return detail::decoded<T>(json, detail::Problems{});
}

template <class T>
Json encode(const T& value) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    return Json(std::string_view(value));
  } else {
    if constexpr (!detail::require_json_form<T>()) {
      return {};
    } else if constexpr (std::same_as<T, bool> || std::same_as<T, Json> || detail::Integer<T> ||
                         std::floating_point<T>) {
      return Json(value);
    } else if constexpr (DescribedEnum<T>) {
      for (const auto& [enumerator, name] : wright_enumerators(Of<T>{})) {
        if (enumerator == value) return Json(name);
      }
      return Json(static_cast<std::int64_t>(value));
    } else if constexpr (detail::is_a<T, std::optional>) {
      return value ? encode(*value) : Json(nullptr);
    } else if constexpr (detail::is_a<T, std::vector>) {
      JsonArray array;
      array.reserve(value.size());
      for (const typename T::value_type& item : value) array.push_back(encode(item));
      return array;
    } else if constexpr (detail::StringMap<T>) {
      JsonObject object;
      for (const auto& [key, item] : value) object[key] = encode(item);
      return object;
    } else {
      JsonObject object;
      constexpr auto kCount = std::tuple_size_v<decltype(detail::fields_of<T>())>;
      object.reserve(kCount + 1);  // one more, which an interceptor may add
      const auto add = [&]<class FieldOf>(const FieldOf& field) {
        const auto& member = field.of(value);
        if constexpr (detail::is_a<detail::MemberOf<T, FieldOf>, std::optional>) {
          if (member) object.emplace(field.rules.name, encode(*member));
        } else if constexpr (std::same_as<detail::MemberOf<T, FieldOf>, std::string>) {
          object.emplace(field.rules.name, std::string_view(member));
        } else {
          object.emplace(field.rules.name, encode(member));
        }
      };
      std::apply([&](const auto&... f) { (add(f), ...); }, detail::kFields<T>);
      return object;
    }
  }
}

}  // namespace wright
