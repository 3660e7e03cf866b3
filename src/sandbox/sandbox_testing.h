// For tests of this folder: a workspace that may be written to, a folder outside that must not even
// be read, and a way to run shell lines between them.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/temporary_folder_testing.h"
#include "wright/sandbox.h"

// A machine that refuses namespaces must at least say so.
#define NEEDS_NAMESPACES(sandbox)                                                       \
  if (!(sandbox).report().enforces("namespaces")) {                                     \
    const auto& layers = (sandbox).report().layers;                                     \
    const auto found =                                                                  \
        std::ranges::find(layers, std::string_view("namespaces"), &SandboxLayer::name); \
    ASSERT_NE(found, layers.end());                                                     \
    ASSERT_EQ(found->state, SandboxLayer::State::missing);                              \
    EXPECT_FALSE((sandbox).report().enforces("metadata"));                              \
    EXPECT_FALSE((sandbox).report().is_complete());                                     \
    GTEST_SKIP() << "no namespaces here: " << found->detail;                            \
  }

namespace wright::sandbox {

class Grounds {
 public:
  Grounds() {
    std::filesystem::create_directories(workspace());
    std::filesystem::create_directories(outside());
    write(outside() / "secret.txt", "do not read");
  }

  std::filesystem::path path() const { return folder_; }
  std::filesystem::path workspace() const { return folder_ / "workspace"; }
  std::filesystem::path outside() const { return folder_ / "outside"; }

  static void write(const std::filesystem::path& file, std::string_view content) {
    std::ofstream(file, std::ios::binary) << content;
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return content.str();
  }

  SandboxPolicy policy() const {
    SandboxPolicy policy;
    policy.write_paths = {workspace()};
    policy.temporary_root = folder_;
    return policy;
  }

 private:
  const TemporaryFolder folder_;
};

// As root a test goes on as nobody, whom permissions bind, until the end of its scope.
class BoundByPermissions {
 public:
  explicit BoundByPermissions(const std::filesystem::path& readable) : is_root_(::geteuid() == 0) {
    if (!is_root_) return;
    for (auto above = readable;
         above != std::filesystem::temp_directory_path() && above.has_relative_path();
         above = above.parent_path()) {
      EXPECT_EQ(::chmod(above.c_str(), 0755), 0);
    }
    constexpr uid_t kNobody = 65534;
    EXPECT_EQ(::seteuid(kNobody), 0);
  }
  ~BoundByPermissions() {
    if (is_root_) EXPECT_EQ(::seteuid(0), 0);
  }
  BoundByPermissions(const BoundByPermissions&) = delete;
  BoundByPermissions& operator=(const BoundByPermissions&) = delete;

 private:
  const bool is_root_;
};

// Zombies under an init that never waits are not processes any more.
inline bool is_running(pid_t process) {
  const std::string status = Grounds::read("/proc/" + std::to_string(process) + "/stat");
  const std::size_t end = status.rfind(')');
  return end != std::string::npos && status.at(end + 2) != 'Z' && status.at(end + 2) != 'X';
}

// Processes with `mark` in their environment, as this program numbers them: what runs in a PID
// namespace knows other numbers.
inline std::vector<pid_t> running_with(const std::string& mark) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 1 || !is_running(process)) continue;
    if (Grounds::read(entry.path() / "environ").find(mark) != std::string::npos) {
      found.push_back(process);
    }
  }
  return found;
}

inline FinishedCommand run_line(const Sandbox& sandbox, const std::string& line,
                                const std::filesystem::path& folder,
                                const CommandOptions& options = {}, const std::string& mark = {}) {
  auto command = shell_command(line, folder);
  if (command && !mark.empty()) command->environment.emplace("WRIGHT_TEST_MARK", mark);
  if (!command) {
    ADD_FAILURE() << command.error().message;
    return {};
  }
  auto finished = sandbox.run(*command, options);
  if (!finished) {
    ADD_FAILURE() << line << "\n" << finished.error().message;
    return {};
  }
  return std::move(*finished);
}

}  // namespace wright::sandbox
