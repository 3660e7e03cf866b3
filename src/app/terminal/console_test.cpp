#include "app/terminal/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <string>

namespace wright::app {
namespace {

// What others wrote cannot ring; who waits for a person can.
TEST(Console, rings_the_bell_of_a_terminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const int program = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(program, 0);
  Console console(program, program, Environment{});
  console.note("\a");
  console.notify("it waits");
  console.note("end");
  std::string shown;
  std::array<char, 64> buffer{};
  while (!shown.ends_with("end")) {
    const ssize_t count = ::read(terminal, buffer.data(), buffer.size());
    ASSERT_GT(count, 0);
    shown.append(buffer.data(), static_cast<std::size_t>(count));
  }
  EXPECT_EQ(shown, "␇\aend");
  ::close(program);
  ::close(terminal);
}

}  // namespace
}  // namespace wright::app
