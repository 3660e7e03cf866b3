// What Landlock alone leaves open: metadata, IPC, and processes that outlive a command. In
// namespaces, without them, and as an ordinary user.
#include "sandbox/namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>

#include "sandbox/sandbox_testing.h"
#include "sandbox/spawn.h"
#include "sandbox/system_call_filter.h"

namespace wright::sandbox {
namespace {

using namespace std::chrono_literals;

struct Metadata {
  mode_t mode;
  uid_t owner;
  timespec modified;

  static Metadata of(const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0);
    return {status.st_mode, status.st_uid, status.st_mtim};
  }
  bool operator==(const Metadata& other) const {
    return mode == other.mode && owner == other.owner && modified.tv_sec == other.modified.tv_sec &&
           modified.tv_nsec == other.modified.tv_nsec;
  }
};

TEST(OwnNamespaces, leave_the_metadata_of_files_outside_alone) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  const std::string out = grounds.outside().string();
  const std::string lines[] = {
      "chmod 777 " + out + "/secret.txt",
      "chmod 777 " + out,
      "chmod 777 ..",
      "chmod 700 /usr",
      "chmod 666 /dev/null",
      "chown 1 /etc/passwd",
      "chown 1 " + out + "/secret.txt",
      "touch -d 2001-01-01 " + out + "/secret.txt",
      "touch -d 2001-01-01 /usr/bin",
      "touch -d 2001-01-01 ..",
      "python3 -c 'import os; os.setxattr(\"" + out + "/secret.txt\", \"user.x\", b\"y\")'",
      "python3 -c 'import os; os.setxattr(\"/usr/bin/env\", \"user.x\", b\"y\")'"};
  const std::filesystem::path seen[] = {grounds.outside() / "secret.txt",
                                        grounds.outside(),
                                        grounds.path(),
                                        "/usr",
                                        "/usr/bin",
                                        "/etc/passwd",
                                        "/dev/null"};
  for (const std::string& line : lines) {
    std::vector<Metadata> before;
    for (const auto& path : seen) before.push_back(Metadata::of(path));
    const auto finished = run_line(sandbox, line, grounds.workspace());
    EXPECT_NE(finished.exit_code, 0) << line;
    for (std::size_t i = 0; i < std::size(seen); ++i) {
      EXPECT_EQ(before[i], Metadata::of(seen[i])) << line << ": " << seen[i];
    }
  }
}

TEST(OwnNamespaces, hide_what_is_outside) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  EXPECT_NE(run_line(sandbox, "stat ../outside", grounds.workspace()).exit_code, 0);
  EXPECT_NE(run_line(sandbox, "test -e " + grounds.outside().string() + "/secret.txt",
                     grounds.workspace())
                .exit_code,
            0);
  // Of the folder above, only the way to what may be used.
  const auto above = run_line(sandbox, "ls ..", grounds.workspace());
  EXPECT_EQ(above.output.head.find("outside"), std::string::npos) << above.output.head;
  EXPECT_NE(above.output.head.find("workspace"), std::string::npos);
  EXPECT_NE(run_line(sandbox, "ls /root || ls /home || ls /var", grounds.workspace()).exit_code, 0);
}

TEST(OwnNamespaces, show_no_process_outside) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  if (!sandbox.report().enforces("processes outside")) GTEST_SKIP() << "no /proc of its own";
  const auto finished = run_line(sandbox, "echo /proc/[0-9]*", grounds.workspace());
  EXPECT_EQ(finished.output.head, "/proc/1 /proc/2\n");
  EXPECT_EQ(run_line(sandbox, "readlink /proc/1/exe; cat /proc/1/cmdline | tr '\\0' ' '",
                     grounds.workspace())
                .output.head.find(".."),
            std::string::npos);
}

// A chain in which every process is gone before it is found.
constexpr const char* kChain =
    "for i in 1 2 3 4; do perl -e '$e=time+30; while(time<$e){ exit if fork; setpgrp(0,0) }' & "
    "done; "
    "echo started";

TEST(OwnNamespaces, end_a_chain_that_forks_and_exits) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  const std::string mark = grounds.path().filename().string() + "-chain";
  const auto finished = run_line(sandbox, kChain, grounds.workspace(), {}, mark);
  EXPECT_EQ(finished.output.head, "started\n");
  EXPECT_EQ(running_with(mark), std::vector<pid_t>{});
  const auto late = run_line(sandbox, std::string(kChain) + "; sleep 1000", grounds.workspace(),
                             {.timeout = 1s}, mark);
  EXPECT_EQ(late.exit_code, 124);
  EXPECT_EQ(running_with(mark), std::vector<pid_t>{});
}

TEST(OwnNamespaces, have_a_first_process_that_nothing_inside_can_end_or_change) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  const auto finished = run_line(
      sandbox,
      "for s in HUP INT TERM KILL STOP SEGV; do kill -$s 1; done; kill -9 -1 2>/dev/null; "
      "{ echo x > /proc/1/exe; } 2>/dev/null; { echo x > /proc/1/mem; } 2>/dev/null; echo alive",
      grounds.workspace());
  EXPECT_EQ(finished.output.head, "alive\n");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(run_line(sandbox, "echo again", grounds.workspace()).output.head, "again\n");
}

TEST(OwnNamespaces, leave_no_zombies) {
  const Grounds grounds;
  auto policy = grounds.policy();
  policy.limits.processes = 60;
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS_NAMESPACES(sandbox);
  const auto finished =
      run_line(sandbox, "for i in {1..300}; do (: &); done; wait; echo done", grounds.workspace());
  EXPECT_EQ(finished.output.head, "done\n") << finished.error.head;
  EXPECT_EQ(finished.error.head, "");
}

// By the C library through Python: System V queues, which anybody of the same user could reach.
constexpr const char* kMakeQueue =
    "python3 -c 'import ctypes,sys; l=ctypes.CDLL(None,use_errno=True); "
    "q=l.msgget({},0o1666); print(q); sys.exit(0 if q>=0 else ctypes.get_errno())'";

TEST(OwnNamespaces, share_no_ipc) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS_NAMESPACES(sandbox);
  const key_t key = 0x77000000 + ::getpid();
  const int outside = ::msgget(key, IPC_CREAT | 0600);
  ASSERT_GE(outside, 0);
  const auto open =
      fmt::format("python3 -c 'import ctypes; print(ctypes.CDLL(None).msgget({}, 0))'", key);
  EXPECT_EQ(run_line(sandbox, open, grounds.workspace()).output.head, "-1\n");
  ASSERT_EQ(::msgctl(outside, IPC_RMID, nullptr), 0);
  // And leave none behind.
  const auto made =
      run_line(sandbox, fmt::format(fmt::runtime(kMakeQueue), key), grounds.workspace());
  EXPECT_EQ(made.exit_code, 0) << made.error.head;
  EXPECT_EQ(::msgget(key, 0), -1);
}

TEST(OwnNamespaces, have_no_network_interfaces_unless_it_is_on) {
  const Grounds grounds;
  for (const NetworkAccess network : {NetworkAccess::off, NetworkAccess::local}) {
    auto policy = grounds.policy();
    policy.network = network;
    const auto sandbox = Sandbox::prepare(policy).value();
    NEEDS_NAMESPACES(sandbox);
    const auto finished = run_line(
        sandbox, "tail -n +3 /proc/net/dev | sed 's/:.*//' | tr -d ' \\n'", grounds.workspace());
    EXPECT_EQ(finished.output.head, "lo");
  }
}

TEST(OwnNamespaces, follow_links_to_what_may_be_used) {
  const Grounds grounds;
  std::filesystem::create_directories(grounds.path() / "real/data");
  Grounds::write(grounds.path() / "real/data/file", "found");
  std::filesystem::create_symlink("real", grounds.path() / "link");
  auto policy = grounds.policy();
  policy.read_paths = {grounds.path() / "link/data"};
  const auto sandbox = Sandbox::prepare(policy).value();
  const auto finished =
      run_line(sandbox, "cat ../link/data/file; echo x > ../link/data/file", grounds.workspace());
  EXPECT_EQ(finished.output.head, "found");
  EXPECT_NE(finished.exit_code, 0);
}

TEST(OwnNamespaces, nest_what_may_be_read_and_written) {
  const Grounds grounds;
  std::filesystem::create_directories(grounds.outside() / "inner/readable");
  Grounds::write(grounds.outside() / "inner/readable/file", "before");
  auto policy = grounds.policy();
  policy.read_paths = {grounds.outside(), grounds.outside() / "inner/readable"};
  policy.write_paths.push_back(grounds.outside() / "inner");
  const auto sandbox = Sandbox::prepare(policy).value();
  const auto finished =
      run_line(sandbox,
               "cat ../outside/secret.txt; echo after > ../outside/inner/readable/file; "
               "echo x > ../outside/secret.txt",
               grounds.workspace());
  EXPECT_EQ(finished.output.head, "do not read");
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_EQ(Grounds::read(grounds.outside() / "inner/readable/file"), "after\n");
  EXPECT_EQ(Grounds::read(grounds.outside() / "secret.txt"), "do not read");
}

TEST(OwnNamespaces, can_be_given_everything_to_read) {
  const Grounds grounds;
  auto policy = grounds.policy();
  policy.read_paths = {"/"};
  const auto sandbox = Sandbox::prepare(policy).value();
  const auto finished =
      run_line(sandbox, "cat ../outside/secret.txt; echo x > made; echo x > ../outside/secret.txt",
               grounds.workspace());
  EXPECT_EQ(finished.output.head, "do not read") << finished.error.head;
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_EQ(Grounds::read(grounds.workspace() / "made"), "x\n");
  const auto devices = run_line(sandbox, "echo x > /dev/null && head -c 3 /dev/urandom | wc -c",
                                grounds.workspace());
  EXPECT_EQ(devices.output.head, "3\n") << devices.error.head;
}

TEST(OwnNamespaces, are_entered_where_the_program_has_no_streams) {
  const Grounds grounds;
  const int saved = ::fcntl(0, F_DUPFD_CLOEXEC, 50);
  ::close(0);
  const auto sandbox = Sandbox::prepare(grounds.policy());
  const auto finished = sandbox->run(*shell_command("echo fine", grounds.workspace()));
  ::dup2(saved, 0);
  ::close(saved);
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(finished->output.head, "fine\n");
}

// Runs `body` as an ordinary user, in another process. What it returns must be empty.
void as_ordinary_user(const std::function<std::string()>& body) {
  constexpr uid_t kNobody = 65534;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    std::string problem = "cannot become an ordinary user";
    const bool is_root = ::geteuid() == 0;
    if (!is_root ||
        (::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0)) {
      problem = body();
    }
    (void)!::write(ends[1], problem.data(), problem.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string problem;
  char piece[4096];
  for (ssize_t count = 0; (count = ::read(ends[0], piece, sizeof piece)) > 0;) {
    problem.append(piece, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(problem, "");
}

TEST(OrdinaryUser, has_the_same_sandbox) {
  as_ordinary_user([]() -> std::string {
    const Grounds grounds;
    const auto sandbox = Sandbox::prepare(grounds.policy());
    if (!sandbox) return sandbox.error().message;
    const bool has_namespaces = sandbox->report().enforces("namespaces");
    struct Case {
      const char* line;
      const char* output;
    };
    const Case cases[] = {
        {"id -u; test -w . && echo x > made && cat made", "65534\nx\n"},
        {"kill -TERM $$", ""},
        {"git status 2>&1 | head -c 5", "fatal"},
        {"grep CapEff /proc/self/status | cut -f2", "0000000000000000\n"},
        {"python3 -c 'import tempfile; tempfile.TemporaryFile(); print(1)'", "1\n"}};
    std::string problems;
    for (const Case& each : cases) {
      const auto finished = run_line(*sandbox, each.line, grounds.workspace());
      if (::getuid() == 65534 && finished.output.head != each.output) {
        problems += std::string(each.line) + ": " + finished.output.head + finished.error.head;
      }
    }
    if (!has_namespaces) return problems;
    const std::string mark = grounds.path().filename().string() + "-user";
    (void)run_line(*sandbox, kChain, grounds.workspace(), {}, mark);
    if (!running_with(mark).empty()) problems += "a chain is left";
    (void)run_line(*sandbox, "chmod 777 ../outside/secret.txt; mkdir .git; touch -d 2001-01-01 ..",
                   grounds.workspace());
    if ((Metadata::of(grounds.outside() / "secret.txt").mode & 0777) == 0777) problems += "mode";
    if (std::filesystem::exists(grounds.workspace() / ".git")) problems += "litter";
    return problems;
  });
}

// What is left where namespaces are refused.
class WithoutNamespaces : public testing::Test {
 protected:
  std::string exit_of(const std::string& line) {
    auto filter = make_filter({.isolation = FilterOptions::Isolation::by_filter});
    if (!filter) return filter.error().message;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "no pipe";
    const FileDescriptor reading(ends[0]);
    FileDescriptor writing(ends[1]);
    const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const auto process = spawn({.program = "/bin/bash",
                                .arguments = {"bash", "-c", line},
                                .environment = {"PATH=/usr/bin:/bin"},
                                .working_directory = grounds_.workspace().string(),
                                .input = nothing.get(),
                                .output = writing.get(),
                                .error = writing.get()},
                               {.filter = std::move(*filter)});
    if (!process) return to_text(process.error());
    writing = FileDescriptor();
    std::string text;
    char piece[512];
    for (ssize_t count = 0; (count = ::read(reading.get(), piece, sizeof piece)) > 0;) {
      text.append(piece, static_cast<std::size_t>(count));
    }
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(process->id), &ended, WEXITED);
    return std::to_string(ended.si_status) + " " + text;
  }

  Grounds grounds_;
};

TEST_F(WithoutNamespaces, the_filter_refuses_what_reaches_others) {
  const std::string call =
      "python3 -c 'import ctypes,sys; l=ctypes.CDLL(None,use_errno=True); r=l.{}; "
      "sys.exit(0 if r!=-1 else ctypes.get_errno())'";
  for (const char* each :
       {"msgget(1,0o1666)", "shmget(1,4096,0o1666)", "semget(1,1,0o1666)", "chown(b\".\",-1,-1)",
        "syscall(469,-100,b\".\",0,0,0)", "syscall(452,-100,b\".\",0o4755,0)"}) {
    const std::string printed = exit_of(fmt::format(fmt::runtime(call), each));
    EXPECT_TRUE(printed.starts_with("1 ")) << each << ": " << printed;
  }
  for (const char* each :
       {"setxattr(b\".\",b\"user.x\",b\"y\",1,0)", "lremovexattr(b\".\",b\"user.x\")",
        "syscall(463,-100,b\".\",0,0,0,0)"}) {
    const std::string printed = exit_of(fmt::format(fmt::runtime(call), each));
    EXPECT_TRUE(printed.starts_with("95 ")) << each << ": " << printed;
  }
  const std::string self = std::to_string(::getpid());
  for (const std::string& line : {"python3 -c 'import os; os.sched_setaffinity(" + self + ", {0})'",
                                  "python3 -c 'import os; os.sched_setscheduler(" + self +
                                      ", os.SCHED_IDLE, os.sched_param(0))'"}) {
    EXPECT_TRUE(exit_of(line).find("PermissionError") != std::string::npos) << exit_of(line);
  }
  EXPECT_EQ(exit_of("python3 -c 'import os; os.sched_setaffinity(0, {0}); print(1)'"), "0 1\n");
  EXPECT_EQ(exit_of("echo x > f && chmod 600 f && touch f && cp -p f g && cat g"), "0 x\n");
}

TEST(Namespaces, say_what_the_machine_refuses) {
  const Grounds grounds;
  FileTree tree;
  tree.steps.push_back({TreeStep::Kind::mount, "x", "/no/such/folder"});
  const auto made = Namespaces::make(tree, grounds.workspace(), NetworkAccess::off);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("cannot "), std::string::npos) << made.error().message;
}

}  // namespace
}  // namespace wright::sandbox
