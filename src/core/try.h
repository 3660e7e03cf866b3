// TRY(expression): passes an error on. The expression gives a Result, or any std::expected. If it
// failed, the function or lambda around returns its error; otherwise TRY is its value, moved out:
//
//   const std::string text = TRY(read_file(path));
//   TRY(store.write(text));
//
// A Result that has a name is copied, or moved with TRY(std::move(result)); what cannot be copied
// must be moved. A Result<void> gives no value.
//
// TRY stands alone: it is a whole statement, a whole initialiser, the whole right side of an
// assignment, what a `return` returns, or the range of a `for`. Never an argument, an operand or an
// element of a list in braces: there g++ 12 returns without destroying what is already made.
// tests/layers checks this.
#pragma once

#include <expected>
#include <type_traits>
#include <utility>

namespace wright {

// For TRY alone.
template <class Tried>
auto value_of_tried(Tried&& tried) -> typename std::remove_cvref_t<Tried>::value_type {
  if constexpr (!std::is_void_v<typename std::remove_cvref_t<Tried>::value_type>) {
    return *std::forward<Tried>(tried);
  }
}

}  // namespace wright

#define TRY(...)                                                                \
  __extension__({                                                               \
    auto&& tried = (__VA_ARGS__);                                               \
    if (!tried) [[unlikely]] {                                                  \
      return ::std::unexpected(::std::forward<decltype(tried)>(tried).error()); \
    }                                                                           \
    ::wright::value_of_tried(::std::forward<decltype(tried)>(tried));           \
  })
