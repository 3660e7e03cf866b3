#include "postgres/row.h"

#include <libpq-fe.h>

#include <charconv>

#include "postgres/request.h"

namespace wright::postgres {
namespace {

// FNV-1a: short, and the same in every version of every process.
std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  return hash;
}

template <class Number>
Number number_from(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Sql::Sql(std::string sql)
    : text(std::move(sql)), name(fmt::format("w{:016x}", fingerprint(text))) {}

std::string_view Row::value(int column) const {
  return {PQgetvalue(result_, row_, column),
          static_cast<std::size_t>(PQgetlength(result_, row_, column))};
}

bool Row::is_null(int column) const {
  return PQgetisnull(result_, row_, column) == 1;
}

std::int64_t Row::integer(int column) const {
  return number_from<std::int64_t>(value(column));
}

double Row::real(int column) const {
  return number_from<double>(value(column));
}

std::string Row::text(int column) const {
  return from_column(value(column));
}

std::optional<std::int64_t> Row::optional_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<std::string> Row::optional_text(int column) const {
  return is_null(column) ? std::nullopt : std::optional(text(column));
}

}  // namespace wright::postgres
