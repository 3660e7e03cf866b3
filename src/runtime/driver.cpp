// The blocking driver: drives one session, and the specialists below it, until it ends or needs a
// person. The caller's thread waits.
#include "wright/driver.h"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/try.h"
#include "runtime/debug_mode.h"
#include "runtime/inline_host.h"
#include "runtime/load_tree.h"
#include "runtime/run_result.h"
#include "runtime/runner_registration.h"
#include "runtime/tree_driver.h"

namespace wright {
namespace {

using runtime::RunnerRegistration;
using runtime::TreeDriver;
using session::Ending;
using session::SessionPlan;
using session::SessionTree;

// Owned: a tool that is given up may outlast the call.
std::shared_ptr<const Agent> owned(const Agent& agent, const RunOptions& options) {
  auto copy = std::make_shared<Agent>(agent);
  if (options.interceptors) copy->interceptors = *options.interceptors;
  return copy;
}

// Text as it comes, or, where it is delivered whole, when it is there.
void tell_text(const Event& event, const RunOptions& options) {
  if (const auto* delta = std::get_if<TextDelta>(&event)) {
    options.on_text(delta->text);
  } else if (const auto* ended = std::get_if<ModelEnded>(&event);
             ended != nullptr && options.delivery == Delivery::whole) {
    if (const std::string text = ended->response.text(); !text.empty()) options.on_text(text);
  }
}

// Both of those who may look on.
Observer observer_of(const RunOptions& options) {
  if (!options.on_text) return options.observer;
  return [&options](const Event& event, const EventOrigin& origin) {
    if (origin.depth == 0) tell_text(event, options);
    if (options.observer) options.observer(event, origin);
  };
}

SessionPlan plan_of(const Agent& agent, const RunOptions& options) {
  SessionPlan plan{
      .agent = owned(agent, options), .people = options.people, .config = options.config};
  return runtime::in_debug_mode_if_wanted(std::move(plan), options.debug);
}

// This process as a driver of sessions, where there is a store.
Result<std::unique_ptr<RunnerRegistration>> registered(Store* store) {
  if (store == nullptr) return nullptr;
  return RunnerRegistration::open(*store);
}

constexpr std::size_t kParallelCalls = 8;
// How long a cancelled run waits for tools that do not heed their stop token.
constexpr std::chrono::seconds kGrace{10};

// One run, which the caller's thread waits for.
class BlockingRun {
 public:
  // Without a runner nothing is stored.
  BlockingRun(RunnerRegistration* runner, const RunOptions& options)
      : options_(options), runner_(runner), host_(runner, kParallelCalls + 1) {}

  runtime::Host& host() { return host_; }

  session::TreeOptions tree_options() const {
    session::TreeOptions tree{.machine = {.has_store = runner_ != nullptr,
                                          .is_heard = &is_heard_,
                                          .parallel_calls = kParallelCalls,
                                          .grace = kGrace}};
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
                                 .ended = [&](Ending ended) { ending = std::move(ended); }});
    driver->begin();
    for (const CancelWish& wish : cancelled) driver->cancel(wish.session_id, wish.reason);
    if (runner_ != nullptr) {
      runner_->on_news([weak = std::weak_ptr(driver)](const RunnerNews& news) {
        const auto alive = weak.lock();
        if (!alive) return;
        for (const CancelWish& wish : news.cancelled) alive->cancel(wish.session_id, wish.reason);
        for (const StoredWait& wait : news.answered) alive->answered(wait);
      });
    }
    {
      const std::stop_callback on_stop(options_.stop,
                                       [&] { driver->cancel_root("The run was cancelled"); });
      host_.run_until([&] { return ending.has_value(); });
    }
    if (runner_ != nullptr) runner_->on_news({});
    if (run != nullptr) *run = driver->run();
    return std::move(*ending);
  }

 private:
  const RunOptions& options_;
  const Observer observer_ = observer_of(options_);
  const std::atomic<bool> is_heard_{static_cast<bool>(observer_)};
  RunnerRegistration* const runner_;
  runtime::ExclusiveGate gate_;
  runtime::InlineHost host_;
};

// Whether somebody answered, or time ran out, while this was stored: then nobody else would wake
// it.
bool is_to_go_on(Store& store, const Ending& ending) {
  if (ending.kind != Ending::Kind::waiting || ending.waits.empty()) return false;
  const SessionId id = ending.session_id;
  const auto sessions =
      store.list_sessions({.needs_driver = true, .after = id - 1, .before = id + 1, .limit = 1});
  return sessions && !sessions->empty();
}

Result<RunResult> go_on_with(const Agent& agent, const RunOptions& options,
                             const runtime::ResumeRequest& resume_request,
                             RunnerRegistration& runner) {
  BlockingRun blocking(&runner, options);
  runtime::ResumeRequest next = resume_request;
  while (true) {
    auto loaded_tree = TRY(runtime::load_tree(blocking.host(), blocking.tree_options(),
                                              plan_of(agent, options), *options.store, next));
    Ending ending = blocking.drive(std::move(loaded_tree.tree), loaded_tree.cancelled);
    if (!is_to_go_on(*options.store, ending)) return runtime::answer_of(std::move(ending));
    next = {.id = ending.session_id};
  }
}

Result<RunResult> go_on_with(const Agent& agent, const RunOptions& options,
                             const runtime::ResumeRequest& resume_request) {
  TRY(check(agent));
  if (options.store == nullptr) {
    return fail(ErrorCode::invalid_argument,
                "RunOptions::store must be set to go on with a session");
  }
  const auto runner = TRY(registered(options.store));
  return go_on_with(agent, options, resume_request, *runner);
}

}  // namespace

Result<RunResult> run(const Agent& agent, std::string_view prompt, const RunOptions& options) {
  TRY(check(agent));
  const auto runner = TRY(registered(options.store));
  const std::string said = to_valid_utf8(std::string(prompt));
  NewSession session{.agent_name = agent.name,
                     .provider = agent.model.provider(),
                     .model = agent.model.name(),
                     .user_prompt = said,
                     .config = options.config};
  Ending ending;
  {
    BlockingRun blocking(runner.get(), options);
    SessionPlan plan = plan_of(agent, options);
    if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
    SessionTree tree(blocking.tree_options());
    tree.plant_new(std::move(plan), start(agent, said), std::move(session));
    ending = blocking.drive(std::move(tree));
  }
  if (options.store != nullptr && is_to_go_on(*options.store, ending)) {
    return go_on_with(agent, options, {.id = ending.session_id}, *runner);
  }
  return runtime::answer_of(std::move(ending));
}

Result<RunResult> drive(const Agent& agent, Run& run, const RunOptions& options) {
  TRY(check(agent));
  BlockingRun blocking(nullptr, options);
  SessionTree tree(blocking.tree_options());
  tree.plant(plan_of(agent, options),
             {.run = std::move(run), .journal = session::Journal(std::nullopt)});
  return runtime::answer_of(blocking.drive(std::move(tree), {}, &run));
}

Result<RunResult> resume(const Agent& agent, SessionId id, const RunOptions& options,
                         const Settlements& settlements) {
  return go_on_with(agent, options, {.id = id, .settlements = settlements, .reopens = true});
}

Result<RunResult> send(const Agent& agent, SessionId id, std::string_view message,
                       const RunOptions& options) {
  runtime::ResumeRequest resume_request{.id = id};
  resume_request.said = Message::user(to_valid_utf8(std::string(message)));
  return go_on_with(agent, options, resume_request);
}

}  // namespace wright
