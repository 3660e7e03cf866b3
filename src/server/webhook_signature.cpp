#include "server/webhook_signature.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace wright::server {
namespace {

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::size_t kShortestKey = 16;

std::string base64_of(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  const auto padding = static_cast<std::size_t>(std::ranges::count(text, '='));
  bytes.resize(static_cast<std::size_t>(length) - std::min<std::size_t>(padding, 2));
  return bytes;
}

}  // namespace

Result<std::string> webhook_key(std::string_view secret) {
  std::optional<std::string> key(secret);
  if (secret.starts_with(kSecretPrefix)) key = from_base64(secret.substr(kSecretPrefix.size()));
  if (key && key->size() >= kShortestKey) return std::move(*key);
  return fail(ErrorCode::invalid_argument,
              fmt::format("The secret of webhooks has at least {} bytes; whsec_ is followed by "
                          "base64. One is made by: echo whsec_$(openssl rand -base64 24)",
                          kShortestKey));
}

std::string webhook_signature(std::string_view key, std::string_view id, std::int64_t seconds,
                              std::string_view body) {
  const std::string text = fmt::format("{}.{}.{}", id, seconds, body);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return "v1," + base64_of({reinterpret_cast<const char*>(digest), size});
}

}  // namespace wright::server
