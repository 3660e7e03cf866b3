#include "server/same_user.h"

#include <unistd.h>

#include <fstream>

namespace wright::server {
namespace {

unsigned user_without_name() {
  std::ifstream file("/proc/sys/kernel/overflowuid");
  unsigned user = 65534;
  file >> user;
  return user;
}

}  // namespace

bool is_of_same_user(const http::Request& request) {
  if (!request.is_from_machine || !request.peer_user) return false;
  static const unsigned kWithoutName = user_without_name();
  const auto user = request.peer_user();
  if (!user || *user != ::geteuid() || *user == kWithoutName) return false;
  return request.peer_is_free && request.peer_is_free();
}

}  // namespace wright::server
