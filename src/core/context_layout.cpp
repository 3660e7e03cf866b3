#include "core/context_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "core/text.h"

namespace wright {
namespace {

constexpr std::int64_t kBytesOfMessage = 12;   // for its role and the marks around it
constexpr std::int64_t kBytesOfImage = 6'000;  // as vendors count them, whatever their size

// Where next to nothing is kept, next to nothing is said about it.
struct LeftOutNote {
  std::int64_t bytes = 0;
  std::size_t worth = 0;  // a result that the note would not make shorter stays as it is
};
constexpr std::size_t kLeastForSentence = 400;
constexpr LeftOutNote note_for(std::size_t kept) {
  return kept >= kLeastForSentence ? LeftOutNote{100, 200} : LeftOutNote{30, 40};
}

std::int64_t size_of(std::string_view text) {
  return static_cast<std::int64_t>(text.size());
}

bool is_shortened(const ToolResult& result, std::size_t kept) {
  return kept != kWhole && result.content.size() > kept + note_for(kept).worth;
}

std::int64_t bytes_of(const ToolResult& result, std::size_t kept) {
  const std::int64_t around = size_of(result.call_id) + size_of(result.name);
  if (kept == kWhole) {
    return around + size_of(result.content) +
           kBytesOfImage * static_cast<std::int64_t>(result.images.size());
  }
  const LeftOutNote note = note_for(kept);
  return around +
         (is_shortened(result, kept) ? static_cast<std::int64_t>(kept) + note.bytes
                                     : size_of(result.content)) +
         (result.images.empty() ? 0 : note.bytes);
}

// The beginning and the end, between characters, and how much is missing.
std::string shortened_text(const std::string& text, std::size_t kept) {
  const bool has_end = kept >= kLeastForSentence;
  std::size_t head = has_end ? kept - kept / 3 : kept;
  std::size_t tail = has_end ? text.size() - kept / 3 : text.size();
  while (head > 0 && is_continuation(text[head])) --head;
  while (tail < text.size() && is_continuation(text[tail])) ++tail;
  const std::string_view begin = std::string_view(text).substr(0, head);
  if (!has_end) return fmt::format("{}[{} bytes left out]", begin, tail - head);
  return fmt::format(
      "{}\n[{} bytes were left out here to save room. Call the tool again if you "
      "need them.]\n{}",
      begin, tail - head, std::string_view(text).substr(tail));
}

void shorten_results(Message& message, std::size_t kept) {
  if (kept == kWhole) return;
  for (Part& part : message.parts) {
    auto* result = std::get_if<ToolResult>(&part);
    if (result == nullptr) continue;
    if (is_shortened(*result, kept)) result->content = shortened_text(result->content, kept);
    if (result->images.empty()) continue;
    result->content +=
        fmt::format("\n[{} images were left out to save room.]", result->images.size());
    result->images.clear();
  }
}

// The model's own words, so that the two sides take turns: some servers want nothing else.
Message summary_message(const ContextLayout& layout, const std::string& summary) {
  std::string text = "[What was said and done here before, in short:]\n" + summary;
  return layout.first == 0 ? Message::user(std::move(text)) : Message::assistant(std::move(text));
}

Message continuation() {
  return Message::user("[Go on from there.]");
}

}  // namespace

std::size_t first_end(std::span<const Message> messages) {
  const auto first = std::ranges::find(messages, Role::user, &Message::role);
  return first == messages.end()
             ? 0
             : static_cast<std::size_t>(std::distance(messages.begin(), first)) + 1;
}

bool is_boundary(std::span<const Message> messages, std::size_t at) {
  return at < messages.size() && messages[at].role != Role::tool;
}

bool is_end_of_summary(std::span<const Message> messages, std::size_t at) {
  return at < messages.size() &&
         (messages[at].is_from_user() || messages[at].role == Role::assistant);
}

std::size_t last_turn(std::span<const Message> messages) {
  std::size_t at = messages.empty() ? 0 : messages.size() - 1;
  while (at > 0 && !is_boundary(messages, at)) --at;
  return at;
}

ContextLayout layout_of(std::span<const Message> messages, const ContextCut& cut) {
  ContextLayout layout;
  layout.first = layout.begin = first_end(messages);
  if (cut.summarised <= layout.first) return layout;
  layout.has_summary = true;
  layout.begin = std::min(cut.summarised, messages.size());
  if (cut.turn >= layout.first && cut.turn < layout.begin) {
    layout.turn = cut.turn;
  } else {
    layout.is_continued = layout.first > 0 && layout.begin < messages.size() &&
                          messages[layout.begin].role == Role::assistant;
  }
  return layout;
}

std::size_t kept_of(std::size_t at, const ContextCut& cut) {
  std::size_t kept = at < cut.shortened ? cut.kept : kWhole;
  for (const ContextCut::Tight& tight : cut.tight) {
    if (at >= tight.begin && at < tight.end) kept = std::min(kept, tight.kept);
  }
  return kept;
}

std::int64_t bytes_of(const Message& message, std::size_t kept) {
  std::int64_t bytes = kBytesOfMessage;
  for (const Part& part : message.parts) {
    if (const std::string* words = words_in(part)) bytes += size_of(*words);
    if (const auto* text = std::get_if<Text>(&part)) {
      for (const Citation& each : text->citations) bytes += size_of(each.opaque);
    }
    if (const auto* thought = std::get_if<Reasoning>(&part)) {
      bytes += size_of(thought->text) + size_of(thought->opaque);
    }
    if (std::holds_alternative<Image>(part)) bytes += kBytesOfImage;
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      bytes += size_of(call->id) + size_of(call->name) + size_of(call->arguments);
    }
    if (const auto* result = std::get_if<ToolResult>(&part)) bytes += bytes_of(*result, kept);
  }
  return bytes;
}

std::int64_t bytes_before(std::span<const Message> messages, const ContextLayout& layout,
                          std::size_t bytes_of_summary) {
  constexpr std::int64_t kBytesOfHeading = 100;
  std::int64_t bytes = 0;
  for (std::size_t at = 0; at < layout.first; ++at) bytes += bytes_of(messages[at], kWhole);
  if (layout.has_summary) {
    bytes += kBytesOfMessage + kBytesOfHeading + static_cast<std::int64_t>(bytes_of_summary);
  }
  if (layout.turn) bytes += bytes_of(messages[*layout.turn], kWhole);
  if (layout.is_continued) bytes += bytes_of(continuation(), kWhole);
  return bytes;
}

std::int64_t shown_bytes(std::span<const Message> messages, const ContextCut& cut) {
  const ContextLayout layout = layout_of(messages, cut);
  std::int64_t bytes = bytes_before(messages, layout, cut.summary.size());
  for (std::size_t at = layout.begin; at < messages.size(); ++at) {
    bytes += bytes_of(messages[at], kept_of(at, cut));
  }
  return bytes;
}

std::vector<Message> cut_messages(std::span<const Message> messages, const ContextCut& cut) {
  const ContextLayout layout = layout_of(messages, cut);
  std::vector<Message> shown(messages.begin(),
                             messages.begin() + static_cast<std::ptrdiff_t>(layout.first));
  if (layout.has_summary) shown.push_back(summary_message(layout, cut.summary));
  if (layout.turn) shown.push_back(messages[*layout.turn]);
  if (layout.is_continued) shown.push_back(continuation());
  for (std::size_t at = layout.begin; at < messages.size(); ++at) {
    shown.push_back(messages[at]);
    shorten_results(shown.back(), kept_of(at, cut));
  }
  return shown;
}

}  // namespace wright
