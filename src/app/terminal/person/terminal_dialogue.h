// A dialogue with a person at a terminal, or with whatever stands in for one: finished text above,
// below it a few lines that are redrawn with every key. Knows nothing of what it is about.
//
// Whatever ends it (an answer, a signal, a closed terminal), the terminal is left as it was found.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/terminal/person/keys.h"
#include "app/terminal/person/plain_line.h"
#include "app/terminal/person/terminal_mode.h"
#include "app/terminal/person/terminal_signals.h"
#include "app/terminal/terminal.h"

namespace wright::app {

// Where a person sits.
struct PersonTerminal {
  int input = 0;         // not owned
  int output = 2;        // not owned
  Terminal screen = {};  // what `output` leads to; see inspect_terminal()
  std::stop_token stop = {};
  // Keys are read from a plain terminal, too: by who says what next_key() is to show of it there.
  bool reads_keys_when_plain = false;
};

// Why there is no answer.
enum class GaveUp : std::uint8_t {
  by_choice,    // Ctrl-C, Ctrl-D or q
  input_ended,  // nobody is there any more
  stopped,      // the program was told to end
};

// Lines that are redrawn. Harmless text, one row each.
struct LiveLine {
  std::string text;
  Colour colour = Colour::none;
  std::string lead = {};  // bold, in front of the text
};
struct LiveLines {
  std::vector<LiveLine> lines;
  std::size_t cursor_row = 0;
  std::size_t cursor_column = 0;
};

struct ScreenSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

class TerminalDialogue {
 public:
  // What several dialogues after each other share. What is typed between them is kept for the next
  // one, unseen; the terminal is as it was found when this is gone.
  struct Kept {
    explicit Kept(int input) : mode(input) {}
    TerminalMode mode;
    KeyDecoder typed = {};
  };

  explicit TerminalDialogue(const PersonTerminal& where);
  TerminalDialogue(const PersonTerminal& where, Kept& kept);
  ~TerminalDialogue();
  TerminalDialogue(const TerminalDialogue&) = delete;
  TerminalDialogue& operator=(const TerminalDialogue&) = delete;

  // Whether keys can be read one by one and lines redrawn; else there are whole lines only.
  bool reads_keys() const { return reads_keys_; }
  const Terminal& screen() const { return where_.screen; }

  // Text that stays. It comes above the lines that are redrawn.
  void print(std::string_view text);

  // Draws, waits for a key, and draws again whenever the window changes. `render` is asked for at
  // most `columns` in width; it gets the size of the window.
  using Render = std::function<LiveLines(ScreenSize)>;
  // On a plain terminal `say` is asked instead.
  using Say = std::function<PlainText()>;
  std::expected<Key, GaveUp> next_key(const Render& render, const Say& say = {});
  // Leaves the line of a plain terminal as it is now, and goes to the next one.
  void leave_line(const Say& say);

  // Prints the prompt and reads a line, without its end.
  std::expected<std::string, GaveUp> next_line(std::string_view prompt, Echo echo);

  // What was typed before now answers nothing.
  void discard_typed();

  void clear_screen();

 private:
  enum class Ready : std::uint8_t { input, redraw };
  std::expected<Ready, GaveUp> wait();
  ScreenSize measure();
  void draw(const LiveLines& live, ScreenSize size);
  void erase_live();
  void suspend();

  TerminalDialogue(const PersonTerminal& where, std::unique_ptr<Kept> own, Kept* shared);

  PersonTerminal where_;
  TerminalSignals signals_;
  std::unique_ptr<Kept> own_;  // after the signals, which are obeyed when the terminal is restored
  Kept& kept_;
  bool reads_keys_;
  bool is_told_to_end_ = false;
  std::size_t window_columns_ = 0;  // as the system said last
  LiveLines live_;                  // on the screen now
  PlainLine plain_;                 // in its place
};

}  // namespace wright::app
