// JSON values, and JSON Schema.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright {

// JSON values. Json is Boost.JSON's value (it keeps the order of keys); these functions add the
// limits and checks that its own parser and serialiser leave out.

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;
using JsonString = boost::json::string;

// Nesting that a hostile text may reach before it is refused.
inline constexpr int kMaxJsonDepth = 256;

// Refuses invalid UTF-8, trailing text and nesting deeper than kMaxJsonDepth. The error says at
// which byte the text went wrong.
Result<Json> parse_json(std::string_view text);

// Compact text, one line. Doubles with an integral value print as in JavaScript ("1.5", "100"),
// never as "1E2".
std::string to_text(const Json& value);

// Indented by two spaces, for people.
std::string to_pretty_text(const Json& value);

// Replaces every byte sequence that is not UTF-8 by U+FFFD; valid text is returned unchanged.
std::string to_valid_utf8(std::string text);
bool is_valid_utf8(std::string_view text);

// The longest prefix of at most `max_bytes` bytes that does not cut a UTF-8 character.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);

// JSON Schema, drafts 7 and 2020-12: compiled once, then used from any number of threads.
//
// Nothing is ever fetched: a reference to a document that was not handed in is an error when the
// schema is compiled. Schemas that say draft 4 or 6 are read as draft 7, 2019-09 as 2020-12. Two
// habits of tool catalogues are understood as well: OpenAPI's `nullable: true` beside `type`, and
// draft 4's `exclusiveMinimum: true`. Bounded on hostile schemas and values: nesting, work and
// patterns (RE2) have limits, and reaching one is a violation, never a crash.

enum class SchemaDraft : std::uint8_t { draft7, draft2020_12 };

// What `format` means: a remark, or a rule.
enum class Formats : std::uint8_t { annotate, assert };

struct SchemaOptions {
  SchemaDraft default_draft = SchemaDraft::draft2020_12;  // where $schema does not say
  Formats formats = Formats::annotate;
  std::map<std::string, Json> documents = {};  // what references may lead to, by URI
};

// One thing that is wrong with a value.
struct Violation {
  std::string path;     // "stops[0].city"; empty for the value itself
  std::string keyword;  // the schema keyword that refused it
  std::string message;  // for people and models: "Parameter days must be at most 7, not 8"

  bool operator==(const Violation&) const = default;
};

namespace json_schema {
struct Program;
}

class JsonSchema {
 public:
  // Refuses what is not a schema, naming the place: "#/properties/city/type: …".
  static Result<JsonSchema> compile(const Json& schema, const SchemaOptions& options = {});

  // Allocates nothing for a value without uniqueItems over large arrays.
  bool accepts(const Json& value) const;

  // Everything that is wrong, at most `limit` of it; empty when the value is accepted.
  std::vector<Violation> violations(const Json& value, std::size_t limit = 20) const;

  // Rules that are not enforced, each with its place and the reason: patterns that need
  // lookaround or back-references, which no linear-time engine has, or that repeat too much.
  const std::vector<std::string>& warnings() const;

 private:
  explicit JsonSchema(std::shared_ptr<const json_schema::Program> program);

  std::shared_ptr<const json_schema::Program> program_;
};

}  // namespace wright
