// The blocking driver: drives one session, and the specialists below it, until it ends or needs a
// person. The caller's thread waits.
#include "wright/driver.h"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/try.h"
#include "runtime/inline_host.h"
#include "runtime/load_tree.h"
#include "runtime/run_options.h"
#include "runtime/run_result.h"
#include "runtime/runner_registration.h"
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
  // Without a runner nothing is stored.
  BlockingRun(RunnerRegistration* runner, const RunOptions& options)
      : options_(options), runner_(runner), host_(runner, parallel_calls() + 1) {}

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
  const Observer observer_ = runtime::observer_of(options_);
  const std::atomic<bool> is_heard_{static_cast<bool>(observer_)};
  RunnerRegistration* const runner_;
  runtime::ExclusiveGate gate_;
  runtime::InlineHost host_;
};

// Whether somebody answered, or time ran out, while this was stored: then nobody else would resume
// it.
bool is_to_go_on(Store& store, const Ending& ending) {
  if (ending.kind != Ending::Kind::waiting || ending.waits.empty()) return false;
  const SessionId id = ending.session_id;
  const auto sessions =
      store.list_sessions({.needs_driver = true, .after = id - 1, .before = id + 1, .limit = 1});
  return sessions && !sessions->empty();
}

Result<RunResult> go_on(Store& store, const Agent& agent, const RunOptions& options,
                        runtime::ResumeRequest request, RunnerRegistration& runner) {
  BlockingRun blocking(&runner, options);
  while (true) {
    auto loaded = TRY(runtime::load_tree(blocking.host(), blocking.tree_options(),
                                         plan_of(agent, options, options.people), store, request));
    Ending ending = blocking.drive(std::move(loaded.tree), loaded.cancelled);
    if (!is_to_go_on(store, ending)) return runtime::answer_of(std::move(ending));
    request = {.id = ending.session_id};
  }
}

Result<RunResult> go_on(Store& store, const Agent& agent, const RunOptions& options,
                        runtime::ResumeRequest request) {
  TRY(check(agent));
  const auto runner = TRY(RunnerRegistration::open(store));
  return go_on(store, agent, options, std::move(request), *runner);
}

// Without a runner nothing is stored.
Ending drive_new(RunnerRegistration* runner, const Agent& agent, std::string_view prompt,
                 const RunOptions& options) {
  const std::string said = to_valid_utf8(std::string(prompt));
  NewSession session{.agent_name = agent.name,
                     .provider = agent.model.provider(),
                     .model = agent.model.name(),
                     .user_prompt = said,
                     .config = options.config};
  BlockingRun blocking(runner, options);
  SessionPlan plan = plan_of(agent, options, runner != nullptr ? options.people : People::nobody);
  if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
  SessionTree tree(blocking.tree_options());
  tree.plant_new(std::move(plan), start(agent, said), std::move(session));
  return blocking.drive(std::move(tree));
}

}  // namespace

Result<RunResult> run(Store& store, const Agent& agent, std::string_view prompt,
                      const RunOptions& options) {
  TRY(check(agent));
  const auto runner = TRY(RunnerRegistration::open(store));
  Ending ending = drive_new(runner.get(), agent, prompt, options);
  if (!is_to_go_on(store, ending)) return runtime::answer_of(std::move(ending));
  return go_on(store, agent, options, {.id = ending.session_id}, *runner);
}

Result<RunResult> run(const Agent& agent, std::string_view prompt, const RunOptions& options) {
  TRY(check(agent));
  TRY(runtime::check_not_stopped(options));
  return runtime::answer_of(drive_new(nullptr, agent, prompt, options));
}

Result<RunResult> drive(const Agent& agent, Run& run, const RunOptions& options) {
  TRY(check(agent));
  BlockingRun blocking(nullptr, options);
  SessionTree tree(blocking.tree_options());
  tree.plant(plan_of(agent, options, options.people),
             {.run = std::move(run), .journal = session::Journal(std::nullopt)});
  return runtime::answer_of(blocking.drive(std::move(tree), {}, &run));
}

Result<RunResult> resume(Store& store, const Agent& agent, SessionId id,
                         const RunOptions& options) {
  return go_on(store, agent, options,
               {.id = id, .settlements = options.settlements, .reopens = true});
}

Result<RunResult> send(Store& store, const Agent& agent, SessionId id, std::string_view message,
                       const RunOptions& options) {
  runtime::ResumeRequest request{.id = id};
  request.said = Message::user(to_valid_utf8(std::string(message)));
  return go_on(store, agent, options, std::move(request));
}

}  // namespace wright
