// The blocking driver: drives one session, and the specialists below it, until it ends or needs a
// person. The caller's thread waits.
#include "wright/driver.h"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/try.h"
#include "core/user_message.h"
#include "runtime/inline_host.h"
#include "runtime/load_tree.h"
#include "runtime/run_options.h"
#include "runtime/run_result.h"
#include "runtime/runner_registration.h"
#include "runtime/said_messages.h"
#include "runtime/steering.h"
#include "runtime/tree_driver.h"
#include "wright/runtime.h"

namespace wright {
namespace {

using runtime::RunnerRegistration;
using runtime::TreeDriver;
using session::Ending;
using session::SessionPlan;
using session::SessionTree;

// Owned: a tool that is given up may outlast the call.
SessionPlan plan_of(const Agent& agent, const RunOptions& options, People people) {
  return runtime::plan_of(std::make_shared<const Agent>(agent), options, people);
}

std::size_t parallel_calls() {
  return static_cast<std::size_t>(RuntimeOptions().parallel_calls);
}

// One run, which the caller's thread waits for.
class BlockingRun {
 public:
  // Without a runner and its store nothing is stored.
  BlockingRun(RunnerRegistration* runner, Store* store, const RunOptions& options)
      : options_(options), runner_(runner), store_(store), host_(runner, parallel_calls() + 1) {}

  runtime::Host& host() { return host_; }

  session::TreeOptions tree_options() const {
    session::TreeOptions tree{.machine = {.has_store = runner_ != nullptr,
                                          .is_heard = &is_heard_,
                                          .parallel_calls = parallel_calls(),
                                          .grace = RuntimeOptions().grace}};
    if (runner_ != nullptr) tree.runner = runner_->id();
    return tree;
  }

  // Drives the tree to its end. Gives the run back when `run` is there.
  Ending drive(SessionTree tree, const std::vector<CancelWish>& cancelled = {},
               Run* run = nullptr) {
    std::optional<Ending> ending;
    const auto driver = std::make_shared<TreeDriver>(
        host_, &gate_, std::move(tree), options_.delivery,
        runtime::DriverCallbacks{.tell = observer_,
                                 .find_trace = options_.find_trace,
                                 .created = [this](SessionId id) { created(id); },
                                 .ended = [&](Ending ended) { ending = std::move(ended); }});
    driver->begin();
    for (const CancelWish& wish : cancelled) driver->cancel(wish.session_id, wish.reason);
    if (runner_ != nullptr) {
      runner_->on_news([this, weak = std::weak_ptr(driver)](const RunnerNews& news) {
        const auto alive = weak.lock();
        if (!alive) return;
        for (const CancelWish& wish : news.cancelled) alive->cancel(wish.session_id, wish.reason);
        for (const StoredWait& wait : news.answered) alive->answered(wait);
        if (!news.spoken_to.empty()) hear_said(*alive);
      });
    }
    hear_with([this, weak = std::weak_ptr(driver)](Message message) {
      return hear(std::move(message), weak);
    });
    {
      const std::stop_callback on_stop(options_.stop,
                                       [&] { driver->cancel_root("The run was cancelled"); });
      host_.run_until([&] { return ending.has_value(); });
    }
    hear_with({});
    if (runner_ != nullptr) runner_->on_news({});
    if (run != nullptr) *run = driver->run();
    return std::move(*ending);
  }

 private:
  // The root first, then those below.
  void created(SessionId id) {
    SessionId none = 0;
    root_.compare_exchange_strong(none, id);
  }

  void hear_with(Steering::State::Hear hear) {
    if (options_.steering != nullptr) options_.steering->state()->hear_with(std::move(hear));
  }

  Result<void> hear(Message message, const std::weak_ptr<TreeDriver>& weak) {
    const auto driver = weak.lock();
    const SessionId id = root_;
    if (!driver || id == 0 || store_ == nullptr) {
      return fail(ErrorCode::unavailable, "Nothing runs that could be steered");
    }
    Message checked = TRY(checked_user_message(std::move(message)));
    auto said = TRY(runtime::store_said(*store_, id, std::move(checked)));
    driver->said(std::move(said));  // or whoever goes on with the session finds it
    return {};
  }

  // What other processes stored. The driver is there before the store is read: what that says,
  // nobody has taken before it.
  void hear_said(TreeDriver& driver) {
    auto said = runtime::said_to(*store_, root_);
    if (!said) return;
    for (session::Said& each : *said) driver.said(std::move(each));
  }

  const RunOptions& options_;
  const Observer observer_ = runtime::observer_of(options_);
  const std::atomic<bool> is_heard_{static_cast<bool>(observer_)};
  RunnerRegistration* const runner_;
  Store* const store_;
  std::atomic<SessionId> root_{0};
  runtime::ExclusiveGate gate_;
  runtime::InlineHost host_;
};

// Whether somebody answered or spoke, or time ran out, while this was stored: then nobody else
// would resume it.
bool should_resume(Store& store, const Ending& ending) {
  const SessionId id = ending.session_id;
  if (ending.kind == Ending::Kind::completed) {
    const auto is_untaken = runtime::is_spoken_to(store, id);
    return is_untaken && *is_untaken;
  }
  if (ending.kind != Ending::Kind::waiting || ending.waits.empty()) return false;
  const auto sessions =
      store.list_sessions({.needs_driver = true, .after = id - 1, .before = id + 1, .limit = 1});
  return sessions && !sessions->empty();
}

Result<RunResult> resume_session(Store& store, const Agent& agent, const RunOptions& options,
                                 runtime::ResumeRequest request, RunnerRegistration& runner) {
  BlockingRun blocking(&runner, &store, options);
  std::optional<Ending> before;
  while (true) {
    auto loaded = runtime::load_tree(blocking.host(), blocking.tree_options(),
                                     plan_of(agent, options, options.people), store, request);
    // Somebody else went on with it, or took back what was said.
    if (!loaded && before) return runtime::answer_of(std::move(*before));
    if (!loaded) return std::unexpected(std::move(loaded).error());
    Ending ending = blocking.drive(std::move(loaded->tree), loaded->cancelled);
    if (!should_resume(store, ending)) return runtime::answer_of(std::move(ending));
    request = {.id = ending.session_id, .takes_untaken = true};
    before = std::move(ending);
  }
}

Result<RunResult> resume_session(Store& store, const Agent& agent, const RunOptions& options,
                                 runtime::ResumeRequest request) {
  TRY(check(agent));
  const auto runner = TRY(RunnerRegistration::open(store));
  return resume_session(store, agent, options, std::move(request), *runner);
}

// Without a runner and its store nothing is stored.
Ending drive_new(RunnerRegistration* runner, Store* store, const Agent& agent, Message said,
                 const RunOptions& options) {
  NewSession session{.agent_name = agent.name,
                     .provider = agent.model.provider(),
                     .model = agent.model.name(),
                     .user_prompt = title_of(said),
                     .config = options.config,
                     .labels = labels_for(agent),
                     .tenant = options.tenant};
  BlockingRun blocking(runner, store, options);
  SessionPlan plan = plan_of(agent, options, runner != nullptr ? options.people : People::nobody);
  if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
  SessionTree tree(blocking.tree_options());
  tree.plant_new(std::move(plan), start(agent, std::move(said)), std::move(session));
  return blocking.drive(std::move(tree));
}

}  // namespace

Result<RunResult> run(Store& store, const Agent& agent, Message prompt, const RunOptions& options) {
  TRY(check(agent));
  Message said = TRY(checked_user_message(std::move(prompt)));
  const auto runner = TRY(RunnerRegistration::open(store));
  Ending ending = drive_new(runner.get(), &store, agent, std::move(said), options);
  if (!should_resume(store, ending)) return runtime::answer_of(std::move(ending));
  return resume_session(store, agent, options, {.id = ending.session_id, .takes_untaken = true},
                        *runner);
}

Result<RunResult> run(Store& store, const Agent& agent, std::string_view prompt,
                      const RunOptions& options) {
  return run(store, agent, Message::user(std::string(prompt)), options);
}

Result<RunResult> run(const Agent& agent, Message prompt, const RunOptions& options) {
  TRY(check(agent));
  TRY(runtime::check_not_stopped(options));
  Message said = TRY(checked_user_message(std::move(prompt)));
  return runtime::answer_of(drive_new(nullptr, nullptr, agent, std::move(said), options));
}

Result<RunResult> run(const Agent& agent, std::string_view prompt, const RunOptions& options) {
  return run(agent, Message::user(std::string(prompt)), options);
}

Result<RunResult> drive(const Agent& agent, Run& run, const RunOptions& options) {
  TRY(check(agent));
  BlockingRun blocking(nullptr, nullptr, options);
  SessionTree tree(blocking.tree_options());
  tree.plant(plan_of(agent, options, options.people),
             {.run = std::move(run), .journal = session::Journal(std::nullopt)});
  return runtime::answer_of(blocking.drive(std::move(tree), {}, &run));
}

Result<RunResult> resume(Store& store, const Agent& agent, SessionId id,
                         const RunOptions& options) {
  return resume_session(store, agent, options,
                        {.id = id, .settlements = options.settlements, .reopens = options.reopens});
}

Result<RunResult> send(Store& store, const Agent& agent, SessionId id, Message message,
                       const RunOptions& options) {
  runtime::ResumeRequest request{.id = id};
  request.said = TRY(checked_user_message(std::move(message)));
  return resume_session(store, agent, options, std::move(request));
}

Result<RunResult> send(Store& store, const Agent& agent, SessionId id, std::string_view message,
                       const RunOptions& options) {
  return send(store, agent, id, Message::user(std::string(message)), options);
}

Steering::Steering() : state_(std::make_shared<State>()) {}
Steering::~Steering() = default;

Result<void> Steering::say(Message message) {
  return state_->say(std::move(message));
}

}  // namespace wright
