#include "entities/blob_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace wright::entities {

namespace {

// std::rotl, for builds that inline nothing: there, most of the time of an index would be in it.
constexpr std::uint32_t turned(std::uint32_t word, unsigned bits) {
  return word << bits | word >> (32 - bits);
}

}  // namespace

void Sha1::take_block(const unsigned char* block) {
  std::array<std::uint32_t, 80> scheduled;
  std::uint32_t* const words = scheduled.data();
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = std::uint32_t{block[4 * i]} << 24U | std::uint32_t{block[4 * i + 1]} << 16U |
               std::uint32_t{block[4 * i + 2]} << 8U | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 80; ++i) {
    words[i] = turned(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state_;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t mixed = 0;
    if (i < 20) {
      mixed = ((b & c) | (~b & d)) + 0x5A827999U;
    } else if (i < 40) {
      mixed = (b ^ c ^ d) + 0x6ED9EBA1U;
    } else if (i < 60) {
      mixed = ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
    } else {
      mixed = (b ^ c ^ d) + 0xCA62C1D6U;
    }
    const std::uint32_t next = turned(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = turned(b, 30);
    b = a;
    a = next;
  }
  const std::array<std::uint32_t, 5> added{a, b, c, d, e};
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
}

void Sha1::add(std::string_view bytes) {
  total_ += bytes.size();
  while (!bytes.empty()) {
    if (open_size_ == 0 && bytes.size() >= open_.size()) {
      take_block(reinterpret_cast<const unsigned char*>(bytes.data()));
      bytes.remove_prefix(open_.size());
      continue;
    }
    const std::size_t taken = std::min(bytes.size(), open_.size() - open_size_);
    std::memcpy(open_.data() + open_size_, bytes.data(), taken);
    open_size_ += taken;
    bytes.remove_prefix(taken);
    if (open_size_ < open_.size()) break;
    take_block(open_.data());
    open_size_ = 0;
  }
}

std::string Sha1::hex() && {
  const std::uint64_t bits = total_ * 8;
  std::string padding(1, '\x80');
  while ((total_ + padding.size()) % 64 != 56) padding += '\0';
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    padding += static_cast<char>(bits >> (shift - 8) & 0xFFU);
  }
  add(padding);
  std::string text;
  for (const std::uint32_t word : state_) fmt::format_to(std::back_inserter(text), "{:08x}", word);
  return text;
}

std::string blob_hash(std::string_view content) {
  Sha1 hash;
  hash.add(fmt::format("blob {}", content.size()));
  hash.add(std::string_view("\0", 1));
  hash.add(content);
  return std::move(hash).hex();
}

}  // namespace wright::entities
