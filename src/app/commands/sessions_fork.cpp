// `wright sessions fork`: the same session again, up to a message. The original is untouched.
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/commands/commands.h"
#include "app/terminal/figures.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"

namespace wright::app {
namespace {

// The number of the message with this id, as `wright sessions show` counts.
std::optional<std::int64_t> number_of(const std::vector<StoredMessage>& messages, const Json& id) {
  if (!id.is_int64()) return std::nullopt;
  const auto found = std::ranges::find(messages, id.get_int64(), &StoredMessage::id);
  if (found == messages.end()) return std::nullopt;
  return found - messages.begin() + 1;
}

// The store knows messages by their ids; people know them by their numbers.
Error in_numbers(const Error& error, const std::vector<StoredMessage>& messages, std::int64_t at) {
  if (!error.detail.is_object()) return error;
  const Json* before_id = error.find("before");
  const Json* after_id = error.find("after");
  const auto before = before_id != nullptr ? number_of(messages, *before_id) : std::nullopt;
  const auto after = after_id != nullptr ? number_of(messages, *after_id) : std::nullopt;
  std::string places = "There is no place where it can be";
  if (before && after) {
    places = fmt::format("The nearest places are --at {} and --at {}", *before, *after);
  } else if (before || after) {
    places = fmt::format("The nearest place is --at {}", before ? *before : *after);
  }
  return {error.code,
          fmt::format("the session cannot be forked at message {}, where a call has no result yet. "
                      "{}",
                      at, places),
          {}};
}

struct Fork {
  SessionId id = 0;
  SessionId original = 0;
  std::int64_t messages = 0;
};

Result<Fork> forked(const ForkSessionCommand& command, const Settings& settings) {
  const auto found = TRY(find_session(command.id, settings));
  const auto messages = TRY(found.store->get_messages(found.id));
  const std::int64_t at = command.at.value_or(std::ssize(messages));
  if (at < 1 || at > std::ssize(messages)) {
    return fail(ErrorCode::invalid_argument,
                messages.empty() ? fmt::format("session {} has no messages yet", found.id)
                                 : fmt::format("session {} has the messages 1 to {}, not {}",
                                               found.id, messages.size(), at));
  }
  const auto id =
      found.store->fork_session(found.id, messages[static_cast<std::size_t>(at - 1)].id);
  if (!id) return std::unexpected(in_numbers(id.error(), messages, at));
  return Fork{*id, found.id, at};
}

}  // namespace

ExitCode execute(const ForkSessionCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto fork = forked(command, *settings);
  if (!fork) return complain_about(fork.error(), context.console);
  if (command.output == OutputFormat::json) {
    const JsonObject json{
        {"id", fork->id}, {"forked_from", fork->original}, {"messages", fork->messages}};
    context.console.print_json(to_text(json) + "\n");
    return ExitCode::ok;
  }
  context.console.print(fmt::format("{}\n", fork->id));
  context.console.note(fmt::format("Session {} is a fork of session {} with its first {}.\n",
                                   fork->id, fork->original,
                                   show_counted(fork->messages, "message")));
  return ExitCode::ok;
}

}  // namespace wright::app
