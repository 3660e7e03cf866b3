// Keeping what is sent to a model within its window. Pure: nothing here asks a model, and the
// messages of a run never change; only what a request shows of them does.
//
// First the results of old calls are shortened, their beginning and end kept; then whole old turns
// give way to a summary. A call is never separated from its result, and the user's first message
// and the last turn are always there. What was done to old messages stays done in the same way, so
// that the beginning of a request stays the same, byte by byte, and a vendor's cache holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/message.h"

namespace wright {

struct ContextWindow {
  std::int64_t tokens = 0;         // of request and answer together; 0: not known, all is sent
  std::int64_t answer_tokens = 0;  // that are kept free
  std::int64_t fixed_bytes = 0;    // of instructions and tools, which every request has
};

// What a request leaves out of the messages. It only ever grows.
struct ContextCut {
  std::size_t shortened = 0;   // messages from the first on whose results are shortened
  std::size_t summarised = 0;  // messages from the first on that the summary stands for
  std::string summary = {};
  // A turn that was too large on its own: the results of these messages keep so many bytes each.
  struct Tight {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t kept = 0;
    bool operator==(const Tight&) const = default;
  };
  Tight tight = {};
  bool operator==(const ContextCut&) const = default;
};

// What a model said that a request took: the one with the first `messages` messages under `cut`.
struct MeasuredRequest {
  std::size_t messages = 0;  // 0: nothing is known
  std::int64_t tokens = 0;
  ContextCut cut = {};
};

// The messages as the request shows them. Those that are left whole are the same bytes; where a
// summary stands for the user's last message, that one follows it.
std::vector<Message> cut_messages(std::span<const Message> messages, const ContextCut& cut);

// Tokens that a request with these messages takes, instructions and tools included: what was
// measured, and a cautious guess for what differs.
std::int64_t estimate_tokens(std::span<const Message> messages, const ContextCut& cut,
                             const ContextWindow& window, const MeasuredRequest& measured);

// What the next request should leave out. Where `summarise` has a value, that many of the first
// messages should give way to a summary first: ask the model (summary_request), put its answer into
// `cut` with summarised_cut(), and fit again.
struct ContextFit {
  ContextCut cut = {};
  std::optional<std::size_t> summarise = {};
};
ContextFit fit_context(std::span<const Message> messages, const ContextCut& cut,
                       const ContextWindow& window, const MeasuredRequest& measured);

// The conversation that a model is asked to summarise, and the question at its end.
std::vector<Message> summary_request(std::span<const Message> messages, const ContextCut& cut,
                                     std::size_t summarise);

// `cut` with the summary of the first `summarise` messages. An empty summary, from a model that
// failed, is replaced by one made of the user's own words and the names of the calls.
ContextCut summarised_cut(std::span<const Message> messages, ContextCut cut, std::size_t summarise,
                          std::string summary);

// For those who keep a cut. The messages are those it is a cut of: what cannot be one of theirs is
// refused.
Json to_json(const ContextCut& cut);
Result<ContextCut> context_cut_from_json(const Json& json, std::span<const Message> messages);

}  // namespace wright
