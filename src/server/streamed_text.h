// What of an answer was sent while the model spoke, and what of it is left at the end: so that the
// pieces that somebody reads are the whole text, however often the model began. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::server {

class StreamedText {
 public:
  enum class Pace : std::uint8_t {
    at_end,        // only the end tells whether what the model says is the answer
    after_remark,  // it may be a remark before a call of a tool, as long as it is no longer than one
    live,          // whatever it says is the answer
  };
  static constexpr std::size_t kLongestRemark = 500;

  explicit StreamedText(Pace pace = Pace::at_end) : pace_(pace) {}

  // The model is asked, or asked again: what it said since the last time is void, unless the turn has
  // ended. Then what was sent of it was a long remark: the answer begins behind what is given.
  std::string begin_attempt();
  // What the model says now; the part of it that can be sent. What was sent of an attempt before is
  // not sent again.
  std::string add(std::string_view piece);
  void end_turn() { has_turn_ended_ = true; }
  // What is left of the answer. An error where something else was sent already.
  Result<std::string> rest_of(std::string_view answer) const;

 private:
  Pace pace_;
  std::string sent_;  // of the answer
  std::string held_;  // of this attempt, which may be a remark
  bool has_turn_ended_ = false;
  std::size_t said_ = 0;     // bytes of this attempt
  bool is_another_ = false;  // this attempt says something else than what was sent
};

}  // namespace wright::server
