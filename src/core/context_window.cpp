#include "core/context_window.h"

#include <algorithm>
#include <utility>

#include "core/context_layout.h"

namespace wright {
namespace {

// How many bytes make a token. A guess is cautious on both sides: what is added counts for more
// than what is removed. One that is to prove that something cannot fit errs the other way.
struct BytesOfToken {
  std::int64_t added = 30;  // tenths
  std::int64_t removed = 50;
};
constexpr BytesOfToken kCautious{};
constexpr BytesOfToken kGenerous{.added = 40, .removed = 30};
constexpr std::int64_t kTenths = 10;
// Of less than this nothing is learned: vendors add words of their own.
constexpr std::int64_t kEnoughToLearn = 4'000;

// As cautious, but by what the model's tokens of this conversation were.
BytesOfToken learned_from(const MeasuredRequest& measured) {
  if (measured.bytes < kEnoughToLearn || measured.tokens <= 0) return kCautious;
  const std::int64_t tenths = measured.bytes * kTenths / measured.tokens;
  return {.added = std::clamp<std::int64_t>(tenths * 9 / 10, 15, 40),
          .removed = std::clamp<std::int64_t>(tenths * 12 / 10, 30, kCautious.removed)};
}

constexpr std::int64_t kBytesInWindow = 3;  // of a token, when a size follows from the window
constexpr std::size_t kMostKeptOfResult = 1'200;
constexpr std::size_t kLeastKeptOfResult = 300;
constexpr std::size_t kLargestSummary = 12'000;
constexpr std::size_t kSmallestSummary = 600;
constexpr std::int64_t kTurnsUntilNextCut = 4;

std::int64_t tokens_in(std::int64_t bytes, std::int64_t tenths_of_token) {
  return (bytes * kTenths + tenths_of_token - 1) / tenths_of_token;
}

// Tokens of a request that shows `wanted` bytes, of which `now` are of messages that were measured
// with `before` bytes.
struct Shown {
  std::int64_t wanted = 0;
  std::int64_t now = 0;
  std::int64_t before = 0;
};
std::int64_t tokens_of(const Shown& shown, const MeasuredRequest& measured,
                       const BytesOfToken& bytes) {
  const std::int64_t added =
      shown.wanted - shown.now + std::max<std::int64_t>(0, shown.now - shown.before);
  const std::int64_t removed = std::max<std::int64_t>(0, shown.before - shown.now);
  return std::max<std::int64_t>(0, measured.tokens +
                                       tokens_in(std::max<std::int64_t>(0, added), bytes.added) -
                                       removed * kTenths / bytes.removed);
}

bool is_of(const MeasuredRequest& measured, std::span<const Message> messages) {
  return measured.messages > 0 && measured.messages <= messages.size();
}

std::int64_t tokens_with(std::span<const Message> messages, const ContextCut& cut,
                         const ContextWindow& window, const MeasuredRequest& measured,
                         const BytesOfToken& bytes) {
  if (!is_of(measured, messages)) {
    return tokens_in(window.fixed_bytes + shown_bytes(messages, cut), bytes.added);
  }
  if (measured.cut == cut) {
    // The usual case only has to look at what is new.
    std::int64_t added = 0;
    for (std::size_t at = std::max(measured.messages, layout_of(messages, cut).begin);
         at < messages.size(); ++at) {
      added += bytes_of(messages[at], kept_of(at, cut));
    }
    return measured.tokens + tokens_in(added, bytes.added);
  }
  const auto known = messages.first(measured.messages);
  return tokens_of({.wanted = shown_bytes(messages, cut),
                    .now = shown_bytes(known, cut),
                    .before = shown_bytes(known, measured.cut)},
                   measured, bytes);
}

// What every candidate for a cut would take. Each message is looked at once, and only those that
// are still shown: a long past costs nothing.
class Candidates {
 public:
  Candidates(std::span<const Message> messages, const ContextCut& cut, std::size_t kept,
             const ContextWindow& window, const MeasuredRequest& measured)
      : messages_(messages),
        cut_(cut),
        window_(window),
        measured_(measured),
        begin_(layout_of(messages, cut).begin),
        known_(is_of(measured, messages) ? measured.messages : 0),
        bytes_of_token_(known_ > 0 ? learned_from(measured) : kCautious) {
    if (known_ > 0) before_ = shown_bytes(messages.first(known_), measured.cut);
    std::int64_t shown = 0;
    std::int64_t saved = 0;
    std::size_t turn = cut.turn;
    for (std::size_t at = begin_; at < messages.size(); ++at) {
      shown_.push_back(shown);
      saved_.push_back(saved);
      turns_.push_back(messages[at].is_from_user() ? 0 : turn);
      if (messages[at].is_from_user()) turn = at;
      const std::int64_t now = bytes_of(messages[at], kept_of(at, cut));
      shown += now;
      saved += now - std::min(now, bytes_of(messages[at], std::min(kept, kept_of(at, cut))));
    }
    shown_.push_back(shown);
    saved_.push_back(saved);
  }

  // With the results of the messages up to `shortened` shortened, and, where `summarised` is behind
  // what is summarised now, a summary of so many bytes.
  std::int64_t tokens(std::size_t shortened, std::size_t summarised,
                      std::size_t bytes_of_summary) const {
    ContextCut tried{.summarised = cut_.summarised, .turn = cut_.turn};
    const bool is_new = summarised > begin_;
    if (is_new) {
      tried.summarised = summarised;
      tried.turn = summarised < messages_.size() ? turns_[summarised - begin_] : 0;
    }
    const std::int64_t head = bytes_before(messages_, layout_of(messages_, tried),
                                           is_new ? bytes_of_summary : cut_.summary.size());
    const std::size_t from = is_new ? summarised : begin_;
    const auto behind = [&](std::size_t end) { return head + between(from, end, shortened); };
    const std::int64_t wanted = behind(messages_.size());
    if (known_ == 0) return tokens_in(window_.fixed_bytes + wanted, bytes_of_token_.added);
    return tokens_of({.wanted = wanted, .now = behind(known_), .before = before_}, measured_,
                     bytes_of_token_);
  }

  // What one turn takes: the larger of the last two.
  std::int64_t tokens_of_turn(std::size_t last_turn) const {
    if (last_turn < begin_) return 0;
    std::size_t before = last_turn;
    while (before > begin_ && !is_boundary(messages_, before - 1)) --before;
    if (before > begin_) --before;
    const std::int64_t last = between(last_turn, messages_.size(), 0);
    return tokens_in(std::max(last, between(before, last_turn, 0)), bytes_of_token_.added);
  }

  // What a model reads which sums up the messages before `at`.
  std::int64_t asked_tokens(std::size_t at) const {
    return tokens_in(window_.fixed_bytes +
                         bytes_before(messages_, layout_of(messages_, cut_), cut_.summary.size()) +
                         between(begin_, at, 0),
                     bytes_of_token_.added);
  }

 private:
  std::int64_t between(std::size_t from, std::size_t to, std::size_t shortened) const {
    if (to <= from) return 0;
    const std::int64_t all = shown_[to - begin_] - shown_[from - begin_];
    const std::size_t end = std::clamp(shortened, from, to);
    return all - (saved_[end - begin_] - saved_[from - begin_]);
  }

  std::span<const Message> messages_;
  const ContextCut& cut_;
  const ContextWindow& window_;
  const MeasuredRequest& measured_;
  std::size_t begin_;
  std::size_t known_;
  BytesOfToken bytes_of_token_;
  std::int64_t before_ = 0;
  std::vector<std::int64_t> shown_;  // bytes of the messages before
  std::vector<std::int64_t> saved_;  // by shortening their results
  std::vector<std::size_t> turns_;   // the user's message that each belongs to; 0: itself
};

class Fitting {
 public:
  Fitting(std::span<const Message> messages, const ContextWindow& window,
          const MeasuredRequest& measured)
      : messages_(messages),
        window_(window),
        measured_(measured),
        room_(room_in(window)),
        last_turn_(last_turn(messages)) {}

  ContextFit fit(ContextCut cut) const {
    if (!window_.tokens || tokens(cut) <= room_) return {std::move(cut), {}};
    if (cut.shortened == 0) cut.kept = kept_of_result();
    const Candidates candidates(messages_, cut, cut.kept, window_, measured_);
    // Nothing but the last turn.
    const std::int64_t least =
        candidates.tokens(last_turn_, std::max(last_turn_, cut.summarised), 0);
    const std::int64_t target = low_water(candidates, least);
    // Shortening is enough as well where a summary would hardly do better.
    const std::int64_t nearly =
        std::min(least + room_ / 8, room_ - std::max<std::int64_t>(0, room_ - least) / 2);
    if (const auto end = end_of_shortening(candidates, cut, std::max(target, nearly))) {
      cut.shortened = *end;
      return {std::move(cut), {}};
    }
    const std::int64_t before = candidates.tokens(cut.shortened, 0, 0);
    if (const auto place = place_for_summary(candidates, cut, target)) {
      const std::int64_t after = candidates.tokens(*place, *place, most_of_summary(window_));
      // What is too much for one summary is summed up in several.
      const bool is_enough = after <= room_ || *place < last_turn_;
      const bool is_worth_asking = is_enough && before - after >= room_ / 8;
      return {std::move(cut), place, is_worth_asking};
    }
    if (candidates.tokens(last_turn_, 0, 0) < before) cut.shortened = last_turn_;
    if (tokens(cut) > room_) shorten_last_results(cut);
    return {std::move(cut), {}};
  }

 private:
  std::int64_t tokens(const ContextCut& cut) const {
    return estimate_tokens(messages_, cut, window_, measured_);
  }

  std::size_t kept_of_result() const {
    return std::clamp(static_cast<std::size_t>(room_ * kBytesInWindow / 12), kLeastKeptOfResult,
                      kMostKeptOfResult);
  }

  // Once something must go, enough goes to leave room for the next turns: every change at the
  // beginning of a request invalidates a vendor's cache. Half of what can be used at all stays, or
  // less where only few turns would fit into the other half.
  std::int64_t low_water(const Candidates& candidates, std::int64_t least) const {
    const std::int64_t usable = std::max<std::int64_t>(0, room_ - least);
    const std::int64_t turns = kTurnsUntilNextCut * candidates.tokens_of_turn(last_turn_);
    return room_ - std::max(usable / 2, std::min(usable, turns));
  }

  // The oldest first, turn by turn. Nothing when that does not leave room for a while.
  std::optional<std::size_t> end_of_shortening(const Candidates& candidates, const ContextCut& cut,
                                               std::int64_t target) const {
    for (std::size_t at = std::max(cut.shortened, cut.summarised) + 1; at <= last_turn_; ++at) {
      if (is_boundary(messages_, at) && candidates.tokens(at, 0, 0) <= target) return at;
    }
    return std::nullopt;
  }

  // The first place that leaves out enough; the last possible one when none does, and no more than
  // the model can read to summarise it.
  std::optional<std::size_t> place_for_summary(const Candidates& candidates, const ContextCut& cut,
                                               std::int64_t target) const {
    const std::size_t least = std::max(first_end(messages_), cut.summarised);
    std::optional<std::size_t> found;
    for (std::size_t at = least + 1; at <= last_turn_; ++at) {
      if (!is_end_of_summary(messages_, at)) continue;
      if (found && candidates.asked_tokens(at) > room_) break;
      found = at;
      if (candidates.tokens(at, at, most_of_summary(window_)) <= target) break;
    }
    return found;
  }

  // Nothing else can be shortened. Of many results next to nothing stays.
  void shorten_last_results(ContextCut& cut) const {
    std::size_t longest = 0;
    for (std::size_t at = last_turn_; at < messages_.size(); ++at) {
      for (const Part& part : messages_[at].parts) {
        const auto* result = std::get_if<ToolResult>(&part);
        if (result != nullptr) longest = std::max(longest, result->content.size());
      }
    }
    if (longest == 0) return;
    std::erase_if(cut.tight, [&](const ContextCut::Tight& tight) {
      return tight.end <= cut.summarised || tight.begin == last_turn_;
    });
    ContextCut::Tight& tight = cut.tight.emplace_back(last_turn_, messages_.size(), longest);
    while (tight.kept > 0) {
      tight.kept /= 2;
      if (tokens(cut) <= room_) return;
    }
  }

  std::span<const Message> messages_;
  const ContextWindow& window_;
  const MeasuredRequest& measured_;
  std::int64_t room_;
  std::size_t last_turn_;
};

}  // namespace

std::int64_t room_in(const ContextWindow& window) {
  return std::max<std::int64_t>(1, window.tokens.value_or(0) - window.answer_tokens);
}

std::size_t most_of_summary(const ContextWindow& window) {
  if (!window.tokens) return kMostOfSummary;
  return std::clamp(static_cast<std::size_t>(room_in(window) * kBytesInWindow / 8),
                    kSmallestSummary, kLargestSummary);
}

std::int64_t estimate_tokens(std::span<const Message> messages, const ContextCut& cut,
                             const ContextWindow& window, const MeasuredRequest& measured) {
  return tokens_with(messages, cut, window, measured,
                     is_of(measured, messages) ? learned_from(measured) : kCautious);
}

std::int64_t least_tokens(std::span<const Message> messages, const ContextCut& cut,
                          const ContextWindow& window, const MeasuredRequest& measured) {
  return tokens_with(messages, cut, window, measured, kGenerous);
}

ContextFit fit_context(std::span<const Message> messages, const ContextCut& cut,
                       const ContextWindow& window, const MeasuredRequest& measured) {
  return Fitting(messages, window, measured).fit(cut);
}

std::optional<std::size_t> place_of_last_turn(std::span<const Message> messages,
                                              const ContextCut& cut) {
  std::size_t at = last_turn(messages);
  // An answer belongs to what it answers.
  if (at > 0 && messages[at].role == Role::assistant) --at;
  while (at > 0 && !is_end_of_summary(messages, at)) --at;
  const std::size_t least = std::max(first_end(messages), cut.summarised);
  return at > least ? std::optional(at) : std::nullopt;
}

ContextFit usable_fit(std::span<const Message> messages, const ContextCut& before, ContextFit fit) {
  const auto moved = [&](std::size_t at, auto is_place) {
    at = std::min(at, messages.size());
    while (at > 0 && at < messages.size() && !is_place(messages, at)) --at;
    return at;
  };
  ContextCut& cut = fit.cut;
  cut.shortened = std::max(before.shortened, moved(cut.shortened, is_boundary));
  if (before.shortened > 0) cut.kept = std::min(before.kept, cut.kept);
  for (ContextCut::Tight& tight : cut.tight) {
    tight.begin = moved(tight.begin, is_boundary);
    tight.end = std::max(tight.begin, moved(tight.end, is_boundary));
  }
  // What a summary stands for is said by summarised_cut() alone.
  cut.summarised = before.summarised;
  cut.summary = before.summary;
  cut.turn = before.turn;
  if (fit.summarise) {
    *fit.summarise = std::min(moved(*fit.summarise, is_end_of_summary), last_turn(messages));
    const std::size_t least = std::max(first_end(messages), before.summarised);
    if (*fit.summarise <= least) fit.summarise.reset();
  }
  return fit;
}

}  // namespace wright
