// What an editor sees of a session: its messages, calls and plans, as updates.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "app/commands/acp_session.h"
#include "app/wiring/project_files.h"
#include "core/iso_time.h"
#include "core/text.h"
#include "core/text_pieces.h"
#include "core/try.h"
#include "project/text_file.h"

namespace wright::app {
namespace {

constexpr std::size_t kLargestDiffed = std::size_t{1} << 20;

JsonObject command_json(std::string_view name, std::string_view description,
                        std::string_view hint) {
  JsonObject command{{"name", name}, {"description", description}};
  if (!hint.empty()) command["input"] = JsonObject{{"hint", hint}};
  return command;
}

}  // namespace

void AcpSession::update(const JsonObject& update) {
  environment_.peer.notify("session/update", {{"sessionId", id_}, {"update", update}});
}

void AcpSession::tell_commands() {
  JsonArray commands{
      command_json("review", "Review what was changed here", "what matters most"),
      command_json("undo", "Take back what the last prompt changed in files", ""),
      command_json("diff", "What the session changed in files", ""),
      command_json("compact", "Sum up what came before the last turn", "what matters most")};
  const std::size_t ours = commands.size();
  for (const auto& own : commands_for(*settings()).commands) {
    const bool is_ours =
        std::any_of(commands.begin(), commands.begin() + ours,
                    [&](const Json& each) { return each.at("name").as_string() == own.name; });
    if (!is_ours) commands.push_back(command_json(own.name, own.description, own.hint));
  }
  update(
      {{"sessionUpdate", "available_commands_update"}, {"availableCommands", std::move(commands)}});
}

Result<void> AcpSession::replay() {
  const auto messages = TRY(environment_.store.get_messages(stored_));
  std::map<std::string, ToolCall> open;
  for (const StoredMessage& stored : messages) {
    const Message& message = stored.message;
    if (message.role == Role::user && message.is_from_user()) {
      if (!message.text().empty()) update(acp::user_chunk(message.text()));
      for (const Part& part : message.parts) {
        if (const auto* image = std::get_if<Image>(&part)) update(acp::user_chunk(*image));
      }
    }
    if (message.role == Role::assistant) say(message.parts);
    for (const ToolCall& call : message.tool_calls()) {
      if (const auto plan = tools::plan_of(call)) {
        update(acp::plan_update(*plan));
        continue;
      }
      update(acp::call_begun(call, base_));
      open[call.id] = call;
    }
    for (const Part& part : message.parts) {
      const auto* result = std::get_if<ToolResult>(&part);
      if (result == nullptr || !open.contains(result->call_id)) continue;
      update(acp::call_ended(open.at(result->call_id), *result, {}));
      open.erase(result->call_id);
    }
  }
  // What was under way when the session stopped has no result.
  for (const auto& [id, call] : open) {
    update(acp::call_ended(call, {.content = "interrupted", .is_error = true}, {}));
  }
  return {};
}

void AcpSession::watch_arguments(Agent& agent) {
  agent.interceptors.emplace_back([this](const Invocation& invocation, const Context& context,
                                         const Next& next) -> Result<ToolReply> {
    const bool is_known = [&] {
      const std::lock_guard lock(mutex_);
      return calls_.contains(invocation.call.id);
    }();
    if (invocation.arguments_changed && is_known) {
      ToolCall runs = invocation.call;
      runs.arguments = to_text(invocation.arguments);
      update(acp::call_changed(runs, base_));
    }
    return next(invocation, context);
  });
}

std::optional<std::string> AcpSession::text_at(const std::string& path) const {
  auto text = project::read_text(std::filesystem::path(base_) / path, kLargestDiffed, base_);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

void AcpSession::begin_call(const ToolCall& call) {
  if (call.name == tools::kPlanTool) return;
  const bool is_new = [&] {
    const std::lock_guard lock(mutex_);
    return calls_.insert(call.id).second;
  }();
  if (!is_new) return update(acp::call_goes_on(call));
  for (const std::string& path : acp::written_paths(call)) {
    changing_[call.id].push_back(
        {(std::filesystem::path(base_) / path).string(), text_at(path), {}});
  }
  update(acp::call_begun(call, base_));
}

void AcpSession::show_terminal(const std::string& call, const std::string& terminal) {
  {
    const std::lock_guard lock(mutex_);
    in_terminals_.insert(call);
  }
  update(acp::call_in_terminal(call, terminal));
}

void AcpSession::end_call(const ToolCall& call, const ToolOutcome& outcome) {
  if (const auto plan = tools::plan_of(call); plan && !outcome.error) {
    return update(acp::plan_update(*plan));
  }
  if (call.name == tools::kPlanTool) return;
  if (outcome.waiting) return update(acp::call_waits(call));
  if (!outcome.has_ended()) return;
  std::vector<acp::ChangedText> changes = std::move(changing_[call.id]);
  changing_.erase(call.id);
  for (acp::ChangedText& change : changes) {
    change.after = text_at(change.path);
  }
  if (outcome.error) changes.clear();
  JsonObject ended = acp::call_ended(call, outcome.result, changes);
  const bool is_in_terminal = [&] {
    const std::lock_guard lock(mutex_);
    return in_terminals_.contains(call.id);
  }();
  if (is_in_terminal) ended.erase("content");  // the terminal stays in its place
  update(ended);
}

void AcpSession::say(const std::vector<Part>& parts) {
  tell_texts(parts, [this](TextPiece piece) { update(acp::words_chunk(piece)); });
}

void AcpSession::observe(const Event& event) {
  if (const auto* started = std::get_if<SessionStarted>(&event)) {
    stored_ = started->session_id;
    keep_mode();
  } else if (const auto* heard = std::get_if<MessageTaken>(&event)) {
    turns_.taken(heard->message.text());
  } else if (std::holds_alternative<ModelStarted>(event)) {
    has_streamed_ = false;
  } else if (const auto* delta = std::get_if<TextDelta>(&event)) {
    has_streamed_ = true;
    update(acp::words_chunk({delta->text, delta->phase}));
  } else if (const auto* ended = std::get_if<ModelEnded>(&event)) {
    if (!has_streamed_) say(ended->response.content);
  } else if (const auto* begun = std::get_if<ToolStarted>(&event)) {
    begin_call(begun->call);
  } else if (const auto* said = std::get_if<ToolProgress>(&event)) {
    const bool is_shown = [&] {
      const std::lock_guard lock(mutex_);
      return calls_.contains(said->call.id) && !in_terminals_.contains(said->call.id);
    }();
    if (is_shown) update(acp::call_says(said->call, said->text));
  } else if (const auto* done = std::get_if<ToolEnded>(&event)) {
    end_call(done->call, done->outcome);
  }
}

void AcpSession::tell_usage() {
  const auto context = wright::session_context(environment_.store, agent_, stored_);
  if (context && context->window) {
    update(
        {{"sessionUpdate", "usage_update"}, {"used", context->tokens}, {"size", *context->window}});
  }
  const auto session = environment_.store.get_session(stored_);
  if (!session) return;
  update({{"sessionUpdate", "session_info_update"},
          {"title", utf8_prefix(session->user_prompt, 100)},
          {"updatedAt", IsoTime(system_clock_ms()).text()}});
}

}  // namespace wright::app
