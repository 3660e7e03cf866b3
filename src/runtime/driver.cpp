// The blocking driver: drives one session, and the specialists below it, until it ends or needs a
// person. The caller's thread waits.
#include "wright/driver.h"

#include <optional>
#include <utility>

#include "runtime/debug_mode.h"
#include "runtime/inline_host.h"
#include "runtime/revive.h"
#include "runtime/runner_registration.h"
#include "wright/resume.h"

namespace wright {
namespace {

using runtime::Ending;
using runtime::InlineHost;
using runtime::Journal;
using runtime::Origin;
using runtime::RunnerRegistration;
using runtime::SessionDriver;
using runtime::SessionPlan;

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

SessionPlan plan_of(const Agent& agent, const RunOptions& options) {
  SessionPlan plan{.agent = owned(agent, options),
                   .delivery = options.delivery,
                   .people = options.people,
                   .config = options.config};
  if (options.observer || options.on_text) {
    plan.tell = [&options](const Event& event, const Origin& origin) {
      if (origin.depth != 0) return;
      if (options.on_text) tell_text(event, options);
      if (options.observer) options.observer(event);
    };
  }
  return plan;
}

Result<Answer> answer_of(Ending ending) {
  switch (ending.kind) {
    case Ending::Kind::failed:
    case Ending::Kind::cancelled: return std::unexpected(std::move(ending.error));
    case Ending::Kind::completed:
    case Ending::Kind::parked:
    case Ending::Kind::suspended: break;
  }
  return Answer{.status = ending.kind == Ending::Kind::parked ? Answer::Status::waiting
                                                              : Answer::Status::completed,
                .text = std::move(ending.text),
                .waits = std::move(ending.waits),
                .session_id = ending.session_id,
                .iterations = ending.iterations,
                .usage = ending.usage,
                .feedback = std::move(ending.feedback)};
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
  explicit BlockingRun(RunnerRegistration* runner)
      : host_(runner, kParallelCalls + 1),
        around_{.host = host_, .parallel_calls = kParallelCalls, .gate = &gate_, .grace = kGrace} {
    if (runner != nullptr) around_.runner = runner->id();
  }

  const runtime::Surroundings& around() const { return around_; }

  SessionPlan plan(const Agent& agent, const RunOptions& options) {
    SessionPlan plan = plan_of(agent, options);
    plan.ended = [this](Ending ended) { ending_ = std::move(ended); };
    return runtime::in_debug_mode_if_wanted(std::move(plan), options.debug,
                                            host_.has_store() ? options.store : nullptr);
  }

  // `begin` sets the driver going.
  template <class Begin>
  Ending drive(SessionDriver& driver, const std::stop_token& stop, Begin begin) {
    begin();
    const std::stop_callback on_stop(stop, [&] { driver.cancel("The run was cancelled"); });
    try {
      host_.run_until([&] { return ending_.has_value(); });
    } catch (...) {
      driver.cancel("The run was broken off");  // what still runs is asked to stop
      throw;
    }
    return std::move(*ending_);
  }

 private:
  runtime::ExclusiveGate gate_;
  InlineHost host_;
  runtime::Surroundings around_;
  std::optional<Ending> ending_;
};

Result<Answer> go_on_with(const Agent& agent, const RunOptions& options,
                          const runtime::Revival& revival) {
  if (auto usable = check(agent); !usable) return std::unexpected(std::move(usable).error());
  if (options.store == nullptr) {
    return fail(ErrorCode::invalid_argument,
                "RunOptions::store must be set to go on with a session");
  }
  const auto runner = registered(options.store);
  if (!runner) return std::unexpected(runner.error());
  BlockingRun blocking(runner->get());
  auto driver =
      runtime::revive(blocking.around(), blocking.plan(agent, options), *options.store, revival);
  if (!driver) return std::unexpected(std::move(driver).error());
  return answer_of(blocking.drive(**driver, options.stop, [&] { (*driver)->go_on(); }));
}

}  // namespace

Result<Answer> run(const Agent& agent, std::string_view prompt, const RunOptions& options) {
  if (auto usable = check(agent); !usable) return std::unexpected(std::move(usable).error());
  const auto runner = registered(options.store);
  if (!runner) return std::unexpected(runner.error());
  const std::string said = to_valid_utf8(std::string(prompt));
  NewSession session{.agent_name = agent.name,
                     .provider = agent.model.provider(),
                     .model = agent.model.name(),
                     .user_prompt = said,
                     .config = options.config};
  BlockingRun blocking(runner->get());
  SessionPlan plan = blocking.plan(agent, options);
  if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
  const auto driver = std::make_shared<SessionDriver>(
      blocking.around(), std::move(plan), start(agent, said), Journal(blocking.around().runner));
  return answer_of(
      blocking.drive(*driver, options.stop, [&] { driver->begin(std::move(session)); }));
}

Result<Answer> drive(const Agent& agent, Run& run, const RunOptions& options) {
  if (auto usable = check(agent); !usable) return std::unexpected(std::move(usable).error());
  BlockingRun blocking(nullptr);
  const auto driver = std::make_shared<SessionDriver>(
      blocking.around(), blocking.plan(agent, options), std::move(run), Journal(std::nullopt));
  Ending ending = blocking.drive(*driver, options.stop, [&] { driver->go_on(); });
  run = driver->run();
  return answer_of(std::move(ending));
}

Result<Answer> resume(const Agent& agent, SessionId id, const RunOptions& options,
                      const Settlements& settlements) {
  return go_on_with(agent, options, {.id = id, .settlements = settlements});
}

Result<Answer> send(const Agent& agent, SessionId id, std::string_view message,
                    const RunOptions& options) {
  runtime::Revival revival{.id = id};
  revival.said = Message::user(to_valid_utf8(std::string(message)));
  return go_on_with(agent, options, revival);
}

}  // namespace wright
