// Conversations that are longer than a model's window: what a request shows of them, and who
// decides that. Only requests are shortened; the messages of a run never change.
//
// First the results of old calls are shortened, their beginning and end kept; where that is not
// enough, the oldest turns give way to a summary. A call is never separated from its result, and
// the user's first message and the last turn are always there. What was done to old messages stays
// done in the same way, so that the beginning of a request stays the same, byte by byte, and a
// vendor's cache holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wright/message.h"
#include "wright/model.h"

namespace wright {

struct ContextWindow {
  // Of request and answer together; absent: not known, all is sent.
  std::optional<std::int64_t> tokens = {};
  std::int64_t answer_tokens = 0;  // that are kept free
  std::int64_t fixed_bytes = 0;    // of instructions and tools, which every request has
};

// What a request leaves out of the messages. It only ever grows.
struct ContextCut {
  std::size_t shortened = 0;   // messages from the first on whose results are shortened
  std::size_t kept = 1'200;    // bytes that each of those results keeps
  std::size_t summarised = 0;  // messages from the first on that the summary stands for
  std::string summary = {};
  std::size_t turn = 0;  // the user's message that the first one behind belongs to; 0: none
  // Turns that were too large on their own: the results of these messages keep so many bytes each.
  struct Tight {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t kept = 0;
    bool operator==(const Tight&) const = default;
  };
  std::vector<Tight> tight = {};
  bool operator==(const ContextCut&) const = default;
};

// What a model said that a request took: the one with the first `messages` messages under `cut`.
struct MeasuredRequest {
  std::size_t messages = 0;  // 0: nothing is known
  std::int64_t tokens = 0;
  ContextCut cut = {};
  // That were shown, instructions and tools included; 0: not known. How many of them make a token
  // is then known as well, and need not be guessed.
  std::int64_t bytes = 0;
};

// What the next request should leave out. Where `summarise` has a value, that many of the first
// messages should give way to a summary first.
struct ContextFit {
  ContextCut cut = {};
  std::optional<std::size_t> summarise = {};
  // Whether a summary is worth a call of a model. Otherwise one is made without, of the user's own
  // words and the names of the calls.
  bool is_worth_asking = true;
};

// The messages as a request with this cut shows them. Those that are left whole are the same bytes.
std::vector<Message> cut_messages(std::span<const Message> messages, const ContextCut& cut);

// Tokens that a request with these messages takes, instructions and tools included: what was
// measured, and a cautious guess for what differs.
std::int64_t estimate_tokens(std::span<const Message> messages, const ContextCut& cut,
                             const ContextWindow& window, const MeasuredRequest& measured);

// The policy of those who have none of their own.
ContextFit fit_context(std::span<const Message> messages, const ContextCut& cut,
                       const ContextWindow& window, const MeasuredRequest& measured);

// How an agent's conversations are kept within its model's window (Agent::context). All drivers do
// as it says.
struct ContextPolicy {
  // Decides before every request. Pure, and from any thread. A place between a call and its result
  // is moved before the call; a cut that takes back what an earlier one left out is not taken.
  using Fit =
      std::function<ContextFit(std::span<const Message> messages, const ContextCut& cut,
                               const ContextWindow& window, const MeasuredRequest& measured)>;
  Fit fit = {};                     // empty: fit_context()
  Model summary_model = {};         // not set: the agent's own
  std::string summary_prompt = {};  // empty: Notice::Kind::summarise
  // The share of all tokens of a session that summaries may take. Beyond it, and where it is 0,
  // they are made without a model.
  double most_for_summaries = 0.25;
};

}  // namespace wright
