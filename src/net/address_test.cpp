#include "net/address.h"

#include <gtest/gtest.h>

#include <vector>

namespace wright::net {
namespace {

sockaddr_storage address(const char* text) {
  const auto made = address_from(text);
  EXPECT_TRUE(made) << text;
  return made.value_or(sockaddr_storage{});
}

const sockaddr& plain(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr&>(storage);
}

bool is_public(const char* text) {
  const sockaddr_storage made = address(text);
  EXPECT_FALSE(address_text(plain(made)).empty());
  return is_public_address(plain(made));
}

TEST(Address, takes_public_addresses) {
  for (const char* text :
       {"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "192.167.1.1",
        "100.63.0.1", "100.128.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::8",
        "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"}) {
    EXPECT_TRUE(is_public(text)) << text;
  }
}

TEST(Address, knows_what_is_not_the_public_internet) {
  const std::vector<const char*> texts{
      // this network, loopback, private, shared, link-local, protocols, documentation, benchmarks
      "0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.1", "10.0.0.1", "172.16.0.1",
      "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.169.254", "192.0.0.1", "192.0.2.1",
      "192.88.99.1", "198.51.100.1", "203.0.113.5", "198.18.0.1",
      // multicast, reserved, broadcast
      "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
      // metadata of clouds
      "100.100.100.200", "168.63.129.16", "fd00:ec2::254",
      // the same for IPv6
      "::", "::1", "fe80::1", "fec0::1", "fc00::1", "ff02::1", "2001:db8::1", "2001::1", "3fff::1",
      "100::1", "64:ff9b:1::1",
      // IPv4 inside of IPv6
      "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::a00:1",
      "64:ff9b::7f00:1", "2002:7f00:1::1", "2002:a9fe:a9fe::1"};
  for (const char* text : texts) EXPECT_FALSE(is_public(text)) << text;
}

TEST(Address, of_a_unix_socket_is_not_public) {
  sockaddr local{};
  local.sa_family = AF_UNIX;
  EXPECT_FALSE(is_public_address(local));
  EXPECT_EQ(address_text(local), "");
}

TEST(AddressRange, holds_its_addresses_and_no_others) {
  const auto contains = [](const char* range, const char* text) {
    const auto made = AddressRange::from(range);
    EXPECT_TRUE(made) << range;
    return made && made->contains(plain(address(text)));
  };
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(contains("192.168.1.4/30", "192.168.1.7"));
  EXPECT_FALSE(contains("192.168.1.4/30", "192.168.1.8"));
  EXPECT_TRUE(contains("127.0.0.1", "127.0.0.1"));
  EXPECT_FALSE(contains("127.0.0.1", "127.0.0.2"));
  EXPECT_TRUE(contains("0.0.0.0/0", "8.8.8.8"));
  EXPECT_FALSE(contains("0.0.0.0/0", "2606:4700::1111"));
  EXPECT_TRUE(contains("fd00::/8", "fdff::1"));
  EXPECT_FALSE(contains("fd00::/8", "fc00::1"));
  EXPECT_TRUE(contains("::1", "::1"));
}

TEST(AddressRange, holds_ipv6_forms_of_its_ipv4_addresses) {
  const auto range = AddressRange::from("10.0.0.0/8");
  ASSERT_TRUE(range);
  for (const char* text : {"::ffff:10.1.2.3", "64:ff9b::a01:203", "2002:a01:203::1"}) {
    EXPECT_TRUE(range->contains(plain(address(text)))) << text;
  }
  EXPECT_FALSE(range->contains(plain(address("::10.1.2.3"))));
}

TEST(AddressRange, refuses_what_is_none) {
  for (const char* text :
       {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.1/8",
        "::1/129", "localhost", "10.0.0", "0x7f000001", "fd00::1/8"}) {
    EXPECT_FALSE(AddressRange::from(text)) << text;
  }
}

}  // namespace
}  // namespace wright::net
