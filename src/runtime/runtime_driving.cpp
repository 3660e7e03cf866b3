// Sessions that are driven here, from their beginning to their end.
#include "runtime/runtime_implementation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "core/try.h"
#include "core/user_message.h"
#include "runtime/run_options.h"
#include "runtime/said_messages.h"
#include "store/labels.h"

namespace wright {
namespace {

using runtime::EventStream;
using runtime::ResumeRequest;
using runtime::TreeDriver;
using session::Ending;
using session::SessionPlan;
using session::SessionTree;
using std::chrono::milliseconds;

constexpr const char* kStopped = "The run was cancelled";

std::size_t or_default(std::optional<int> wanted, std::size_t otherwise) {
  return wanted && *wanted > 0 ? static_cast<std::size_t>(*wanted) : otherwise;
}

std::size_t processors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

Runtime::Implementation::Implementation(RuntimeOptions options, std::unique_ptr<Store> own_store,
                                        Store& store,
                                        std::unique_ptr<runtime::RunnerRegistration> runner)
    : options_(std::move(options)),
      own_store_(std::move(own_store)),
      store_(store),
      runner_(std::move(runner)),
      host_(has_store() ? runner_.get() : nullptr, or_default(options_.workers, processors()),
            or_default(options_.tool_threads, std::max<std::size_t>(8, 4 * processors()))) {
  runner_->on_news([this](const RunnerNews& news) { take(news); });
  runner_->on_undriven([this](SessionId id) { return is_driven(id); });
  if (has_store()) runner_->on_look([this] { look_after_steered(); });
}

Runtime::Implementation::~Implementation() {
  runner_->on_news({});
  runner_->on_undriven({});
  runner_->on_look({});
  drain(milliseconds(0));
}

session::TreeOptions Runtime::Implementation::tree_options(const Root& root) {
  session::TreeOptions tree{.machine = {.has_store = has_store(),
                                        .is_heard = &root.stream->is_heard(),
                                        .parallel_calls = or_default(options_.parallel_calls, 1),
                                        .grace = options_.grace},
                            .next_id = [this] { return ++last_id_; }};
  if (has_store()) tree.runner = runner_->id();
  return tree;
}

SessionPlan Runtime::Implementation::plan_for(const Root& root) const {
  return runtime::plan_of(root.agent, root.options,
                          has_store() ? root.options.people : People::nobody);
}

std::shared_ptr<EventStream> Runtime::Implementation::make_stream() {
  return std::make_shared<EventStream>(
      host_, runtime::KeptEvents{options_.kept_events, options_.kept_event_bytes},
      options_.observer);
}

void Runtime::Implementation::take(Root& root, RunOptions options) {
  root.options = std::move(options);
  root.stream->observe_with(runtime::observer_of(root.options));
}

// With mutex_. Whoever asks may hold locks of their own: the session hears of it in a task.
void Runtime::Implementation::stop_when_asked(Root& root) {
  if (!root.options.stop.stop_possible()) return;
  root.stop.emplace(root.options.stop, [this, weak = std::weak_ptr(root.driver)] {
    host_.run_soon([weak] {
      if (const auto driver = weak.lock()) driver->cancel_root(kStopped);
    });
  });
}

void Runtime::Implementation::drive(const RootPointer& root, SessionTree tree,
                                    const std::vector<CancelWish>& cancelled) {
  runtime::DriverCallbacks callbacks{
      .tell = [stream = root->stream](const Event& event,
                                      const EventOrigin& origin) { stream->add(event, origin); },
      .find_trace = options_.find_trace,
      .created = [this, root](SessionId id) { created(root, id); },
      .ended = [this, root](Ending ending) { ended(root, std::move(ending)); }};
  const auto driver = std::make_shared<TreeDriver>(host_, &gate_, std::move(tree),
                                                   root->options.delivery, std::move(callbacks));
  bool is_to_be_suspended = false;
  {
    const std::lock_guard lock(mutex_);
    root->driver = driver;
    is_to_be_suspended = is_suspending_;
  }
  if (root->options.stop.stop_requested()) {
    driver->begin_cancelled(kStopped);
  } else {
    driver->begin();
  }
  for (const CancelWish& wish : cancelled) driver->cancel(wish.session_id, wish.reason);
  if (is_to_be_suspended) driver->suspend();
  const std::lock_guard lock(mutex_);
  if (root->driver == driver) stop_when_asked(*root);
}

void Runtime::Implementation::created(const RootPointer& root, SessionId id) {
  const std::lock_guard lock(mutex_);
  driven_by_[id] = root;
  root->sessions.push_back(id);
  if (root->id != 0) return;  // of a specialist
  root->id = id;
  roots_.emplace(id, root);
  root->changed.notify_all();
}

void Runtime::Implementation::stopped_driving() {
  if (--driven_ == 0 && tasks_ == 0) idle_.notify_all();
}

Runtime::Implementation::RootPointer Runtime::Implementation::root_of(SessionId session) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = driven_by_.find(session); found != driven_by_.end()) return found->second;
  const auto found = roots_.find(session);
  return found == roots_.end() ? nullptr : found->second;
}

std::shared_ptr<TreeDriver> Runtime::Implementation::driver_of(SessionId session) const {
  const std::lock_guard lock(mutex_);
  const auto found = driven_by_.find(session);
  return found == driven_by_.end() ? nullptr : found->second->driver;
}

// Or is about to be, with the session above it.
bool Runtime::Implementation::is_driven(SessionId session) const {
  const auto top = root_session(store_, session);
  if (!top) return true;  // nobody knows
  const RootPointer root = root_of(top->id);
  const std::lock_guard lock(mutex_);
  return root && root->state == Root::State::driven;
}

// Also when another did it a moment ago.
bool Runtime::Implementation::has_ended(SessionId id) const {
  const auto session = store_.get_session(id);
  return session && session->ended_at.has_value();
}

// Of a session that is driven here or waits, or of one below it; null for others. Whoever goes on
// with it may bring another agent at this moment.
AgentPointer Runtime::Implementation::known_agent_of(SessionId session) const {
  const RootPointer root = root_of(session);
  const std::lock_guard lock(mutex_);
  return root ? root->agent : nullptr;
}

Result<AgentPointer> Runtime::Implementation::agent_for(const Session& session) const {
  if (auto agent = known_agent_of(session.id)) return agent;
  if (!options_.agents) {
    return fail(ErrorCode::invalid_argument,
                "RuntimeOptions::agents must say which agent a session has");
  }
  return options_.agents(session);
}

Result<SessionId> Runtime::Implementation::start(AgentPointer agent, Message prompt,
                                                 RunOptions options) {
  TRY(check(*agent));
  if (!has_store()) TRY(runtime::check_not_stopped(options));
  if (const auto labels = labels_for(*agent); !store::has_labels(options_.labels, labels)) {
    return fail(ErrorCode::unavailable,
                fmt::format("The agent '{}' asks for {}, which is not here: say what is "
                            "(RuntimeOptions::labels), or queue the session for a worker",
                            agent->name, fmt::join(labels, ", ")));
  }
  Message said = TRY(checked_user_message(std::move(prompt)));
  const auto root = std::make_shared<Root>();
  root->agent = agent;
  root->stream = make_stream();
  take(*root, std::move(options));
  root->stream->begin_epoch(1);
  NewSession session{.agent_name = agent->name,
                     .provider = agent->model.provider(),
                     .model = agent->model.name(),
                     .user_prompt = title_of(said),
                     .config = root->options.config,
                     .labels = labels_for(*agent),
                     .tenant = root->options.tenant};
  SessionPlan plan = plan_for(*root);
  if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
  SessionTree tree(tree_options(*root));
  tree.plant_new(std::move(plan), wright::start(*agent, std::move(said)), std::move(session));
  {
    const std::lock_guard lock(mutex_);
    TRY(check_room());
    ++driven_;
  }
  drive(root, std::move(tree));
  // It has its id when it is stored, and before anything else happens.
  const runtime::Host::Waiting waiting(host_);
  std::unique_lock lock(mutex_);
  root->changed.wait(lock, [&] { return root->id != 0 || root->ending; });
  if (root->id == 0) return std::unexpected(root->ending->error);
  return root->id;
}

Result<void> Runtime::Implementation::check_room() const {
  if (is_draining_) return std::unexpected(draining());
  const auto most = options_.most_running;
  if (!most || driven_ < *most) return {};
  if (*most == 0) return fail(ErrorCode::rate_limited, "This process drives no sessions");
  return fail(ErrorCode::rate_limited,
              fmt::format("This process drives {} sessions already: try again later", *most));
}

std::size_t Runtime::Implementation::room() const {
  const std::lock_guard lock(mutex_);
  return options_.most_running ? *options_.most_running - std::min(*options_.most_running, driven_)
                               : kNoLimit;
}

bool Runtime::Implementation::may_drive(const Session& session) const {
  return options_.most_running != 0 && store::has_labels(options_.labels, session.labels);
}

Result<Runtime::Implementation::RootPointer> Runtime::Implementation::begin_driving(
    SessionId id, AgentPointer agent, std::optional<RunOptions> options) {
  const std::lock_guard lock(mutex_);
  if (is_draining_) return std::unexpected(draining());
  const auto known = roots_.find(id);
  const bool is_driven = known != roots_.end() && known->second->state == Root::State::driven;
  if (is_driven || driven_by_.contains(id)) {
    return fail(ErrorCode::unavailable, fmt::format("Session {} is driven already", id));
  }
  if (known == roots_.end() && !agent) {
    return fail(ErrorCode::unavailable, fmt::format("Session {} does not wait here any more", id));
  }
  TRY(check_room());
  const auto root = known != roots_.end() ? known->second : std::make_shared<Root>();
  root->id = id;
  if (agent) root->agent = std::move(agent);
  if (!root->stream) root->stream = make_stream();
  if (options) take(*root, std::move(*options));
  root->state = Root::State::driven;
  root->ending.reset();
  host_.cancel(root->expiry);
  roots_.insert_or_assign(id, root);
  ++driven_;
  return root;
}

Result<void> Runtime::Implementation::load_tree(ResumeRequest request, AgentPointer agent,
                                                std::optional<RunOptions> options) {
  const SessionId id = request.id;
  request.labels = options_.labels;
  const RootPointer root = TRY(begin_driving(id, std::move(agent), std::move(options)));
  const auto give_up = [&](Error error) -> Result<void> {
    const std::lock_guard lock(mutex_);
    root->state = Root::State::ended;
    root->ending = Ending{.kind = Ending::Kind::lost, .error = error, .session_id = id};
    roots_.erase(id);
    root->changed.notify_all();
    stopped_driving();
    return std::unexpected(std::move(error));
  };
  const auto messages = store_.get_messages(id);
  if (!messages) return give_up(messages.error());
  {
    const std::lock_guard lock(mutex_);
    root->messages_before = messages->size();
  }
  auto loaded = runtime::load_tree(host_, tree_options(*root), plan_for(*root), store_, request);
  if (!loaded) return give_up(std::move(loaded).error());
  root->stream->begin_epoch(static_cast<std::uint64_t>(loaded->tree.epoch()));
  drive(root, std::move(loaded->tree), loaded->cancelled);
  return {};
}

void Runtime::Implementation::ended(const RootPointer& root, Ending ending) {
  const SessionId id = ending.session_id;
  const bool is_waiting = ending.kind == Ending::Kind::waiting;
  const bool is_to_be_looked_after = is_waiting && has_store();
  const bool may_go_on = ending.kind == Ending::Kind::completed && has_store();
  {
    const std::lock_guard lock(mutex_);
    for (const SessionId session : root->sessions) driven_by_.erase(session);
    root->sessions.clear();
    root->stop.reset();
    root->driver.reset();
    root->state = is_waiting ? Root::State::waiting : Root::State::ended;
    if (is_to_be_looked_after) {
      ++root->wakings;
      ++tasks_;
    }
    if (may_go_on) ++tasks_;
    if (!is_waiting) {
      roots_.erase(id);
      past_.add(ending);
    }
    root->ending = std::move(ending);
    root->changed.notify_all();
    stopped_driving();
  }
  if (is_to_be_looked_after) {
    host_.run_blocking([this, root, id] { look_after(root, id); }, {});
  } else if (may_go_on) {
    host_.run_blocking([this, root, id] { look_for_said_after(root, id); }, {});
  }
}

// In a thread that may block: the store is read.
void Runtime::Implementation::look_after(const RootPointer& root, SessionId id) {
  // It may wait for days: those who come late read its messages from the store.
  if (const auto messages = store_.get_messages(id)) {
    const std::lock_guard lock(mutex_);
    if (root->state == Root::State::waiting) {
      root->messages_before = messages->size();
      root->stream->forget();
    }
  }
  const auto needing =
      store_.list_sessions({.needs_driver = true, .after = id - 1, .before = id + 1, .limit = 1});
  if (needing && !needing->empty()) {
    // When somebody else has it, or it has ended meanwhile, nothing is left to do here.
    (void)load_tree({.id = id}, nullptr, std::nullopt);
  } else if (const auto waits = store_.get_waits({.session_id = id, .status = WaitStatus::open})) {
    std::optional<std::int64_t> first;
    for (const StoredWait& wait : *waits) {
      if (wait.expires_at && (!first || *wait.expires_at < *first)) first = wait.expires_at;
    }
    if (first) wake_at(root, id, *first);
  }
  const std::lock_guard lock(mutex_);
  --root->wakings;
  root->changed.notify_all();
  if (--tasks_ == 0 && driven_ == 0) idle_.notify_all();
}

void Runtime::Implementation::wake_at(const RootPointer& root, SessionId id, std::int64_t wall_ms) {
  const auto left = milliseconds(std::max<std::int64_t>(0, wall_ms - host_.clock()));
  const auto wake = [this, weak = std::weak_ptr(root), id] {
    const auto alive = weak.lock();
    if (!alive) return;
    {
      const std::lock_guard lock(mutex_);
      if (is_draining_ || alive->state != Root::State::waiting) return;
      ++alive->wakings;
      ++tasks_;
    }
    host_.run_blocking([this, alive, id] { look_after(alive, id); }, {});
  };
  const std::lock_guard lock(mutex_);
  if (is_draining_ || root->state != Root::State::waiting) return;
  root->expiry = host_.run_at(std::chrono::steady_clock::now() + left, wake);
}

}  // namespace wright
