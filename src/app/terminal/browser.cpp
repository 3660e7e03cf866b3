#include "app/terminal/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace wright::app {

bool has_screen(const Environment& environment) {
  return environment.find_non_empty("DISPLAY").has_value() ||
         environment.find_non_empty("WAYLAND_DISPLAY").has_value();
}

// What it says of itself is nothing for this terminal, and its end is not waited for: some of them
// stay as long as the browser is open. In a group of its own Ctrl-C does not end the browser.
bool open_in_browser(const std::string& url) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string program = "xdg-open";
  std::string page = url;
  char* const arguments[] = {program.data(), page.data(), nullptr};
  pid_t id = -1;
  const int failed =
      ::posix_spawnp(&id, program.c_str(), &files, &attributes, arguments, ::environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return false;
  std::thread([id] { ::waitpid(id, nullptr, 0); }).detach();
  return true;
}

}  // namespace wright::app
