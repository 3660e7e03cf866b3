// Commands of ours that an editor sends as prompts: /undo, /diff and /compact. The model does not
// read them.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <utility>

#include "app/commands/acp_session.h"
#include "app/commands/chat_commands.h"
#include "app/commands/chat_sessions.h"
#include "app/wiring/file_history.h"
#include "core/try.h"

namespace wright::app {
namespace {

constexpr std::string_view kTakeBack = "take_back";

std::string fenced_plan(const tools::UndoPlan& plan) {
  return fmt::format("```\n{}```", shown_plan(plan));
}

// The call that stands for it in the editor.
JsonObject undo_call(const std::string& id, const tools::UndoPlan& plan) {
  JsonArray content{JsonObject{
      {"type", "content"}, {"content", JsonObject{{"type", "text"}, {"text", fenced_plan(plan)}}}}};
  return {{"toolCallId", id},
          {"title", "Take back what the last turn changed in files"},
          {"kind", "edit"},
          {"status", "pending"},
          {"content", std::move(content)}};
}

bool has_agreed(const Result<JsonObject>& answer) {
  const Json* outcome = answer ? answer->if_contains("outcome") : nullptr;
  const JsonObject* object = outcome != nullptr ? outcome->if_object() : nullptr;
  const Json* option = object != nullptr ? object->if_contains("optionId") : nullptr;
  return option != nullptr && *option == Json(kTakeBack);
}

}  // namespace

bool AcpSession::is_own_command(const acp::Prompt& said) {
  if (!said.images.empty()) return false;
  const auto typed = typed_command(said.text);
  return typed && (typed->word == "undo" || typed->word == "diff" || typed->word == "compact");
}

std::string AcpSession::done_by_command(const std::string& text, const std::stop_token& stop) {
  const auto typed = typed_command(text);
  if (stored_ == 0) return "Nothing has been done yet.";
  if (typed->word == "compact") {
    const auto context = compact(environment_.store, agent_, stored_, typed->argument);
    return context ? fmt::format("Summed up: about {} tokens now.", context->tokens)
                   : context.error().message;
  }
  if (typed->word == "undo") {
    const auto undone = undo(stop);
    return undone ? *undone : undone.error().message;
  }
  const auto part = FileHistory(*settings_, environment_.store).of_session(stored_);
  if (!part) return part.error().message;
  const std::string diff = tools::diff_of(part->plan);
  if (!diff.empty()) return fmt::format("```diff\n{}```", diff);
  return part->plan.gaps.empty() ? "The session has changed no files." : shown_plan(part->plan);
}

Result<std::string> AcpSession::undo(const std::stop_token& stop) {
  FileHistory history(*settings_, environment_.store);
  const auto part = TRY(history.of_last_turn(stored_));
  const bool has_files = part.plan.does_something();
  if (!has_files && !part.plan.gaps.empty()) {
    return fmt::format("Nothing can be taken back:\n\n{}", shown_plan(part.plan));
  }
  if (has_files && !agrees_to(part.plan, stop)) return "Nothing was taken back.";
  if (has_files) TRY(history.take_back(part));
  TRY(cut_last_turn());
  return fmt::format("{}The model no longer knows of your last message.",
                     has_files ? fmt::format("Taken back:\n\n{}\n\n", fenced_plan(part.plan)) : "");
}

bool AcpSession::agrees_to(const tools::UndoPlan& plan, const std::stop_token& stop) {
  const std::string call = fmt::format("undo_{}_{}", stored_.load(), ++undone_);
  JsonObject begun = undo_call(call, plan);
  const auto option = [](std::string_view id, std::string_view name, std::string_view kind) {
    return JsonObject{{"optionId", id}, {"name", name}, {"kind", kind}};
  };
  const JsonObject params{{"sessionId", id_},
                          {"toolCall", begun},
                          {"options", JsonArray{option(kTakeBack, "Take back", "allow_once"),
                                                option("leave", "Leave as it is", "reject_once")}}};
  begun["sessionUpdate"] = "tool_call";
  update(begun);
  const auto answer = environment_.peer.ask("session/request_permission", params, stop);
  const bool is_agreed = has_agreed(answer);
  update({{"sessionUpdate", "tool_call_update"},
          {"toolCallId", call},
          {"status", is_agreed ? "completed" : "failed"}});
  return is_agreed;
}

// The session that goes on is known to the editor by the same id, which may be the number of the
// one before: that gets another.
Result<void> AcpSession::cut_last_turn() {
  const SessionId before = stored_;
  const CutSession cut = TRY(before_last_message(environment_.store, before));
  const auto session = TRY(environment_.store.get_session(before));
  const bool is_number = id_ == std::to_string(before);
  TRY(environment_.store.apply_one(
      UpdateSession{.session_id = before,
                    .config = is_number ? with_editor(session.config, "undone_" + id_)
                                        : without_editor(session.config)}));
  stored_ = cut.id;
  if (cut.id == 0) return {};
  Session copy = TRY(environment_.store.get_session(cut.id));
  if (editor_id_of(copy) != id_) {
    copy.config = with_editor(std::move(copy.config), id_);
    TRY(environment_.store.apply_one(UpdateSession{.session_id = cut.id, .config = copy.config}));
  }
  began_ = std::move(copy);
  return {};
}

}  // namespace wright::app
