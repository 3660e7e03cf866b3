// When a vendor wants the next attempt, from the headers of its response or from its words. Without
// a clock: dates are relative to the response's own Date header, or to when it arrived.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "wright/model.h"

namespace wright::providers {

// The larger of those that are there.
std::optional<std::int64_t> later_of(std::optional<std::int64_t> one,
                                     std::optional<std::int64_t> other);

// "34.07s", "6m0s", "1h2m3.5s", "120ms".
std::optional<std::int64_t> duration_ms(std::string_view text);

// retry-after-ms, retry-after (seconds or a date): the later of the two.
std::optional<std::int64_t> retry_after_ms(const HttpResponseHead& head);

// When the limit that was hit resets, by the vendors' reset headers. Those come with every
// response, so this is meaningful only where a limit was hit.
std::optional<std::int64_t> limit_reset_ms(const HttpResponseHead& head);

// "Please try again in 7.66s".
std::optional<std::int64_t> retry_after_in_words(std::string_view message);

}  // namespace wright::providers
