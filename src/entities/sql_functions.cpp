#include "entities/sql_functions.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/text.h"
#include "entities/calendar.h"

namespace wright::entities {
namespace {

constexpr std::int64_t kRegexMemory = 8 << 20;

RE2::Options regex_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexMemory);
  return options;
}

std::string_view text_of(sqlite3_value* value) {
  // As a blob it is not copied for the sake of a NUL at its end.
  const bool is_utf8 =
      sqlite3_value_type(value) == SQLITE_TEXT && sqlite3_value_encoding(value) == SQLITE_UTF8;
  const auto* text = is_utf8 ? static_cast<const char*>(sqlite3_value_blob(value))
                             : reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

void regex(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[1]) == SQLITE_NULL) return sqlite3_result_null(context);
  auto* compiled = static_cast<RE2*>(sqlite3_get_auxdata(context, 0));
  std::unique_ptr<RE2> made;
  if (compiled == nullptr) {
    const std::string_view pattern = text_of(arguments[0]);
    made = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), regex_options());
    if (!made->ok()) return sqlite3_result_error(context, made->error().c_str(), -1);
    compiled = made.get();
  }
  const std::string_view text = text_of(arguments[1]);
  const bool matches = RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled);
  sqlite3_result_int(context, matches ? 1 : 0);
  // Kept for the other rows; SQLite may free it at once, so it comes last.
  if (made) {
    sqlite3_set_auxdata(context, 0, made.release(),
                        [](void* old) { delete static_cast<RE2*>(old); });
  }
}

// As text LIKE '%needle%', in less time. The needle is in lower case.
void contains(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  const std::string_view text = text_of(arguments[0]);
  const std::string_view needle = text_of(arguments[1]);
  const auto found = std::search(text.begin(), text.end(), needle.begin(), needle.end(),
                                 [](char left, char right) { return to_lower(left) == right; });
  sqlite3_result_int(context, found != text.end() || needle.empty() ? 1 : 0);
}

// A number, or a text that is nothing but one.
void number(sqlite3_context* context, int, sqlite3_value** arguments) {
  switch (sqlite3_value_numeric_type(arguments[0])) {
    case SQLITE_INTEGER: return sqlite3_result_int64(context, sqlite3_value_int64(arguments[0]));
    case SQLITE_FLOAT: return sqlite3_result_double(context, sqlite3_value_double(arguments[0]));
    default: sqlite3_result_null(context);
  }
}

void time(sqlite3_context* context, int, sqlite3_value** arguments) {
  switch (sqlite3_value_type(arguments[0])) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      return sqlite3_result_int64(context, time_of_number(sqlite3_value_double(arguments[0])));
    case SQLITE_TEXT:
      if (const auto parsed = parse_time(text_of(arguments[0]))) {
        return sqlite3_result_int64(context, *parsed);
      }
      break;
    default: break;
  }
  sqlite3_result_null(context);
}

}  // namespace

int install_entity_functions(sqlite3* database) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  struct Function {
    const char* name;
    int arguments;
    void (*call)(sqlite3_context*, int, sqlite3_value**);
  };
  for (const Function& each :
       {Function{"entity_regex", 2, regex}, Function{"entity_contains", 2, contains},
        Function{"entity_number", 1, number}, Function{"entity_time", 1, time}}) {
    const int code = sqlite3_create_function_v2(database, each.name, each.arguments, kFlags,
                                                nullptr, each.call, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

Result<void> check_regex(const std::string& pattern) {
  const RE2 compiled(pattern, regex_options());
  if (compiled.ok()) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("The regular expression is not valid (RE2 syntax, no look-around): {}",
                          compiled.error()));
}

}  // namespace wright::entities
