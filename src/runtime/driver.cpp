// The blocking driver: drives one session, and the specialists below it, in the caller's thread
// until it ends or needs a person.
#include "wright/driver.h"

#include <optional>
#include <utility>

#include "runtime/inline_host.h"
#include "runtime/session_driver.h"
#include "wright/store.h"

namespace wright {
namespace {

using runtime::Ending;
using runtime::InlineHost;
using runtime::Journal;
using runtime::Origin;
using runtime::SessionDriver;
using runtime::SessionPlan;

SessionPlan plan_of(const Agent& agent, const RunOptions& options) {
  SessionPlan plan{// Not owned: the caller's agent outlives the call.
                   .agent = std::shared_ptr<const Agent>(std::shared_ptr<void>(), &agent),
                   .interceptors = options.interceptors,
                   .delivery = options.delivery,
                   .people = options.people,
                   .config = options.config};
  if (options.observer) {
    plan.tell = [&observer = options.observer](const Event& event, const Origin& origin) {
      if (origin.depth == 0) observer(event);
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
                .usage = ending.usage};
}

// Drives until the end; `begin` sets the driver going.
template <class Begin>
Ending drive_to_end(InlineHost& host, SessionPlan plan, Run& run, Journal journal,
                    std::stop_token stop, Begin begin) {
  std::optional<Ending> ending;
  plan.ended = [&](Ending ended) { ending = std::move(ended); };
  const auto driver = std::make_shared<SessionDriver>(
      runtime::Surroundings{.host = host}, std::move(plan), std::move(run), std::move(journal));
  begin(*driver);
  const std::stop_callback on_stop(stop, [&] { driver->cancel("The run was cancelled"); });
  host.run_until([&] { return ending.has_value(); });
  run = driver->run();
  return std::move(*ending);
}

}  // namespace

Result<Answer> run(const Agent& agent, std::string_view prompt, const RunOptions& options) {
  if (auto usable = check(agent); !usable) return std::unexpected(std::move(usable).error());
  const std::string said = to_valid_utf8(std::string(prompt));
  Run run = start(agent, said);
  NewSession session{.agent_name = agent.name,
                     .provider = agent.model.provider(),
                     .model = agent.model.name(),
                     .user_prompt = said,
                     .config = options.config};
  if (!agent.instructions.empty()) session.system_prompt = agent.instructions;
  InlineHost host(options.store);
  return answer_of(drive_to_end(host, plan_of(agent, options), run, Journal(std::nullopt),
                                options.stop,
                                [&](SessionDriver& driver) { driver.begin(std::move(session)); }));
}

Result<Answer> drive(const Agent& agent, Run& run, const RunOptions& options) {
  if (auto usable = check(agent); !usable) return std::unexpected(std::move(usable).error());
  InlineHost host(nullptr);
  return answer_of(drive_to_end(host, plan_of(agent, options), run, Journal(std::nullopt),
                                options.stop, [](SessionDriver& driver) { driver.go_on(); }));
}

}  // namespace wright
