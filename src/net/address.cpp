#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <span>

namespace wright::net {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

constexpr int kBitsBeforeV4 = 96;

struct RangeV4 {
  std::uint32_t first;
  int bits;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24U | b << 16U | c << 8U | d;
}

// IANA's special-purpose registry, and multicast.
constexpr auto kSpecialV4 = std::to_array<RangeV4>({
    {v4(0, 0, 0, 0), 8},
    {v4(10, 0, 0, 0), 8},
    {v4(100, 64, 0, 0), 10},
    {v4(127, 0, 0, 0), 8},
    {v4(169, 254, 0, 0), 16},
    {v4(172, 16, 0, 0), 12},
    {v4(192, 0, 0, 0), 24},
    {v4(192, 0, 2, 0), 24},
    {v4(192, 88, 99, 0), 24},
    {v4(192, 168, 0, 0), 16},
    {v4(198, 18, 0, 0), 15},
    {v4(198, 51, 100, 0), 24},
    {v4(203, 0, 113, 0), 24},
    {v4(224, 0, 0, 0), 4},
    {v4(240, 0, 0, 0), 4},
});

// Addresses of cloud metadata servers that look public.
constexpr auto kMetadataV4 = std::to_array<std::uint32_t>({
    v4(100, 100, 100, 200),
    v4(168, 63, 129, 16),
});

bool is_public_v4(std::uint32_t address) {
  if (std::ranges::find(kMetadataV4, address) != kMetadataV4.end()) return false;
  return std::ranges::none_of(kSpecialV4, [&](const RangeV4& range) {
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - range.bits);
    return (address & mask) == range.first;
  });
}

bool starts_with(const Bytes& bytes, std::initializer_list<std::uint8_t> prefix) {
  return std::ranges::equal(prefix, std::span(bytes).first(prefix.size()));
}

bool is_mapped(const Bytes& bytes) {
  return starts_with(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF});
}

Bytes mapped(std::span<const std::uint8_t, 4> address) {
  Bytes bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  std::ranges::copy(address, bytes.begin() + kBitsBeforeV4 / 8);
  return bytes;
}

// The IPv4 address, in mapped form, to which a NAT64 gateway or a 6to4 relay would forward.
std::optional<Bytes> embedded(const Bytes& bytes) {
  const std::span<const std::uint8_t, 16> all(bytes);
  if (starts_with(bytes, {0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return mapped(all.subspan<12, 4>());
  }
  if (starts_with(bytes, {0x20, 0x02})) return mapped(all.subspan<2, 4>());
  return std::nullopt;
}

// Of IPv6, only 2000::/3 is allocated to the public internet.
bool is_public(const Bytes& bytes) {
  if (is_mapped(bytes)) return is_public_v4(v4(bytes[12], bytes[13], bytes[14], bytes[15]));
  if (const auto inner = embedded(bytes)) return is_public(*inner);
  const bool is_teredo_or_orchid = starts_with(bytes, {0x20, 0x01}) && bytes[2] < 0x02;
  const bool is_documentation = starts_with(bytes, {0x20, 0x01, 0x0D, 0xB8}) ||
                                (starts_with(bytes, {0x3F, 0xFF}) && bytes[2] < 0x10);
  return (bytes[0] & 0xE0U) == 0x20U && !is_teredo_or_orchid && !is_documentation;
}

std::optional<Bytes> bytes_of(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in copy{};
    std::memcpy(&copy, &address, sizeof(copy));
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &copy.sin_addr, bytes.size());
    return mapped(bytes);
  }
  if (address.sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 copy{};
  std::memcpy(&copy, &address, sizeof(copy));
  Bytes bytes{};
  std::memcpy(bytes.data(), &copy.sin6_addr, bytes.size());
  return bytes;
}

const sockaddr& plain(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr&>(address);  // NOLINT: how sockets spell inheritance
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  const auto bytes = bytes_of(address);
  return bytes && is_public(*bytes);
}

std::string address_text(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    sockaddr_in copy{};
    std::memcpy(&copy, &address, sizeof(copy));
    inet_ntop(AF_INET, &copy.sin_addr, text.data(), text.size());
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 copy{};
    std::memcpy(&copy, &address, sizeof(copy));
    inet_ntop(AF_INET6, &copy.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

std::optional<sockaddr_storage> address_from(std::string_view text) {
  const std::string terminated(text);
  sockaddr_storage storage{};
  sockaddr_in v4_address{};
  if (inet_pton(AF_INET, terminated.c_str(), &v4_address.sin_addr) == 1) {
    v4_address.sin_family = AF_INET;
    std::memcpy(&storage, &v4_address, sizeof(v4_address));
    return storage;
  }
  sockaddr_in6 v6_address{};
  if (inet_pton(AF_INET6, terminated.c_str(), &v6_address.sin6_addr) == 1) {
    v6_address.sin6_family = AF_INET6;
    std::memcpy(&storage, &v6_address, sizeof(v6_address));
    return storage;
  }
  return std::nullopt;
}

std::optional<AddressRange> AddressRange::from(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = address_from(text.substr(0, slash));
  if (!address) return std::nullopt;
  const bool is_v4 = address->ss_family == AF_INET;
  int bits = is_v4 ? 32 : 128;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const int most = bits;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    if (digits.empty() || !is_number || bits < 0 || bits > most) return std::nullopt;
  }
  if (is_v4) bits += kBitsBeforeV4;
  const auto first = bytes_of(plain(*address));
  if (!first) return std::nullopt;
  for (int bit = bits; bit < 128; ++bit) {
    const auto at = static_cast<std::size_t>(bit / 8);
    if (((*first)[at] & (0x80U >> static_cast<unsigned>(bit % 8))) != 0) return std::nullopt;
  }
  return AddressRange(*first, bits);
}

bool AddressRange::contains(const Bytes& address) const {
  for (int bit = 0; bit < bits_; ++bit) {
    const auto at = static_cast<std::size_t>(bit / 8);
    if (((first_[at] ^ address[at]) & (0x80U >> static_cast<unsigned>(bit % 8))) != 0) return false;
  }
  return true;
}

bool AddressRange::contains(const sockaddr& address) const {
  const auto bytes = bytes_of(address);
  if (!bytes) return false;
  if (contains(*bytes)) return true;
  const auto inner = embedded(*bytes);
  return inner && contains(*inner);
}

}  // namespace wright::net
