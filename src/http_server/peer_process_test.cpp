// Programs that are not as free as this one: its children, and whoever is confined.
#include "http_server/peer_process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace wright::http {
namespace {

// What `look` says of a child that has done `before`. The child lives meanwhile.
bool of_child(const std::function<bool()>& before, const std::function<bool(int)>& look) {
  int ready[2];
  int leave[2];
  if (::pipe(ready) != 0 || ::pipe(leave) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    const char done = before() ? 'y' : 'n';
    (void)!::write(ready[1], &done, 1);
    ::close(leave[1]);
    char byte = 0;
    (void)!::read(leave[0], &byte, 1);
    ::_exit(0);
  }
  char done = 'n';
  (void)!::read(ready[0], &done, 1);
  const bool seen = done == 'y' && look(child);
  for (const int end : {ready[0], ready[1], leave[0], leave[1]}) ::close(end);
  ::waitpid(child, nullptr, 0);
  return seen;
}

TEST(PeerProcess, is_free_when_it_is_this_one_or_above_it) {
  EXPECT_TRUE(is_as_free_as_this_one(::getpid()));
  EXPECT_TRUE(is_as_free_as_this_one(::getppid()));
}

TEST(PeerProcess, is_not_free_when_this_one_has_started_it) {
  EXPECT_TRUE(
      of_child([] { return true; }, [](int child) { return !is_as_free_as_this_one(child); }));
  // The child asks about its parent, and about itself: neither was started by it.
  EXPECT_TRUE(
      of_child([] { return is_as_free_as_this_one(::getppid()); }, [](int) { return true; }));
}

TEST(PeerProcess, is_not_free_in_a_user_namespace_of_its_own) {
  // Seen from a sibling, which has not started it.
  const bool could_look =
      of_child([] { return ::unshare(CLONE_NEWUSER) == 0; },
               [](int confined) {
                 return of_child([&] { return !is_as_free_as_this_one(confined); },
                                 [](int) { return true; });
               });
  const bool may_unshare =
      of_child([] { return ::unshare(CLONE_NEWUSER) == 0; }, [](int) { return true; });
  EXPECT_EQ(could_look, may_unshare);
}

TEST(PeerProcess, is_not_free_when_it_is_gone) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_as_free_as_this_one(child));
}

TEST(PeerProcess, is_found_by_its_socket) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  struct stat status {};
  ASSERT_EQ(::fstat(ends[0], &status), 0);
  EXPECT_EQ(processes_with_socket(status.st_ino), std::vector{::getpid()});
  EXPECT_TRUE(of_child([] { return true; },
                       [&](int) { return processes_with_socket(status.st_ino).size() == 2; }))
      << "both hold it";
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_TRUE(processes_with_socket(status.st_ino).empty());
}

}  // namespace
}  // namespace wright::http
