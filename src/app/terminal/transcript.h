// One stored session with all that was said and done in it, as JSON, as Markdown, and as text for
// a terminal. Pure once it is loaded.
#pragma once

#include <string>
#include <vector>

#include "app/terminal/terminal.h"
#include "wright/store.h"

namespace wright::app {

struct Transcript {
  Session session;
  std::vector<StoredMessage> messages;
  std::vector<StoredCall> calls;
  // So many of the first messages are what a caller told: nobody here has seen them, and their
  // calls did not run here.
  std::size_t told_messages = 0;
  std::vector<Message> unread = {};  // said to the session, and not in the conversation yet
  // What could not be read, and is missing here: a sentence each. Nothing else may be missing.
  std::vector<std::string> damaged = {};
};
inline constexpr std::string_view kNotRunHere = "told by the caller, did not run here";

// Fails where a part of it cannot be read.
Result<Transcript> load_transcript(Store& store, SessionId id);
// What can be read of a damaged one.
Result<Transcript> load_readable_transcript(Store& store, SessionId id);

inline constexpr int kTranscriptFormatVersion = 1;

Json session_json(const Session& session);
// {"format": "wright-session", "version": 1, "session": …, "messages": […], "tool_calls": […]}.
// Each message has the JSON form of wright::Message, plus its number, id and time.
Json transcript_json(const Transcript& transcript);

// Complete; whatever the messages contain, it stays inside its block.
std::string transcript_markdown(const Transcript& transcript);

// For reading: long tool output is cut, with a note that says so. Ends with a line feed.
std::string transcript_view(const Transcript& transcript, const Terminal& terminal);

// What debug mode had to say, for people; empty when the session has none.
std::string feedback_text(const Session& session);

// How long a session took, in words; empty while it has not ended.
std::string duration_of(const Session& session);

// As in the setting: "offline" or "vendor:name".
std::string model_label(std::string_view provider, std::string_view name);

// The call that a result belongs to: the last one before it with the result's id.
const StoredCall* call_of(const Transcript& transcript, const ToolResult& result);

// What is known of a call that has no result among the messages, in words; empty: it has one, or it
// did not run here.
std::string standing_of(const Transcript& transcript, const ToolCall& call);

Colour colour_of(SessionStatus status);

}  // namespace wright::app
