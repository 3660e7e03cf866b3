// One row of a result; see row_values.h of src/store for who reads it. Valid inside the callback
// that receives it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct pg_result;

namespace wright::postgres {

class Row {
 public:
  Row(const pg_result* result, int row) : result_(result), row_(row) {}

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;
  std::optional<std::string> optional_text(int column) const;

 private:
  std::string_view value(int column) const;

  const pg_result* result_;
  int row_;
};

}  // namespace wright::postgres
