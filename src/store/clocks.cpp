// The clocks of the system, as a store uses them.
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <utility>

#include "wright/store.h"

namespace wright {
namespace {

// Empty where the system does not tell. Processes in different time namespaces of one kernel see
// different boot clocks, so the namespace is part of the name.
std::string system_boot_id() {
  std::string boot_id;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  if (!std::getline(file, boot_id) || boot_id.empty()) return {};
  std::array<char, 64> space{};
  const auto length = ::readlink("/proc/self/ns/time", space.data(), space.size());
  if (length > 0) boot_id += " " + std::string(space.data(), static_cast<std::size_t>(length));
  return boot_id;
}

}  // namespace

std::int64_t system_clock_ms() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
}

std::int64_t boot_clock_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

Clocks::Clocks() : Clocks(system_clock_ms, boot_clock_ms, {}) {
  static const std::string system_boot = system_boot_id();
  boot_id = system_boot;
}

Clocks::Clocks(Clock wall_clock, Clock boot_clock, std::string id)
    : wall(std::move(wall_clock)), boot(std::move(boot_clock)), boot_id(std::move(id)) {}

}  // namespace wright
