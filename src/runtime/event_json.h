// Events as data that outlives the callback: for subscribers, for replay, for the wire.
#pragma once

#include <string_view>

#include "wright/events.h"

namespace wright::runtime {

std::string_view type_of(const Event& event);
Json data_of(const Event& event);

}  // namespace wright::runtime
