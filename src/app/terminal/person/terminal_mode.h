// How a terminal treats what is typed. What was found is put back on every way out.
#pragma once

#include <termios.h>

#include <cstdint>

namespace wright::app {

enum class Echo : std::uint8_t { on, off };

class TerminalMode {
 public:
  // Where `descriptor` is no terminal, nothing here has an effect.
  explicit TerminalMode(int descriptor);
  ~TerminalMode() { restore(); }
  TerminalMode(const TerminalMode&) = delete;
  TerminalMode& operator=(const TerminalMode&) = delete;

  bool is_terminal() const { return is_terminal_; }

  // Every key at once, unseen. Ctrl-C and the like come as bytes.
  void read_keys();
  // Whole lines, with the terminal's own editing. Ctrl-C and Ctrl-Z end a line and stay in it.
  void read_lines(Echo echo);
  // For the time between two lines: what is typed is kept, unseen, also when Ctrl-C, which is a
  // signal then, ends something else.
  void keep_unseen();
  void restore();
  // What was set last, again: somebody else may have used the terminal meanwhile.
  void renew();
  // Forgets what was typed and not read.
  void discard_typed();

 private:
  void set(const termios& wanted);

  int descriptor_;
  bool is_terminal_ = false;
  termios found_{};
  termios wanted_{};
};

inline constexpr char kInterruptByte = '\x03';
inline constexpr char kSuspendByte = '\x1a';

}  // namespace wright::app
