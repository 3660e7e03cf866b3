// Numbers and times as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wright/error.h"
#include "wright/message.h"

namespace wright::app {

std::string show_duration(double milliseconds);  // "0.4 ms", "120 ms", "1.2 s", "2 min 5 s"
std::string show_count(std::int64_t count);      // "950", "1.2k", "3.4M"

// "3.8k tokens in, 597 out"; with what came from a cache, "3.8k tokens in (62 % cached), 597 out".
std::string show_tokens(const Usage& usage);

std::string show_cost(double dollars);  // "$0.0012", "$1.20"

// A stored duration, which is in whole milliseconds: "under 1 ms" for 0.
std::string show_whole_duration(std::int64_t milliseconds);

// "1 turn", "3 turns".
std::string show_counted(std::int64_t count, std::string_view singular);

// Local time: "2026-03-01 14:05:09".
std::string show_time(std::int64_t milliseconds_since_1970);

// "just now", "5 min ago", "3 h ago", "2 days ago", and the date when it is long ago.
std::string show_age(std::int64_t then, std::int64_t now);

// The moment that a person means by "90s", "15m", "2h", "3d", "1w" (before now), "today",
// "yesterday", "2026-03-01" or "2026-03-01T14:05[:09]" (local time, or UTC with a final Z).
Result<std::int64_t> moment_from(std::string_view text, std::int64_t now);

}  // namespace wright::app
