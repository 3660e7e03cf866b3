// Events as data that outlives the callback: for subscribers, for replay, for the wire.
#pragma once

#include <span>
#include <string_view>

#include "wright/events.h"

namespace wright::runtime {

std::string_view type_of(const Event& event);
Json data_of(const Event& event);
// What people are waited for, a list.
Json waits_json(std::span<const PersonWait> waits);

}  // namespace wright::runtime
