#include "app/terminal/chat_input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "app/settings/file_output.h"
#include "app/terminal/console.h"

namespace wright::app {
namespace {

class PipedLines {
 public:
  explicit PipedLines(std::string_view text) {
    EXPECT_EQ(pipe(ends_.data()), 0);
    EXPECT_EQ(write_all(ends_[1], text), 0);
    close(ends_[1]);
  }
  ~PipedLines() { close(ends_[0]); }
  PipedLines(const PipedLines&) = delete;
  PipedLines& operator=(const PipedLines&) = delete;

  ReadLine lines() const {
    return lines_of_pipe(ends_[0], [] { return std::stop_token(); });
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(ChatInput, takes_each_line_of_a_pipe_for_a_message) {
  const PipedLines piped("one\r\n\ntwo\nlast without an end");
  const ReadLine lines = piped.lines();
  EXPECT_EQ(*read_message(lines), "one");
  EXPECT_EQ(*read_message(lines), "");
  EXPECT_EQ(*read_message(lines), "two");
  EXPECT_EQ(*read_message(lines), "last without an end");
  EXPECT_EQ(read_message(lines).error(), NoLine::ended);
}

TEST(ChatInput, goes_on_behind_a_backslash) {
  const PipedLines piped("one\\\ntwo\\\nthree\nfour\\");
  const ReadLine lines = piped.lines();
  EXPECT_EQ(*read_message(lines), "one\ntwo\nthree");
  EXPECT_EQ(*read_message(lines), "four\n");
  EXPECT_EQ(read_message(lines).error(), NoLine::ended);
}

TEST(ChatInput, makes_any_bytes_valid_text) {
  const PipedLines piped(
      "a\xff"
      "b\n");
  EXPECT_EQ(*read_message(piped.lines()),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ChatInput, ends_when_the_program_is_told_to) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::stop_source stop;
  stop.request_stop();
  const ReadLine lines = lines_of_pipe(ends[0], [&] { return stop.get_token(); });
  EXPECT_EQ(read_message(lines).error(), NoLine::stopped);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace wright::app
