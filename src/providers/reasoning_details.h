// The reasoning_details of OpenRouter and MiniMax: blocks of reasoning, some with the signatures of
// the vendor behind it, which arrive in pieces and must go back exactly as they were, in order.
#pragma once

#include <cstdint>
#include <string>

#include "wright/json.h"

namespace wright::providers {

class ReasoningDetails {
 public:
  // Whether a piece is what is new, or may be all there is so far: MiniMax sends both.
  enum class Pieces : std::uint8_t { only_new, may_repeat };

  // Takes the blocks of one delta; returns the readable text that is new.
  std::string merge(const JsonArray& pieces, Pieces kind = Pieces::only_new);

  bool is_empty() const { return blocks_.empty(); }
  // {"reasoning_details": […]}.
  Json block() const;

 private:
  JsonArray blocks_;
};

}  // namespace wright::providers
