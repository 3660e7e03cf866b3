#include "providers/think_tags.h"

#include <algorithm>
#include <utility>

namespace wright::providers {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kBlank = " \t\r\n";

// How many bytes at the end of `text` may be the beginning of `tag`.
std::size_t begun_at_end(std::string_view text, std::string_view tag) {
  for (std::size_t length = std::min(text.size(), tag.size() - 1); length > 0; --length) {
    if (text.ends_with(tag.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

ThinkTags::Found ThinkTags::next() {
  const std::size_t begin = std::min(held_.find_first_not_of(kBlank), held_.size());
  const std::string_view said = std::string_view(held_).substr(begin);
  switch (state_) {
    case State::before:
      if (said.starts_with(kOpen)) {
        held_.erase(0, begin + kOpen.size());
        state_ = State::inside;
        return next();
      }
      if (kOpen.starts_with(said)) return {};
      state_ = State::text;
      return {Found::Kind::text, std::exchange(held_, {})};
    case State::inside: {
      const std::size_t close = held_.find(kClose);
      const bool is_closed = close != std::string::npos;
      std::string thought =
          held_.substr(0, is_closed ? close : held_.size() - begun_at_end(held_, kClose));
      held_.erase(0, thought.size() + (is_closed ? kClose.size() : 0));
      if (is_closed) state_ = State::behind;
      if (!thought.empty()) return {Found::Kind::reasoning, std::move(thought)};
      return is_closed ? next() : Found{};
    }
    case State::behind:
      if (said.empty()) return {};
      held_.erase(0, begin);
      state_ = State::text;
      return {Found::Kind::text, std::exchange(held_, {})};
    case State::text: return {};
  }
  return {};
}

}  // namespace wright::providers
