#include "app/terminal/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
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

// Who reads a log later has a terminal; a program that reads an answer wants its bytes.
TEST(Console, writes_nothing_into_a_pipe_that_drives_a_terminal_but_the_answer) {
  std::array<int, 2> output{};
  std::array<int, 2> error{};
  ASSERT_EQ(::pipe(output.data()), 0);
  ASSERT_EQ(::pipe(error.data()), 0);
  Console console(output[1], error[1], Environment{});
  const std::string hostile("a\x1b[31mb\0c\u202ed\n", 14);
  console.print_foreign(hostile);
  console.note(hostile);
  console.complain(hostile);
  const auto read_from = [](int pipe) {
    std::array<char, 256> buffer{};
    const ssize_t count = ::read(pipe, buffer.data(), buffer.size());
    return std::string(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  };
  EXPECT_EQ(read_from(output[0]), hostile);
  EXPECT_EQ(read_from(error[0]), "a␛[31mb␀c�d\nwright: a␛[31mb␀c�d\n\n");
  for (const int end : {output[0], output[1], error[0], error[1]}) ::close(end);
}

}  // namespace
}  // namespace wright::app
