// What happens to guarded files beside a command, while it runs or just before.
#include "sandbox/replacement_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "core/file_descriptor.h"
#include "sandbox/sandbox_testing.h"

namespace wright::sandbox {
namespace {

using namespace std::chrono_literals;

// A process that does nothing until it is killed.
class Sleeper {
 public:
  Sleeper() : id_(::fork()) {
    if (id_ == 0) {
      while (true) ::pause();
    }
    process_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, id_, 0)));
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  int descriptor() const { return process_.get(); }
  bool is_killed() const {
    pollfd watched{process_.get(), POLLIN, 0};
    return ::poll(&watched, 1, 20'000) == 1;
  }

 private:
  pid_t id_;
  FileDescriptor process_;
};

// What a program in mounts of its own came to, which may mount what it likes.
enum class Came : int { fine, wrong, no_namespaces, no_mount };
Came in_own_mounts(const std::function<Came()>& body) {
  const pid_t program = ::fork();
  if (program == 0) {
    const auto user = std::to_string(::geteuid());
    const int flags = CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER);
    bool is_apart = ::unshare(flags) == 0;
    if (is_apart && (flags & CLONE_NEWUSER) != 0) {
      Grounds::write("/proc/self/uid_map", user + " " + user + " 1");
    }
    is_apart = is_apart && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    ::_exit(static_cast<int>(is_apart ? body() : Came::no_mount));
  }
  int status = 0;
  const bool has_ended = program > 0 && ::waitpid(program, &status, 0) == program;
  return has_ended && WIFEXITED(status) ? static_cast<Came>(WEXITSTATUS(status)) : Came::wrong;
}

class Replaced : public testing::Test {
 protected:
  std::filesystem::path in(const std::string& name) const { return grounds_.workspace() / name; }
  void make(const std::string& name, std::string_view content = "x") const {
    std::filesystem::create_directories(in(name).parent_path());
    Grounds::write(in(name), content);
  }
  // As editors save a file.
  void replace(const std::string& name, std::string_view content) const {
    make(name + ".new", content);
    std::filesystem::rename(in(name + ".new"), in(name));
  }

  // Runs a line, and `meanwhile` as soon as it has printed something.
  Result<FinishedCommand> run(const Sandbox& sandbox, const std::string& line,
                              const std::function<void()>& meanwhile) const {
    bool is_done = false;
    return sandbox.run(shell_command(line, grounds_.workspace()).value(),
                       {.timeout = 60s, .on_output = [&](OutputStream, std::string_view) {
                          if (!is_done) meanwhile();
                          is_done = true;
                        }});
  }
  // One that begins after `meanwhile`, between the look and the start.
  FinishedCommand run_after(const Sandbox& sandbox, const std::string& line,
                            const std::function<void()>& meanwhile) const {
    return run_line(sandbox, line, grounds_.workspace(), {.before_start = [&]() -> Result<void> {
                      meanwhile();
                      return {};
                    }});
  }

  Grounds grounds_;
  SandboxPolicy policy_ = grounds_.policy();
};

TEST_F(Replaced, a_secret_ends_the_command_that_could_read_it) {
  make(".env", "KEY=old");
  policy_.unreadable = usual_secrets();
  const auto sandbox = Sandbox::prepare(policy_).value();
  NEEDS_NAMESPACES(sandbox);
  ASSERT_TRUE(sandbox.report().enforces("replaced files"));
  const auto finished = run(sandbox, "echo ready; until grep -q KEY .env; do :; done",
                            [&] { replace(".env", "KEY=new"); });
  ASSERT_FALSE(finished) << "it read the new one";
  EXPECT_NE(finished.error().message.find("'" + in(".env").string() + "'"), std::string::npos)
      << finished.error().message;
  EXPECT_EQ(Grounds::read(in(".env")), "KEY=new");
}

TEST_F(Replaced, a_secret_is_noticed_before_anybody_believes_that_it_was_not) {
  constexpr int kOften = 200;
  make(".env");
  const auto watch = ReplacementWatch::start().value();
  for (int i = 0; i < kOften; ++i) {
    const auto guarded = watch->watch(std::vector{
        GuardedMount{.kind = GuardedMount::Kind::hidden_file, .path = in(".env"), .file = {}}});
    ASSERT_TRUE(guarded);
    EXPECT_FALSE((*guarded)->replaced_in_the_end());
    replace(".env", "KEY=new");
    EXPECT_EQ((*guarded)->replaced(), in(".env").string()) << "after " << i;
  }
}

TEST_F(Replaced, a_protected_file_ends_the_command_that_could_write_it) {
  make("wright.toml", "mine");
  make("kept/config", "mine");
  policy_.protected_paths = {".git", "wright.toml", "kept/config"};
  const auto sandbox = Sandbox::prepare(policy_).value();
  NEEDS_NAMESPACES(sandbox);
  const std::string line =
      "echo ready; until echo x > wright.toml || echo x > kept/config; do :; done";
  EXPECT_FALSE(run(sandbox, line, [&] { replace("wright.toml", "new"); }));
  EXPECT_FALSE(run(sandbox, line, [&] { std::filesystem::rename(in("kept"), in("away")); }));
  EXPECT_FALSE(run(sandbox, "echo ready; until mkdir .git; do :; done",
                   [&] { std::filesystem::remove(in(".git")); }));
}

TEST_F(Replaced, the_log_of_a_database_is_out_of_reach_whenever_it_appears) {
  make("sessions.db", "mine");
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    policy_.unreadable.push_back(in("sessions.db").string() + ending);
  }
  const auto sandbox = Sandbox::prepare(policy_).value();
  NEEDS_NAMESPACES(sandbox);
  for (const char* ending : {"-wal", "-shm", "-journal"}) {
    const std::string name = std::string("sessions.db") + ending;
    // Written by another process while the command runs, in the place that it cannot fill itself.
    const auto finished = run(sandbox,
                              "echo ready; (echo x > " + name + ") || (rm -f " + name +
                                  ") || until [ -e go ]; do :; done; cat " + name,
                              [&] {
                                make(name, "secret");
                                make("go");
                              });
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_EQ(finished->output.head, "ready\n") << name;
    EXPECT_EQ(Grounds::read(in(name)), "secret") << name;
    std::filesystem::remove(in("go"));
  }
  // One that goes could be made anew by the command.
  EXPECT_FALSE(run(sandbox, "echo ready; until echo x > sessions.db-wal; do :; done",
                   [&] { std::filesystem::remove(in("sessions.db-wal")); }));
}

TEST_F(Replaced, other_files_end_nothing) {
  for (const char* name : {".env", "other", "gone.env", "sub/.git/config", "last"}) make(name);
  policy_.unreadable = usual_secrets();
  policy_.protected_paths = {".git", "last"};
  GuardedPaths guarded(policy_);
  const auto found = guarded.look().value();
  const auto watch = ReplacementWatch::start().value();
  // What was before the run, and what another run is about, is none of its business.
  const auto before = watch->watch(found.mounts).value();
  replace(".env", "y");
  const Sleeper sleeper;
  const auto run = watch->watch(found.mounts).value();
  run->kill_if_replaced(sleeper.descriptor());
  EXPECT_EQ(before->replaced(), in(".env"));

  replace("other", "y");
  make(".env", "written in place");
  ASSERT_EQ(::chmod(in(".env").c_str(), 0600), 0);
  make("new.env");
  std::filesystem::remove(in("gone.env"));
  std::filesystem::remove_all(in("sub"));
  EXPECT_EQ(run->replaced(), std::nullopt);
  replace("last", "y");
  EXPECT_TRUE(sleeper.is_killed());
  EXPECT_EQ(run->replaced(), in("last"));
}

TEST_F(Replaced, a_process_that_begins_later_ends_too) {
  make("last");
  policy_.protected_paths = {"last"};
  GuardedPaths guarded(policy_);
  const auto found = guarded.look().value();
  const auto watch = ReplacementWatch::start().value();
  const Sleeper first;
  const Sleeper second;
  const auto one = watch->watch(found.mounts).value();
  const auto other = watch->watch(found.mounts).value();
  one->kill_if_replaced(first.descriptor());
  replace("last", "y");
  EXPECT_TRUE(first.is_killed());
  other->kill_if_replaced(second.descriptor());
  EXPECT_TRUE(second.is_killed());
}

TEST_F(Replaced, what_moves_before_the_start_is_guarded_where_it_went) {
  make("sub/.env", "KEY=secret");
  policy_.unreadable = usual_secrets();
  const auto sandbox = Sandbox::prepare(policy_).value();
  NEEDS_NAMESPACES(sandbox);
  const auto moved =
      run_after(sandbox, "cat sub2/.env", [&] { std::filesystem::rename(in("sub"), in("sub2")); });
  EXPECT_EQ(moved.output.head.find("secret"), std::string::npos);
  const auto decoy = run_after(sandbox, "cat sub/.env sub3/.env", [&] {
    std::filesystem::rename(in("sub2"), in("sub3"));
    make("sub2/.env", "decoy");
  });
  EXPECT_EQ(decoy.output.head.find("secret"), std::string::npos);
  const auto replaced =
      run_after(sandbox, "cat sub3/.env", [&] { replace("sub3/.env", "KEY=secret"); });
  EXPECT_EQ(replaced.output.head.find("secret"), std::string::npos);
}

// Commands do not see what is mounted after the sandbox was prepared.
TEST_F(Replaced, what_is_mounted_later_keeps_no_command_from_running) {
  std::filesystem::create_directory(in("disk"));
  policy_.unreadable = usual_secrets();
  const Came came = in_own_mounts([&] {
    const auto sandbox = Sandbox::prepare(policy_);
    if (!sandbox || !sandbox->report().enforces("namespaces")) return Came::no_namespaces;
    if (::mount("x", in("disk").c_str(), "tmpfs", 0, nullptr) != 0) return Came::no_mount;
    make("disk/.env");
    make("disk/sub/.git/config");
    const auto finished = sandbox->run(shell_command("echo fine", grounds_.workspace()).value());
    return finished && finished->exit_code == 0 ? Came::fine : Came::wrong;
  });
  if (came == Came::no_mount) GTEST_SKIP() << "nothing can be mounted here";
  if (came == Came::no_namespaces) GTEST_SKIP() << "no namespaces here";
  EXPECT_EQ(came, Came::fine);
}

// What is mounted on both sides is not apart: where a file is not found there, it was moved.
TEST_F(Replaced, what_moves_on_a_disk_inside_the_base_is_not_passed_over) {
  std::filesystem::create_directory(in("disk"));
  policy_.unreadable = usual_secrets();
  const Came came = in_own_mounts([&] {
    if (::mount("x", in("disk").c_str(), "tmpfs", 0, nullptr) != 0) return Came::no_mount;
    make("disk/one/.env");
    const auto sandbox = Sandbox::prepare(policy_);
    if (!sandbox || !sandbox->report().enforces("namespaces")) return Came::no_namespaces;
    std::jthread mover([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        ::rename(in("disk/one").c_str(), in("disk/two").c_str());
        ::rename(in("disk/two").c_str(), in("disk/one").c_str());
      }
    });
    const std::string is_hidden = "test ! -s disk/one/.env && test ! -s disk/two/.env";
    for (int i = 0; i < 10; ++i) {
      const auto finished = sandbox->run(shell_command(is_hidden, grounds_.workspace()).value());
      if (finished && finished->exit_code != 0) return Came::wrong;
    }
    return Came::fine;
  });
  if (came == Came::no_mount) GTEST_SKIP() << "nothing can be mounted here";
  if (came == Came::no_namespaces) GTEST_SKIP() << "no namespaces here";
  EXPECT_EQ(came, Came::fine);
}

// Whoever looks for it never finds nothing: it is found, or the look gives up.
TEST_F(Replaced, what_moves_during_a_look_is_not_missed) {
  make("a/b/.env");
  std::filesystem::create_directory(in("c"));
  for (int i = 0; i < 50; ++i) make("z" + std::to_string(i) + "/file");
  policy_.unreadable = usual_secrets();
  GuardedPaths guarded(policy_);
  std::atomic<bool> is_over = false;
  std::jthread mover([&] {
    while (!is_over) {
      ::rename(in("a/b").c_str(), in("c/b").c_str());
      ::rename(in("c/b").c_str(), in("a/b").c_str());
    }
  });
  for (int i = 0; i < 12; ++i) {
    const auto found = guarded.look();
    if (!found) {
      EXPECT_TRUE(found.error().message.starts_with("Folders keep being moved"));
      continue;
    }
    const auto hides = [](const GuardedMount& mount) {
      return mount.kind == GuardedMount::Kind::hidden_file;
    };
    EXPECT_TRUE(std::ranges::any_of(found->mounts, hides));
  }
  is_over = true;
  mover.join();
  EXPECT_TRUE(guarded.look());
}

// One move alone, at any moment of a look: there may be nothing that tells of it but the folder
// that was just being read.
TEST_F(Replaced, what_moves_once_during_a_look_is_not_missed) {
  make("a/b/.env");
  std::filesystem::create_directory(in("c"));
  policy_.unreadable = usual_secrets();
  GuardedPaths guarded(policy_);
  std::string from = in("a/b");
  std::string to = in("c/b");
  // Until the last move is older than any that a look takes for new.
  const auto let_settle = [] {
    const auto tick = [] {
      timespec now{};
      ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
      return std::pair(now.tv_sec, now.tv_nsec);
    };
    for (const auto last = tick(); tick() == last;) std::this_thread::yield();
  };
  const auto calm = [&] {
    let_settle();
    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(guarded.look());
    return std::chrono::steady_clock::now() - began;
  };
  const auto usual = std::min({calm(), calm(), calm()});
  constexpr int kMoments = 150;  // of the second half, in which folders are read
  for (int i = 0; i < kMoments; ++i) {
    let_settle();
    std::atomic<bool> has_begun = false;
    std::jthread mover([&] {
      has_begun = true;
      const auto moment =
          std::chrono::steady_clock::now() + usual * (kMoments + i) / (2 * kMoments);
      while (std::chrono::steady_clock::now() < moment) continue;
      ::rename(from.c_str(), to.c_str());
    });
    while (!has_begun) std::this_thread::yield();
    const auto found = guarded.look();
    mover.join();
    ASSERT_TRUE(found) << found.error().message;
    const auto hides = [](const GuardedMount& mount) {
      return mount.kind == GuardedMount::Kind::hidden_file;
    };
    ASSERT_TRUE(std::ranges::any_of(found->mounts, hides)) << i;
    std::swap(from, to);
  }
}

// Somebody builds: files come and go, and folders are made.
TEST_F(Replaced, what_is_built_during_a_look_is_no_trouble) {
  make("sub/.env");
  policy_.unreadable = usual_secrets();
  GuardedPaths guarded(policy_);
  std::atomic<bool> is_over = false;
  std::jthread builder([&] {
    for (int i = 0; !is_over; ++i) {
      make("build/x" + std::to_string(i % 100) + ".o");
      replace("build/main.o", "y");
      std::filesystem::remove(in("build/x" + std::to_string((i + 50) % 100) + ".o"));
    }
  });
  for (int i = 0; i < 20; ++i) {
    const auto found = guarded.look();
    EXPECT_TRUE(found) << found.error().message;
  }
  is_over = true;
}

}  // namespace
}  // namespace wright::sandbox
