// The concurrent driver. It knows which sessions are driven here, wakes those that somebody has
// answered, and lets go of those that have ended or wait for a person.
#include "wright/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/try.h"
#include "runtime/event_stream.h"
#include "runtime/foreign_sessions.h"
#include "runtime/load_tree.h"
#include "runtime/past_endings.h"
#include "runtime/run_options.h"
#include "runtime/run_result.h"
#include "runtime/runner_registration.h"
#include "runtime/thread_host.h"
#include "runtime/tree_driver.h"
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

// How long those who wait for a session wait for its listeners, too.
constexpr milliseconds kPatienceWithListeners{1'000};

// How many times as many as it takes a process chooses from, of the oldest that nobody drives.
constexpr std::size_t kShuffled = 16;

constexpr const char* kStopped = "The run was cancelled";

std::size_t or_default(std::optional<int> wanted, std::size_t otherwise) {
  return wanted && *wanted > 0 ? static_cast<std::size_t>(*wanted) : otherwise;
}

std::size_t processors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

// What was said before, for those who subscribe later.
SessionEvent event_of(const StoredMessage& stored, std::uint64_t number) {
  return {.session_id = stored.session_id,
          .sequence = number,
          .time_ms = stored.created_at,
          .type = "message",
          .data = to_json(stored.message)};
}

}  // namespace

class Runtime::Implementation {
 public:
  Implementation(RuntimeOptions options, std::unique_ptr<Store> own_store, Store& store,
                 std::unique_ptr<runtime::RunnerRegistration> runner)
      : options_(std::move(options)),
        own_store_(std::move(own_store)),
        store_(store),
        runner_(std::move(runner)),
        host_(has_store() ? runner_.get() : nullptr, or_default(options_.workers, processors()),
              or_default(options_.tool_threads, std::max<std::size_t>(8, 4 * processors()))) {
    runner_->on_news([this](const RunnerNews& news) { take(news); });
    runner_->on_strays([this](SessionId id) { return is_driven(id); });
  }

  ~Implementation() {
    runner_->on_news({});
    runner_->on_strays({});
    drain(milliseconds(0));
  }

  Store* store() { return options_.store; }

  Result<SessionId> start(AgentPointer agent, std::string_view prompt, RunOptions options);
  Result<void> load_tree(ResumeRequest request, AgentPointer agent,
                         std::optional<RunOptions> options);
  Result<std::vector<SessionId>> resume_abandoned(std::size_t most);
  Result<std::vector<SessionId>> claim(std::size_t most,
                                       const std::vector<std::string>& agent_names);
  Result<void> cancel(SessionId id, std::string reason);
  Result<StoredWait> answer(WaitId id, const Json& answer, std::string answered_by);
  Result<RunResult> wait(SessionId id);
  Result<Subscription> subscribe(SessionId id, std::uint64_t after, Listener listener);
  std::size_t running() const {
    const std::lock_guard lock(mutex_);
    return driven_;
  }
  void drain(milliseconds time);

 private:
  // A session without a parent, while it is driven here or waits for a person.
  struct Root {
    enum class State : std::uint8_t { driven, waiting, ended };
    State state = State::driven;
    SessionId id = 0;  // 0 until it is stored
    AgentPointer agent = {};
    RunOptions options = {};
    std::shared_ptr<EventStream> stream = {};  // always there once others can see the root
    std::size_t messages_before = 0;           // those that no event of the stream tells of
    std::shared_ptr<TreeDriver> driver = {};   // State::driven, once the sessions are loaded
    std::optional<std::stop_callback<std::function<void()>>> stop = {};  // while it is driven
    std::vector<SessionId> sessions = {};  // that are driven, with those below
    std::size_t wakings = 0;               // tasks that look whether it is to go on
    runtime::Host::Timer expiry = 0;
    std::optional<Ending> ending = {};
    std::condition_variable changed = {};  // with mutex_
  };
  using RootPointer = std::shared_ptr<Root>;

  bool has_store() const { return options_.store != nullptr; }
  session::TreeOptions tree_options(const Root& root);
  SessionPlan plan_for(const Root& root) const;
  std::shared_ptr<EventStream> make_stream();
  void take(Root& root, RunOptions options);
  void stop_when_asked(Root& root);
  void drive(const RootPointer& root, SessionTree tree,
             const std::vector<CancelWish>& cancelled = {});
  void created(const RootPointer& root, SessionId id);
  void ended(const RootPointer& root, Ending ending);
  Result<RootPointer> begin_driving(SessionId id, AgentPointer agent,
                                    std::optional<RunOptions> options);
  void stopped_driving();
  // Whether a session that has just begun to wait was answered, or is overdue by now, and when it
  // will be.
  void look_after(const RootPointer& root, SessionId id);
  void wake_at(const RootPointer& root, SessionId id, std::int64_t wall_ms);
  Result<void> drive_claimed(const ClaimedSession& claimed);
  void give_back(const ClaimedSession& claimed);
  void take(const RunnerNews& news);
  Error draining() const {
    return {ErrorCode::unavailable, "The runtime is ending and takes no more sessions"};
  }
  RootPointer root_of(SessionId session) const;
  std::shared_ptr<TreeDriver> driver_of(SessionId session) const;
  bool is_driven(SessionId session) const;
  bool has_ended(SessionId id) const;
  Result<AgentPointer> agent_for(const Session& session) const;

  const RuntimeOptions options_;
  const std::unique_ptr<Store> own_store_;
  Store& store_;
  const std::unique_ptr<runtime::RunnerRegistration> runner_;
  runtime::ExclusiveGate gate_;

  mutable std::mutex mutex_;
  std::condition_variable idle_;  // nothing is driven
  std::map<SessionId, RootPointer> roots_;
  std::map<SessionId, RootPointer> driven_by_;  // of every session that is driven
  runtime::PastEndings past_;
  runtime::ForeignSessions foreign_;
  std::size_t driven_ = 0;
  std::size_t tasks_ = 0;               // that look after sessions
  std::atomic<SessionId> last_id_ = 0;  // of sessions that are not stored
  bool is_draining_ = false;
  bool is_suspending_ = false;

  runtime::ThreadHost host_;  // last: its threads use all of the above
};

// --- driving -----------------------------------------------------------------------------------

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

Result<AgentPointer> Runtime::Implementation::agent_for(const Session& session) const {
  if (const RootPointer root = root_of(session.id)) return root->agent;
  if (!options_.agents) {
    return fail(ErrorCode::invalid_argument,
                "RuntimeOptions::agents must say which agent a session has");
  }
  return options_.agents(session);
}

Result<SessionId> Runtime::Implementation::start(AgentPointer agent, std::string_view prompt,
                                                 RunOptions options) {
  TRY(check(*agent));
  if (!has_store()) TRY(runtime::check_not_stopped(options));
  const std::string said = to_valid_utf8(std::string(prompt));
  const auto root = std::make_shared<Root>();
  root->agent = agent;
  root->stream = make_stream();
  take(*root, std::move(options));
  root->stream->begin_epoch(1);
  NewSession session{.agent_name = agent->name,
                     .provider = agent->model.provider(),
                     .model = agent->model.name(),
                     .user_prompt = said,
                     .config = root->options.config};
  SessionPlan plan = plan_for(*root);
  if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
  SessionTree tree(tree_options(*root));
  tree.plant_new(std::move(plan), wright::start(*agent, said), std::move(session));
  {
    const std::lock_guard lock(mutex_);
    if (is_draining_) return std::unexpected(draining());
    ++driven_;
  }
  drive(root, std::move(tree));
  // It has its id when it is stored, and before anything else happens.
  std::unique_lock lock(mutex_);
  root->changed.wait(lock, [&] { return root->id != 0 || root->ending; });
  if (root->id == 0) return std::unexpected(root->ending->error);
  return root->id;
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
    if (!is_waiting) {
      roots_.erase(id);
      past_.add(ending);
    }
    root->ending = std::move(ending);
    root->changed.notify_all();
    stopped_driving();
  }
  if (!is_to_be_looked_after) return;
  host_.run_blocking([this, root, id] { look_after(root, id); }, {});
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

Result<std::vector<SessionId>> Runtime::Implementation::resume_abandoned(std::size_t most) {
  if (!options_.agents) {
    return fail(ErrorCode::invalid_argument,
                "RuntimeOptions::agents must say which agents abandoned sessions have");
  }
  TRY(end_dead_runners(store_));
  auto sessions = TRY(store_.list_sessions({.needs_driver = true, .limit = kNoLimit}));
  const auto refused = foreign_.all();
  std::erase_if(sessions, [&](const Session& session) {
    return std::ranges::binary_search(refused, session.id) ||
           !store::has_labels(options_.labels, session.labels);
  });
  std::ranges::sort(sessions, {}, &Session::id);
  // Others look at this moment, too: each begins somewhere else among the oldest.
  if (most < sessions.size()) {
    const std::size_t some = std::min(sessions.size(), most * kShuffled);
    std::ranges::shuffle(sessions.begin(), sessions.begin() + static_cast<std::ptrdiff_t>(some),
                         std::minstd_rand(std::random_device{}()));
  }
  std::vector<SessionId> resumed;
  for (const Session& session : sessions) {
    if (resumed.size() >= most) break;
    auto agent = agent_for(session);
    if (!agent) {
      foreign_.add(session.id);
      continue;
    }
    if (load_tree({.id = session.id}, std::move(*agent), std::nullopt)) {
      resumed.push_back(session.id);
    }
  }
  return resumed;
}

Result<std::vector<SessionId>> Runtime::Implementation::claim(
    std::size_t most, const std::vector<std::string>& agent_names) {
  if (!options_.agents) {
    return fail(ErrorCode::invalid_argument,
                "RuntimeOptions::agents must say which agents queued sessions have");
  }
  std::vector<SessionId> driven;
  // What cannot be driven here must not stand in front of what can.
  for (bool is_any_foreign = true; is_any_foreign && driven.size() < most;) {
    is_any_foreign = false;
    const auto claimed = store_.apply_one(Claim{.runner_id = runner_->id(),
                                                .agent_names = agent_names,
                                                .most = most - driven.size(),
                                                .labels = options_.labels,
                                                .except = foreign_.all()});
    if (!claimed) {
      // Some may have been claimed all the same.
      if (claimed.error().code == ErrorCode::storage) runner_->look_for_strays();
      if (driven.empty()) return std::unexpected(claimed.error());
      break;
    }
    for (const ClaimedSession& each : claimed->claimed) {
      if (drive_claimed(each)) {
        driven.push_back(each.session_id);
      } else {
        give_back(each);
        is_any_foreign = true;
      }
    }
  }
  return driven;
}

Result<void> Runtime::Implementation::drive_claimed(const ClaimedSession& claimed) {
  const auto session = TRY(store_.get_session(claimed.session_id));
  auto agent = TRY(options_.agents(session));
  return load_tree({.id = claimed.session_id, .held_epoch = claimed.epoch}, std::move(agent), {});
}

// It is as it was before it was claimed: nothing has happened yet.
void Runtime::Implementation::give_back(const ClaimedSession& claimed) {
  foreign_.add(claimed.session_id);
  const std::vector<Write> writes{
      HoldLease{claimed.session_id, runner_->id(), claimed.epoch},
      UpdateSession{.session_id = claimed.session_id, .status = SessionStatus::queued}};
  if (!store_.apply(writes)) runner_->release(claimed.session_id, claimed.epoch);
}

// --- from outside ------------------------------------------------------------------------------

void Runtime::Implementation::take(const RunnerNews& news) {
  for (const CancelWish& wish : news.cancelled) {
    if (const auto driver = driver_of(wish.session_id)) {
      driver->cancel(wish.session_id, wish.reason);
    }
  }
  for (const StoredWait& wait : news.answered) {
    if (const auto driver = driver_of(wait.session_id)) driver->answered(wait);
  }
}

Result<void> Runtime::Implementation::cancel(SessionId id, std::string reason) {
  // Stored first, it cannot be lost: whoever drives the session, now or later, finds it.
  const auto wanted = has_store() ? store_.request_cancel(id, reason) : Result<void>();
  if (const auto driver = driver_of(id); driver && driver->cancel(id, reason)) return {};
  if (!wanted) return wanted;
  if (!has_store()) {
    return fail(ErrorCode::not_found, fmt::format("Session {} is not driven here", id));
  }
  const auto top = TRY(root_session(store_, id));
  if (top.status == SessionStatus::queued || (!root_of(top.id) && !options_.agents)) {
    if (top.id != id) return {};
    auto cancelled = runtime::cancel_stored(host_, runner_->id(), store_, id, reason);
    const bool is_driven_elsewhere = !cancelled && cancelled.error().code == ErrorCode::unavailable;
    return is_driven_elsewhere ? Result<void>() : cancelled;
  }
  auto agent = TRY(agent_for(top));
  // When it is driven, here or elsewhere, its driver hears of it.
  auto loaded = load_tree({.id = top.id}, std::move(agent), std::nullopt);
  if (!loaded && (loaded.error().code == ErrorCode::unavailable || has_ended(top.id))) return {};
  return loaded;
}

Result<StoredWait> Runtime::Implementation::answer(WaitId id, const Json& answer,
                                                   std::string answered_by) {
  auto wait = TRY(answer_wait(store_, id, answer, std::move(answered_by)));
  if (const auto driver = driver_of(wait.session_id); driver && driver->answered(wait)) {
    return wait;
  }
  const auto top = TRY(root_session(store_, wait.session_id));
  const RootPointer root = root_of(top.id);
  if (!root && !options_.agents) return wait;  // whoever has the agent resumes it
  auto agent = TRY(agent_for(top));
  if (auto woken = load_tree({.id = top.id}, std::move(agent), std::nullopt); !woken) {
    // Another process goes on with it, or it has ended, or this one is about to end: the answer
    // stands all the same, and whoever drives the session finds it.
    if (woken.error().code != ErrorCode::unavailable && !has_ended(top.id)) {
      return std::unexpected(woken.error());
    }
  }
  return wait;
}

Result<RunResult> Runtime::Implementation::wait(SessionId id) {
  std::unique_lock lock(mutex_);
  const auto found = roots_.find(id);
  if (found != roots_.end()) {
    const RootPointer root = found->second;
    root->changed.wait(lock,
                       [&] { return root->state != Root::State::driven && root->wakings == 0; });
    Ending ending = *root->ending;
    lock.unlock();
    root->stream->wait_until_told(kPatienceWithListeners);
    return runtime::answer_of(std::move(ending));
  }
  if (const Ending* ending = past_.find(id)) return runtime::answer_of(*ending);
  lock.unlock();
  const auto session = TRY(store_.get_session(id));
  if (session.status == SessionStatus::completed) {
    return RunResult{.text = session.result.value_or(""),
                     .session_id = id,
                     .iterations = session.iterations,
                     .usage = session.usage};
  }
  return fail(
      session.status == SessionStatus::cancelled ? ErrorCode::cancelled : ErrorCode::unavailable,
      session.error.value_or(
          fmt::format("Session {} is {}, and not driven here", id, to_string(session.status))));
}

Result<Subscription> Runtime::Implementation::subscribe(SessionId id, std::uint64_t after,
                                                        Listener listener) {
  RootPointer root;
  std::size_t messages_before = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = roots_.find(id); found != roots_.end()) {
      root = found->second;
      messages_before = root->messages_before;
    }
  }
  if (root && root->stream->has_all_after(after)) {
    return root->stream->listen(after, std::move(listener));
  }
  if (root && !has_store()) return root->stream->listen(after, std::move(listener));
  const auto messages = TRY(store_.get_messages(id));
  const bool tells_the_rest = root && root->stream->has_begun();
  const std::size_t count = tells_the_rest ? messages_before : messages.size();
  for (std::size_t i = 0; i < std::min(count, messages.size()); ++i) {
    if (i + 1 > after) listener(event_of(messages[i], i + 1));
  }
  if (root) return root->stream->listen(after, std::move(listener));
  return Subscription();
}

void Runtime::Implementation::drain(milliseconds time) {
  std::unique_lock lock(mutex_);
  is_draining_ = true;
  for (const auto& [id, root] : roots_) host_.cancel(root->expiry);
  const auto is_idle = [&] { return driven_ == 0 && tasks_ == 0; };
  if (idle_.wait_for(lock, time, is_idle)) return;
  is_suspending_ = true;
  std::vector<std::shared_ptr<TreeDriver>> drivers;
  for (const auto& [id, root] : roots_) {
    if (root->driver) drivers.push_back(root->driver);
  }
  lock.unlock();
  for (const auto& driver : drivers) driver->suspend();
  lock.lock();
  idle_.wait(lock, is_idle);
}

// --- the public face ---------------------------------------------------------------------------

Runtime::Runtime(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Runtime::~Runtime() = default;

Result<std::unique_ptr<Runtime>> Runtime::open(RuntimeOptions options) {
  std::unique_ptr<Store> own;
  if (options.store == nullptr) own = open_memory_store();
  // Where nothing is stored, this process alone is registered, in memory.
  Store& store = own ? *own : *options.store;
  auto runner = TRY(runtime::RunnerRegistration::open(store, options.lease_time));
  return std::unique_ptr<Runtime>(new Runtime(std::make_unique<Implementation>(
      std::move(options), std::move(own), store, std::move(runner))));
}

Store* Runtime::store() {
  return implementation_->store();
}

Result<SessionId> Runtime::start(AgentPointer agent, std::string_view prompt, RunOptions options) {
  return implementation_->start(std::move(agent), prompt, std::move(options));
}

Result<void> Runtime::send(AgentPointer agent, SessionId id, std::string_view message,
                           RunOptions options) {
  ResumeRequest request{.id = id};
  request.said = Message::user(to_valid_utf8(std::string(message)));
  request.config = options.config;
  return implementation_->load_tree(std::move(request), std::move(agent), std::move(options));
}

Result<void> Runtime::resume(AgentPointer agent, SessionId id, RunOptions options) {
  ResumeRequest request{.id = id, .settlements = options.settlements, .reopens = true};
  return implementation_->load_tree(std::move(request), std::move(agent), std::move(options));
}

Result<std::vector<SessionId>> Runtime::resume_abandoned(std::size_t most) {
  return implementation_->resume_abandoned(most);
}

Result<std::vector<SessionId>> Runtime::claim(std::size_t most,
                                              const std::vector<std::string>& agent_names) {
  return implementation_->claim(most, agent_names);
}

Result<void> Runtime::cancel(SessionId id, std::string reason) {
  return implementation_->cancel(id, std::move(reason));
}

Result<StoredWait> Runtime::answer(WaitId id, const Json& answer, std::string answered_by) {
  return implementation_->answer(id, answer, std::move(answered_by));
}

Result<RunResult> Runtime::wait(SessionId id) {
  return implementation_->wait(id);
}

Result<Subscription> Runtime::subscribe(SessionId id, std::uint64_t after, Listener listener) {
  return implementation_->subscribe(id, after, std::move(listener));
}

std::size_t Runtime::running() const {
  return implementation_->running();
}

void Runtime::drain(std::chrono::milliseconds time) {
  implementation_->drain(time);
}

}  // namespace wright
