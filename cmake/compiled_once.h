// The types that most tests copy, move and keep in lists. What the compiler makes of that goes into
// the headers that the tests compile once (Precompiled.cmake), and not into every test program
// again. For the build of the tests alone: nothing includes it.
#pragma once

#include "wright/wright.h"

#include <optional>
#include <utility>
#include <vector>

namespace wright::compiled_once {

template <class T>
void copies_and_lists(T& one, const T& other) {
  T copy(other);
  T moved(std::move(copy));
  one = other;
  one = std::move(moved);
  std::optional<T> maybe = other;
  std::optional<T> maybe_copy(maybe);
  maybe_copy = std::move(maybe);
  std::vector<T> list{other};
  std::vector<T> list_copy(list);
  list.push_back(other);
  list.push_back(std::move(one));
  list = list_copy;
  list = std::move(list_copy);
}

template <class... Types>
struct Each {
  static void use(Types&... values) { (copies_and_lists(values, values), ...); }
};

// Written out, so that it belongs to the compiled header.
inline constexpr auto kUsed = &Each<Agent, Batch, Error, Message, Part, Session, Step, StoredCall,
                                    StoredMessage, StoredWait, Tool, ToolReply, Write>::use;

}  // namespace wright::compiled_once
