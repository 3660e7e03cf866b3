// The parts below Sandbox, in the ways that this machine would not choose by itself: rules of older
// versions of Landlock, and ending a run without a cgroup.
#include "sandbox/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>

#include "sandbox/landlock.h"
#include "sandbox/run_group.h"
#include "sandbox/sandbox_testing.h"
#include "sandbox/system_call_filter.h"

namespace wright::sandbox {
namespace {

// A bash whose output can be read. It is ended and waited for, whatever the test does.
class Child {
 public:
  Child(const std::string& line, const std::filesystem::path& folder,
        const Confinement& confinement, int process_group_file = -1) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    reading_ = FileDescriptor(ends[0]);
    const FileDescriptor writing(ends[1]);
    const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    auto process = spawn({.program = "/bin/bash",
                          .arguments = {"bash", "-c", line},
                          .environment = {"PATH=/usr/bin:/bin"},
                          .working_directory = folder.string(),
                          .input = nothing.get(),
                          .output = writing.get(),
                          .error = nothing.get(),
                          .process_group_file = process_group_file},
                         confinement);
    if (process) {
      process_ = std::move(*process);
    } else {
      ADD_FAILURE() << to_text(process.error());
    }
  }
  ~Child() {
    RunGroup::end_leader(process_.id);
    exit_code();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t id() const { return process_.id; }

  std::string read_line() const {
    std::string line;
    char c = 0;
    while (::read(reading_.get(), &c, 1) == 1 && c != '\n') line += c;
    return line;
  }

  int exit_code() {
    if (process_.id <= 1) return -1;
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(process_.id), &ended, WEXITED);
    process_.id = -1;
    return ended.si_status;
  }

 private:
  FileDescriptor reading_;
  SpawnedProcess process_;
};

TEST(Landlock, holds_with_the_rules_of_every_version_up_to_this_one) {
  if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  const Grounds grounds;
  for (int version = 1; version <= landlock_version(); ++version) {
    const auto rules = make_ruleset(grounds.policy(), grounds.workspace(), version);
    ASSERT_TRUE(rules) << version << ": " << rules.error().message;
    Child child(
        "echo x > made && cat made && mkdir a && mv a b && rmdir b && "
        "! cat ../outside/secret.txt && ! touch ../outside/new && ! rm ../outside/secret.txt",
        grounds.workspace(), {.landlock_ruleset = rules->get()});
    EXPECT_EQ(child.read_line(), "x") << version;
    EXPECT_EQ(child.exit_code(), 0) << version;
    EXPECT_EQ(Grounds::read(grounds.outside() / "secret.txt"), "do not read");
  }
}

TEST(Cgroups, are_looked_for_where_the_kernel_says_this_process_is) {
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(cgroup_candidates("9:name=systemd:/\n8:pids:/a/b\n0::/\n"),
            (Paths{"/sys/fs/cgroup/pids/a/b", "/sys/fs/cgroup/pids/a/b", "/sys/fs/cgroup/"}));
  EXPECT_EQ(cgroup_candidates("4:cpu,pids:/x\n"),
            (Paths{"/sys/fs/cgroup/cpu,pids/x", "/sys/fs/cgroup/pids/x"}));
  // Version 2, as on Debian 12: beside the own group first.
  EXPECT_EQ(cgroup_candidates("0::/user.slice/session-1.scope\n"),
            (Paths{"/sys/fs/cgroup/user.slice", "/sys/fs/cgroup/user.slice/session-1.scope"}));
  EXPECT_EQ(cgroup_candidates("0::/\n"), Paths{"/sys/fs/cgroup/"});
  for (const char* odd :
       {"", "\n", "x", "0:", "0::", "0::relative", "0::/../..", "8:pids:/../x", "3:cpu:/x"}) {
    EXPECT_EQ(cgroup_candidates(odd), Paths{}) << odd;
  }
}

TEST(RunGroup, finds_who_changed_the_process_group_and_lets_nobody_leave_the_session) {
  const Grounds grounds;
  auto filter = make_filter({.sessions = FilterOptions::Sessions::forbidden});
  ASSERT_TRUE(filter) << filter.error().message;
  const auto group = RunGroup::make(std::nullopt, std::nullopt);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->joining_file(), -1);
  Child child(
      "set -m; sleep 1000 & echo $!\n"
      "python3 -c '\nimport os\nif os.fork() == 0:\n  try: os.setsid(); print(\"left\")\n"
      "  except PermissionError: print(\"refused\")\nelse: os.wait()'\nsleep 1000",
      grounds.workspace(), {.filter = std::move(*filter)});
  const pid_t left = std::atoi(child.read_line().c_str());
  ASSERT_GT(left, 1);
  EXPECT_NE(::getpgid(left), child.id()) << "it has a group of its own";
  EXPECT_EQ(::getsid(left), child.id());
  EXPECT_EQ(child.read_line(), "refused");
  EXPECT_TRUE(group->end_all(child.id()));
  EXPECT_FALSE(is_running(left));
}

// Where a hierarchy of version 2 can be written to; empty when there is none.
std::filesystem::path second_hierarchy() {
  std::istringstream mounts(Grounds::read("/proc/self/mounts"));
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string device, folder, type;
    fields >> device >> folder >> type;
    if (type == "cgroup2" && ::access(folder.c_str(), W_OK) == 0) return folder;
  }
  return {};
}

TEST(RunGroup, ends_everybody_in_a_cgroup_of_version_2) {
  const auto hierarchy = second_hierarchy();
  if (hierarchy.empty()) GTEST_SKIP() << "no cgroups of version 2 that can be written to";
  const Grounds grounds;
  std::filesystem::path folder;
  {
    const auto group = RunGroup::make(CgroupPlace{hierarchy}, std::nullopt);
    ASSERT_TRUE(group) << group.error().message;
    folder = group->cgroup();
    ASSERT_TRUE(std::filesystem::exists(folder / "cgroup.kill"));
    Child child(
        "setsid sleep 1000 & echo $!\n"
        "python3 -c '\nimport os,time\nif os.fork() == 0:\n  os.setsid()\n  "
        "if os.fork() == 0: print(os.getpid(), flush=True); time.sleep(1000)'\nsleep 1000",
        grounds.workspace(), {}, group->joining_file());
    const pid_t left[] = {std::atoi(child.read_line().c_str()),
                          std::atoi(child.read_line().c_str())};
    for (const pid_t process : left) {
      ASSERT_GT(process, 1);
      EXPECT_NE(::getsid(process), child.id()) << "it has left the session";
    }
    EXPECT_TRUE(group->end_all(child.id()));
    for (const pid_t process : left) EXPECT_FALSE(is_running(process));
    child.exit_code();
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(RunGroup, says_where_no_cgroup_can_be_made) {
  const Grounds grounds;
  const auto nowhere = RunGroup::make(CgroupPlace{"/no/such/hierarchy"}, 5);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message,
            "Cannot make a cgroup below /no/such/hierarchy: No such file or directory");
  // A folder that is no cgroup has nothing to join by; what was made in it is gone.
  EXPECT_FALSE(RunGroup::make(CgroupPlace{grounds.workspace()}, 5));
  EXPECT_TRUE(std::filesystem::is_empty(grounds.workspace()));
}

TEST(SystemCallFilter, forbids_truncation_by_path_where_asked_to) {
  const Grounds grounds;
  Grounds::write(grounds.workspace() / "file", "content");
  auto filter = make_filter({.truncation = FilterOptions::Truncation::forbidden});
  ASSERT_TRUE(filter) << filter.error().message;
  Child child("python3 -c 'import os; os.truncate(\"file\", 0)'; echo $?", grounds.workspace(),
              {.filter = std::move(*filter)});
  EXPECT_EQ(child.read_line(), "1");
  EXPECT_EQ(Grounds::read(grounds.workspace() / "file"), "content");
}

TEST(Spawn, says_at_which_step_it_failed) {
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  SpawnRequest request{.program = "/bin/true",
                       .arguments = {"true"},
                       .environment = {},
                       .working_directory = "/",
                       .input = nothing.get(),
                       .output = nothing.get(),
                       .error = nothing.get()};
  const auto step_of = [&](const Confinement& confinement) {
    const auto process = spawn(request, confinement);
    if (process) ADD_FAILURE() << "it started";
    return process ? SpawnStep::start : process.error().step;
  };
  EXPECT_EQ(step_of({.landlock_ruleset = nothing.get()}), SpawnStep::landlock);
  EXPECT_EQ(step_of({.filter = {sock_filter{0xFFFF, 0, 0, 0}}}), SpawnStep::filter);
  EXPECT_EQ(step_of({.limits = {{9999, {}}}}), SpawnStep::limits);
  request.output = -1;
  EXPECT_EQ(step_of({}), SpawnStep::streams);
  request.output = nothing.get();
  request.process_group_file = -1;
  request.program = "/";
  EXPECT_EQ(step_of({}), SpawnStep::program);
}

}  // namespace
}  // namespace wright::sandbox
