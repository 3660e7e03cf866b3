// Keeps secrets in results away from the model and the log.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "core/ordinary_word.h"
#include "core/text.h"
#include "wright/log.h"

namespace wright {
namespace {

constexpr std::size_t kShortestSecret = 4;

// What stands in the groups is kept.
constexpr const char* kKeyShapes =
    // Authorization: Bearer …; elsewhere with a digit, which words of prose do not have.
    R"(((?i:authorization[\\"']*[ \t]*[:=][ \t]*[\\"']*bearer[ \t]+))[A-Za-z0-9._~+/=-]{8,})"
    R"(|((?i:\bbearer[ \t]+))(?:[A-Za-z._~+/=-]{0,40}[0-9][A-Za-z0-9._~+/=-]{5,})"
    R"(|[A-Za-z._~+/=-]{10,40}[0-9][A-Za-z0-9._~+/=-]*))"
    R"(|\bsk-[A-Za-z0-9_-]{16,})"                                    // OpenAI, Anthropic
    R"(|\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,})"                     // Stripe
    R"(|\bgh[pousr]_[A-Za-z0-9]{20,})"                               // GitHub
    R"(|\bgithub_pat_[A-Za-z0-9_]{20,})"                             //
    R"(|\bglpat-[A-Za-z0-9_-]{20,})"                                 // GitLab
    R"(|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b)"                              // AWS
    R"(|\bxox[abeoprs]-[A-Za-z0-9-]{10,})"                           // Slack
    R"(|\bAIza[0-9A-Za-z_-]{35})"                                    // Google
    R"(|\bnpm_[A-Za-z0-9]{36})"                                      // npm
    R"(|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)"  // JSON Web Token
    R"(|(?s:-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----))";

// Each of them has one of these in it, in small letters or others.
constexpr auto kMarksOfKeys = std::to_array<std::string_view>(
    {"bearer", "sk-", "k_live_", "k_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_",
     "glpat-", "akia", "asia", "xox", "aiza", "npm_", "eyj", "private key"});
constexpr std::size_t kShort = 4096;

constexpr auto kFirstLetters = [] {
  std::array<bool, 256> first{};
  for (const std::string_view mark : kMarksOfKeys) {
    first[static_cast<unsigned char>(mark.front())] = true;
    if (mark.front() >= 'a') first[static_cast<unsigned char>(mark.front() - 'a' + 'A')] = true;
  }
  return first;
}();

bool begins_with_mark(std::string_view text) {
  return std::ranges::any_of(kMarksOfKeys, [&](std::string_view mark) {
    return lower(text.substr(0, mark.size())) == mark;
  });
}

// Most texts are short and have no key: to look for the marks takes less than to compile the
// shapes.
bool may_have_keys(std::string_view text) {
  if (text.size() > kShort) return true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool may_begin = kFirstLetters[static_cast<unsigned char>(text[at])];
    if (may_begin && begins_with_mark(text.substr(at))) return true;
  }
  return false;
}

std::size_t replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
    ++count;
  }
  return count;
}

RE2::Options utf8_or_not() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);  // results may hold any bytes
  options.set_log_errors(false);
  return options;
}

// Compiled when it is used first: most commands end before that.
const RE2& key_shapes() {
  static const RE2 shapes(kKeyShapes, utf8_or_not());
  return shapes;
}

}  // namespace

struct Redactor::State {
  struct Secrets {
    mutable std::shared_mutex mutex;
    std::vector<std::string> values;  // longest first: one may be a part of another
  };
  std::shared_ptr<Secrets> secrets = std::make_shared<Secrets>();
  bool is_sparing = false;
};

Redactor::Redactor(std::vector<std::string> secrets) : state_(std::make_shared<State>()) {
  for (std::string& secret : secrets) learn(std::move(secret));
}

Redactor Redactor::sparing() const {
  Redactor other;
  if (state_ != nullptr) other.state_ = std::make_shared<State>(state_->secrets, true);
  return other;
}

void Redactor::learn(std::string secret) const {
  if (state_ == nullptr || secret.size() < kShortestSecret) return;
  const std::lock_guard lock(state_->secrets->mutex);
  auto& values = state_->secrets->values;
  if (std::ranges::find(values, secret) != values.end()) return;
  const auto shorter = std::ranges::find_if(
      values, [&](const std::string& each) { return each.size() < secret.size(); });
  values.insert(shorter, std::move(secret));
}

std::string Redactor::redacted(std::string_view text) const {
  std::size_t hidden = 0;
  return redacted(text, hidden);
}

std::string Redactor::redacted(std::string_view text, std::size_t& hidden) const {
  std::string result(text);
  if (state_ == nullptr) return result;
  {
    const std::shared_lock lock(state_->secrets->mutex);
    for (const std::string& secret : state_->secrets->values) {
      if (state_->is_sparing && may_be_ordinary_word(secret)) continue;
      hidden += replace_all(result, secret, kRedacted);
    }
  }
  if (state_->is_sparing || !may_have_keys(result)) return result;
  hidden += static_cast<std::size_t>(
      RE2::GlobalReplace(&result, key_shapes(), fmt::format("\\1\\2{}", kRedacted)));
  return result;
}

Json Redactor::redacted(Json value) const {
  std::size_t hidden = 0;
  return redacted(std::move(value), hidden);
}

Json Redactor::redacted(Json value, std::size_t& hidden) const {
  if (state_ == nullptr) return value;
  if (value.is_string()) return Json(redacted(std::string_view(value.get_string()), hidden));
  if (JsonArray* array = value.if_array()) {
    for (Json& item : *array) item = redacted(std::move(item), hidden);
  } else if (const JsonObject* object = value.if_object()) {
    JsonObject clean;
    clean.reserve(object->size());
    for (const auto& [name, item] : *object) {
      clean[redacted(std::string_view(name), hidden)] = redacted(item, hidden);
    }
    return clean;
  }
  return value;
}

}  // namespace wright
