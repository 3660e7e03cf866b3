#include "core/sha256.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace wright {
namespace {

constexpr std::array<std::uint32_t, 64> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kBlock = 64;

void take_block(std::array<std::uint32_t, 8>& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = (std::uint32_t{block[4 * i]} << 24) | (std::uint32_t{block[4 * i + 1]} << 16) |
           (std::uint32_t{block[4 * i + 2]} << 8) | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const auto first = h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[i] + w[i];
    const auto s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const auto second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> worked{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += worked[i];
}

}  // namespace

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};  // NOLINT: bytes as text
}

Digest sha256(std::string_view bytes) {
  std::array<std::uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  std::array<unsigned char, kBlock> block{};
  while (bytes.size() >= kBlock) {
    std::copy_n(bytes.begin(), kBlock, block.begin());
    take_block(state, block.data());
    bytes.remove_prefix(kBlock);
  }
  block.fill(0);
  std::ranges::copy(bytes, block.begin());
  block.at(bytes.size()) = 0x80;
  if (bytes.size() >= kBlock - 8) {
    take_block(state, block.data());
    block.fill(0);
  }
  for (std::size_t i = 0; i < 8; ++i) {
    block.at(kBlock - 1 - i) = static_cast<unsigned char>(bits >> (8 * i));
  }
  take_block(state, block.data());
  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest.at(i) = static_cast<unsigned char>(state.at(i / 4) >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : sha256(bytes)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string block(kBlock, '\0');
  if (key.size() > kBlock) {
    const Digest digest = sha256(key);
    std::ranges::copy(bytes_of(digest), block.begin());
  } else {
    std::ranges::copy(key, block.begin());
  }
  const auto padded = [&](unsigned char with) {
    std::string text = block;
    for (char& c : text) c = static_cast<char>(static_cast<unsigned char>(c) ^ with);
    return text;
  };
  const Digest inner = sha256(padded(0x36) + std::string(bytes));
  return sha256(padded(0x5c) + std::string(bytes_of(inner)));
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(static_cast<unsigned char>(a[i]) ^
                                             static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

}  // namespace wright
