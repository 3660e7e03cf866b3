// What a replay found, as text and as JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "app/terminal/terminal.h"
#include "wright/replay.h"

namespace wright::app {

// "message 5, the result of grep", with the way to the specialist where there is one.
std::string place_of(const Difference& difference);

// What was recorded against what came, line by line; long ones are cut, and say so. Ends with a
// line feed, behind `margin` spaces.
std::string difference_view(const Difference& difference, std::size_t margin,
                            const Terminal& terminal);

// "3 turns, 4 tool calls from the record, 1 executed".
std::string work_of(const ReplayReport& report);

// {"turns", "recorded_calls", "live_calls", "complete", "notes", "differences"}.
JsonObject report_json(const ReplayReport& report);

}  // namespace wright::app
