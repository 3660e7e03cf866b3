#include "providers/call_arguments.h"

#include <boost/json/object.hpp>

#include "core/json_storage.h"

namespace wright::providers {
namespace {

JsonObject wrapped(std::string_view arguments) {
  if (arguments.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  return {{"invalid_arguments", to_valid_utf8(std::string(arguments))}};
}

}  // namespace

JsonObject arguments_object(std::string_view arguments) {
  auto parsed = parse_json(arguments);
  if (parsed && parsed->is_object()) return std::move(parsed->get_object());
  return wrapped(arguments);
}

std::string arguments_text(std::string_view arguments) {
  if (is_json_object(arguments)) return std::string(arguments);
  return to_text(wrapped(arguments));
}

}  // namespace wright::providers
