// Network addresses: which belong to the public internet, and ranges of them. Judges the address of
// a socket itself: a name, or the spelling of an address, says nothing about where it leads.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wright::net {

// Whether the address belongs to the public internet: not loopback, private, link-local (where
// clouds keep their metadata), shared, multicast, reserved or for documentation; nor an IPv6 form
// of such an IPv4 address.
bool is_public_address(const sockaddr& address);

// "203.0.113.5", "2001:db8::1"; empty when it is not an internet address.
std::string address_text(const sockaddr& address);

// The address that `text` spells out; nothing for a name.
std::optional<sockaddr_storage> address_from(std::string_view text);

// "10.0.0.0/8", "fd00::/8", or one address.
class AddressRange {
 public:
  // Nothing for any other text, including one with bits set beyond the prefix.
  static std::optional<AddressRange> from(std::string_view text);

  // IPv6 forms of an IPv4 address (mapped, NAT64, 6to4) are in the ranges of both.
  bool contains(const sockaddr& address) const;

 private:
  using Bytes = std::array<std::uint8_t, 16>;
  AddressRange(const Bytes& first, int bits) : first_(first), bits_(bits) {}
  bool contains(const Bytes& address) const;

  Bytes first_;  // IPv4 as ::ffff:a.b.c.d
  int bits_;
};

}  // namespace wright::net
