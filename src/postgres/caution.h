// How batches are sent; see writing.h.
#pragma once

#include <cstdint>

namespace wright::postgres {

enum class Caution : std::uint8_t {
  as_needed,
  always,  // every batch statement by statement, as if each were refused; for tests
};

}  // namespace wright::postgres
