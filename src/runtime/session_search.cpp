// The tool that finds what requests leave out: the stored session has every word.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/firm_bounds.h"
#include "core/text.h"
#include "core/try.h"
#include "runtime/session_search.h"
#include "wright/driver.h"

namespace wright {
namespace {

constexpr std::size_t kMostFound = 8;      // messages
constexpr std::size_t kBytesAround = 200;  // of what was found
constexpr std::size_t kMostRead = 6'000;   // bytes of one message
constexpr std::size_t kMostWords = 12;

struct SessionQuestion {
  std::optional<std::string> query = {};
  std::optional<int> message = {};
  std::optional<int> offset = {};
};
WRIGHT_DESCRIBE(SessionQuestion,
                WRIGHT_FIELD(query, "Words to look for; those that have most of them come first"),
                WRIGHT_FIELD(message, "The number of a message to read instead").at_least(1),
                WRIGHT_FIELD(offset, "Byte of that message to begin at").at_least(0))

// All that a message says, shows or calls.
std::string all_words(const Message& message) {
  std::string words;
  for (const Part& part : message.parts) {
    if (const std::string* said = words_in(part)) words += *said + "\n";
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      words += fmt::format("{} {}\n", call->name, call->arguments);
    }
    if (const auto* result = std::get_if<ToolResult>(&part)) words += result->content + "\n";
  }
  return words;
}

std::vector<std::string> words_of(std::string_view query) {
  std::vector<std::string> words;
  for (std::string_view left = trimmed(query); !left.empty() && words.size() < kMostWords;) {
    const std::size_t end = std::min(left.find_first_of(" \t\r\n"), left.size());
    words.push_back(lower(left.substr(0, end)));
    left = trimmed(left.substr(end));
  }
  return words;
}

std::string_view between_characters(std::string_view text, std::size_t begin, std::size_t length) {
  begin = std::min(begin, text.size());
  std::size_t end = std::min(text.size(), begin + length);
  while (begin < end && is_continuation(text[begin])) ++begin;
  while (end < text.size() && end > begin && is_continuation(text[end])) --end;
  return text.substr(begin, end - begin);
}

struct FoundMessage {
  std::size_t number = 0;
  std::size_t score = 0;
  std::string excerpt = {};
};

std::optional<FoundMessage> look_in(const Message& message, std::size_t number,
                                    const std::vector<std::string>& words) {
  const std::string text = all_words(message);
  const std::string low = lower(text);
  FoundMessage found{.number = number};
  std::size_t first = std::string::npos;
  for (const std::string& word : words) {
    const std::size_t at = low.find(word);
    if (at == std::string::npos) continue;
    ++found.score;
    first = std::min(first, at);
  }
  if (found.score == 0) return std::nullopt;
  const std::size_t begin = first - std::min(first, kBytesAround);
  found.excerpt = between_characters(text, begin, 2 * kBytesAround);
  return found;
}

Result<std::string> read_message(const std::vector<StoredMessage>& messages,
                                 const SessionQuestion& question) {
  const int number = question.message.value_or(0);
  if (number < 1 || static_cast<std::size_t>(number) > messages.size()) {
    return fail(ErrorCode::not_found,
                fmt::format("There are messages from 1 to {}", messages.size()));
  }
  const Message& message = messages[static_cast<std::size_t>(number) - 1].message;
  const std::string text = all_words(message);
  const auto begin = static_cast<std::size_t>(std::max(0, question.offset.value_or(0)));
  const std::string_view part = between_characters(text, begin, kMostRead);
  std::string read = fmt::format("message {} ({}), {} bytes:\n{}", number, to_string(message.role),
                                 text.size(), part);
  if (begin + part.size() < text.size()) {
    read += fmt::format("\n[It goes on at offset {}.]", begin + part.size());
  }
  return read;
}

Result<std::string> search_messages(const std::vector<StoredMessage>& messages,
                                    const SessionQuestion& question) {
  const auto words = words_of(question.query.value_or(""));
  if (words.empty()) {
    return fail(ErrorCode::invalid_argument, "Say what to look for (query), or which message");
  }
  std::vector<FoundMessage> found;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (auto one = look_in(messages[i].message, i + 1, words)) found.push_back(std::move(*one));
  }
  // The newest of those that are equally good.
  std::ranges::sort(found, [](const FoundMessage& a, const FoundMessage& b) {
    return std::pair(a.score, a.number) > std::pair(b.score, b.number);
  });
  const std::size_t all = found.size();
  if (found.size() > kMostFound) found.resize(kMostFound);
  std::string text = fmt::format("{} of {} messages have any of these words", all, messages.size());
  for (const FoundMessage& each : found) {
    const Message& message = messages[each.number - 1].message;
    text += fmt::format("\n\nmessage {} ({}): …{}…", each.number, to_string(message.role),
                        trimmed(each.excerpt));
  }
  return text;
}

}  // namespace

Tool search_session_tool(FindStore find_store) {
  return with_firm_bounds(tool(
      "search_session",
      "Searches all that was said and done in this session, also what is left out of the "
      "conversation as you see it: messages, calls and whole results. Give words to look for, or "
      "the number of a message to read.",
      [find_store = std::move(find_store)](const SessionQuestion& question,
                                           const Context& context) -> Result<std::string> {
        if (context.session_id == 0) {
          return fail(ErrorCode::unavailable, "This session is not stored");
        }
        Store* store = TRY(find_store());
        const auto messages = TRY(store->get_messages(context.session_id));
        return question.message ? read_message(messages, question)
                                : search_messages(messages, question);
      },
      {.effect = Effect::read}));
}

Tool search_session_tool(Store& store) {
  return search_session_tool([&store]() -> Result<Store*> { return &store; });
}

}  // namespace wright
