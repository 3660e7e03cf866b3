#include "http_server/peer_process.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
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

// A program may have thousands of files open: each costs one system call and no memory.
bool has_open(const std::string& folder, std::string_view wanted) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  if (!open) return false;
  std::array<char, 64> target;
  while (const dirent* file = ::readdir(open.get())) {
    const ssize_t size =
        ::readlinkat(::dirfd(open.get()), file->d_name, target.data(), target.size());
    if (size > 0 && std::string_view(target.data(), static_cast<std::size_t>(size)) == wanted) {
      return true;
    }
  }
  return false;
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
    if (has_open(process->path() / "fd", wanted)) found.push_back(*id);
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
