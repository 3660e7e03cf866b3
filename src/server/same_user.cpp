#include "server/same_user.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace wright::server {
namespace {

// As /proc/net/tcp and tcp6 write it: words of four bytes in the machine's order.
std::string table_address(std::string_view address, int port) {
  const std::string text(address);
  unsigned char bytes[16];
  std::size_t size = 0;
  if (::inet_pton(AF_INET, text.c_str(), bytes) == 1) {
    size = 4;
  } else if (::inet_pton(AF_INET6, text.c_str(), bytes) == 1) {
    size = 16;
  }
  std::string written;
  for (std::size_t at = 0; at < size; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + at, sizeof(word));
    written += fmt::format("{:08X}", word);
  }
  return written.empty() ? written : fmt::format("{}:{:04X}", written, port);
}

bool table_has(const char* table, const std::string& local, const std::string& user) {
  std::ifstream file(table);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string number;
    std::string from;
    std::string to;
    std::string state;
    std::string queues;
    std::string timer;
    std::string retries;
    std::string owner;
    fields >> number >> from >> to >> state >> queues >> timer >> retries >> owner;
    if (from == local) return owner == user;
  }
  return false;
}

bool owns_connection(std::string_view address, int port) {
  const std::string user = std::to_string(::geteuid());
  if (address.starts_with("::ffff:")) address.remove_prefix(std::string_view("::ffff:").size());
  const std::string local = table_address(address, port);
  if (local.empty()) return false;
  if (table_has("/proc/self/net/tcp", local, user)) return true;
  // A socket of IPv6 that speaks to an address of IPv4.
  const std::string mapped = table_address(fmt::format("::ffff:{}", address), port);
  return table_has("/proc/self/net/tcp6", local, user) ||
         (!mapped.empty() && table_has("/proc/self/net/tcp6", mapped, user));
}

}  // namespace

bool is_of_same_user(const http::Request& request) {
  // A socket that somebody else opened may let in anybody.
  if (request.peer_user) return *request.peer_user == ::geteuid();
  return owns_connection(request.peer, request.peer_port);
}

}  // namespace wright::server
