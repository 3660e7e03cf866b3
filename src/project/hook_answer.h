// What a hook means by what it prints. Words of other agents' hooks that decide nothing are known
// and passed over; whatever else may be meant as a no is none that is overheard: the hook has
// failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "project/hooks.h"
#include "wright/json.h"

namespace wright::project {

inline constexpr std::size_t kMostSaidByHook = 4000;  // bytes that the model reads of it
inline constexpr std::string_view kNoReasonOfHook = "a hook refused this, without a reason";

struct HookAnswer {
  enum class Verdict : std::uint8_t { nothing, ask, failed, refuse };
  Verdict verdict = Verdict::nothing;
  std::string reason = {};
  bool allows = false;
  std::string note = {};           // for the model
  std::optional<Json> input = {};  // the arguments, changed
};

HookAnswer answer_in(std::string_view printed, HookMoment moment);

}  // namespace wright::project
