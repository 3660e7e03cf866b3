#include "tools/sqlite/reader_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sqlite/connection.h"
#include "sqlite/statement.h"
#include "tools/sqlite/reader_guard.h"

namespace wright::tools {
namespace {

using Values = std::span<sqlite3_value*>;
// Why the call is refused, if it is.
using Check = std::optional<std::string> (*)(Values values);

std::string_view text_in_value(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// '%.*c' writes its character again and again, and makes room for each.
std::optional<std::string> check_format(Values values) {
  constexpr int kMostDigits = 4;
  constexpr sqlite3_int64 kWidest = 9'999;
  if (values.empty()) return std::nullopt;
  const std::string_view format = text_in_value(values.front());
  int digits = 0;
  bool takes_width = false;
  bool is_too_wide = false;
  for (const char c : format) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    is_too_wide = is_too_wide || digits > kMostDigits;
    takes_width = takes_width || c == '*';
  }
  if (takes_width) {
    for (sqlite3_value* value : values.subspan(1)) {
      const sqlite3_int64 width = sqlite3_value_int64(value);
      is_too_wide = is_too_wide || width > kWidest || width < -kWidest;
    }
  }
  if (!is_too_wide) return std::nullopt;
  return fmt::format("numbers in the format, and those for a *, may be at most {}", kWidest);
}

// Comparing each place of one text with all of another takes as long as the product of the two.
std::optional<std::string> check_product(Values values) {
  constexpr std::size_t kMost = 1'000'000'000;
  if (values.size() < 2) return std::nullopt;
  const auto first = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
  const auto second = static_cast<std::size_t>(sqlite3_value_bytes(values[1]));
  if (first == 0 || second <= kMost / first) return std::nullopt;
  return fmt::format("texts of {} and {} bytes are too long to be compared", first, second);
}

bool may_take_long(Values values) {
  constexpr int kShort = 10'000;
  return std::ranges::any_of(
      values, [](sqlite3_value* value) { return sqlite3_value_bytes(value) > kShort; });
}

struct BoundedFunction {
  const char* name;
  Check check;
};

constexpr auto kFunctions = std::to_array<BoundedFunction>({{"printf", check_format},
                                                            {"format", check_format},
                                                            {"instr", check_product},
                                                            {"replace", check_product},
                                                            {"json_patch", check_product},
                                                            {"like", check_product},
                                                            {"glob", check_product},
                                                            {"trim", check_product},
                                                            {"ltrim", check_product},
                                                            {"rtrim", check_product}});

constexpr int kLongestPattern = 1'000;

// LIKE and GLOB are called for every row, so the short way to SQLite's own is worth having. Nothing
// when that way does not know the case: NULL, a pattern over the limit, ESCAPE.
std::optional<bool> matches(std::string_view function, Values values) {
  if (values.size() != 2) return std::nullopt;
  const auto* pattern = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[1]));
  if (pattern == nullptr || text == nullptr) return std::nullopt;
  if (sqlite3_value_bytes(values[0]) > kLongestPattern) return std::nullopt;
  if (function == "like") return sqlite3_strlike(pattern, text, 0) == 0;
  if (function == "glob") return sqlite3_strglob(pattern, text) == 0;
  return std::nullopt;
}

// SQLite's own function, called in a database in memory that has nothing in it.
class Original {
 public:
  Original(const BoundedFunction& function, int longest, SqliteGuard& guard)
      : function_(function), longest_(longest), guard_(guard) {}

  void call(sqlite3_context* context, Values values) {
    // The guard looks only now and then, and here one call may take a second.
    if (may_take_long(values) && guard_.is_over())
      return sqlite3_result_error(context, "interrupted", -1);
    if (const auto problem = function_.check(values)) {
      const std::string message = fmt::format("{}(): {}", function_.name, *problem);
      return sqlite3_result_error(context, message.c_str(), -1);
    }
    if (const auto is_match = matches(function_.name, values)) {
      return sqlite3_result_int(context, *is_match ? 1 : 0);
    }
    if (!statement_ || sqlite3_bind_parameter_count(statement_.get()) != std::ssize(values)) {
      prepare(values.size());
    }
    for (std::size_t i = 0; statement_ && i < values.size(); ++i) {
      sqlite3_bind_value(statement_.get(), static_cast<int>(i) + 1, values[i]);
    }
    if (statement_ && sqlite3_step(statement_.get()) == SQLITE_ROW) {
      sqlite3_result_value(context, sqlite3_column_value(statement_.get(), 0));
    } else {
      sqlite3_result_error(context, sqlite3_errmsg(database_.get()), -1);
      const int code = sqlite3_errcode(database_.get());
      if (code == SQLITE_TOOBIG) sqlite3_result_error_toobig(context);
      if (code == SQLITE_NOMEM) sqlite3_result_error_nomem(context);
    }
    if (statement_) sqlite3_reset(statement_.get());
  }

 private:
  void prepare(std::size_t count) {
    statement_.reset();
    if (!database_) {
      database_ = sqlite::open(":memory:", SQLITE_OPEN_READONLY | SQLITE_OPEN_MEMORY).connection;
      sqlite3_limit(database_.get(), SQLITE_LIMIT_LENGTH, longest_);
      sqlite3_limit(database_.get(), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kLongestPattern);
    }
    std::string sql = fmt::format("SELECT {}(", function_.name);
    for (std::size_t i = 0; i < count; ++i) sql += i == 0 ? "?" : ", ?";
    sqlite3_stmt* prepared = nullptr;
    sqlite3_prepare_v2(database_.get(), (sql + ")").c_str(), -1, &prepared, nullptr);
    statement_.reset(prepared);
  }

  const BoundedFunction& function_;
  int longest_;
  SqliteGuard& guard_;
  sqlite::Connection database_;
  sqlite::StatementHandle statement_;
};

void call(sqlite3_context* context, int count, sqlite3_value** values) {
  static_cast<Original*>(sqlite3_user_data(context))
      ->call(context, {values, static_cast<std::size_t>(count)});
}

}  // namespace

int install_bounded_functions(sqlite3* database, int longest, SqliteGuard& guard) {
  for (const BoundedFunction& function : kFunctions) {
    auto original = std::make_unique<Original>(function, longest, guard);
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    // SQLite deletes it in any case, also when it refuses.
    const int code = sqlite3_create_function_v2(
        database, function.name, -1, flags, original.release(), call, nullptr, nullptr,
        [](void* gone) { delete static_cast<Original*>(gone); });
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace wright::tools
