#include "core/json_schema/formats.h"

namespace wright::json_schema {

FormatCheck format_named(std::string_view) {
  return nullptr;
}

}  // namespace wright::json_schema
