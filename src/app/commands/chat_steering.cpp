#include "app/commands/chat_steering.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/terminal/screen_text.h"
#include "app/terminal/typed_ahead.h"

namespace wright::app {

ChatSteering::ChatSteering(Conversation& conversation, ChatEditor& editor, const Terminal& screen,
                           MessageOf message_of)
    : conversation_(conversation),
      editor_(editor),
      screen_(screen),
      message_of_(std::move(message_of)) {
  conversation_.while_it_works([this]() -> Conversation::Held {
    return std::make_shared<TypedAhead>(
        STDIN_FILENO, editor_.typed(),
        TypedAhead::Told{.changed =
                             [this](const LineEditor& line) {
                               conversation_.display().show_typed(
                                   line.visible(screen_.columns / 2).text);
                             },
                         .entered = [this](const std::string& line) { return entered(line); }});
  });
}

// In the thread that reads. False: it is for the prompt.
bool ChatSteering::entered(const std::string& line) {
  if (line.starts_with('/') || line.starts_with('!')) return false;
  const auto steered = conversation_.steer(message_of_(line));
  if (!steered && steered.error().code == ErrorCode::permission_denied) {
    conversation_.display().say(
        painted("  ✗ not sent: " + on_one_line(steered.error().message), Colour::red, screen_));
    return true;
  }
  if (!steered) return false;
  conversation_.display().say(painted(
      "  ⋯ queued: " + shortened(on_one_line(line), screen_.columns / 2), Colour::dim, screen_));
  const std::lock_guard lock(mutex_);
  lines_.push_back(line);
  return true;
}

void ChatSteering::keep_what_was_not_taken(Store& store) {
  const std::vector<std::string> lines = [&] {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }();
  if (lines.empty() || conversation_.session_id() == 0) return;
  const auto session = store.get_session(conversation_.session_id());
  if (!session || !session->ended_at) return;
  // More than was typed here is also somebody else's: then all of it stays for the next turn.
  const auto there = untaken_messages(store, session->id);
  if (!there || there->size() > lines.size()) return;
  const auto untaken = recall_messages(store, session->id);
  if (!untaken) return;
  const std::size_t first = lines.size() - std::min(lines.size(), untaken->size());
  for (std::size_t i = first; i < lines.size(); ++i) {
    editor_.typed().feed(as_keys((i == first ? "" : "\n") + lines[i]));
  }
}

}  // namespace wright::app
