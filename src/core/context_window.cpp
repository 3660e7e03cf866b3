#include "core/context_window.h"
#include "core/text.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "wright/run.h"

namespace wright {
namespace {

// Cautious on both sides: what is added counts for more than what is removed.
constexpr std::int64_t kBytesOfAddedToken = 3;
constexpr std::int64_t kBytesOfRemovedToken = 5;
constexpr std::int64_t kBytesOfMessage = 12;   // for its role and the marks around it
constexpr std::int64_t kBytesOfImage = 6'000;  // as vendors count them, whatever their size

constexpr std::size_t kKeptOfResult = 1'200;       // bytes of an old one, beginning and end
constexpr std::size_t kLeastOfLastResult = 1'000;  // bytes of one of the last turn
constexpr std::size_t kMostOfSummary = 8'000;      // bytes
constexpr std::size_t kMostOfSaid = 1'200;         // bytes of a user's message in a plain one
constexpr std::size_t kMostOfAnswer = 300;         // and of an answer

// Once something must go, enough goes to leave room for the next turns: every change at the
// beginning of a request invalidates a vendor's cache.
std::int64_t low_water(std::int64_t room) {
  return room - room / 4;
}

constexpr std::int64_t kBytesOfNote = 100;  // that says what was left out
constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();
// A result that the note would not make shorter stays as it is.
constexpr std::size_t kWorthShortening = 200;

std::int64_t size_of(const std::string& text) {
  return static_cast<std::int64_t>(text.size());
}

std::int64_t bytes_of(const ToolResult& result, std::size_t kept) {
  const std::int64_t around = size_of(result.call_id) + size_of(result.name);
  if (kept == kWhole) {
    return around + size_of(result.content) +
           kBytesOfImage * static_cast<std::int64_t>(result.images.size());
  }
  const bool is_shortened = result.content.size() > kept + kWorthShortening;
  return around +
         (is_shortened ? static_cast<std::int64_t>(kept) + kBytesOfNote : size_of(result.content)) +
         (result.images.empty() ? 0 : kBytesOfNote);
}

// `kept` bytes of each result.
std::int64_t bytes_of(const Message& message, std::size_t kept) {
  std::int64_t bytes = kBytesOfMessage;
  for (const Part& part : message.parts) {
    if (const std::string* words = words_in(part)) bytes += size_of(*words);
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

// The beginning and the end, between characters, and how much is missing.
std::string shortened_text(const std::string& text, std::size_t kept) {
  std::size_t head = kept - kept / 3;
  std::size_t tail = text.size() - kept / 3;
  while (head > 0 && is_continuation(text[head])) --head;
  while (tail < text.size() && is_continuation(text[tail])) ++tail;
  return fmt::format(
      "{}\n[{} bytes were left out here to save room. Call the tool again if you "
      "need them.]\n{}",
      std::string_view(text).substr(0, head), tail - head, std::string_view(text).substr(tail));
}

void shorten_results(Message& message, std::size_t kept) {
  if (kept == kWhole) return;
  for (Part& part : message.parts) {
    auto* result = std::get_if<ToolResult>(&part);
    if (result == nullptr) continue;
    if (result->content.size() > kept + kWorthShortening) {
      result->content = shortened_text(result->content, kept);
    }
    if (result->images.empty()) continue;
    result->content +=
        fmt::format("\n[{} images were left out to save room.]", result->images.size());
    result->images.clear();
  }
}

// Where the user's first message ends: it and what precedes it are never left out.
std::size_t first_end(std::span<const Message> messages) {
  const auto first = std::ranges::find(messages, Role::user, &Message::role);
  return first == messages.end()
             ? 0
             : static_cast<std::size_t>(std::distance(messages.begin(), first)) + 1;
}

// A conversation may be split before every message that is not a result.
bool is_boundary(std::span<const Message> messages, std::size_t at) {
  return at < messages.size() && messages[at].role != Role::tool;
}

// Where the last turn begins: the last message and, for results, the calls that they answer.
std::size_t last_turn(std::span<const Message> messages) {
  std::size_t at = messages.empty() ? 0 : messages.size() - 1;
  while (at > 0 && !is_boundary(messages, at)) --at;
  return at;
}

// The parts of a request, by positions in the messages.
struct Layout {
  std::size_t first = 0;                      // the first so many are shown
  bool has_summary = false;                   // then comes the summary,
  std::optional<std::size_t> last_user = {};  // the user's last message,
  std::size_t begin = 0;                      // and everything from here on
};

Layout layout_of(std::span<const Message> messages, const ContextCut& cut) {
  Layout layout;
  layout.first = layout.begin = first_end(messages);
  if (cut.summarised <= layout.first) return layout;
  layout.has_summary = true;
  layout.begin = std::min(cut.summarised, messages.size());
  for (std::size_t at = messages.size(); at > layout.begin; --at) {
    if (messages[at - 1].is_from_user()) return layout;
  }
  for (std::size_t at = layout.begin; at > layout.first; --at) {
    if (!messages[at - 1].is_from_user()) continue;
    layout.last_user = at - 1;
    break;
  }
  return layout;
}

// Bytes of each result of this message that are shown.
std::size_t kept_of(std::size_t at, const ContextCut& cut) {
  if (at < cut.shortened) return kKeptOfResult;
  if (at >= cut.tight.begin && at < cut.tight.end) return cut.tight.kept;
  return kWhole;
}

Message summary_message(const std::string& summary) {
  return Message::user("[What was said and done here before, in short:]\n" + summary);
}

// As many as cut_messages() would produce, without producing them.
std::int64_t shown_bytes(std::span<const Message> messages, const ContextCut& cut) {
  const Layout layout = layout_of(messages, cut);
  std::int64_t bytes = 0;
  for (std::size_t at = 0; at < layout.first; ++at) bytes += bytes_of(messages[at], kWhole);
  if (layout.has_summary) bytes += kBytesOfMessage + kBytesOfNote + size_of(cut.summary);
  if (layout.last_user) bytes += bytes_of(messages[*layout.last_user], kWhole);
  for (std::size_t at = layout.begin; at < messages.size(); ++at) {
    bytes += bytes_of(messages[at], kept_of(at, cut));
  }
  return bytes;
}

std::int64_t added_tokens(std::int64_t bytes) {
  return (bytes + kBytesOfAddedToken - 1) / kBytesOfAddedToken;
}

class Fitting {
 public:
  Fitting(std::span<const Message> messages, const ContextWindow& window,
          const MeasuredRequest& measured)
      : messages_(messages),
        window_(window),
        measured_(measured),
        room_(std::max<std::int64_t>(1, window.tokens - window.answer_tokens)),
        last_turn_(last_turn(messages)) {}

  ContextFit fit(ContextCut cut) const {
    if (window_.tokens <= 0 || tokens(cut) <= room_) return {std::move(cut), {}};
    shorten_old_results(cut);
    if (tokens(cut) <= room_) return {std::move(cut), {}};
    if (const auto summarise = place_for_summary(cut)) return {std::move(cut), summarise};
    shorten_last_results(cut);
    return {std::move(cut), {}};
  }

 private:
  std::int64_t tokens(const ContextCut& cut) const {
    return estimate_tokens(messages_, cut, window_, measured_);
  }

  // The oldest first, turn by turn, until there is room for a while.
  void shorten_old_results(ContextCut& cut) const {
    for (std::size_t at = cut.shortened + 1; at <= last_turn_; ++at) {
      if (!is_boundary(messages_, at)) continue;
      cut.shortened = at;
      if (tokens(cut) <= low_water(room_)) return;
    }
  }

  // The first split that leaves out enough; the last possible one when none does, and no more than
  // the model can read to summarise it.
  std::optional<std::size_t> place_for_summary(const ContextCut& cut) const {
    const std::size_t least = std::max(first_end(messages_), cut.summarised);
    std::optional<std::size_t> found;
    std::int64_t asked = window_.fixed_bytes + shown_bytes(messages_.first(least), cut);
    ContextCut tried = cut;
    tried.summary.assign(kMostOfSummary, '.');
    for (std::size_t at = least + 1; at <= last_turn_; ++at) {
      asked += bytes_of(messages_[at - 1], kept_of(at - 1, cut));
      if (!is_boundary(messages_, at)) continue;
      if (found && added_tokens(asked) > room_) break;
      found = tried.summarised = at;
      if (tokens(tried) <= low_water(room_)) break;
    }
    return found;
  }

  // Nothing else can be shortened.
  void shorten_last_results(ContextCut& cut) const {
    std::size_t longest = 0;
    for (std::size_t at = last_turn_; at < messages_.size(); ++at) {
      for (const Part& part : messages_[at].parts) {
        const auto* result = std::get_if<ToolResult>(&part);
        if (result != nullptr) longest = std::max(longest, result->content.size());
      }
    }
    for (std::size_t kept = longest / 2; kept >= kLeastOfLastResult; kept /= 2) {
      cut.tight = {last_turn_, messages_.size(), kept};
      if (tokens(cut) <= room_) return;
    }
  }

  std::span<const Message> messages_;
  const ContextWindow& window_;
  const MeasuredRequest& measured_;
  std::int64_t room_;
  std::size_t last_turn_;
};

std::string at_most(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_continuation(text[bytes])) --bytes;
  text.resize(bytes);
  return text;
}

// Without a model: what was said, and which tools were called.
std::string plain_summary(std::span<const Message> messages) {
  std::string lines;
  for (const Message& message : messages) {
    const bool is_user = message.role == Role::user;
    if (is_user && !message.is_from_user()) continue;
    const std::string said = message.text();
    if (!said.empty()) {
      const std::size_t most = is_user ? kMostOfSaid : kMostOfAnswer;
      lines += fmt::format("- {}: {}{}\n", is_user ? "The user" : "You", at_most(said, most),
                           said.size() > most ? "…" : "");
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

// A position in the messages; absent if it is not one.
std::optional<std::size_t> place_in(const JsonObject& object, std::string_view key,
                                    std::span<const Message> messages) {
  const Json* place = object.if_contains(key);
  if (place == nullptr || !place->is_int64() || place->get_int64() < 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(place->get_int64());
  const bool is_boundary_or_end = at == messages.size() || is_boundary(messages, at);
  return is_boundary_or_end ? std::optional(at) : std::nullopt;
}

}  // namespace

std::vector<Message> cut_messages(std::span<const Message> messages, const ContextCut& cut) {
  const Layout layout = layout_of(messages, cut);
  std::vector<Message> shown(messages.begin(),
                             messages.begin() + static_cast<std::ptrdiff_t>(layout.first));
  if (layout.has_summary) shown.push_back(summary_message(cut.summary));
  if (layout.last_user) shown.push_back(messages[*layout.last_user]);
  for (std::size_t at = layout.begin; at < messages.size(); ++at) {
    shown.push_back(messages[at]);
    shorten_results(shown.back(), kept_of(at, cut));
  }
  return shown;
}

std::int64_t estimate_tokens(std::span<const Message> messages, const ContextCut& cut,
                             const ContextWindow& window, const MeasuredRequest& measured) {
  const bool is_measured = measured.messages > 0 && measured.messages <= messages.size();
  if (is_measured && cut == ContextCut{} && measured.cut == cut) {
    // The usual case only has to look at what is new.
    std::int64_t added = 0;
    for (const Message& message : messages.subspan(measured.messages)) {
      added += bytes_of(message, kWhole);
    }
    return measured.tokens + added_tokens(added);
  }
  const std::int64_t wanted = shown_bytes(messages, cut);
  if (!is_measured) return added_tokens(window.fixed_bytes + wanted);
  const auto known = messages.first(measured.messages);
  const std::int64_t before = shown_bytes(known, measured.cut);
  const std::int64_t now = shown_bytes(known, cut);
  const std::int64_t added = wanted - now + std::max<std::int64_t>(0, now - before);
  const std::int64_t removed = std::max<std::int64_t>(0, before - now);
  return std::max<std::int64_t>(0, measured.tokens +
                                       added_tokens(std::max<std::int64_t>(0, added)) -
                                       removed / kBytesOfRemovedToken);
}

ContextFit fit_context(std::span<const Message> messages, const ContextCut& cut,
                       const ContextWindow& window, const MeasuredRequest& measured) {
  return Fitting(messages, window, measured).fit(cut);
}

std::vector<Message> summary_request(std::span<const Message> messages, const ContextCut& cut,
                                     std::size_t summarise) {
  auto asked = cut_messages(messages.first(std::min(summarise, messages.size())), cut);
  asked.push_back(Message::notice(Notice::Kind::summarise));
  return asked;
}

ContextCut summarised_cut(std::span<const Message> messages, ContextCut cut, std::size_t summarise,
                          std::string summary) {
  const std::size_t first = first_end(messages);
  if (summary.empty()) {
    const std::size_t begin = std::max(first, cut.summarised);
    if (cut.summarised > first) summary = cut.summary;
    summary += plain_summary(messages.subspan(begin, std::max(summarise, begin) - begin));
    summary = last_lines(std::move(summary), kMostOfSummary);
  }
  cut.summarised = summarise;
  cut.summary = at_most(std::move(summary), kMostOfSummary);
  return cut;
}

Json to_json(const ContextCut& cut) {
  const auto number = [](std::size_t place) { return static_cast<std::int64_t>(place); };
  return JsonObject{{"shortened", number(cut.shortened)},
                    {"summarised", number(cut.summarised)},
                    {"summary", cut.summary},
                    {"tight",
                     {{"begin", number(cut.tight.begin)},
                      {"end", number(cut.tight.end)},
                      {"kept", number(cut.tight.kept)}}}};
}

Result<ContextCut> context_cut_from_json(const Json& json, std::span<const Message> messages) {
  const auto refused = [] {
    return fail(ErrorCode::invalid_argument, "This is not a cut of these messages");
  };
  const JsonObject* object = json.if_object();
  if (object == nullptr) return refused();
  const Json* summary = object->if_contains("summary");
  const Json* tight = object->if_contains("tight");
  const auto shortened = place_in(*object, "shortened", messages);
  const auto summarised = place_in(*object, "summarised", messages);
  if (!shortened || !summarised || summary == nullptr || !summary->is_string() ||
      tight == nullptr || !tight->is_object()) {
    return refused();
  }
  const auto begin = place_in(tight->get_object(), "begin", messages);
  const auto end = place_in(tight->get_object(), "end", messages);
  const Json* kept = tight->get_object().if_contains("kept");
  if (!begin || !end || kept == nullptr || !kept->is_int64() || kept->get_int64() < 0) {
    return refused();
  }
  return ContextCut{.shortened = *shortened,
                    .summarised = *summarised,
                    .summary = at_most(std::string(summary->get_string()), kMostOfSummary),
                    .tight = {*begin, *end, static_cast<std::size_t>(kept->get_int64())}};
}

}  // namespace wright
