// The line that a person types into a chat, with libedit's editing, history and key bindings
// (~/.editrc), and what libedit does not know: pasted blocks, and commands completed by Tab. The
// only unit that includes libedit.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/terminal/chat_input.h"
#include "wright/error.h"

namespace wright::app {

// The whole words that what was typed may become; see commands_beginning_with().
using Complete = std::function<std::vector<std::string>(std::string_view typed)>;

class ChatEditor {
 public:
  // `history` is oldest first. Fails where the terminal cannot be used.
  static Result<ChatEditor> open(const PersonTerminal& where, std::span<const std::string> history,
                                 Complete complete);
  ChatEditor(ChatEditor&&) noexcept;
  ~ChatEditor();

  // What comes back may have several lines: a pasted block, or Alt-Enter. Ends with `stop`. What is
  // typed between lines is kept for the next one, unseen; Ctrl-C is a signal then.
  std::expected<std::string, NoLine> next_line(std::string_view prompt, std::stop_token stop);

  void remember(std::string_view entry);

  // The terminal is as it was found when the editor is gone. This is for those who end the program
  // at once; in any thread.
  void restore_terminal();

 private:
  class State;
  explicit ChatEditor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wright::app
