// Where the parts of a cut conversation stand, and how large they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "wright/context.h"

namespace wright {

// The parts of a request, by positions in the messages. They follow from the cut and from what it
// covers alone, so that messages that come later change nothing before them.
struct ContextLayout {
  std::size_t first = 0;                 // the first so many are shown
  bool has_summary = false;              // then comes the summary,
  std::optional<std::size_t> turn = {};  // the user's message that the next ones belong to,
  bool is_continued = false;             // or a word of ours in its place,
  std::size_t begin = 0;                 // and everything from here on
};
ContextLayout layout_of(std::span<const Message> messages, const ContextCut& cut);

// Where the user's first message ends: it and what precedes it are never left out.
std::size_t first_end(std::span<const Message> messages);
// A conversation may be split before every message that is not a result.
bool is_boundary(std::span<const Message> messages, std::size_t at);
// A summary may end here: before what a person or the model said.
bool is_end_of_summary(std::span<const Message> messages, std::size_t at);
// Where the last turn begins: the last message and, for results, the calls that they answer.
std::size_t last_turn(std::span<const Message> messages);

inline constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();
// Bytes of each result of this message that are shown.
std::size_t kept_of(std::size_t at, const ContextCut& cut);
// The size of a message that keeps so many bytes of each result.
std::int64_t bytes_of(const Message& message, std::size_t kept);
// As many as cut_messages() would produce, without producing them.
std::int64_t shown_bytes(std::span<const Message> messages, const ContextCut& cut);
// Of the parts before ContextLayout::begin.
std::int64_t bytes_before(std::span<const Message> messages, const ContextLayout& layout,
                          std::size_t bytes_of_summary);

}  // namespace wright
