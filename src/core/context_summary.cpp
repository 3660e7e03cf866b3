// What takes the place of old turns: the words of a model, the user's own, or a list.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/context_layout.h"
#include "core/context_window.h"
#include "core/text.h"
#include "wright/run.h"

namespace wright {
namespace {

constexpr std::size_t kMostOfSaid = 1'200;      // bytes of a user's message
constexpr std::size_t kMostOfAnswer = 300;      // and of an answer
constexpr std::size_t kMostLookedBack = 2'000;  // messages

std::string at_most(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_continuation(text[bytes])) --bytes;
  text.resize(bytes);
  return text;
}

std::string quoted(const std::string& said, std::size_t most) {
  return at_most(said, most) + (said.size() > most ? "…" : "");
}

// Without a model: what was said, and which tools were called.
std::string plain_summary(std::span<const Message> messages) {
  std::string lines;
  for (const Message& message : messages) {
    const bool is_user = message.role == Role::user;
    if (is_user && !message.is_from_user()) continue;
    const std::string said = message.text();
    if (!said.empty()) {
      lines += fmt::format("- {}: {}\n", is_user ? "The user" : "You",
                           quoted(said, is_user ? kMostOfSaid : kMostOfAnswer));
    }
    for (const ToolCall& call : message.tool_calls()) {
      lines += fmt::format("- You called {}\n", call.name);
    }
  }
  return lines;
}

// The newest lines.
std::string last_lines(std::string lines, std::size_t bytes) {
  if (lines.size() <= bytes) return lines;
  const std::size_t begin = lines.find('\n', lines.size() - bytes);
  return begin == std::string::npos ? std::string() : lines.substr(begin + 1);
}

// What a person said here: in words, or by refusing a call. Empty for everything else.
std::string persons_words(const Message& message) {
  if (message.is_from_user()) return message.text();
  for (const Part& part : message.parts) {
    const auto* result = std::get_if<ToolResult>(&part);
    if (result != nullptr && result->origin == ToolResult::Origin::refused) {
      return result->content;
    }
  }
  return {};
}

// Verbatim, the newest that have room, oldest first. A model's summary may lose them.
std::string words_of_people(std::span<const Message> messages, std::size_t bytes) {
  std::string words;
  const std::size_t most = std::min(kMostOfSaid, bytes / 3);
  const std::size_t least = messages.size() - std::min(messages.size(), kMostLookedBack);
  for (std::size_t at = messages.size(); at > least; --at) {
    const std::string said = persons_words(messages[at - 1]);
    if (said.empty()) continue;
    const std::string line = fmt::format("- {}\n", quoted(said, most));
    if (words.size() + line.size() > bytes) break;
    words.insert(0, line);
  }
  return words;
}

// The user's message that the one at `summarised` belongs to, unless it is shown anyway.
std::size_t turn_of(std::span<const Message> messages, const ContextCut& cut,
                    std::size_t summarised) {
  if (summarised >= messages.size() || messages[summarised].is_from_user()) return 0;
  const std::size_t least = std::max(first_end(messages), cut.summarised);
  for (std::size_t at = summarised; at > least; --at) {
    if (messages[at - 1].is_from_user()) return at - 1;
  }
  return cut.turn;
}

}  // namespace

std::vector<Message> summary_request(std::span<const Message> messages, const ContextCut& cut,
                                     std::size_t summarise, const Message& question,
                                     const ContextWindow& window, const MeasuredRequest& measured) {
  const auto asked_of = messages.first(std::min(summarise, messages.size()));
  ContextCut shown = cut;
  if (window.tokens) {
    // A summary of shortened results would lose twice.
    ContextCut whole = cut;
    whole.shortened = 0;
    whole.tight.clear();
    if (estimate_tokens(asked_of, whole, window, measured) <= room_in(window)) shown = whole;
  }
  auto asked = cut_messages(asked_of, shown);
  asked.push_back(question);
  return asked;
}

std::vector<Message> summary_request(std::span<const Message> messages, const ContextCut& cut,
                                     std::size_t summarise) {
  return summary_request(messages, cut, summarise, Message::notice(Notice::Kind::summarise));
}

ContextCut summarised_cut(std::span<const Message> messages, ContextCut cut, std::size_t summarise,
                          std::string summary, std::size_t most_bytes) {
  const std::size_t first = first_end(messages);
  const std::size_t end = std::min(summarise, messages.size());
  if (trimmed(summary).empty()) {
    const std::size_t begin = std::min(std::max(first, cut.summarised), end);
    summary = cut.summarised > first ? cut.summary : "";
    summary += plain_summary(messages.subspan(begin, end - begin));
    summary = last_lines(std::move(summary), most_bytes);
  } else {
    const std::size_t turn = turn_of(messages, cut, end);
    const std::size_t said_end = turn != 0 && turn >= first ? std::min(turn, end) : end;
    const std::string words = words_of_people(
        messages.subspan(std::min(first, said_end), said_end - std::min(first, said_end)),
        most_bytes / 3);
    summary = at_most(std::move(summary), most_bytes - words.size());
    if (!words.empty()) summary += "\n[What the user said, word for word:]\n" + words;
  }
  cut.turn = turn_of(messages, cut, end);
  cut.summarised = summarise;
  cut.shortened = std::max(cut.shortened, end);
  cut.summary = std::move(summary);
  std::erase_if(cut.tight, [&](const ContextCut::Tight& tight) { return tight.end <= end; });
  return cut;
}

}  // namespace wright
