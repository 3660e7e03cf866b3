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
#include "wright/error.h"

namespace wright::app {

// The whole words that what was typed may become.
using Complete = std::function<std::vector<std::string>(std::string_view typed)>;

// For a terminal that gives keys. A plain one shows no status line.
class ChatEditor {
 public:
  // `history` is oldest first.
  ChatEditor(const PersonTerminal& where, std::vector<std::string> history, Complete complete);

  // What comes back may have several lines: a pasted block, or Alt-Enter. Ends with `stop`. What is
  // typed between lines is kept for the next one, unseen; Ctrl-C is a signal then.
  std::expected<std::string, NoLine> next_line(std::string_view prompt, std::stop_token stop);

  // Of the line that was read last: whether what it begins with was pasted, and so may be anybody's
  // words; in doubt it was. And whether a part of it was not on the screen.
  bool begins_pasted() const { return has_paste_ && !front_is_typed_; }
  bool has_unseen() const { return has_unseen_; }

  void remember(std::string_view entry);

  // A dim line below what is typed; asked for when a line begins. May be empty.
  void show_below(std::function<std::string()> status) { status_ = std::move(status); }

  // Ctrl-V: where the image in the clipboard lies, which is put into the line. May be empty.
  void paste_images_by(std::function<Result<std::string>()> image) { image_ = std::move(image); }

  // Of what is typed between two lines: whoever reads it is done before the next line.
  KeyDecoder& typed() { return kept_.typed; }

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
  PlainText said(std::string_view prompt) const;
  std::string lead_of(std::string_view prompt, std::size_t columns) const;
  void apply(const Key& key, TerminalDialogue& dialogue);
  void apply_key(const Key& key, TerminalDialogue& dialogue);
  void move_in_history(int step);
  void paste(std::string_view bytes);
  void paste_image(TerminalDialogue& dialogue);
  void complete(TerminalDialogue& dialogue);
  void begin_search();
  // Whether the key was about the search.
  bool applies_to_search(const Key& key);
  void look_from(std::size_t newest);
  std::string with_blocks();

  PersonTerminal where_;
  Complete complete_;
  TerminalDialogue::Kept kept_;
  std::function<std::string()> status_;
  std::function<Result<std::string>()> image_;
  std::string below_;  // of the line that is read
  std::vector<std::string> history_;

  // Of the line that is read.
  LineEditor line_;
  std::size_t place_ = 0;  // in the history; its end is the new line
  std::string new_line_;   // while an older one is shown
  std::optional<Search> search_;
  std::vector<Block> blocks_;
  bool has_paste_ = false;
  bool front_is_typed_ = false;
  bool has_unseen_ = false;

  bool has_ever_pasted_ = false;  // what was cut may be of that
};

}  // namespace wright::app
