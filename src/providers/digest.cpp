#include "providers/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include <array>
#include <memory>

namespace wright::providers {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string text_from(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

template <auto release>
struct Releases {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1) != 0 ? 0xEDB88320U ^ value >> 1 : value >> 1;
    table[i] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kCrcTable = make_crc_table();

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(bytes_of(bytes), bytes.size(), digest.data());
  return text_from(digest.data(), digest.size());
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(bytes), bytes.size(),
       digest.data(), &size);
  return text_from(digest.data(), size);
}

Result<std::string> rs256(std::string_view private_key_pem, std::string_view bytes) {
  const std::unique_ptr<BIO, Releases<BIO_free>> memory(
      BIO_new_mem_buf(private_key_pem.data(), static_cast<int>(private_key_pem.size())));
  const auto no_password = [](char*, int, int, void*) { return -1; };
  const std::unique_ptr<EVP_PKEY, Releases<EVP_PKEY_free>> key(
      PEM_read_bio_PrivateKey(memory.get(), nullptr, no_password, nullptr));
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return fail(ErrorCode::authentication, "not a private RSA key in PEM without a password");
  }
  const std::unique_ptr<EVP_MD_CTX, Releases<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  std::size_t size = 0;
  const bool has_begun =
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
      EVP_DigestSign(context.get(), nullptr, &size, bytes_of(bytes), bytes.size()) == 1;
  std::string signature(size, '\0');
  if (!has_begun ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes_of(bytes), bytes.size()) != 1) {
    return fail(ErrorCode::authentication, "the private key cannot sign");
  }
  signature.resize(size);
  return signature;
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t value = ~before;
  for (const char c : bytes) {
    value = kCrcTable[(value ^ static_cast<unsigned char>(c)) & 255] ^ value >> 8;
  }
  return ~value;
}

}  // namespace wright::providers
