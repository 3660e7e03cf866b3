#include "app/commands/acp_session.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "acp/meta.h"
#include "app/commands/chat_commands.h"
#include "app/commands/chat_files.h"
#include "app/commands/chat_mentions.h"
#include "app/terminal/figures.h"
#include "app/wiring/bash_settings.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/mcp_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/telemetry_wiring.h"
#include "core/text.h"
#include "core/try.h"
#include "core/user_message.h"
#include "server/caller_tools.h"

namespace wright::app {
namespace {

JsonObject mode_json(std::string_view id, std::string_view name, std::string_view description) {
  return {{"id", id}, {"name", name}, {"description", description}};
}

// Every prompt is answered, whatever happens.
template <class Make>
auto or_thrown(const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::internal, thrown.what());
  }
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
    mode_.use(mode_in(began_->config));
  }
  TRY(equip());
  connect_servers();
  add_server_tools();
  return {};
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
  {
    const std::lock_guard lock(mutex_);
    settings_ = std::make_shared<const Settings>(std::move(settings));
  }
  if (base_.empty()) {
    std::error_code error;
    base_ = std::filesystem::weakly_canonical(settings_->base_path(), error).string();
  }
  const AcpBuffers buffers(environment_.peer, environment_.editor.files, id_, base_);
  if (!hooks_) hooks_ = with_secrets_of_servers(*ready->hooks);
  for (const McpServer& server : servers_) {
    for (const std::string& secret : server.secrets) settings_->redactor().learn(secret);
  }
  ready->hooks = hooks_;
  Agent made = finished(std::move(*ready), *settings_, Logger(), [&](Agent& agent) {
    mode_.guard(agent);
    watch_arguments(agent);
    buffers.watch(agent);
    if (const auto tell = tell_content(environment_.context.telemetry)) tell(agent);
    if (environment_.editor.has_terminals && settings_->flag(keys::kAcpTerminals)) {
      terminals().offer(agent);
    }
  });
  agent_ = TRY(server::with_wishes_of_caller(std::move(made), began_ ? began_->config : Json()));
  if (!environment_.editor.asks_in_forms) {
    // Nobody could answer: the agent asks in its answer instead.
    std::erase_if(agent_.tools, [](const Tool& tool) { return tool.spec.name == "ask_user"; });
  }
  add_server_tools();
  return {};
}

// What a person says is without them, too.
std::shared_ptr<const FoundHooks> AcpSession::with_secrets_of_servers(FoundHooks hooks) const {
  for (const McpServer& server : servers_) {
    std::ranges::copy(server.unmistakable_secrets(), std::back_inserter(hooks.keys));
  }
  return std::make_shared<const FoundHooks>(std::move(hooks));
}

AcpTerminals AcpSession::terminals() {
  const auto is_known = [this](const std::string& call) {
    const std::lock_guard lock(mutex_);
    return calls_.contains(call);
  };
  return {environment_.peer,
          {.id = id_,
           .is_known = is_known,
           .show = [this](const std::string& call, const std::string& terminal) {
             show_terminal(call, terminal);
           }}};
}

std::shared_ptr<const Settings> AcpSession::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

// Those of this session alone, once: they go with it. Beside each other: each may take seconds.
void AcpSession::connect_servers() {
  std::vector<std::vector<Tool>> found(servers_.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    threads.emplace_back([this, &server = servers_[i], &tools_of = found[i]] {
      const auto connection = make_connection(server, *settings_, environment_.context.environment);
      auto tools =
          connection
              ? mcp_client::server_tools(*connection, tools_options(server), environment_.stop)
              : Result<mcp_client::ServerTools>(std::unexpected(connection.error()));
      if (!tools) {
        const std::string why = Redactor(hidden_for(server)).redacted(tools.error().message);
        environment_.context.console.remark(
            fmt::format("goes without the MCP server {}: {}", server.name,
                        settings_->redactor().redacted(std::string_view(why))));
        return;
      }
      ask_about_others(tools->tools, *settings_);
      tools_of = std::move(tools->tools);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::vector<Tool>& each : found) std::ranges::move(each, std::back_inserter(server_tools_));
}

void AcpSession::add_server_tools() {
  for (const Tool& tool : server_tools_) {
    if (find_tool(agent_.tools, tool.spec.name) == nullptr) agent_.tools.push_back(tool);
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
  TRY(check_mode(mode));
  {
    const std::lock_guard lock(mode_mutex_);
    // What is stricter holds before anything can fail, what is not after it is stored.
    if (mode == kPlanMode) mode_.use(mode);
    TRY(store_mode(mode));
    mode_.use(mode);
  }
  update({{"sessionUpdate", "current_mode_update"}, {"currentModeId", mode}});
  return {};
}

Result<void> AcpSession::store_mode(std::string_view mode) {
  if (stored_ == 0) return {};  // it is stored with its mode
  const auto session = TRY(environment_.store.get_session(stored_));
  if (mode_in(session.config) == mode) return {};
  TRY(environment_.store.apply_one(
      UpdateSession{.session_id = stored_, .config = with_mode(session.config, mode)}));
  return {};
}

// A prompt began with the mode that was there a moment ago.
void AcpSession::keep_mode() {
  const std::lock_guard lock(mode_mutex_);
  if (began_with_mode_ == mode_.name()) return;
  if (const auto kept = store_mode(mode_.name()); !kept) {
    environment_.context.console.remark(
        fmt::format("the mode is not stored: {}", kept.error().message));
  }
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

// --- prompts -------------------------------------------------------------------------------------

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

TraceContext AcpSession::trace_of(std::string_view call) const {
  return find_trace_ ? find_trace_(stored_, call) : TraceContext();
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
      acp::add_trace(params, trace_of(wait.call.id));
      const auto answer = environment_.peer.ask("session/request_permission", params, stop);
      const auto approval = answer ? acp::chosen_approval(*answer) : std::nullopt;
      if (!approval) return false;
      TRY(keep_answer(wait, to_json(*approval)));
      continue;
    }
    const auto questions = questions_from(wait.shown);
    auto form = questions ? acp::question_form(*questions) : std::nullopt;
    if (!form) return false;
    (*form)["sessionId"] = id_;
    acp::add_trace(*form, trace_of(wait.call.id));
    const auto answer = environment_.peer.ask("elicitation/create", *form, stop);
    if (!answer || !answer->contains("content")) return false;
    TRY(keep_answer(wait, answer->at("content")));
  }
  return true;
}

Result<void> AcpSession::keep_answer(const PersonWait& wait, const Json& answer) {
  auto stored = answer_wait(environment_.store, wait.wait_id, answer, "editor");
  if (stored) return {};
  // Somebody else was quicker: their answer counts.
  if (stored.error().code != ErrorCode::already_exists) return std::unexpected(stored.error());
  environment_.context.console.remark(stored.error().message);
  return {};
}

// What the model is to read: with what is mentioned, and as the hooks have it.
Result<Message> AcpSession::message_of(const acp::Prompt& said, const std::stop_token& stop) {
  const auto settings = this->settings();
  std::string text = said.text;
  MentionRules mentions{.unreadable = guarded_files(*settings).unreadable};
  if (const auto typed = typed_command(said.text); typed && typed->word == "review") {
    text = review_prompt(typed->argument);
  } else if (typed) {
    for (const auto& own : commands_for(*settings).commands) {
      if (own.name != typed->word) continue;
      text = project::expanded(own, typed->argument);
      mentions.typed = typed->argument;  // what the file says sends nothing along
    }
  }
  Mentions mentioned = with_mentions(text, base_, environment_.context.environment, mentions);
  std::vector<Image> images = said.images;
  std::ranges::move(mentioned.images, std::back_inserter(images));
  return hooks_->submitted(user_message(std::move(mentioned.text), std::move(images)), stored_,
                           stop);
}

RunOptions AcpSession::run_options(const TraceContext& trace) {
  const auto look_on = [this, hooks = hooks_->hooks](const Event& event,
                                                     const EventOrigin& origin) {
    if (origin.depth != 0) return;
    observe(event);
    for (const std::string& problem : hooks->observe(event, origin.session_id)) {
      environment_.context.console.remark(problem);
    }
  };
  RunOptions options{.observer = look_on,
                     .stop = turns_.stop(),
                     .config = with_mode(config_, mode_.name()),
                     .steering = &steering_};
  {
    const std::lock_guard lock(mode_mutex_);
    began_with_mode_ = mode_in(options.config);
  }
  trace_as_asked(environment_.context.telemetry, trace, options);
  find_trace_ = options.find_trace;
  return options;
}

Result<JsonObject> AcpSession::run_prompt(const Message& message, const TraceContext& trace) {
  {
    const std::lock_guard lock(mutex_);
    calls_.clear();
    in_terminals_.clear();
  }
  changing_.clear();
  const RunOptions options = run_options(trace);
  const std::stop_token& stop = options.stop;
  Result<RunResult> result;
  if (auto settled = settle_old(); !settled) result = std::unexpected(settled.error());
  if (result) result = run(message, options);
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
  const auto ended = [](std::string_view reason) { return JsonObject{{"stopReason", reason}}; };
  if (is_cancelled || stop.stop_requested()) return ended("cancelled");
  if (result) return ended("end_turn");
  if (result.error().code == ErrorCode::cancelled) return ended("cancelled");
  if (result.error().code == ErrorCode::limit_reached) return ended("max_turn_requests");
  return std::unexpected(result.error());
}

Result<JsonObject> AcpSession::perform(const acp::Prompt& said,
                                       const std::optional<Message>& message,
                                       const TraceContext& trace) {
  const bool is_changed = [&] {
    const std::lock_guard lock(mutex_);
    return std::exchange(is_to_be_equipped_, false);
  }();
  if (is_changed) {
    TRY(equip());
  }
  if (message) return run_prompt(*message, trace);
  update(acp::message_chunk(done_by_command(said.text, turns_.stop())));
  return JsonObject{{"stopReason", "end_turn"}};
}

// Those who spoke and were not read are answered as what they spoke to, and are not read later.
void AcpSession::end_turn(const Result<JsonObject>& result) {
  const AcpTurns::Ended ended = turns_.end();
  if (!ended.unheard.empty()) {
    // More than was said here is also somebody else's: then all of it stays for the next prompt.
    const auto there = untaken_messages(environment_.store, stored_);
    const bool is_all_ours = there && there->size() <= ended.unheard.size();
    if (is_all_ours) (void)recall_messages(environment_.store, stored_);
  }
  turns_.answer(ended.owner, result);
  for (const Turn& turn : ended.unheard) turns_.answer(turn, result);
}

void AcpSession::prompt(const acp::Prompt& said, const Turn& turn, const TraceContext& trace) {
  std::optional<Message> message;
  AcpTurns::Speech speech;
  if (!is_own_command(said)) {
    auto made = or_thrown([&] { return message_of(said, turn->stop.get_token()); });
    if (!made && !turn->stop.stop_requested()) {
      return turns_.answer(turn, std::unexpected(std::move(made).error()));
    }
    if (made) {
      message = std::move(*made);
      speech = {.text = message->text(), .say = [&] { return steering_.say(*message); }};
    }
  }
  switch (turns_.enter(turn, speech)) {
    case AcpTurns::Entered::spoken: return;
    case AcpTurns::Entered::cancelled:
      return turns_.answer(turn, JsonObject{{"stopReason", "cancelled"}});
    case AcpTurns::Entered::runs: break;
  }
  const std::lock_guard lock(turn_);
  end_turn(or_thrown([&] { return perform(said, message, trace.is_set() ? trace : trace_); }));
}

Result<bool> AcpSession::steer(const acp::Prompt& said) {
  if (!turns_.is_running()) return false;
  const auto message = TRY(message_of(said, turns_.stop()));
  constexpr std::chrono::milliseconds kMoment{20};
  while (turns_.is_running()) {
    const auto spoken = steering_.say(message);
    if (spoken) return true;
    if (spoken.error().code != ErrorCode::unavailable) return std::unexpected(spoken.error());
    std::this_thread::sleep_for(kMoment);
  }
  return false;
}

}  // namespace wright::app
