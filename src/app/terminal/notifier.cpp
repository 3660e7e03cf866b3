#include "app/terminal/notifier.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace wright::app {
namespace {

constexpr std::string_view kNoticeVariable = "WRIGHT_NOTICE=";

}  // namespace

void start_notifier(const std::string& command, const std::string& words) {
  // The shell that is waited for leaves the command to itself at once.
  std::string script = "(eval \"$1\") & :";
  std::string shell = "sh";
  std::string option = "-c";
  std::string line = command;
  std::array<char*, 6> arguments{shell.data(), option.data(), script.data(),
                                 shell.data(), line.data(),   nullptr};
  std::string notice = std::string(kNoticeVariable) + words;
  std::vector<char*> variables{notice.data()};
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (!std::string_view(*each).starts_with(kNoticeVariable)) variables.push_back(*each);
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Ctrl-C is for us; what we keep from us is not kept from it.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  if (posix_spawn(&child, "/bin/sh", &files, &attributes, arguments.data(), variables.data()) ==
      0) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
}

}  // namespace wright::app
