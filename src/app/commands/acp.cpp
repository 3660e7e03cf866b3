// `wright acp`: the Agent Client Protocol, version 1, over standard input and output. Which method
// means what stands here; a session is in acp_session.h.
#include <fmt/format.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <stop_token>
#include <thread>

#include "acp/meta.h"
#include "app/commands/acp_session.h"
#include "app/commands/chat_sessions.h"
#include "app/wiring/answers_without_keys.h"
#include "app/wiring/file_history.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/session_store.h"
#include "app/wiring/stored_session.h"
#include "core/iso_time.h"
#include "core/try.h"
#include "runtime/session_removal.h"
#include "wright/detail/version.h"

namespace wright::app {
namespace {

constexpr std::int64_t kNotFound = -32002;
constexpr std::size_t kSessionsAPage = 50;
// An extension that other agents and clients have, too: a message to the prompt that runs.
constexpr std::string_view kSteering = "_session/steering";
constexpr std::size_t kMostLookedAtForId = 2000;

mcp::Problem problem_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid_argument: return {mcp::code::kInvalidParams, error.message};
    case ErrorCode::not_found: return {kNotFound, error.message};
    case ErrorCode::authentication: return {-32000, error.message};
    default: return {mcp::code::kInternalError, error.message};
  }
}

std::string new_session_id() {
  std::random_device random;
  return fmt::format("wright-{:08x}{:08x}", random(), random());
}

Result<std::string> required_text(const JsonObject& params, std::string_view key) {
  const Json* value = params.if_contains(key);
  if (value != nullptr && value->is_string()) return std::string(value->get_string());
  return fail(ErrorCode::invalid_argument, fmt::format("{} must be a string", key));
}

Result<std::filesystem::path> folder_in(const JsonObject& params) {
  const auto cwd = TRY(required_text(params, "cwd"));
  std::error_code error;
  if (!cwd.starts_with('/') || cwd.contains('\0') || !std::filesystem::is_directory(cwd, error)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("cwd must be the absolute path of a folder, not '{}'", cwd));
  }
  return std::filesystem::path(cwd);
}

// Servers that the editor hands on, in its words.
Result<std::vector<McpServer>> servers_in(const JsonObject& params) {
  std::vector<McpServer> servers;
  const Json* list = params.if_contains("mcpServers");
  if (list == nullptr || list->is_null()) return servers;
  if (!list->is_array()) return fail(ErrorCode::invalid_argument, "mcpServers must be a list");
  for (const Json& each : list->get_array()) {
    const JsonObject* given = each.if_object();
    if (given == nullptr) {
      return fail(ErrorCode::invalid_argument, "mcpServers: must hold objects");
    }
    McpServer server{.name = mcp::text_in(*given, "name")};
    std::erase_if(server.name, [](char c) { return !is_server_name(std::string(1, c)); });
    if (server.name.empty()) return fail(ErrorCode::invalid_argument, "mcpServers: needs a name");
    const auto pairs = [&](std::string_view key) {
      std::vector<std::pair<std::string, std::string>> found;
      const Json* rows = given->if_contains(key);
      if (rows == nullptr || !rows->is_array()) return found;
      for (const Json& row : rows->get_array()) {
        if (!row.is_object()) continue;
        found.emplace_back(mcp::text_in(row.get_object(), "name"),
                           mcp::text_in(row.get_object(), "value"));
      }
      return found;
    };
    server.url = mcp::text_in(*given, "url");
    server.headers = pairs("headers");
    for (auto& [name, value] : pairs("env")) server.environment[name] = value;
    if (server.url.empty()) {
      server.command.push_back(mcp::text_in(*given, "command"));
      if (server.command.front().empty()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("mcpServers: {} has no command", server.name));
      }
      if (const Json* words = given->if_contains("args"); words != nullptr && words->is_array()) {
        for (const Json& word : words->get_array()) {
          if (word.is_string()) server.command.emplace_back(word.get_string());
        }
      }
    }
    note_secrets(server);
    servers.push_back(std::move(server));
  }
  return servers;
}

class AcpServer {
 public:
  AcpServer(const AcpCommand& command, Store& store, CommandContext context)
      : peer_(STDIN_FILENO, STDOUT_FILENO),
        environment_{
            peer_, store, context, command.settings, command.agent, {}, stopping_.get_token()} {}

  void serve() {
    peer_.serve([this](mcp::Request request) { take(std::move(request)); },
                [this](const mcp::Notification& notification) { take(notification); });
    stopping_.request_stop();
    for (Opening& opening : openings_) opening.thread.join();
    for (const auto& [id, session] : sessions_) session->cancel();
    for (Prompting& prompting : prompts_) {
      prompting.turn->stop.request_stop();  // also of a session that was closed
      prompting.thread.join();
    }
    for (Opening& steering : steerings_) steering.thread.join();
  }

 private:
  using SharedSession = std::shared_ptr<AcpSession>;
  using Answer = Result<JsonObject>;

  // A prompt that runs in a thread of its own.
  struct Prompting {
    mcp::RequestId id;
    AcpSession::Turn turn;
    std::shared_ptr<std::atomic<bool>> has_ended;
    std::thread thread;
  };

  // A session that is made in a thread of its own: that takes a while in a large folder.
  struct Opening {
    std::shared_ptr<std::atomic<bool>> has_ended;
    std::thread thread;
  };

  struct Method {
    std::string_view name;
    Answer (AcpServer::*perform)(const JsonObject& params);
  };
  struct OpeningMethod {
    std::string_view name;
    Answer (AcpServer::*perform)(const JsonObject& params, SharedSession& opened);
  };

  template <class Running>
  static void join_ended(std::vector<Running>& running) {
    std::erase_if(running, [](Running& each) {
      if (!each.has_ended->load()) return false;
      each.thread.join();
      return true;
    });
  }

  void take(mcp::Request request) {
    static constexpr std::array kMethods{
        Method{"initialize", &AcpServer::initialize},
        Method{"authenticate", &AcpServer::nothing_to_do},
        Method{"session/list", &AcpServer::list},
        Method{"session/close", &AcpServer::close},
        Method{"session/delete", &AcpServer::remove},
        Method{"session/set_mode", &AcpServer::set_mode},
        Method{"session/set_config_option", &AcpServer::set_option},
    };
    static constexpr std::array kOpening{
        OpeningMethod{"session/new", &AcpServer::begin},
        OpeningMethod{"session/load", &AcpServer::load},
        OpeningMethod{"session/resume", &AcpServer::resume},
    };
    if (request.method == "session/prompt") return prompt(request);
    if (request.method == kSteering) return steer(request);
    const auto opening = std::ranges::find(kOpening, request.method, &OpeningMethod::name);
    if (opening != kOpening.end()) return open(*opening, std::move(request));
    const auto method = std::ranges::find(kMethods, request.method, &Method::name);
    if (method == kMethods.end()) {
      return peer_.refuse(request.id, {mcp::code::kMethodNotFound,
                                       fmt::format("there is no method {}", request.method)});
    }
    answer(request.id, (this->*method->perform)(request.params));
  }

  void open(const OpeningMethod& method, mcp::Request request) {
    join_ended(openings_);
    auto has_ended = std::make_shared<std::atomic<bool>>(false);
    std::thread thread([this, &method, request = std::move(request), has_ended] {
      try {
        SharedSession opened;
        answer(request.id, (this->*method.perform)(request.params, opened));
        // An editor knows a session when it has the answer.
        if (opened) opened->tell_commands();
      } catch (const std::exception& thrown) {
        peer_.refuse(request.id, {mcp::code::kInternalError, thrown.what()});
      }
      has_ended->store(true);
    });
    openings_.push_back({std::move(has_ended), std::move(thread)});
  }

  void take(const mcp::Notification& notification) {
    if (notification.method == "$/cancel_request") return cancel_request(notification.params);
    if (notification.method != "session/cancel") return;
    if (const auto session = find(notification.params)) (*session)->cancel();
  }

  // Only prompts take long; they are answered as cancelled. All else is answered already.
  void cancel_request(const JsonObject& params) {
    const Json* id = params.if_contains("requestId");
    if (id == nullptr) return;
    for (const Prompting& prompting : prompts_) {
      if (prompting.id == *id) prompting.turn->stop.request_stop();
    }
  }

  void answer(const mcp::RequestId& id, Answer result) {
    if (result) return peer_.answer(id, std::move(*result));
    peer_.refuse(id, problem_of(result.error()));
  }

  // --- methods -----------------------------------------------------------------------------------

  Answer initialize(const JsonObject& params) {
    const Json* version = params.if_contains("protocolVersion");
    if (version == nullptr || !version->is_number()) {
      return fail(ErrorCode::invalid_argument, "protocolVersion must be a number");
    }
    if (const JsonObject* client = mcp::object_in(params, "clientCapabilities")) {
      const JsonObject* asks = mcp::object_in(*client, "elicitation");
      environment_.editor.asks_in_forms =
          asks != nullptr && mcp::object_in(*asks, "form") != nullptr;
      const auto offers = [](const JsonObject& all, std::string_view key) {
        const Json* value = all.if_contains(key);
        return value != nullptr && value->is_bool() && value->get_bool();
      };
      environment_.editor.has_terminals = offers(*client, "terminal");
      if (const JsonObject* files = mcp::object_in(*client, "fs")) {
        environment_.editor.files = {offers(*files, "readTextFile"),
                                     offers(*files, "writeTextFile")};
      }
    }
    const JsonObject yes;
    return JsonObject{
        {"protocolVersion", acp::kProtocolVersion},
        {"agentCapabilities",
         JsonObject{{"loadSession", true},
                    {"promptCapabilities",
                     JsonObject{{"image", true}, {"audio", true}, {"embeddedContext", true}}},
                    {"mcpCapabilities", JsonObject{{"http", true}, {"sse", false}}},
                    {"sessionCapabilities",
                     JsonObject{{"list", yes}, {"resume", yes}, {"close", yes}, {"delete", yes}}}}},
        {"agentInfo",
         JsonObject{{"name", "wright"}, {"title", "Wright"}, {"version", WRIGHT_VERSION}}},
        {"authMethods", JsonArray{}},
        {"_meta", JsonObject{{"steering", JsonObject{{"supported", true}}}}}};
  }

  Answer nothing_to_do(const JsonObject&) { return JsonObject{}; }

  void add(const SharedSession& session) {
    const std::lock_guard lock(sessions_mutex_);
    sessions_[session->id()] = session;
  }

  Answer begin(const JsonObject& params, SharedSession& opened) {
    auto folder = TRY(folder_in(params));
    auto servers = TRY(servers_in(params));
    auto session = std::make_shared<AcpSession>(
        environment_,
        AcpOpening{new_session_id(), std::move(folder), std::move(servers), acp::trace_in(params)});
    TRY(session->open({}));
    add(session);
    opened = session;
    JsonObject answer = session->state();
    answer["sessionId"] = session->id();
    return answer;
  }

  Result<SharedSession> open_stored(const JsonObject& params) {
    const auto id = TRY(required_text(params, "sessionId"));
    auto folder = TRY(folder_in(params));
    auto servers = TRY(servers_in(params));
    auto stored = TRY(stored_session(id));
    if (const auto known = find(params)) (*known)->cancel();
    auto session = std::make_shared<AcpSession>(
        environment_, AcpOpening{id, std::move(folder), std::move(servers), acp::trace_in(params)});
    TRY(session->open(std::move(stored)));
    add(session);
    return session;
  }

  Answer load(const JsonObject& params, SharedSession& opened) {
    opened = TRY(open_stored(params));
    TRY(opened->replay());
    return opened->state();
  }

  Answer resume(const JsonObject& params, SharedSession& opened) {
    opened = TRY(open_stored(params));
    return opened->state();
  }

  Answer list(const JsonObject& params) {
    SessionFilter filter{
        .is_root = true, .limit = kMostLookedAtForId, .keeps_damaged = true};
    if (const std::string cursor = mcp::text_in(params, "cursor"); !cursor.empty()) {
      filter.before = TRY(session_id_from(cursor, &environment_.store));
    }
    const std::string cwd = mcp::text_in(params, "cwd");
    const auto stored = TRY(environment_.store.list_sessions(filter));
    JsonArray sessions;
    std::optional<SessionId> last;
    for (const Session& session : stored) {
      const std::string folder = folder_of(session).string();
      if (folder.empty() || (!cwd.empty() && std::filesystem::path(cwd) != folder)) continue;
      if (last && sessions.size() == kSessionsAPage) {
        return JsonObject{{"sessions", std::move(sessions)}, {"nextCursor", std::to_string(*last)}};
      }
      last = session.id;
      sessions.push_back(
          JsonObject{{"sessionId", editor_id_of(session)},
                     {"cwd", to_valid_utf8(folder)},
                     {"title", utf8_prefix(session.user_prompt, 100)},
                     {"updatedAt", IsoTime(session.ended_at.value_or(session.started_at)).text()}});
    }
    return JsonObject{{"sessions", std::move(sessions)}};
  }

  Answer close(const JsonObject& params) {
    if (const auto session = find(params)) {
      (*session)->cancel();
      const std::lock_guard lock(sessions_mutex_);
      sessions_.erase((*session)->id());
    }
    return JsonObject{};
  }

  Answer remove(const JsonObject& params) {
    const auto id = TRY(required_text(params, "sessionId"));
    TRY(close(params));
    const auto stored = stored_session(id);
    if (!stored) return JsonObject{};
    TRY(runtime::remove_session(environment_.store, stored->id));
    const auto settings = TRY(load_settings(environment_.flags, environment_.context.environment));
    FileHistory(settings, environment_.store).forget(stored->id);
    return JsonObject{};
  }

  Answer set_mode(const JsonObject& params) {
    const auto session = TRY(find(params));
    const auto mode = TRY(required_text(params, "modeId"));
    TRY(session->use_mode(mode));
    return JsonObject{};
  }

  Answer set_option(const JsonObject& params) {
    const auto session = TRY(find(params));
    const auto option = TRY(required_text(params, "configId"));
    const auto value = TRY(required_text(params, "value"));
    TRY(session->use_option(option, value));
    return JsonObject{{"configOptions", session->state().at("configOptions")}};
  }

  static Result<acp::Prompt> prompt_in(const JsonObject& params) {
    const Json* blocks = params.if_contains("prompt");
    if (blocks != nullptr && blocks->is_array()) return acp::prompt_of(blocks->get_array());
    return fail(ErrorCode::invalid_argument, "prompt must be a list");
  }

  void prompt(const mcp::Request& request) {
    const auto session = find(request.params);
    if (!session) return answer(request.id, std::unexpected(session.error()));
    auto said = prompt_in(request.params);
    if (!said) return answer(request.id, std::unexpected(said.error()));
    run_prompt(*session, std::move(*said), request,
               [this, id = request.id](const Answer& result) { answer(id, result); });
  }

  // In a thread of its own: the editor is asked and cancels meanwhile.
  void run_prompt(const SharedSession& session, acp::Prompt said, const mcp::Request& request,
                  AcpTurns::Answer to_editor) {
    join_ended(prompts_);
    auto has_ended = std::make_shared<std::atomic<bool>>(false);
    // Here and not in the thread: what comes right behind the prompt may cancel it.
    auto turn = session->add_prompt(std::move(to_editor));
    std::thread thread(
        [session, said = std::move(said), trace = acp::trace_in(request.params), turn, has_ended] {
          session->prompt(said, turn, trace);
          has_ended->store(true);
        });
    prompts_.push_back({request.id, std::move(turn), std::move(has_ended), std::move(thread)});
  }

  // {"outcome": "injected"} when the prompt that runs will read it. Where none runs, it becomes
  // one, unless the editor would rather send it itself.
  void steer(const mcp::Request& request) {
    const auto session = find(request.params);
    if (!session) return answer(request.id, std::unexpected(session.error()));
    auto said = prompt_in(request.params);
    if (!said) return answer(request.id, std::unexpected(said.error()));
    join_ended(steerings_);
    auto has_ended = std::make_shared<std::atomic<bool>>(false);
    std::thread thread([this, session = *session, said = std::move(*said), request, has_ended] {
      const auto outcome = [](std::string_view what) { return JsonObject{{"outcome", what}}; };
      const auto steered = session->steer(said);
      if (!steered) {
        answer(request.id, std::unexpected(steered.error()));
      } else if (*steered) {
        answer(request.id, outcome("injected"));
      } else if (mcp::text_in(request.params, "idleBehavior") == "promptRequired") {
        JsonObject required = outcome("promptRequired");
        required["reason"] = "noRunningTurn";
        answer(request.id, std::move(required));
      } else {
        answer(request.id, outcome("startedNewTurn"));
        session->prompt(said, session->add_prompt([](const Answer&) {}),
                        acp::trace_in(request.params));
      }
      has_ended->store(true);
    });
    steerings_.push_back({std::move(has_ended), std::move(thread)});
  }

  // --- sessions ----------------------------------------------------------------------------------

  Result<SharedSession> find(const JsonObject& params) {
    const auto id = TRY(required_text(params, "sessionId"));
    const std::lock_guard lock(sessions_mutex_);
    const auto found = sessions_.find(id);
    if (found != sessions_.end()) return found->second;
    return fail(ErrorCode::not_found, fmt::format("there is no session '{}' here", id));
  }

  // By the id that an editor was given, or by its number.
  Result<Session> stored_session(const std::string& id) {
    const auto all =
        TRY(environment_.store.list_sessions({.is_root = true, .limit = kMostLookedAtForId}));
    for (const Session& session : all) {
      if (editor_id_of(session) == id) return session;
    }
    if (!id.empty() && id.find_first_not_of("0123456789") == std::string::npos) {
      return app::find_session(environment_.store, id);
    }
    return fail(ErrorCode::not_found, fmt::format("there is no session '{}'", id));
  }

  std::stop_source stopping_;
  AcpPeer peer_;
  AcpEnvironment environment_;
  std::mutex sessions_mutex_;
  std::map<std::string, SharedSession> sessions_;
  // Of the thread that reads.
  std::vector<Opening> openings_;
  std::vector<Prompting> prompts_;
  std::vector<Opening> steerings_;
};

}  // namespace

ExitCode execute(const AcpCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  auto store = open_store(*settings);
  if (!store) return complain_about(store.error(), context.console);
  *store = answers_without_keys(std::move(*store), known_keys(*settings, context.environment));
  if (const auto ended = end_dead_runners(**store); !ended) {
    return complain_about(ended.error(), context.console);
  }
  AcpServer(command, **store, context).serve();
  return ExitCode::ok;
}

}  // namespace wright::app
