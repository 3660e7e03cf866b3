// Separates reasoning from text: many open models write it between <think> and </think> at the very
// beginning of their response. Tags anywhere else are text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace wright::providers {

class ThinkTags {
 public:
  // Calls `on_text` and `on_reasoning` (void(std::string_view)) with what is certain by now.
  template <class OnText, class OnReasoning>
  void feed(std::string_view piece, OnText&& on_text, OnReasoning&& on_reasoning) {
    if (state_ == State::text) return on_text(piece);
    held_ += piece;
    Found found;
    while ((found = next()).kind != Found::Kind::nothing) {
      if (found.kind == Found::Kind::text) on_text(std::string_view(found.words));
      if (found.kind == Found::Kind::reasoning) on_reasoning(std::string_view(found.words));
    }
  }

  // The end: what was held back is taken as it is.
  template <class OnText, class OnReasoning>
  void finish(OnText&& on_text, OnReasoning&& on_reasoning) {
    const std::string rest = std::exchange(held_, {});
    const State state = std::exchange(state_, State::text);
    if (rest.empty() || state == State::behind) return;
    if (state == State::inside) return on_reasoning(std::string_view(rest));
    on_text(std::string_view(rest));
  }

 private:
  enum class State : std::uint8_t { before, inside, behind, text };
  struct Found {
    enum class Kind : std::uint8_t { nothing, text, reasoning };
    Kind kind = Kind::nothing;
    std::string words = {};
  };
  Found next();

  State state_ = State::before;
  std::string held_;  // what may be the beginning of a tag
};

}  // namespace wright::providers
