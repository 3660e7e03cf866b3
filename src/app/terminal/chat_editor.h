// The line that a person types into a chat: the line editor of questions (person/line_editor.h),
// and what a chat has beside it: history and a search in it, commands completed by Tab, pasted
// blocks.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/terminal/chat_input.h"
#include "app/terminal/person/line_editor.h"
#include "app/terminal/person/terminal_dialogue.h"

namespace wright::app {

// The whole words that what was typed may become.
using Complete = std::function<std::vector<std::string>(std::string_view typed)>;

// For a terminal that can move its cursor.
class ChatEditor {
 public:
  // `history` is oldest first.
  ChatEditor(const PersonTerminal& where, std::vector<std::string> history, Complete complete);

  // What comes back may have several lines: a pasted block, or Alt-Enter. Ends with `stop`. What is
  // typed between lines is kept for the next one, unseen; Ctrl-C is a signal then.
  std::expected<std::string, NoLine> next_line(std::string_view prompt, std::stop_token stop);

  void remember(std::string_view entry);

  // The terminal is as it was found when the editor is gone. This is for those who end the program
  // at once; in any thread.
  void restore_terminal() { kept_.mode.restore(); }

 private:
  // A large block; a note stands in the line for it.
  struct Block {
    std::string note;
    std::string text;
  };
  struct Search {
    std::string wanted = {};
    std::size_t at = 0;      // of the entry that fits; the number of entries when none does
    std::string typed = {};  // the line that it began with
  };

  LiveLines rendered(std::string_view prompt, ScreenSize size) const;
  void apply(const Key& key, TerminalDialogue& dialogue);
  void move_in_history(int step);
  void paste(std::string_view bytes);
  void complete(TerminalDialogue& dialogue);
  void begin_search();
  // Whether the key was about the search.
  bool applies_to_search(const Key& key);
  void look_from(std::size_t newest);
  std::string with_blocks() const;

  PersonTerminal where_;
  Complete complete_;
  TerminalDialogue::Kept kept_;
  std::vector<std::string> history_;

  // Of the line that is read.
  LineEditor line_;
  std::size_t place_ = 0;  // in the history; its end is the new line
  std::string new_line_;   // while an older one is shown
  std::optional<Search> search_;
  std::vector<Block> blocks_;
};

}  // namespace wright::app
