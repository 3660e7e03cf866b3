// The concurrent driver. It knows which sessions are driven here, wakes those that somebody has
// answered, and lets go of those that have ended or wait for a person.
#include "wright/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/debug_mode.h"
#include "runtime/event_stream.h"
#include "runtime/revive.h"
#include "runtime/runner_registration.h"
#include "runtime/thread_host.h"
#include "session/waits.h"

namespace wright {
namespace {

using runtime::Ending;
using runtime::EventStream;
using runtime::Journal;
using runtime::Origin;
using runtime::Revival;
using runtime::SessionDriver;
using runtime::SessionPlan;

constexpr std::size_t kRememberedEndings = 1024;

std::size_t or_default(int wanted, std::size_t otherwise) {
  return wanted > 0 ? static_cast<std::size_t>(wanted) : otherwise;
}

std::size_t processors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

Result<Answer> answer_of(const Ending& ending) {
  if (ending.kind == Ending::Kind::failed || ending.kind == Ending::Kind::cancelled) {
    return std::unexpected(ending.error);
  }
  if (ending.kind == Ending::Kind::suspended) {
    return fail(ErrorCode::unavailable,
                fmt::format("The runtime has ended; session {} can be resumed", ending.session_id));
  }
  return Answer{.status = ending.kind == Ending::Kind::parked ? Answer::Status::waiting
                                                              : Answer::Status::completed,
                .text = ending.text,
                .waits = ending.waits,
                .session_id = ending.session_id,
                .iterations = ending.iterations,
                .usage = ending.usage,
                .feedback = ending.feedback};
}

// What was said before, for those who subscribe later.
SessionEvent event_of(const StoredMessage& stored, std::uint64_t number) {
  return {.session_id = stored.session_id,
          .sequence = number,
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
        host_(options_.keeps_sessions ? runner_.get() : nullptr,
              or_default(options_.workers, processors()),
              or_default(options_.tool_threads, std::max<std::size_t>(8, 4 * processors()))),
        around_{.host = host_,
                .runner = runner_->id(),
                .parallel_calls = or_default(options_.parallel_calls, 1),
                .gate = &gate_,
                .grace = options_.grace,
                .next_id = [this] { return ++last_id_; }} {
    if (!options_.keeps_sessions) around_.runner.reset();
  }

  ~Implementation() { drain(std::chrono::milliseconds(0)); }

  Store& store() { return store_; }

  Result<SessionId> start(AgentPointer agent, std::string_view prompt, StartOptions options);
  Result<void> revive(Revival revival, AgentPointer agent, StartOptions options);
  Result<std::vector<SessionId>> resume_abandoned();
  Result<void> cancel(SessionId id, std::string reason);
  Result<StoredWait> answer(WaitId id, const Json& answer, std::string answered_by);
  Result<Answer> wait(SessionId id);
  Result<Subscription> subscribe(SessionId id, std::uint64_t after, Listener listener);
  std::size_t running() const {
    const std::lock_guard lock(mutex_);
    return driven_;
  }
  void drain(std::chrono::milliseconds time);

 private:
  // A session without a parent, while it is driven or waits for a person.
  struct Root {
    AgentPointer agent = {};
    StartOptions options = {};
    std::shared_ptr<EventStream> stream = {};
    std::size_t messages_before = 0;       // those that no event of the stream tells of
    std::vector<SessionId> sessions = {};  // that are driven, with those below
    bool is_driven = true;
    bool is_answered = false;  // since it was last loaded
    bool is_waking = false;    // it is about to be driven again
    runtime::Host::Timer expiry = 0;
    std::optional<Ending> ending = {};
    std::condition_variable changed = {};  // with mutex_
  };
  using RootPointer = std::shared_ptr<Root>;

  SessionPlan plan_for(const RootPointer& root);
  void register_driver(const RootPointer& root, SessionId id,
                       const std::shared_ptr<SessionDriver>& driver);
  void ended(const RootPointer& root, Ending ending);
  void wake(const RootPointer& root, SessionId id);
  void watch_expiry(const RootPointer& root, SessionId id);
  Result<RootPointer> begin_driving(SessionId id, AgentPointer agent, StartOptions options);
  void stopped_driving(Root& root);
  Result<void> refuse_when_draining() const;
  std::shared_ptr<SessionDriver> driver_of(SessionId id) const;

  const RuntimeOptions options_;
  const std::unique_ptr<Store> own_store_;
  Store& store_;
  const std::unique_ptr<runtime::RunnerRegistration> runner_;
  runtime::ExclusiveGate gate_;

  mutable std::mutex mutex_;
  std::condition_variable idle_;  // nothing is driven
  std::map<SessionId, RootPointer> roots_;
  std::map<SessionId, std::weak_ptr<SessionDriver>> drivers_;
  std::deque<std::pair<SessionId, RootPointer>> ended_;  // the last ones
  std::size_t driven_ = 0;
  std::atomic<SessionId> last_id_ = 0;  // of sessions that are not stored
  bool is_draining_ = false;
  bool is_suspending_ = false;

  runtime::ThreadHost host_;  // last but one: its threads use all of the above
  runtime::Surroundings around_;
};

Result<void> Runtime::Implementation::refuse_when_draining() const {
  const std::lock_guard lock(mutex_);
  if (!is_draining_) return {};
  return fail(ErrorCode::unavailable, "The runtime is ending and takes no more sessions");
}

void Runtime::Implementation::stopped_driving(Root& root) {
  root.changed.notify_all();
  if (--driven_ == 0) idle_.notify_all();
}

SessionPlan Runtime::Implementation::plan_for(const RootPointer& root) {
  SessionPlan plan{.agent = root->agent,
                   .delivery = root->options.delivery,
                   .people = options_.keeps_sessions ? root->options.people : People::nobody,
                   .ended = [this, root](Ending ending) { ended(root, std::move(ending)); },
                   .config = root->options.config,
                   .alive =
                       [this, root](SessionId id, const std::shared_ptr<SessionDriver>& driver) {
                         register_driver(root, id, driver);
                       }};
  plan.tell = [stream = root->stream](const Event& event, const Origin& origin) {
    stream->add(event, origin.session_id, origin.depth);
  };
  return runtime::in_debug_mode_if_wanted(std::move(plan), root->options.debug,
                                          options_.keeps_sessions ? &store_ : nullptr);
}

void Runtime::Implementation::register_driver(const RootPointer& root, SessionId id,
                                              const std::shared_ptr<SessionDriver>& driver) {
  const std::lock_guard lock(mutex_);
  drivers_[id] = driver;
  root->sessions.push_back(id);
  if (is_suspending_) driver->suspend();
}

std::shared_ptr<SessionDriver> Runtime::Implementation::driver_of(SessionId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = drivers_.find(id);
  return found == drivers_.end() ? nullptr : found->second.lock();
}

Result<SessionId> Runtime::Implementation::start(AgentPointer agent, std::string_view prompt,
                                                 StartOptions options) {
  if (auto usable = check(*agent); !usable) return std::unexpected(std::move(usable).error());
  if (auto open = refuse_when_draining(); !open) return std::unexpected(std::move(open).error());
  const std::string said = to_valid_utf8(std::string(prompt));
  const auto root = std::make_shared<Root>();
  root->agent = agent;
  root->options = options;
  root->stream = std::make_shared<EventStream>(1, options_.kept_events);
  NewSession session{.agent_name = agent->name,
                     .provider = agent->model.provider(),
                     .model = agent->model.name(),
                     .user_prompt = said,
                     .config = options.config};

  // The session has its id when it is stored, and before anything else happens.
  const auto stored = std::make_shared<std::promise<Result<SessionId>>>();
  SessionPlan plan = plan_for(root);
  if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
  plan.started = [this, root, stored](SessionId id) {
    {
      const std::lock_guard lock(mutex_);
      roots_.emplace(id, root);
    }
    stored->set_value(id);
  };
  plan.ended = [this, root, stored, has_failed = false](Ending ending) mutable {
    if (ending.session_id == 0) stored->set_value(std::unexpected(ending.error));
    ended(root, std::move(ending));
  };
  {
    const std::lock_guard lock(mutex_);
    ++driven_;
  }
  std::make_shared<SessionDriver>(around_, std::move(plan), wright::start(*agent, said),
                                  Journal(around_.runner))
      ->begin(std::move(session));
  return stored->get_future().get();
}

Result<Runtime::Implementation::RootPointer> Runtime::Implementation::begin_driving(
    SessionId id, AgentPointer agent, StartOptions options) {
  const std::lock_guard lock(mutex_);
  const auto known = roots_.find(id);
  const auto below = drivers_.find(id);  // of a specialist, driven with the session above it
  if ((known != roots_.end() && known->second->is_driven) ||
      (below != drivers_.end() && !below->second.expired())) {
    return fail(ErrorCode::unavailable, fmt::format("Session {} is driven already", id));
  }
  const auto root = known != roots_.end() ? known->second : std::make_shared<Root>();
  if (known == roots_.end()) root->options = std::move(options);
  if (agent) root->agent = std::move(agent);
  root->is_driven = true;
  root->is_answered = false;
  root->is_waking = false;
  root->ending.reset();
  host_.cancel(root->expiry);
  roots_.insert_or_assign(id, root);
  ++driven_;
  return root;
}

Result<void> Runtime::Implementation::revive(Revival revival, AgentPointer agent,
                                             StartOptions options) {
  if (auto open = refuse_when_draining(); !open) return open;
  const SessionId id = revival.id;
  auto begun = begin_driving(id, std::move(agent), std::move(options));
  if (!begun) return std::unexpected(std::move(begun).error());
  const RootPointer root = *begun;
  const auto give_up = [&](Error error) -> Result<void> {
    const std::lock_guard lock(mutex_);
    root->is_driven = false;
    root->ending = Ending{.kind = Ending::Kind::failed, .error = error, .session_id = id};
    roots_.erase(id);
    stopped_driving(*root);
    return std::unexpected(std::move(error));
  };
  const auto session = store_.get_session(id);
  if (!session) return give_up(session.error());
  const auto messages = store_.get_messages(id);
  if (!messages) return give_up(messages.error());
  root->messages_before = messages->size();
  const auto epoch = static_cast<std::uint64_t>(session->lease_epoch) + 1;
  if (!root->stream) root->stream = std::make_shared<EventStream>(epoch, options_.kept_events);
  auto driver = runtime::revive(around_, plan_for(root), store_, revival);
  if (!driver) return give_up(std::move(driver).error());
  (*driver)->go_on();
  return {};
}

void Runtime::Implementation::ended(const RootPointer& root, Ending ending) {
  const SessionId id = ending.session_id;
  const bool is_parked = ending.kind == Ending::Kind::parked;
  bool is_answered = false;
  {
    const std::lock_guard lock(mutex_);
    for (const SessionId session : root->sessions) drivers_.erase(session);
    root->sessions.clear();
    root->is_driven = false;
    root->ending = std::move(ending);
    is_answered = root->is_waking = is_parked && root->is_answered;
    if (!is_parked) {
      roots_.erase(id);
      ended_.emplace_back(id, root);
      if (ended_.size() > kRememberedEndings) ended_.pop_front();
    }
    stopped_driving(*root);
  }
  if (is_answered) {
    wake(root, id);
  } else if (is_parked) {
    watch_expiry(root, id);
  }
}

// In a thread that may block: a session is read from the store.
void Runtime::Implementation::wake(const RootPointer& root, SessionId id) {
  const auto revive_it = [this, root, id] {
    if (auto woken = revive({.id = id}, nullptr, {}); woken) return;
    // Somebody else has it, or it has ended meanwhile: nothing is left to do here.
    const std::lock_guard lock(mutex_);
    root->is_waking = false;
    root->changed.notify_all();
  };
  host_.run_blocking(revive_it, {});
}

void Runtime::Implementation::watch_expiry(const RootPointer& root, SessionId id) {
  const auto waits = store_.get_waits({.session_id = id, .status = WaitStatus::open});
  if (!waits) return;
  std::optional<std::int64_t> first;
  for (const StoredWait& wait : *waits) {
    if (wait.expires_at && (!first || *wait.expires_at < *first)) first = wait.expires_at;
  }
  if (!first) return;
  const auto left = std::chrono::milliseconds(std::max<std::int64_t>(0, *first - around_.clock()));
  const auto timer =
      host_.run_at(std::chrono::steady_clock::now() + left, [this, weak = std::weak_ptr(root), id] {
        if (const auto alive = weak.lock()) wake(alive, id);
      });
  const std::lock_guard lock(mutex_);
  root->expiry = timer;
}

Result<std::vector<SessionId>> Runtime::Implementation::resume_abandoned() {
  if (!options_.agents) {
    return fail(ErrorCode::invalid_argument,
                "RuntimeOptions::agents must say which agents abandoned sessions have");
  }
  if (auto ended = end_dead_runners(store_); !ended) return std::unexpected(ended.error());
  const auto sessions = store_.list_sessions(
      {.is_abandoned = true, .limit = std::numeric_limits<std::size_t>::max()});
  if (!sessions) return std::unexpected(sessions.error());
  std::vector<SessionId> resumed;
  for (const Session& session : *sessions) {
    if (session.parent_session_id) continue;  // with the one above it
    auto agent = options_.agents(session);
    if (!agent) continue;
    if (revive({.id = session.id}, std::move(*agent), {})) resumed.push_back(session.id);
  }
  return resumed;
}

Result<void> Runtime::Implementation::cancel(SessionId id, std::string reason) {
  if (const auto driver = driver_of(id)) {
    driver->cancel(std::move(reason));
    return {};
  }
  // One that waits for a person is not driven: it is loaded to be cancelled.
  RootPointer root;
  {
    const std::lock_guard lock(mutex_);
    const auto found = roots_.find(id);
    if (found != roots_.end()) root = found->second;
  }
  if (!root) {
    return fail(ErrorCode::not_found, fmt::format("Session {} is not driven here", id));
  }
  auto begun = begin_driving(id, nullptr, {});
  if (!begun) return std::unexpected(std::move(begun).error());
  auto driver = runtime::revive(around_, plan_for(root), store_, {.id = id});
  if (!driver) {
    Ending ending{.kind = Ending::Kind::failed, .error = driver.error(), .session_id = id};
    ended(root, std::move(ending));
    return std::unexpected(driver.error());
  }
  (*driver)->cancel(std::move(reason));
  (*driver)->go_on();
  return {};
}

Result<StoredWait> Runtime::Implementation::answer(WaitId id, const Json& answer,
                                                   std::string answered_by) {
  auto wait = answer_wait(store_, id, answer, std::move(answered_by));
  if (!wait) return wait;
  const auto root_row = root_session(store_, wait->session_id);
  if (!root_row) return std::unexpected(root_row.error());
  RootPointer root;
  bool is_driven = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = roots_.find(root_row->id);
    if (found != roots_.end()) {
      root = found->second;
      is_driven = root->is_driven;
      root->is_answered = true;
    }
  }
  if (is_driven) {
    // It may be about to park; then it is loaded again, with the answer.
    const auto driver = driver_of(wait->session_id);
    const auto calls = store_.get_tool_calls(wait->session_id);
    if (driver && calls) {
      for (const StoredCall& call : *calls) {
        if (call.id != wait->call_id) continue;
        const auto answers = runtime::answers_of(wait->kind, *wait->answer);
        if (answers) driver->answer(call.tool_call_id, *answers);
      }
    }
    return wait;
  }
  AgentPointer agent;
  if (!root) {
    if (!options_.agents) return wait;  // whoever has the agent resumes it
    auto found = options_.agents(*root_row);
    if (!found) return std::unexpected(std::move(found).error());
    agent = std::move(*found);
  }
  if (auto woken = revive({.id = root_row->id}, std::move(agent), {}); !woken) {
    // Another process goes on with it, or it has ended: the answer stands all the same.
    if (woken.error().code != ErrorCode::unavailable) return std::unexpected(woken.error());
  }
  return wait;
}

Result<Answer> Runtime::Implementation::wait(SessionId id) {
  std::unique_lock lock(mutex_);
  RootPointer root;
  if (const auto found = roots_.find(id); found != roots_.end()) {
    root = found->second;
  } else {
    // The last ending: it may have ended several times, with a message in between.
    const auto known = std::ranges::find(ended_.rbegin(), ended_.rend(), id,
                                         &std::pair<SessionId, RootPointer>::first);
    if (known != ended_.rend()) root = known->second;
  }
  if (root) {
    root->changed.wait(lock, [&] { return !root->is_driven && !root->is_waking && root->ending; });
    return answer_of(*root->ending);
  }
  lock.unlock();
  const auto session = store_.get_session(id);
  if (!session) return std::unexpected(session.error());
  if (session->status == SessionStatus::completed) {
    return Answer{.text = session->result.value_or(""),
                  .session_id = id,
                  .iterations = session->iterations,
                  .usage = session->usage};
  }
  return fail(
      session->status == SessionStatus::cancelled ? ErrorCode::cancelled : ErrorCode::unavailable,
      session->error.value_or(
          fmt::format("Session {} is {}, and not driven here", id, to_string(session->status))));
}

Result<Subscription> Runtime::Implementation::subscribe(SessionId id, std::uint64_t after,
                                                        Listener listener) {
  RootPointer root;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = roots_.find(id); found != roots_.end()) root = found->second;
  }
  if (root && root->stream->has_all_after(after)) {
    return root->stream->listen(after, std::move(listener));
  }
  const auto messages = store_.get_messages(id);
  if (!messages) return std::unexpected(messages.error());
  const std::size_t count = root ? root->messages_before : messages->size();
  for (std::size_t i = 0; i < std::min(count, messages->size()); ++i) {
    if (i + 1 > after) listener(event_of((*messages)[i], i + 1));
  }
  if (root) return root->stream->listen(after, std::move(listener));
  return Subscription();
}

void Runtime::Implementation::drain(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  is_draining_ = true;
  const auto is_idle = [&] { return driven_ == 0; };
  if (idle_.wait_for(lock, time, is_idle)) return;
  is_suspending_ = true;
  std::vector<std::shared_ptr<SessionDriver>> drivers;
  for (const auto& [id, weak] : drivers_) {
    if (auto driver = weak.lock()) drivers.push_back(std::move(driver));
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
  Store& store = own ? *own : *options.store;
  auto runner = runtime::RunnerRegistration::open(store, options.runner_time);
  if (!runner) return std::unexpected(std::move(runner).error());
  return std::unique_ptr<Runtime>(new Runtime(std::make_unique<Implementation>(
      std::move(options), std::move(own), store, std::move(*runner))));
}

Store& Runtime::store() {
  return implementation_->store();
}

Result<SessionId> Runtime::start(AgentPointer agent, std::string_view prompt,
                                 StartOptions options) {
  return implementation_->start(std::move(agent), prompt, std::move(options));
}

Result<void> Runtime::send(SessionId id, AgentPointer agent, std::string_view message,
                           StartOptions options) {
  Revival revival{.id = id};
  revival.said = Message::user(to_valid_utf8(std::string(message)));
  return implementation_->revive(std::move(revival), std::move(agent), std::move(options));
}

Result<void> Runtime::resume(SessionId id, AgentPointer agent, const Settlements& settlements,
                             StartOptions options) {
  return implementation_->revive({.id = id, .settlements = settlements}, std::move(agent),
                                 std::move(options));
}

Result<std::vector<SessionId>> Runtime::resume_abandoned() {
  return implementation_->resume_abandoned();
}

Result<void> Runtime::cancel(SessionId id, std::string reason) {
  return implementation_->cancel(id, std::move(reason));
}

Result<StoredWait> Runtime::answer(WaitId id, const Json& answer, std::string answered_by) {
  return implementation_->answer(id, answer, std::move(answered_by));
}

Result<Answer> Runtime::wait(SessionId id) {
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
