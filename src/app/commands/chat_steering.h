// Lines that a person types while an answer comes: they are said to the turn that runs.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "app/commands/chat_conversation.h"
#include "app/terminal/chat_editor.h"

namespace wright::app {

class ChatSteering {
 public:
  // What a line means as a message; called in any thread.
  using MessageOf = std::function<Message(const std::string& line)>;

  // From now on, as long as turns run. All of them outlive it.
  ChatSteering(Conversation& conversation, ChatEditor& editor, const Terminal& screen,
               MessageOf message_of);

  // Behind a turn. What a turn that was stopped has not taken stands in the next line: it is left
  // to the person what becomes of it.
  void keep_what_was_not_taken(Store& store);

 private:
  bool entered(const std::string& line);

  Conversation& conversation_;
  ChatEditor& editor_;
  const Terminal screen_;
  const MessageOf message_of_;
  std::mutex mutex_;
  struct Said {
    std::string line;  // as it was typed
    Message message;
  };
  std::vector<Said> said_;  // to the turn
};

}  // namespace wright::app
