// The parts of context.h that only the fitting itself uses. Pure: nothing here asks a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wright/context.h"
#include "wright/json.h"

namespace wright {

inline constexpr std::size_t kMostOfSummary = 8'000;  // bytes, where nothing is said of the window

// Bytes that a summary may have in a window of this size.
std::size_t most_of_summary(const ContextWindow& window);
// Tokens for a request in this window.
std::int64_t room_in(const ContextWindow& window);

// Tokens that a request takes at the very least: for saying that something cannot fit.
std::int64_t least_tokens(std::span<const Message> messages, const ContextCut& cut,
                          const ContextWindow& window, const MeasuredRequest& measured);

// All but the last turn, if that can be summed up.
std::optional<std::size_t> place_of_last_turn(std::span<const Message> messages,
                                              const ContextCut& cut);

// `fit` as it may be used: its places are between turns, and nothing comes back that `before` left
// out.
ContextFit usable_fit(std::span<const Message> messages, const ContextCut& before, ContextFit fit);

// The conversation that a model is asked to summarise, and the question at its end. Results are
// whole where a request with them still fits into `room` tokens.
std::vector<Message> summary_request(std::span<const Message> messages, const ContextCut& cut,
                                     std::size_t summarise, const Message& question,
                                     const ContextWindow& window = {},
                                     const MeasuredRequest& measured = {});
std::vector<Message> summary_request(std::span<const Message> messages, const ContextCut& cut,
                                     std::size_t summarise);

// `cut` with the summary of the first `summarise` messages, and behind it the user's own words. A
// blank summary, from a model that failed, is replaced by one made of the user's words and the
// names of the calls.
ContextCut summarised_cut(std::span<const Message> messages, ContextCut cut, std::size_t summarise,
                          std::string summary, std::size_t most_bytes = kMostOfSummary);

// For those who keep a cut. The messages are those it is a cut of: what cannot be one of theirs is
// refused.
Json to_json(const ContextCut& cut);
Result<ContextCut> context_cut_from_json(const Json& json, std::span<const Message> messages);
// What a session keeps of its context, for one that has only its first `messages` messages; null
// when it does not hold there.
Json context_of_fork(const Json& kept, std::size_t messages);

}  // namespace wright
