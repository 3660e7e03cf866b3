#include "app/commands/acp_session.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "app/commands/chat_commands.h"
#include "app/commands/chat_files.h"
#include "app/commands/chat_mentions.h"
#include "app/terminal/figures.h"
#include "app/wiring/bash_settings.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/file_history.h"
#include "app/wiring/mcp_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_beginning.h"
#include "core/iso_time.h"
#include "core/text.h"
#include "core/text_pieces.h"
#include "core/try.h"
#include "core/user_message.h"
#include "project/text_file.h"

namespace wright::app {
namespace {

constexpr std::size_t kLargestDiffed = std::size_t{1} << 20;

JsonObject mode_json(std::string_view id, std::string_view name, std::string_view description) {
  return {{"id", id}, {"name", name}, {"description", description}};
}

JsonObject command_json(std::string_view name, std::string_view description,
                        std::string_view hint) {
  JsonObject command{{"name", name}, {"description", description}};
  if (!hint.empty()) command["input"] = JsonObject{{"hint", hint}};
  return command;
}

JsonObject choice(std::string_view value, std::string_view name) {
  return {{"value", value}, {"name", name}};
}

}  // namespace

// --- the agent -----------------------------------------------------------------------------------

SettingFlags AcpSession::flags_now() const {
  const std::lock_guard lock(mutex_);
  SettingFlags flags = environment_.flags;
  flags.base_path = folder_.string();
  if (model_) flags.model = *model_;
  return flags;
}

Result<void> AcpSession::open(std::optional<Session> stored) {
  began_ = std::move(stored);
  if (began_) {
    stored_ = began_->id;
    mode_.recall(environment_.store, id_);
  }
  return equip();
}

Result<void> AcpSession::equip() {
  const Environment& environment = environment_.context.environment;
  SettingFlags flags = flags_now();
  const auto found = TRY(load_settings(flags, environment));
  std::string name = environment_.agent;
  std::optional<GoingOn> going_on;
  if (began_) {
    name = first_agent_of(*began_);
    going_on = GoingOn{agent_at_beginning(*began_), flags};
    flags = flags_as_begun(began_->config, std::move(flags), found);
  } else {
    flags = with_coding_defaults(name, std::move(flags), found);
  }
  auto settings = TRY(load_settings(flags, environment));
  auto ready =
      agent_or_complain(name, settings, flags, environment_.context, going_on, environment_.stop);
  if (!ready) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the agent {} cannot be made; standard error says why", name));
  }
  for (const std::string& note : ready->notes) environment_.context.console.remark(note);
  config_ = session_config(*ready, settings);
  config_.as_object()["acp_session"] = id_;
  {
    const std::lock_guard lock(mutex_);
    model_now_ = ready->chosen.model;
    fallback_ = settings.fallback();
  }
  settings_ = std::move(settings);
  std::error_code error;
  base_ = std::filesystem::weakly_canonical(settings_->base_path(), error).string();
  const AcpBuffers buffers(environment_.peer, environment_.editor.files, id_, base_);
  if (!hooks_) hooks_ = ready->hooks;
  ready->hooks = hooks_;
  agent_ = finished(std::move(*ready), *settings_, Logger(), [&](Agent& agent) {
    mode_.guard(agent);
    watch_arguments(agent);
    buffers.watch(agent);
  });
  if (!environment_.editor.asks_in_forms) {
    // Nobody could answer: the agent asks in its answer instead.
    std::erase_if(agent_.tools, [](const Tool& tool) { return tool.spec.name == "ask_user"; });
  }
  add_servers();
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

void AcpSession::add_servers() {
  for (const McpServer& server : servers_) {
    const auto connection = make_connection(server, *settings_, environment_.context.environment);
    auto tools =
        connection ? mcp_client::server_tools(*connection, tools_options(server), environment_.stop)
                   : Result<mcp_client::ServerTools>(std::unexpected(connection.error()));
    if (!tools) {
      environment_.context.console.remark(
          fmt::format("goes without the MCP server {}: {}", server.name, tools.error().message));
      continue;
    }
    ask_about_others(tools->tools, *settings_);
    for (Tool& tool : tools->tools) {
      if (find_tool(agent_.tools, tool.spec.name) == nullptr)
        agent_.tools.push_back(std::move(tool));
    }
  }
}

JsonArray AcpSession::config_options() const {
  const std::string model = model_.value_or(model_now_);
  std::vector<std::string> names{model};
  names.insert(names.end(), fallback_.begin(), fallback_.end());
  names.emplace_back("offline");
  JsonArray models;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) models.push_back(choice(name, name));
  }
  return {JsonObject{{"id", "mode"},
                     {"name", "Mode"},
                     {"category", "mode"},
                     {"type", "select"},
                     {"currentValue", mode_.name()},
                     {"options", JsonArray{choice("code", "Code"), choice(kPlanMode, "Plan")}}},
          JsonObject{{"id", "model"},
                     {"name", "Model"},
                     {"category", "model"},
                     {"type", "select"},
                     {"currentValue", model},
                     {"options", std::move(models)}}};
}

JsonObject AcpSession::state() const {
  const std::lock_guard lock(mutex_);
  JsonArray modes{mode_json("code", "Code", "Changes files, and asks where its rules say so"),
                  mode_json(kPlanMode, "Plan", "Reads and plans; changes nothing")};
  return {
      {"modes", JsonObject{{"currentModeId", mode_.name()}, {"availableModes", std::move(modes)}}},
      {"configOptions", config_options()}};
}

Result<void> AcpSession::equip_soon() {
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (turn) return equip();
  const std::lock_guard lock(mutex_);
  is_to_be_equipped_ = true;
  return {};
}

Result<void> AcpSession::use_mode(const std::string& mode) {
  TRY(mode_.use(mode, environment_.store, id_));
  update({{"sessionUpdate", "current_mode_update"}, {"currentModeId", mode}});
  return {};
}

Result<void> AcpSession::use_option(const std::string& option, const std::string& value) {
  if (option == "mode") return use_mode(value);
  if (option != "model") {
    return fail(ErrorCode::invalid_argument, fmt::format("there is no option '{}'", option));
  }
  const auto change = [this](std::optional<std::string> to) {
    const std::lock_guard lock(mutex_);
    return std::exchange(model_, std::move(to));
  };
  const auto before = change(value);
  auto equipped = equip_soon();
  if (!equipped) change(before);
  return equipped;
}

// --- what the editor sees ------------------------------------------------------------------------

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
  for (const auto& own : commands_for(*settings_).commands) {
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
  update(acp::call_ended(call, outcome.result, changes));
}

void AcpSession::say(const std::vector<Part>& parts) {
  tell_texts(parts, [this](TextPiece piece) { update(acp::words_chunk(piece)); });
}

void AcpSession::observe(const Event& event) {
  if (const auto* started = std::get_if<SessionStarted>(&event)) {
    stored_ = started->session_id;
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
    if (calls_.contains(said->call.id)) update(acp::call_says(said->call, said->text));
  } else if (const auto* done = std::get_if<ToolEnded>(&event)) {
    end_call(done->call, done->outcome);
  }
}

void AcpSession::tell_usage() {
  const auto context = wright::session_context(environment_.store, agent_, stored_);
  if (context && context->window > 0) {
    update(
        {{"sessionUpdate", "usage_update"}, {"used", context->tokens}, {"size", context->window}});
  }
  const auto session = environment_.store.get_session(stored_);
  if (!session) return;
  update({{"sessionUpdate", "session_info_update"},
          {"title", utf8_prefix(session->user_prompt, 100)},
          {"updatedAt", IsoTime(system_clock_ms()).text()}});
}

// --- prompts -------------------------------------------------------------------------------------

void AcpSession::cancel() {
  const std::lock_guard lock(mutex_);
  for (const Turn& turn : running_) turn->request_stop();
}

Result<void> AcpSession::settle_old() {
  if (stored_ == 0) return {};
  const auto session = TRY(environment_.store.get_session(stored_));
  const bool is_open =
      session.status == SessionStatus::running || session.status == SessionStatus::waiting;
  if (!is_open) return {};
  std::stop_source stopped;
  stopped.request_stop();
  const auto ended =
      wright::resume(environment_.store, agent_, stored_, {.stop = stopped.get_token()});
  if (!ended && ended.error().code != ErrorCode::cancelled) return std::unexpected(ended.error());
  return {};
}

Result<RunResult> AcpSession::run(const Message& message, const RunOptions& options) {
  Store& store = environment_.store;
  return stored_ == 0 ? wright::run(store, agent_, message, options)
                      : wright::send(store, agent_, stored_, message, options);
}

Result<bool> AcpSession::answer_waits(const RunResult& result, const std::stop_token& stop) {
  for (const PersonWait& wait : result.waits) {
    if (wait.kind == WaitKind::approval) {
      JsonObject params = acp::permission_request(wait, base_);
      params["sessionId"] = id_;
      const auto answer = environment_.peer.ask("session/request_permission", params, stop);
      const auto approval = answer ? acp::chosen_approval(*answer) : std::nullopt;
      if (!approval) return false;
      TRY(answer_wait(environment_.store, wait.wait_id, *approval, "editor"));
      continue;
    }
    const auto questions = questions_from(wait.shown);
    auto form = questions ? acp::question_form(*questions) : std::nullopt;
    if (!form) return false;
    (*form)["sessionId"] = id_;
    const auto answer = environment_.peer.ask("elicitation/create", *form, stop);
    if (!answer || !answer->contains("content")) return false;
    TRY(answer_wait(environment_.store, wait.wait_id, answer->at("content"), "editor"));
  }
  return true;
}

// What a command of ours says; nothing where the text is a prompt.
std::optional<std::string> AcpSession::done_by_command(const std::string& text) {
  const auto typed = typed_command(text);
  const bool is_ours =
      typed && (typed->word == "undo" || typed->word == "diff" || typed->word == "compact");
  if (!is_ours) return std::nullopt;
  if (stored_ == 0) return "Nothing has been done yet.";
  if (typed->word == "compact") {
    const auto context = compact(environment_.store, agent_, stored_, typed->argument);
    return context ? fmt::format("Summed up: about {} tokens now.", context->tokens)
                   : context.error().message;
  }
  FileHistory history(*settings_, environment_.store);
  const auto part =
      typed->word == "undo" ? history.of_last_turn(stored_) : history.of_session(stored_);
  if (!part) return part.error().message;
  if (typed->word == "diff") {
    const std::string diff = tools::diff_of(part->plan);
    if (!diff.empty()) return fmt::format("```diff\n{}```", diff);
    return part->plan.gaps.empty() ? "The session has changed no files." : shown_plan(part->plan);
  }
  if (!part->plan.does_something()) {
    return part->plan.gaps.empty() ? "There is nothing to take back."
                                   : "Nothing can be taken back:\n\n" + shown_plan(part->plan);
  }
  if (const auto done = history.take_back(*part); !done) return done.error().message;
  return fmt::format("Taken back:\n\n```\n{}```", shown_plan(part->plan));
}

AcpSession::Turn AcpSession::begin_turn() {
  auto turn = std::make_shared<std::stop_source>();
  const std::lock_guard lock(mutex_);
  for (const Turn& other : running_) other->request_stop();
  running_.insert(turn);
  return turn;
}

void AcpSession::end_turn(const Turn& turn) {
  const std::lock_guard lock(mutex_);
  running_.erase(turn);
}

Result<JsonObject> AcpSession::prompt(const acp::Prompt& said, const Turn& mine) {
  const std::string& text = said.text;
  const std::lock_guard turn(turn_);
  const std::stop_token stop = mine->get_token();
  const auto ended = [](std::string_view reason) { return JsonObject{{"stopReason", reason}}; };
  if (stop.stop_requested()) return ended("cancelled");
  const bool is_changed = [&] {
    const std::lock_guard lock(mutex_);
    return std::exchange(is_to_be_equipped_, false);
  }();
  if (is_changed) {
    TRY(equip());
  }
  if (const auto done = said.images.empty() ? done_by_command(text) : std::nullopt) {
    update(acp::message_chunk(*done));
    return ended("end_turn");
  }
  std::string message = text;
  MentionRules mentions{.unreadable = guarded_files(*settings_).unreadable};
  if (const auto typed = typed_command(text); typed && typed->word == "review") {
    message = review_prompt(typed->argument);
  } else if (typed) {
    for (const auto& own : commands_for(*settings_).commands) {
      if (own.name != typed->word) continue;
      message = project::expanded(own, typed->argument);
      mentions.typed = typed->argument;  // what the file says sends nothing along
    }
  }
  Mentions mentioned = with_mentions(message, base_, environment_.context.environment, mentions);
  std::vector<Image> images = said.images;
  std::ranges::move(mentioned.images, std::back_inserter(images));
  {
    const std::lock_guard lock(mutex_);
    calls_.clear();
  }
  changing_.clear();
  const auto look_on = [this, hooks = hooks_->hooks](const Event& event,
                                                     const EventOrigin& origin) {
    if (origin.depth != 0) return;
    observe(event);
    for (const std::string& problem : hooks->observe(event, origin.session_id)) {
      environment_.context.console.remark(problem);
    }
  };
  const RunOptions options{.observer = look_on, .stop = stop, .config = config_};
  Result<RunResult> result;
  if (auto settled = settle_old(); !settled) result = std::unexpected(settled.error());
  if (result) {
    auto message = hooks_->submitted(user_message(std::move(mentioned.text), std::move(images)),
                                     stored_, stop);
    result = message ? run(*message, options)
                     : Result<RunResult>(std::unexpected(std::move(message).error()));
  }
  bool is_cancelled = false;
  while (result && result->status == RunResult::Status::waiting && !is_cancelled) {
    const auto answered = answer_waits(*result, stop);
    if (!answered) {
      result = std::unexpected(answered.error());
      break;
    }
    is_cancelled = !*answered || stop.stop_requested();
    if (!is_cancelled) result = wright::resume(environment_.store, agent_, stored_, options);
  }
  if (is_cancelled) {
    if (const auto settled = settle_old(); !settled) result = std::unexpected(settled.error());
  }
  if (stored_ != 0) tell_usage();
  if (is_cancelled || stop.stop_requested()) return ended("cancelled");
  if (result) return ended("end_turn");
  if (result.error().code == ErrorCode::cancelled) return ended("cancelled");
  if (result.error().code == ErrorCode::limit_reached) return ended("max_turn_requests");
  return std::unexpected(result.error());
}

}  // namespace wright::app
