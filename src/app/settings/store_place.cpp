#include "app/settings/store_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "app/settings/paths.h"
#include "core/try.h"
#include "postgres/place.h"

namespace wright::app {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

Result<void> take_own(std::string_view name, std::string_view value, StorePlace& place) {
  if (name == "schema") {
    place.schema = value;
    return {};
  }
  const auto [end, problem] =
      std::from_chars(value.data(), value.data() + value.size(), place.connections);
  constexpr std::size_t kMost = 1000;
  if (problem == std::errc() && end == value.data() + value.size() && place.connections > 0 &&
      place.connections <= kMost) {
    return {};
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("connections={} is not a number from 1 to {}", value, kMost));
}

Result<StorePlace> postgres_place(std::string_view text) {
  TRY(postgres::check_place(text));
  StorePlace place;
  const std::size_t question = text.find('?');
  place.uri = text.substr(0, question);
  if (question == std::string_view::npos) return place;
  std::string_view rest = text.substr(question + 1);
  char separator = '?';
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    if (equals != std::string_view::npos && (name == "schema" || name == "connections")) {
      TRY(take_own(name, one.substr(equals + 1), place));
      continue;
    }
    (place.uri += separator) += one;
    separator = '&';
  }
  return place;
}

// libpq's other form: "host=… dbname=… password=…". As a path it would show the password.
bool is_keyword_form(std::string_view text) {
  constexpr std::array<std::string_view, 9> kKeywords{
      "host", "hostaddr", "port", "dbname", "user", "password", "service", "passfile", "sslmode"};
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  std::string_view first = text.substr(0, equals);
  first = first.substr(0, first.find_last_not_of(" \t\n") + 1);
  return std::ranges::find(kKeywords, first) != kKeywords.end() || text.contains("password=");
}

}  // namespace

Result<StorePlace> store_place_from(std::string_view text, const Environment& environment) {
  if (postgres::is_place(text)) return postgres_place(text);
  const bool is_named = text.starts_with(kSqlite);
  if (!is_named && text.contains("://")) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}… is no store that Wright knows: use a path, sqlite:PATH or "
                            "postgresql://…",
                            text.substr(0, text.find("://") + 3)));
  }
  if (!is_named && is_keyword_form(text)) {
    return fail(ErrorCode::invalid_argument,
                "A PostgreSQL is named by a URI, postgresql://USER@HOST/DATABASE, not by "
                "keyword=value. A file of such a name is sqlite:PATH");
  }
  const std::string_view path = is_named ? text.substr(kSqlite.size()) : text;
  if (path.empty()) return fail(ErrorCode::invalid_argument, "sqlite: needs a path behind it");
  return StorePlace{.file = expand_home(path, environment)};
}

}  // namespace wright::app
