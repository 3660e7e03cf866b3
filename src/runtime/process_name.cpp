#include "runtime/process_name.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <fstream>
#include <optional>
#include <sstream>

namespace wright::runtime {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

// Processes of different namespaces may have the same number.
std::string process_namespace() {
  std::array<char, 64> target{};
  const ssize_t length = ::readlink("/proc/self/ns/pid", target.data(), target.size() - 1);
  return length > 0 ? std::string(target.data(), static_cast<std::size_t>(length)) : "unknown";
}

// In clock ticks since the machine started; empty when there is no such process, or only what is
// left of one that nobody has waited for.
std::string start_of(const std::string& pid) {
  const std::string stat = first_line("/proc/" + pid + "/stat");
  // The name in parentheses may contain anything.
  const std::size_t after_name = stat.rfind(')');
  if (after_name == std::string::npos) return {};
  std::istringstream fields(stat.substr(after_name + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return {};
  constexpr int kStartTime = 22;  // the state is field 3; see proc(5)
  for (int number = 4; number <= kStartTime; ++number) fields >> field;
  return field;
}

std::string place() {
  return fmt::format("host={} boot={} space={}", host_name(),
                     first_line("/proc/sys/kernel/random/boot_id"), process_namespace());
}

std::optional<std::string> value_of(std::string_view name, std::string_view key) {
  const std::size_t at = name.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at + key.size();
  return std::string(name.substr(begin, name.find(' ', begin) - begin));
}

}  // namespace

std::string process_name() {
  return fmt::format("{} pid={} started={}", place(), ::getpid(), start_of("self"));
}

bool is_gone(std::string_view name) {
  if (!name.starts_with(place() + " ")) return false;
  const auto pid = value_of(name, " pid=");
  const auto started = value_of(name, " started=");
  if (!pid || !started || pid->empty() ||
      pid->find_first_not_of("0123456789") != std::string::npos) {
    return false;
  }
  return start_of(*pid) != *started;
}

}  // namespace wright::runtime
