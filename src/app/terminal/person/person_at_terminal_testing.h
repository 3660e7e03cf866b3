// For tests: a person who sits at a pseudo-terminal, on which a piece of our program runs in a
// process of its own.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/terminal/person/screen_testing.h"
#include "app/terminal/person/terminal_dialogue.h"
#include "wright/json.h"

namespace wright::app {

enum class TerminalKind { capable, coloured, dumb, plain };

class PersonAtTerminal {
 public:
  using Program = std::function<Json(const PersonTerminal&)>;

  PersonAtTerminal(const Program& program, TerminalKind kind, std::size_t columns = 60,
                   std::size_t rows = 16);
  ~PersonAtTerminal();
  PersonAtTerminal(const PersonAtTerminal&) = delete;
  PersonAtTerminal& operator=(const PersonAtTerminal&) = delete;

  void type(std::string_view keys);
  void resize(std::size_t columns, std::size_t rows);
  void send(int signal);

  // Reads until the screen shows these words; fails the test when the program ends before that.
  void await(std::string_view words);

  // What the program returned; nothing when a signal ended it.
  std::optional<Json> result();
  int ended_by() const { return signal_; }

  const Screen& screen() const { return screen_; }
  const std::string& output() const { return output_; }  // every byte
  bool is_terminal_restored() const;

 private:
  bool read_some();

  int master_ = -1;
  int slave_ = -1;
  int answer_ = -1;
  pid_t id_ = -1;
  int signal_ = 0;
  termios before_{};
  Screen screen_;
  std::string output_;
};

}  // namespace wright::app
