#include "models/secret_filter.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace wright::models {
namespace {

constexpr std::string_view kHidden = "[REDACTED]";
constexpr std::size_t kShortestKey = 8;  // a shorter one is a placeholder: "none", "ollama"

}  // namespace

SecretFilter::SecretFilter(std::vector<std::string> secrets) : secrets_(std::move(secrets)) {
  std::erase_if(secrets_, [](const std::string& each) { return each.size() < kShortestKey; });
  std::ranges::sort(secrets_, std::greater{}, &std::string::size);
  for (const std::string& secret : secrets_) beginnings_ += secret.front();
}

// Goes from left to right. Where a key may begin that the next piece completes, it stops, unless
// there is no next piece; `rest` is what was not looked at.
std::string SecretFilter::cleaned(std::string_view text, Piece piece,
                                  std::string_view& rest) const {
  std::string clean;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of(beginnings_), text.size());
    clean += text.substr(0, plain);
    text.remove_prefix(plain);
    const auto may_be = std::ranges::find_if(secrets_, [&](const std::string& secret) {
      return text.starts_with(secret) || (piece == Piece::more_follows && secret.starts_with(text));
    });
    if (text.empty() || may_be == secrets_.end()) {
      clean += text.substr(0, 1);
      text.remove_prefix(std::min<std::size_t>(1, text.size()));
    } else if (!text.starts_with(*may_be)) {
      break;
    } else {
      clean += kHidden;
      text.remove_prefix(may_be->size());
    }
  }
  rest = text;
  return clean;
}

void SecretFilter::clean(std::string& text) const {
  std::string_view rest;
  if (text.find_first_of(beginnings_) != std::string::npos) {
    text = cleaned(text, Piece::last, rest);
  }
}

void SecretFilter::feed(TextPiece piece, const TextSink& on_text) {
  if (secrets_.empty()) return on_text(piece);
  if (piece.phase != phase_) finish(on_text);  // no key goes on in another text
  phase_ = piece.phase;
  held_ += piece.text;
  std::string_view rest;
  const std::string clean = cleaned(held_, Piece::more_follows, rest);
  held_ = std::string(rest);
  if (!clean.empty()) on_text({clean, phase_});
}

void SecretFilter::finish(const TextSink& on_text) {
  std::string left = std::exchange(held_, {});
  clean(left);
  if (!left.empty()) on_text({left, phase_});
}

void SecretFilter::clean(Response& response) const {
  if (secrets_.empty()) return;
  clean(response.model);
  clean(response.id);
  for (Part& part : response.content) {
    if (auto* text = std::get_if<Text>(&part)) {
      clean(text->text);
      for (Citation& each : text->citations) {
        for (std::string* words : {&each.url, &each.title, &each.quote, &each.opaque})
          clean(*words);
      }
    } else if (auto* reasoning = std::get_if<Reasoning>(&part)) {
      clean(reasoning->text);
    } else if (auto* call = std::get_if<ToolCall>(&part)) {
      clean(call->id);
      clean(call->name);
      clean(call->arguments);
    }
  }
}

}  // namespace wright::models
