#include "core/stated_window.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/text.h"

namespace wright {
namespace {

// No window is smaller or larger: what else is in a message (a status, a time) is not one.
constexpr std::int64_t kLeast = 256;
constexpr std::int64_t kMost = 100'000'000;

// The words right before a number, and right behind it.
struct Number {
  std::int64_t value = 0;
  std::string_view before = {};
  std::string_view behind = {};
};

std::vector<Number> numbers_in(std::string_view words) {
  std::vector<Number> numbers;
  std::size_t at = 0;
  while (at < words.size()) {
    if (!is_digit(words[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    std::int64_t value = 0;
    for (; at < words.size(); ++at) {
      const char c = words[at];
      const bool is_between =
          (c == ',' || c == '_') && at + 1 < words.size() && is_digit(words[at + 1]) && value > 0;
      if (is_between) continue;
      if (!is_digit(c)) break;
      value = std::min(kMost * 10, value * 10 + (c - '0'));
    }
    const bool is_in_word = begin > 0 && (is_letter(words[begin - 1]) || words[begin - 1] == '-' ||
                                          words[begin - 1] == '.' || words[begin - 1] == '_');
    if (is_in_word || value < kLeast || value > kMost) continue;
    constexpr std::string_view kAround = " \t\r\n(:=`'\"";
    const std::size_t end = words.find_last_not_of(kAround, begin == 0 ? 0 : begin - 1);
    numbers.push_back(
        {.value = value,
         .before = begin == 0 || end == std::string_view::npos ? "" : words.substr(0, end + 1),
         .behind = trimmed(words.substr(at))});
  }
  return numbers;
}

constexpr auto kBeforeWindow = std::to_array<std::string_view>({"context length is",
                                                                "context length of",
                                                                "context length of only",
                                                                "context length",
                                                                "context size",
                                                                "context size is",
                                                                "context size of",
                                                                "context window",
                                                                "context window is",
                                                                "context window of",
                                                                "context limit of",
                                                                "context limit is",
                                                                "prompt length is",
                                                                "number of tokens allowed",
                                                                "number of tokens",
                                                                "the limit of",
                                                                "limit is",
                                                                "must be <",
                                                                "must have less than",
                                                                "n_ctx",
                                                                "max_model_len",
                                                                "at most",
                                                                "maximum of",
                                                                "maximum is",
                                                                ">"});
constexpr auto kBehindWindow =
    std::to_array<std::string_view>({"maximum", "token limit", "token context", "tokens maximum"});
constexpr auto kBeforeSent = std::to_array<std::string_view>(
    {"requested", "requested about", "requested a total of", "resulted in", "too long",
     "token count", "token count of", "tokens in prompt", "n_prompt_tokens", "request contains",
     "prompt contains", "prompt has", "request has", "request", "input", "given"});
// More exact: without the answer that may come.
constexpr auto kBehindPrompt = std::to_array<std::string_view>(
    {"in the messages", "tokens in the messages", "tokens from the input", "input tokens", "+",
     "`inputs` tokens"});

bool ends_with_any(std::string_view text, std::span<const std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return text.ends_with(end); });
}
bool begins_with_any(std::string_view text, std::span<const std::string_view> begins) {
  return std::ranges::any_of(begins,
                             [&](std::string_view begin) { return text.starts_with(begin); });
}

}  // namespace

StatedWindow stated_window(std::string_view words) {
  const std::string low = lower(words);
  StatedWindow told;
  std::int64_t prompt = 0;
  for (const Number& number : numbers_in(low)) {
    if (begins_with_any(number.behind, kBehindPrompt)) {
      if (prompt == 0) prompt = number.value;
    } else if (told.window == 0 && (ends_with_any(number.before, kBeforeWindow) ||
                                    begins_with_any(number.behind, kBehindWindow))) {
      told.window = number.value;
    } else if (told.sent == 0 && ends_with_any(number.before, kBeforeSent)) {
      told.sent = number.value;
    }
  }
  if (prompt > 0) told.sent = prompt;
  return told;
}

}  // namespace wright
