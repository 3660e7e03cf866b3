// Kills the program that runs commands, and looks for what is left of them.
#include "sandbox/parent_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <sstream>
#include <thread>
#include <vector>

#include "sandbox/guarded_paths.h"
#include "sandbox/sandbox_testing.h"
#include "sandbox/spawn.h"
#include "sandbox/system_call_filter.h"

namespace wright::sandbox {
namespace {

FileDescriptor descriptor_of(pid_t process) {
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

// Waits for its end, without being its parent.
bool has_ended(const FileDescriptor& process) {
  pollfd watched{process.get(), POLLIN, 0};
  return !process.is_open() || ::poll(&watched, 1, 20'000) == 1;
}

// Everything that a line in the background can do to be forgotten. Writes `ready` to its output
// when four processes of it run.
constexpr const char* kHiding =
    "(trap '' HUP TERM; echo >> left; exec sleep 1000) &\n"
    "set -m; (echo >> left; exec sleep 1000) & set +m\n"
    "setsid sh -c 'echo >> left; exec sleep 1000' || (echo >> left; exec sleep 1000) &\n"
    "python3 -c '\nimport ctypes,os,time\nif os.fork() == 0:\n"
    "  ctypes.CDLL(None).prctl(15, b\"a\\n) Z 1\", 0, 0, 0)\n"
    "  open(\"left\", \"a\").write(\"\\n\"); time.sleep(1000)\n'\n"
    "while [ $(wc -l < left) -lt 4 ]; do :; done; echo ready; sleep 1000";

// Another program, which runs `body` until it is killed. `body` writes to its argument when it is
// time for that. What then runs with `mark` in its environment must end.
template <class Body>
void kill_while_running(const Body& body, const std::string& mark = {}) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t program = ::fork();
  if (program == 0) {
    ::close(ends[0]);
    body(ends[1]);
    ::_exit(1);
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1) << "it ended by itself";
  ::close(ends[0]);
  std::vector<FileDescriptor> left;
  if (!mark.empty()) {
    for (const pid_t process : running_with(mark)) left.push_back(descriptor_of(process));
    EXPECT_GE(left.size(), 5U);
  }
  ASSERT_EQ(::kill(program, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(program, &status, 0), program);
  for (const FileDescriptor& process : left) EXPECT_TRUE(has_ended(process));
}

TEST(ParentWatch, ends_what_runs_when_the_program_is_killed) {
  const Grounds grounds;
  const std::string mark = grounds.path().filename().string() + "-killed";
  kill_while_running(
      [&](int ready) {
        const auto sandbox = Sandbox::prepare(grounds.policy());
        if (!sandbox) return;
        auto command = shell_command(kHiding, grounds.workspace()).value();
        command.environment.emplace("WRIGHT_TEST_MARK", mark);
        (void)sandbox->run(command, {.on_output = [&](OutputStream stream, std::string_view) {
                             // Where there is no cgroup, setsid complains first.
                             if (stream == OutputStream::output) (void)!::write(ready, "x", 1);
                           }});
      },
      mark);
}

TEST(ParentWatch, ends_it_without_a_cgroup_too) {
  const Grounds grounds;
  const std::string mark = grounds.path().filename().string() + "-killed";
  const auto body = [&](int ready) {
    const auto watch = ParentWatch::start(grounds.path() / "private");
    auto filter = make_filter({.sessions = FilterOptions::Sessions::forbidden});
    if (!watch || !filter) return;
    const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const auto process = spawn({.program = "/bin/bash",
                                .arguments = {"bash", "-c", kHiding},
                                .environment = {"PATH=/usr/bin:/bin", "MARK=" + mark},
                                .working_directory = grounds.workspace().string(),
                                .input = nothing.get(),
                                .output = ready,
                                .error = nothing.get(),
                                .watch = &*watch},
                               {.filter = std::move(*filter)});
    if (process) ::pause();
  };
  kill_while_running(body, mark);
}

TEST(ParentWatch, leaves_no_folder_behind_when_the_program_is_killed) {
  const Grounds grounds;
  const auto folder = grounds.path() / "private";
  std::filesystem::create_directories(folder / "home");
  FileDescriptor process;
  pid_t number = 0;
  kill_while_running([&](int ready) {
    const auto watch = ParentWatch::start(folder);
    if (!watch) return;
    Grounds::write(grounds.path() / "number", std::to_string(watch->id()));
    (void)!::write(ready, "x", 1);
    ::pause();
  });
  std::istringstream(Grounds::read(grounds.path() / "number")) >> number;
  ASSERT_GT(number, 1);
  EXPECT_TRUE(has_ended(descriptor_of(number)));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(ParentWatch, leaves_no_placeholder_behind_when_the_program_is_killed) {
  const Grounds grounds;
  pid_t number = 0;
  kill_while_running([&](int ready) {
    const auto watch = ParentWatch::start(grounds.path() / "private");
    const auto made = Placeholder::make(grounds.workspace() / ".git", Placeholder::Kind::folder);
    const auto file = Placeholder::make(grounds.workspace() / "more", Placeholder::Kind::file);
    if (!watch || !made || !made->is_there() || !file || !file->is_there()) return;
    watch->remove_later(made->path());
    watch->remove_later(file->path());
    watch->remove_later(grounds.outside() / "secret.txt");  // not sticky
    watch->remove_later(grounds.outside());                 // not empty
    Grounds::write(grounds.path() / "number", std::to_string(watch->id()));
    (void)!::write(ready, "x", 1);
    ::pause();
  });
  std::istringstream(Grounds::read(grounds.path() / "number")) >> number;
  ASSERT_GT(number, 1);
  EXPECT_TRUE(has_ended(descriptor_of(number)));
  EXPECT_FALSE(std::filesystem::exists(grounds.workspace() / ".git"));
  EXPECT_FALSE(std::filesystem::exists(grounds.workspace() / "more"));
  EXPECT_EQ(Grounds::read(grounds.outside() / "secret.txt"), "do not read");
}

TEST(ParentWatch, leaves_a_placeholder_that_another_program_needs) {
  const Grounds grounds;
  const auto path = grounds.workspace() / ".git";
  {
    const auto held = Placeholder::make(path, Placeholder::Kind::folder).value();
    pid_t number = 0;
    kill_while_running([&](int ready) {
      const auto watch = ParentWatch::start(grounds.path() / "private");
      const auto made = Placeholder::make(path, Placeholder::Kind::folder);
      if (!watch || !made || !made->is_there()) return;
      watch->remove_later(made->path());
      Grounds::write(grounds.path() / "number", std::to_string(watch->id()));
      (void)!::write(ready, "x", 1);
      ::pause();
    });
    std::istringstream(Grounds::read(grounds.path() / "number")) >> number;
    ASSERT_GT(number, 1);
    EXPECT_TRUE(has_ended(descriptor_of(number)));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ParentWatch, touches_nothing_when_the_program_ends_it) {
  const Grounds grounds;
  const FileDescriptor process = [&] {
    const auto watch = ParentWatch::start(grounds.workspace()).value();
    return descriptor_of(watch.id());
  }();
  EXPECT_TRUE(has_ended(process));
  EXPECT_TRUE(std::filesystem::exists(grounds.workspace()));
}

TEST(ParentWatch, is_no_child_and_has_nothing_of_the_program) {
  std::array<int, 2> leaked{};
  ASSERT_EQ(::pipe(leaked.data()), 0);  // without O_CLOEXEC
  const auto watch = ParentWatch::start("/no/such/folder").value();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(::getsid(watch.id()), watch.id());
  // Whoever reads from the pipe sees its end as soon as it is closed here.
  ::close(leaked[1]);
  pollfd reading{leaked[0], POLLIN, 0};
  EXPECT_EQ(::poll(&reading, 1, 0), 1) << "the other end is still open there";
  ::close(leaked[0]);
}

TEST(ParentWatch, is_out_of_reach_of_what_runs) {
  const Grounds grounds;
  const auto watch = ParentWatch::start("/no/such/folder").value();
  const FileDescriptor process = descriptor_of(watch.id());
  const std::string number = std::to_string(watch.id());
  const std::string lines[] = {
      "kill -9 " + number, "kill -9 -" + number,
      "python3 -c 'import signal,os; signal.pidfd_send_signal(os.open(\"/proc/" + number +
          "\", os.O_RDONLY), 9)'",
      "python3 -c 'import fcntl,os; r,w=os.pipe(); fcntl.fcntl(r, fcntl.F_SETOWN, " + number + ")'",
      "python3 -c 'import ctypes; l=ctypes.CDLL(None,use_errno=True); assert l.sigqueue(" + number +
          ", 9, 0)==0'"};
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const std::string& line : lines) {
    auto filter = make_filter({.out_of_reach = {watch.id()}});
    ASSERT_TRUE(filter) << filter.error().message;
    const auto attempt = spawn({.program = "/bin/bash",
                                .arguments = {"bash", "-c", line},
                                .environment = {"PATH=/usr/bin:/bin"},
                                .working_directory = "/",
                                .input = nothing.get(),
                                .output = nothing.get(),
                                .error = nothing.get()},
                               {.filter = std::move(*filter)});
    ASSERT_TRUE(attempt);
    int status = 0;
    ASSERT_EQ(::waitpid(attempt->id, &status, 0), attempt->id);
    EXPECT_NE(status, 0) << line;
    pollfd watched{process.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&watched, 1, 0), 0) << "it was ended by " << line;
  }
}

TEST(ParentWatch, is_missed_when_it_is_gone) {
  const auto watch = ParentWatch::start("/no/such/folder").value();
  const FileDescriptor process = descriptor_of(watch.id());
  ASSERT_EQ(::kill(watch.id(), SIGKILL), 0);
  ASSERT_TRUE(has_ended(process));
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto attempt = spawn({.program = "/bin/true",
                              .arguments = {"true"},
                              .environment = {},
                              .working_directory = "/",
                              .input = nothing.get(),
                              .output = nothing.get(),
                              .error = nothing.get(),
                              .watch = &watch},
                             {});
  ASSERT_FALSE(attempt);
  EXPECT_EQ(attempt.error().step, SpawnStep::watch);
}

pid_t find_watch_below(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string command = Grounds::read(entry.path() / "cmdline");
    if (command.find("wright-watch") != std::string::npos &&
        command.find(folder.string()) != std::string::npos) {
      return std::atoi(entry.path().filename().c_str());
    }
  }
  return 0;
}

// The process that watches for the sandboxes with folders below `folder`. For a moment after it has
// started, its name does not show.
pid_t watch_below(const std::filesystem::path& folder) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  pid_t found = 0;
  while (found == 0 && std::chrono::steady_clock::now() < deadline) {
    found = find_watch_below(folder);
    std::this_thread::yield();
  }
  return found;
}

TEST(ParentWatch, is_started_again_where_somebody_ended_it) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  const pid_t first = watch_below(grounds.path());
  ASSERT_GT(first, 1);
  const FileDescriptor process = descriptor_of(first);
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_TRUE(has_ended(process));
  EXPECT_EQ(run_line(sandbox, "echo fine", grounds.workspace()).output.head, "fine\n");
  EXPECT_GT(watch_below(grounds.path()), 1);
}

TEST(ParentWatch, goes_with_the_sandbox) {
  const Grounds grounds;
  FileDescriptor process;
  {
    const auto sandbox = Sandbox::prepare(grounds.policy()).value();
    const pid_t watch = watch_below(grounds.path());
    ASSERT_GT(watch, 1);
    process = descriptor_of(watch);
  }
  EXPECT_TRUE(has_ended(process));
}

}  // namespace
}  // namespace wright::sandbox
