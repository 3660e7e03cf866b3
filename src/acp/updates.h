// What an editor is told of a run, in the words of the Agent Client Protocol (version 1): from
// calls, plans and messages to the JSON of `session/update` and `session/request_permission`. Pure:
// it reads no file and speaks with nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/plan/plan.h"
#include "wright/json.h"
#include "wright/message.h"
#include "wright/model.h"
#include "wright/people.h"
#include "wright/run.h"
#include "wright/tool.h"

namespace wright::acp {

inline constexpr int kProtocolVersion = 1;

// {"sessionUpdate": "agent_message_chunk", …} and its kin.
JsonObject message_chunk(std::string_view text);
JsonObject thought_chunk(std::string_view text);
// What a model says: remarks on the way are thoughts, the rest is its message.
JsonObject words_chunk(TextPiece piece);
JsonObject user_chunk(std::string_view text);
JsonObject user_chunk(const Image& image);
JsonObject plan_update(const std::vector<tools::PlanStep>& plan);

// A file that a call changes, before and after it; nothing: there is none.
struct ChangedText {
  std::string path = {};  // absolute
  std::optional<std::string> before = {};
  std::optional<std::string> after = {};
};

// The paths that a call names, as the model wrote them.
std::vector<std::string> paths_of(const ToolCall& call);
// Those that it would write.
std::vector<std::string> written_paths(const ToolCall& call);

// A call that begins. `base` is absolute; paths in the call are relative to it.
JsonObject call_begun(const ToolCall& call, std::string_view base);
// What runs has other arguments than what began.
JsonObject call_changed(const ToolCall& call, std::string_view base);
JsonObject call_goes_on(const ToolCall& call);
JsonObject call_says(const ToolCall& call, std::string_view text);
JsonObject call_waits(const ToolCall& call);
// It runs in a terminal of the editor.
JsonObject call_in_terminal(std::string_view call_id, std::string_view terminal_id);
JsonObject call_ended(const ToolCall& call, const ToolResult& result,
                      const std::vector<ChangedText>& changes);

// The parameters of session/request_permission, but for the session: of the call as it would run,
// with whole commands.
JsonObject permission_request(const PersonWait& wait, std::string_view base);
// What was chosen: a decision, or nothing where the editor cancelled the turn.
std::optional<Approval> chosen_approval(const JsonObject& answer);

// The parameters of elicitation/create for questions, but for the session; nothing where they
// cannot be asked in a form (passwords).
std::optional<JsonObject> question_form(const AskUserRequest& request);

// What the blocks of a prompt mean: words, and images and files beside them. Refused for a block
// that is none.
struct Prompt {
  std::string text = {};
  std::vector<Image> images = {};
};
Result<Prompt> prompt_of(const JsonArray& blocks);

// Where an absolute path of a resource or a file:// address lies; else as it is.
std::string shown_uri(std::string_view uri);

}  // namespace wright::acp
