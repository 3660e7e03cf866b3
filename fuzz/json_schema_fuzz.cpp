// Feeds the validator with {"schema": …, "value": …}. Whatever they are: no crash, no hang, and the
// two ways of checking agree.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wright/json.h"

namespace {

void check(const wright::Json& source, const wright::Json& value, wright::SchemaDraft draft) {
  const auto schema = wright::JsonSchema::compile(
      source, {.default_draft = draft, .formats = wright::Formats::assert});
  if (!schema) {
    if (schema.error().message.empty()) std::abort();
    return;
  }
  const bool is_accepted = schema->accepts(value);
  if (schema->violations(value).empty() != is_accepted) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input =
      wright::parse_json({reinterpret_cast<const char*>(data), size});  // NOLINT: bytes as text
  if (!input || !input->is_object()) return 0;
  const wright::Json* schema = input->get_object().if_contains("schema");
  const wright::Json* value = input->get_object().if_contains("value");
  if (schema == nullptr) return 0;
  const wright::Json nothing;
  check(*schema, value != nullptr ? *value : nothing, wright::SchemaDraft::draft2020_12);
  check(*schema, value != nullptr ? *value : nothing, wright::SchemaDraft::draft7);
  return 0;
}
