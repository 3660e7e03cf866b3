// From the bytes of a terminal to keys. Reads nothing itself; any bytes whatsoever are survived.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wright::app {

enum class KeyKind : std::uint8_t {
  text,   // a character
  paste,  // all that was pasted at once
  enter,
  new_line,  // Alt-Enter: a line break inside of an answer
  up,
  down,
  left,
  right,
  word_left,   // Ctrl-Left, Alt-B
  word_right,  // Ctrl-Right, Alt-F
  home,
  end,
  backspace,
  erase,            // Delete
  erase_word,       // Ctrl-W, Alt-Backspace
  erase_next_word,  // Ctrl-Delete, Alt-D
  erase_line,       // Ctrl-U
  erase_rest,       // Ctrl-K
  put_back,         // Ctrl-Y: what was erased last
  complete,         // Tab
  search,           // Ctrl-R
  cancel,           // Ctrl-G
  redraw,           // Ctrl-L
  paste_image,      // Ctrl-V
  interrupt,        // Ctrl-C
  end_of_input,     // Ctrl-D
  suspend,          // Ctrl-Z
  other,            // anything else, without an effect
};

struct Key {
  KeyKind kind = KeyKind::other;
  std::string text = {};  // of KeyKind::text and paste; not necessarily valid UTF-8
  bool operator==(const Key&) const = default;
};

// Terminals put these around what is pasted, once they are asked to.
inline constexpr std::string_view kAskForPasteMarks = "\x1b[?2004h";
inline constexpr std::string_view kNoMorePasteMarks = "\x1b[?2004l";

class KeyDecoder {
 public:
  void feed(std::string_view bytes) { pending_.append(bytes); }

  // Nothing when the rest is not a whole key yet. An Escape on its own waits for what follows it,
  // and has no effect of its own.
  std::optional<Key> next();

 private:
  std::optional<Key> next_escape();
  std::optional<Key> next_paste();
  std::optional<Key> next_character();
  Key take(std::size_t length, KeyKind kind);

  std::string pending_;
  bool is_pasting_ = false;
};

}  // namespace wright::app
