// Expands the references of a schema.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "providers/schema_dialect.h"
#include "providers/schema_keywords.h"

namespace wright::providers {
namespace {

// "#/$defs/a%20b" → "/$defs/a b". Nothing for anything but a pointer into the same document.
std::optional<std::string> pointer_in(std::string_view reference) {
  if (!reference.starts_with('#')) return {};
  reference.remove_prefix(1);
  std::string pointer;
  for (std::size_t at = 0; at < reference.size(); ++at) {
    unsigned code = 0;
    const char* digits = reference.data() + at + 1;
    if (reference[at] == '%' && at + 2 < reference.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      pointer += static_cast<char>(code);
      at += 2;
    } else {
      pointer += reference[at];
    }
  }
  if (!pointer.empty() && pointer[0] != '/') return {};  // an anchor
  return pointer;
}

class RefWriter {
 public:
  explicit RefWriter(const Json& root) : root_(root) {}

  Json schema(const Json& schema) {
    const JsonObject* object = schema.if_object();
    if (object == nullptr) return schema;
    if (++size_ > kLargest || depth_ >= kDeepest) return cut_off(*object);
    ++depth_;
    Json written = object->contains("$ref") ? reference(*object) : keywords(*object);
    --depth_;
    return written;
  }

 private:
  static constexpr int kLargest = 5'000;  // schemas in one schema; more does not help a model
  static constexpr int kDeepest = 100;

  static Json cut_off(const JsonObject& schema) {
    JsonObject cut;
    const Json* type = schema.if_contains("type");
    cut["type"] = type != nullptr ? *type : Json("object");
    cut["description"] = "Nested further in the same way";
    return cut;
  }

  Json keywords(const JsonObject& object) {
    JsonObject written;
    for (const auto& [key, value] : object) {
      if (key == "$defs" || key == "definitions") continue;
      written[key] = keyword(key, value);
    }
    return written;
  }

  Json keyword(std::string_view key, const Json& value) {
    const Holds held = holds(key);
    if (held == Holds::value || value.is_primitive()) return value;
    if (held == Holds::schemas_by_name && value.is_object()) {
      JsonObject written;
      for (const auto& [name, item] : value.get_object()) written[name] = schema(item);
      return written;
    }
    if (value.is_array()) {
      JsonArray written;
      for (const Json& item : value.get_array()) written.push_back(schema(item));
      return written;
    }
    return schema(value);
  }

  // The target, overlaid with what stands next to the reference.
  Json reference(const JsonObject& object) {
    JsonObject beside;
    for (const auto& [key, value] : object) {
      if (key != "$ref" && key != "$defs" && key != "definitions") {
        beside[key] = keyword(key, value);
      }
    }
    const Json* target = find(object.at("$ref"));
    if (target == nullptr) return beside;
    if (std::ranges::find(open_, target) != open_.end()) {
      Json cut = cut_off(target->is_object() ? target->get_object() : object);
      for (const auto& [key, value] : beside) cut.get_object()[key] = value;
      return cut;
    }
    open_.push_back(target);
    Json written = schema(*target);
    open_.pop_back();
    if (!written.is_object()) return beside.empty() ? written : Json(beside);
    for (const auto& [key, value] : beside) written.get_object()[key] = value;
    return written;
  }

  const Json* find(const Json& reference) const {
    if (!reference.is_string()) return nullptr;
    const auto pointer = pointer_in(reference.get_string());
    if (!pointer) return nullptr;
    boost::json::error_code error;
    return root_.find_pointer(*pointer, error);
  }

  const Json& root_;
  std::vector<const Json*> open_;  // the references that are being expanded
  int size_ = 0;
  int depth_ = 0;
};

}  // namespace

Json without_refs(const Json& schema) {
  return RefWriter(schema).schema(schema);
}

}  // namespace wright::providers
