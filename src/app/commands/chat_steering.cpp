#include "app/commands/chat_steering.h"

#include <fmt/format.h>
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
                                   line.visible(columns_now(screen_) / 2).text);
                             },
                         .entered = [this](const std::string& line) { return entered(line); }});
  });
}

// In the thread that reads. False: it is for the prompt.
bool ChatSteering::entered(const std::string& line) {
  if (line.starts_with('/') || line.starts_with('!')) return false;
  auto steered = conversation_.steer(message_of_(line));
  if (!steered && steered.error().code == ErrorCode::permission_denied) {
    conversation_.display().say(painted(
        fmt::format("  {} not sent: {}", mark("✗", screen_), on_one_line(steered.error().message)),
        Colour::red, screen_));
    return true;
  }
  if (!steered) return false;
  conversation_.display().say(painted(
      "  ⋯ queued: " + shortened(on_one_line(line), columns_now(screen_) / 2), Colour::dim,
      screen_));
  const std::lock_guard lock(mutex_);
  said_.push_back({line, std::move(*steered)});
  return true;
}

void ChatSteering::keep_what_was_not_taken(Store& store) {
  const std::vector<Said> said = [&] {
    const std::lock_guard lock(mutex_);
    return std::exchange(said_, {});
  }();
  if (said.empty() || conversation_.session_id() == 0) return;
  const auto session = store.get_session(conversation_.session_id());
  if (!session || !session->ended_at) return;
  std::vector<Message> own;
  own.reserve(said.size());
  for (const Said& each : said) own.push_back(each.message);
  // What others have said stays for the next turn.
  auto untaken = recall_messages(store, session->id, std::move(own));
  if (!untaken) return;
  bool is_first = true;
  for (const Said& each : said) {
    const auto found = std::ranges::find(*untaken, each.message);
    if (found == untaken->end()) continue;
    untaken->erase(found);
    editor_.typed().feed(as_keys((is_first ? "" : "\n") + each.line));
    is_first = false;
  }
}

}  // namespace wright::app
