#include "app/terminal/person/person_at_terminal_testing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "app/settings/file_output.h"
#include "app/terminal/console.h"

namespace wright::app {
namespace {

constexpr int kPatience = 20'000;  // milliseconds; a program that hangs fails its test

winsize window(std::size_t columns, std::size_t rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  return size;
}

const char* type_of(TerminalKind kind) {
  return kind == TerminalKind::dumb ? "dumb" : "xterm";
}

Environment environment_of(TerminalKind kind) {
  Environment::Variables variables{{"TERM", type_of(kind)}};
  if (kind != TerminalKind::coloured) variables["NO_COLOR"] = "1";
  return Environment(std::move(variables));
}

}  // namespace

PersonAtTerminal::PersonAtTerminal(const Program& program, TerminalKind kind, std::size_t columns,
                                   std::size_t rows)
    : screen_(columns, rows) {
  const winsize size = window(columns, rows);
  std::array<int, 2> answer{};
  if (openpty(&master_, &slave_, nullptr, nullptr, &size) != 0 ||
      pipe2(answer.data(), O_CLOEXEC) != 0) {
    ADD_FAILURE() << "no pseudo-terminal: " << std::strerror(errno);
    return;
  }
  tcgetattr(slave_, &before_);
  id_ = fork();
  if (id_ == 0) {
    close(master_);
    setsid();
    ioctl(slave_, TIOCSCTTY, 0);
    setenv("TERM", type_of(kind), 1);  // for libraries that look for themselves
    PersonTerminal where{.input = slave_,
                         .output = slave_,
                         .screen = inspect_terminal(slave_, environment_of(kind))};
    if (kind == TerminalKind::plain) where.screen = plain(where.screen);
    write_all(answer[1], to_text(program(where)));
    _exit(0);
  }
  close(answer[1]);
  answer_ = answer[0];
}

PersonAtTerminal::~PersonAtTerminal() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  for (const int descriptor : {master_, slave_, answer_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

void PersonAtTerminal::type(std::string_view keys) {
  write_all(master_, keys);
}

void PersonAtTerminal::resize(std::size_t columns, std::size_t rows) {
  const winsize size = window(columns, rows);
  screen_.resize(columns, rows);
  ioctl(master_, TIOCSWINSZ, &size);
}

void PersonAtTerminal::send(int signal) {
  kill(id_, signal);
}

// False when the program has ended and nothing is left to be read.
bool PersonAtTerminal::read_some() {
  std::array<pollfd, 2> waits{pollfd{master_, POLLIN, 0}, pollfd{answer_, POLLIN, 0}};
  if (poll(waits.data(), waits.size(), kPatience) <= 0) {
    ADD_FAILURE() << "the program hangs; on its screen:\n" << screen_.text();
    return false;
  }
  if ((waits[0].revents & POLLIN) == 0) return false;
  std::array<char, 4096> bytes{};
  const ssize_t count = read(master_, bytes.data(), bytes.size());
  if (count <= 0) return false;
  const std::string_view come(bytes.data(), static_cast<std::size_t>(count));
  output_ += come;
  screen_.write(come);
  return true;
}

void PersonAtTerminal::await(std::string_view words) {
  while (!screen_.contains(words)) {
    if (read_some()) continue;
    ADD_FAILURE() << "never shown: " << words << "\nbut:\n" << screen_.text();
    return;
  }
}

std::optional<Json> PersonAtTerminal::result() {
  while (read_some()) {
  }
  std::string text;
  std::array<char, 4096> bytes{};
  ssize_t count = 0;
  while ((count = read(answer_, bytes.data(), bytes.size())) > 0) {
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  int status = 0;
  waitpid(id_, &status, 0);
  id_ = -1;
  if (WIFSIGNALED(status)) signal_ = WTERMSIG(status);
  pollfd rest{master_, POLLIN, 0};
  while (poll(&rest, 1, 0) > 0 && (rest.revents & POLLIN) != 0 && read_some()) {
  }
  const auto parsed = parse_json(text);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

bool PersonAtTerminal::is_terminal_restored() const {
  termios now{};
  tcgetattr(slave_, &now);
  return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
         now.c_oflag == before_.c_oflag &&
         std::memcmp(now.c_cc, before_.c_cc, sizeof now.c_cc) == 0;
}

}  // namespace wright::app
