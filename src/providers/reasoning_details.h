// OpenRouter's reasoning_details: blocks of reasoning with the signatures of the vendor behind it,
// which arrive in pieces and must go back exactly as they were, in order.
#pragma once

#include "wright/json.h"

namespace wright::providers {

class ReasoningDetails {
 public:
  // Takes the blocks of one delta; returns the readable text that is new.
  std::string merge(const JsonArray& pieces);

  bool is_empty() const { return blocks_.empty(); }
  // {"reasoning_details": […]}.
  Json block() const;

 private:
  JsonArray blocks_;
};

}  // namespace wright::providers
