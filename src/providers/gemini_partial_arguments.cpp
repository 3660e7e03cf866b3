#include "providers/gemini_partial_arguments.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include <charconv>
#include <optional>
#include <variant>

#include "core/try.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

// A field's name, or the number of an element.
using Step = std::variant<std::string_view, std::size_t>;

// Takes the next step off the front of a path: ".name", "['name']", "[\"name\"]" or "[0]".
std::optional<Step> take_step(std::string_view& path) {
  if (path.starts_with('.')) {
    path.remove_prefix(1);
    const std::string_view name = path.substr(0, path.find_first_of(".["));
    path.remove_prefix(name.size());
    if (name.empty()) return {};
    return name;
  }
  if (!path.starts_with('[') || path.size() < 3) return {};
  const char quote = path[1];
  if (quote == '\'' || quote == '"') {
    const std::size_t end = path.find(quote, 2);
    if (end == std::string_view::npos || path.substr(end + 1, 1) != "]") return {};
    const std::string_view name = path.substr(2, end - 2);
    path.remove_prefix(end + 2);
    return name;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), index);
  const auto length = static_cast<std::size_t>(end - path.data());
  if (error != std::errc() || path.substr(length, 1) != "]") return {};
  path.remove_prefix(length + 1);
  return index;
}

// The child of `parent` at `step`; created if it does not exist yet.
Json* child_at(Json& parent, const Step& step) {
  if (const auto* name = std::get_if<std::string_view>(&step)) {
    if (parent.is_null()) parent = JsonObject();
    return parent.is_object() ? &parent.get_object()[*name] : nullptr;
  }
  const std::size_t index = std::get<std::size_t>(step);
  if (parent.is_null()) parent = JsonArray();
  if (!parent.is_array() || index > parent.get_array().size()) return nullptr;
  if (index == parent.get_array().size()) parent.get_array().push_back(nullptr);
  return &parent.get_array()[index];
}

}  // namespace

Result<Json*> GeminiPartialArguments::place(std::string_view path) {
  const auto refuse = [whole = path] {
    return fail(ErrorCode::protocol,
                fmt::format("an argument at '{}', where none can be", valid_text(whole)));
  };
  if (!path.starts_with('$')) return refuse();
  path.remove_prefix(1);
  Json* at = &arguments_;
  for (int depth = 1; !path.empty(); ++depth) {
    const auto step = take_step(path);
    at = step && depth < kMaxJsonDepth ? child_at(*at, *step) : nullptr;
    if (at == nullptr) return refuse();
  }
  return at != &arguments_ ? Result<Json*>(at) : refuse();
}

Result<void> GeminiPartialArguments::add(const Json& piece) {
  const auto place = TRY(this->place(text_field(&piece, "jsonPath")));
  Json& value = *place;
  if (const Json* text = field(&piece, "stringValue"); text != nullptr && text->is_string()) {
    if (!value.is_string()) value = JsonString();
    value.get_string().append(text->get_string());
    return {};
  }
  for (const std::string_view key : {"numberValue", "boolValue"}) {
    if (const Json* scalar = field(&piece, key)) value = *scalar;
  }
  return {};
}

}  // namespace wright::providers
