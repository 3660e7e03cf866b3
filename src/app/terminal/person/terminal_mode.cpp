#include "app/terminal/person/terminal_mode.h"

#include <cerrno>

namespace wright::app {

TerminalMode::TerminalMode(int descriptor) : descriptor_(descriptor) {
  is_terminal_ = tcgetattr(descriptor, &found_) == 0;
  wanted_ = found_;
}

void TerminalMode::set(const termios& wanted) {
  if (!is_terminal_) return;
  while (tcsetattr(descriptor_, TCSADRAIN, &wanted) != 0 && errno == EINTR) {
  }
}

void TerminalMode::read_keys() {
  wanted_ = found_;
  wanted_.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  wanted_.c_iflag &= ~static_cast<tcflag_t>(IXON | INLCR | IGNCR | ICRNL);
  wanted_.c_cc[VMIN] = 1;
  wanted_.c_cc[VTIME] = 0;
  set(wanted_);
}

void TerminalMode::read_lines(Echo echo) {
  wanted_ = found_;
  wanted_.c_lflag |= ICANON | IEXTEN | ECHOE | ECHOK;
  wanted_.c_lflag &= ~static_cast<tcflag_t>(ISIG | ECHO | ECHONL);
  if (echo == Echo::on) wanted_.c_lflag |= ECHO;
  wanted_.c_iflag |= ICRNL;
  wanted_.c_cc[VEOL] = kInterruptByte;
  wanted_.c_cc[VEOL2] = kSuspendByte;
  set(wanted_);
}

void TerminalMode::keep_unseen() {
  wanted_ = found_;
  wanted_.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  wanted_.c_lflag |= NOFLSH;
  wanted_.c_cc[VMIN] = 1;
  wanted_.c_cc[VTIME] = 0;
  set(wanted_);
}

void TerminalMode::restore() {
  set(found_);
}

void TerminalMode::renew() {
  set(wanted_);
}

void TerminalMode::discard_typed() {
  if (is_terminal_) tcflush(descriptor_, TCIFLUSH);
}

}  // namespace wright::app
