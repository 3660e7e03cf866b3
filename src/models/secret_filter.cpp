#include "models/secret_filter.h"

#include <algorithm>
#include <variant>

namespace wright::models {
namespace {

constexpr std::string_view kHidden = "[REDACTED]";
constexpr std::size_t kShortestKey = 8;  // a shorter one is a placeholder: "none", "ollama"

}  // namespace

SecretFilter::SecretFilter(std::vector<std::string> secrets) : secrets_(std::move(secrets)) {
  std::erase_if(secrets_, [](const std::string& each) { return each.size() < kShortestKey; });
  std::ranges::sort(secrets_, std::greater{}, &std::string::size);
}

void SecretFilter::clean(std::string& text) const {
  for (const std::string& secret : secrets_) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
      text.replace(at, secret.size(), kHidden);
      at += kHidden.size();
    }
  }
}

std::size_t SecretFilter::open_end() const {
  std::size_t most = 0;
  for (const std::string& secret : secrets_) {
    for (std::size_t size = std::min(held_.size(), secret.size() - 1); size > most; --size) {
      if (held_.ends_with(std::string_view(secret).substr(0, size))) most = size;
    }
  }
  return most;
}

void SecretFilter::feed(std::string_view piece, const OnText& on_text) {
  if (secrets_.empty()) return on_text(piece);
  held_ += piece;
  clean(held_);
  const std::size_t safe = held_.size() - open_end();
  if (safe > 0) on_text(std::string_view(held_).substr(0, safe));
  held_.erase(0, safe);
}

void SecretFilter::finish(const OnText& on_text) {
  if (!held_.empty()) on_text(held_);
  held_.clear();
}

void SecretFilter::clean(Response& response) const {
  if (secrets_.empty()) return;
  clean(response.model);
  for (Part& part : response.content) {
    if (auto* text = std::get_if<Text>(&part)) {
      clean(text->text);
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
