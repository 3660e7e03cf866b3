#include "http_server/peer_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace wright::http {
namespace {

// Of parents above parents; a real tree is far lower.
constexpr int kMostAncestors = 1'000;

std::string link_text(const std::string& path) {
  std::error_code error;
  return std::filesystem::read_symlink(path, error).string();
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A number of /proc/PID/status: "PPid:\t1".
std::optional<int> status_number(const std::string& process, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    return number_of(std::string_view(line).substr(line.find_last_of("\t ") + 1));
  }
  return std::nullopt;
}

bool is_in_our_namespace(const std::string& process, std::string_view kind) {
  const std::string theirs = link_text(fmt::format("/proc/{}/ns/{}", process, kind));
  return !theirs.empty() && theirs == link_text(fmt::format("/proc/self/ns/{}", kind));
}

bool is_below_us(int process) {
  for (int i = 0; i < kMostAncestors && process > 1; ++i) {
    const auto parent = status_number(std::to_string(process), "PPid");
    if (!parent || *parent == ::getpid()) return true;
    process = *parent;
  }
  return process > 1;
}

}  // namespace

std::vector<int> processes_with_socket(std::uint64_t inode) {
  const std::string wanted = fmt::format("socket:[{}]", inode);
  std::vector<int> found;
  std::error_code error;
  for (std::filesystem::directory_iterator process("/proc", error), end; !error && process != end;
       process.increment(error)) {
    const auto id = number_of(process->path().filename().string());
    if (!id) continue;
    std::error_code none;
    for (std::filesystem::directory_iterator file(process->path() / "fd", none);
         !none && file != end; file.increment(none)) {
      if (link_text(file->path().string()) != wanted) continue;
      found.push_back(*id);
      break;
    }
  }
  return found;
}

bool is_as_free_as_this_one(int process) {
  if (process == ::getpid()) return true;
  const std::string name = std::to_string(process);
  if (!is_in_our_namespace(name, "user") || !is_in_our_namespace(name, "pid")) return false;
  const auto theirs = status_number(name, "Seccomp_filters");
  const auto ours = status_number("self", "Seccomp_filters");
  if (!theirs || !ours || *theirs > *ours) return false;
  return !is_below_us(process);
}

}  // namespace wright::http
