// `wright worker`: drives sessions of the queue, and those that others have left behind.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>

#include "app/commands/commands.h"
#include "app/settings/paths.h"
#include "app/terminal/figures.h"
#include "app/terminal/interruption.h"
#include "app/terminal/log_output.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/session_store.h"
#include "app/wiring/shared_paces.h"
#include "app/wiring/stored_session.h"
#include "app/wiring/telemetry_wiring.h"
#include "core/try.h"
#include "postgres/hints.h"
#include "runtime/event_writer.h"
#include "server/caller_tools.h"
#include "server/health.h"
#include "server/measured_store.h"
#include "server/metrics.h"
#include "store/store_telling_of_damage.h"
#include "wright/runtime.h"

namespace wright::app {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostAtOnce = 100;  // sessions of one claim

// Wakes the loop before its time.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      has_rung_ = true;
    }
    rung_.notify_all();
  }
  void wait(milliseconds time) {
    std::unique_lock lock(mutex_);
    rung_.wait_for(lock, time, [&] { return has_rung_; });
    has_rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  bool has_rung_ = false;
};

class Worker {
 public:
  Worker(const WorkerCommand& command, const Settings& settings, Store& store, Logger logger,
         CommandContext context)
      : command_(command),
        settings_(settings),
        measured_(store, metrics_),
        store_(measured_,
               [this](const Session& session) { tell("  " + words_on_damaged(session)); }),
        logger_(std::move(logger)),
        context_(context) {}

  ExitCode work();

 private:
  Result<AgentPointer> agent_of(const Session& session);
  void observe(const Event& event, const EventOrigin& origin);
  Result<std::size_t> take(Runtime& runtime);
  // For those who look after it; null where nobody asked for that.
  Result<std::unique_ptr<server::HealthServer>> listen(const Runtime& runtime,
                                                       const runtime::EventWriter& events,
                                                       server::Tokens& tokens);
  milliseconds pause();
  // Of what keeps it from working: once, and when it is over.
  void tell_of(std::string trouble) {
    if (trouble == trouble_) return;
    tell(trouble.empty() ? "  The store answers again."
                         : fmt::format("  {}; trying again.", trouble));
    trouble_ = std::move(trouble);
  }
  void tell(const std::string& line) {
    if (command_.verbosity == Verbosity::quiet) return;
    const std::lock_guard lock(console_mutex_);
    context_.console.note(line + "\n");
  }

  const WorkerCommand& command_;
  const Settings& settings_;
  server::Metrics metrics_;
  server::MeasuredStore measured_;
  store::StoreTellingOfDamage store_;
  const Logger logger_;
  CommandContext context_;
  Bell bell_;                  // before what rings it
  Interruption interruption_;  // before any other thread
  std::mutex console_mutex_;
  std::string trouble_;
  std::chrono::steady_clock::time_point next_look_ = {};
  bool has_looked_ = false;  // for what others left behind, in the last round
  std::minstd_rand random_{std::random_device{}()};
};

// As `wright resume` goes on with it: with the agent and the settings that it began with.
Result<AgentPointer> Worker::agent_of(const Session& session) {
  const std::string name = first_agent_of(session);
  const auto& wanted = command_.agents;
  if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end()) {
    return fail(ErrorCode::unsupported, fmt::format("This worker does not drive {}", name));
  }
  adopt_trace(context_.telemetry, session);
  const SettingFlags flags = flags_as_begun(session.config, command_.settings, settings_);
  const auto made = [&]() -> std::optional<Agent> {
    const std::lock_guard lock(console_mutex_);
    const auto settings = settings_or_complain(flags, context_);
    if (!settings) return std::nullopt;
    auto ready = agent_or_complain(name, *settings, flags, context_,
                                   GoingOn{agent_at_beginning(session), command_.settings});
    if (!ready) return std::nullopt;
    demand_answers_as_then(ready->chosen.agent, session.config);
    return finished(std::move(*ready), *settings, logger_, tell_content(context_.telemetry));
  }();
  if (!made) {
    tell(fmt::format("  Session {} is left for a worker that has its agent {} and its folder.",
                     session.id, name));
    return fail(ErrorCode::unsupported, "This worker cannot drive it");
  }
  auto wished = server::with_wishes_of_caller(std::make_shared<const Agent>(*made), session.config);
  if (!wished) tell(fmt::format("  Session {} is left. {}", session.id, wished.error().message));
  return wished;
}

void Worker::observe(const Event& event, const EventOrigin& origin) {
  if (origin.depth > 0) return;
  if (const auto* ended = std::get_if<RunEnded>(&event)) {
    tell(fmt::format("  session {}  {}  {}", origin.session_id, origin.agent,
                     ended->error == nullptr ? "completed" : ended->error->message));
    bell_.ring();
  } else if (std::holds_alternative<RunWaiting>(event)) {
    tell(fmt::format("  session {}  {}  waits for a person: `wright answer {}`", origin.session_id,
                     origin.agent, origin.session_id));
    bell_.ring();
  }
}

// Sessions that others left behind come first, but are looked for less often.
Result<std::size_t> Worker::take(Runtime& runtime) {
  const auto concurrency = static_cast<std::size_t>(command_.concurrency);
  std::size_t taken = 0;
  const auto room = [&] {
    return concurrency - std::min(concurrency, std::max(runtime.running(), taken));
  };
  const auto now = std::chrono::steady_clock::now();
  has_looked_ = room() > 0 && now >= next_look_;
  if (has_looked_) {
    next_look_ = now + std::max(command_.lease / 10, milliseconds(200));
    auto resumed = runtime.resume_abandoned(room());
    if (!resumed) return std::unexpected(std::move(resumed).error());
    taken += resumed->size();
  }
  if (room() > 0) {
    auto claimed = runtime.claim(std::min(room(), kMostAtOnce), command_.agents);
    if (!claimed) return std::unexpected(std::move(claimed).error());
    taken += claimed->size();
  }
  return taken;
}

// Workers that look at the same moment would find the same sessions.
milliseconds Worker::pause() {
  const auto tenth = std::max<std::int64_t>(1, command_.poll.count() / 10);
  return command_.poll + milliseconds(static_cast<std::int64_t>(random_()) % (2 * tenth) - tenth);
}

Result<std::unique_ptr<server::HealthServer>> Worker::listen(const Runtime& runtime,
                                                             const runtime::EventWriter& events,
                                                             server::Tokens& tokens) {
  if (command_.listen.empty()) return nullptr;
  const auto gauges = [&runtime, &events, telemetry = context_.telemetry] {
    const auto spans = telemetry != nullptr ? telemetry->figures() : telemetry::ExporterFigures{};
    return std::vector<server::Gauge>{
        {"wright_sessions_running", "Sessions that are driven by this process.",
         static_cast<double>(runtime.running())},
        {"wright_spans_waiting", "Spans that are still to be sent to the collector.",
         static_cast<double>(spans.waiting)},
        {"wright_spans_lost", "Spans that the collector did not get since the start.",
         static_cast<double>(spans.lost)},
        {"wright_events_left_out", "Events that could not be written since the start.",
         static_cast<double>(events.left_out())}};
  };
  auto server =
      server::HealthServer::open(command_.listen, command_.hosts, tokens,
                                 {.store = store_, .metrics = &metrics_, .gauges = gauges});
  if (!server) return server;
  for (const std::string& address : (*server)->addresses()) {
    tell(
        fmt::format("  Listening on {}{}", address.starts_with("unix:") ? "" : "http://", address));
  }
  return server;
}

ExitCode Worker::work() {
  interruption_.watch([this] { bell_.ring(); });
  std::optional<postgres::HintListener> hints;
  const StorePlace& place = settings_.store();
  if (place.is_postgres()) hints.emplace(place.uri, place.schema, [this] { bell_.ring(); });
  // For those who look on from other processes. It outlives the runtime.
  runtime::EventWriter events(store_);
  auto runtime = Runtime::open(
      {.store = &store_,
       .lease_time = command_.lease,
       .agents = [this](const Session& session) { return agent_of(session); },
       .labels = command_.labels,
       .busy_models = [this] { return context_.paces->waited_for(); },
       .observer =
           [this, write = events.observer()](const Event& event, const EventOrigin& origin) {
             write(event, origin);
             metrics_.observe(event, origin);
             if (context_.telemetry != nullptr) context_.telemetry->observe(event, origin);
             observe(event, origin);
           },
       .find_trace =
           context_.telemetry != nullptr ? context_.telemetry->find_trace() : FindTrace()});
  if (!runtime) return complain_about(runtime.error(), context_.console);
  server::Tokens tokens(tokens_file(context_.environment));
  const auto health = listen(**runtime, events, tokens);
  if (!health) return complain_about(health.error(), context_.console);
  tell(fmt::format(
      "  Worker with room for {} of {}; SIGTERM or Ctrl-C ends it.",
      show_counted(command_.concurrency, "session"),
      command_.agents.empty() ? "any agent" : fmt::format("{}", fmt::join(command_.agents, ", "))));
  while (!interruption_.has_happened()) {
    const auto taken = take(**runtime);
    tell_of(taken ? "" : taken.error().message);
    if (!taken) {
      bell_.wait(pause());
      continue;
    }
    const bool is_full = (*runtime)->running() >= static_cast<std::size_t>(command_.concurrency);
    if (*taken > 0 && !is_full) continue;
    if (*taken == 0 && command_.lasting == WorkerCommand::Lasting::until_idle &&
        (*runtime)->running() == 0) {
      if (has_looked_) break;
      next_look_ = {};  // once more, everywhere
      continue;
    }
    bell_.wait(pause());
  }
  hints.reset();
  const std::size_t left = (*runtime)->running();
  if (left > 0) {
    tell(fmt::format("  Ending: {} may take up to {} s, then others go on with them.",
                     show_counted(static_cast<std::int64_t>(left), "session"),
                     command_.grace.count() / 1000));
  }
  (*runtime)->drain(command_.grace);
  return ExitCode::ok;
}

}  // namespace

ExitCode execute(const WorkerCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  auto logger = make_logger(
      *settings, [&](std::string_view line) { context.console.note(std::string(line) + "\n"); });
  if (!logger) {
    context.console.complain(logger.error().message);
    return ExitCode::usage;
  }
  auto store = open_store(*settings, *logger);
  if (!store) return complain_about(store.error(), context.console);
  return Worker(command, *settings, **store, *logger, context).work();
}

}  // namespace wright::app
