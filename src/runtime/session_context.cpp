#include "runtime/session_context.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/context_window.h"
#include "core/try.h"
#include "runtime/held_tree.h"
#include "runtime/inline_host.h"
#include "runtime/model_call.h"
#include "runtime/runner_registration.h"
#include "session/stored_run.h"
#include "wright/driver.h"
#include "wright/fitting.h"

namespace wright::runtime {
namespace {

constexpr int kMostForks = 8;  // of forks

// A session that is not under way, and how it was fitted.
struct ContextOfSession {
  Session session = {};
  Run run = {};
  ContextFitting fitting = {};
};

Result<ContextOfSession> load_context(const Agent& agent, Store& store, SessionId id) {
  auto loaded = TRY(session::load_run(store, id, agent, {}, system_clock_ms()));
  ContextOfSession made{.session = std::move(loaded.session), .run = std::move(loaded.run)};
  made.fitting.restore(kept_context(store, made.session, loaded.stored_messages),
                       made.run.messages);
  return made;
}

SessionContext shown_context(const Agent& agent, ContextOfSession& context) {
  const ContextFitting::Meter meter = context.fitting.meter(agent, context.run);
  return {.tokens = meter.tokens,
          .window = meter.window,
          .spent_on_summaries = meter.spent_on_summaries,
          .summarised_messages = context.fitting.cut().summarised,
          .shortened_messages = context.fitting.cut().shortened,
          .summary = context.fitting.cut().summary};
}

}  // namespace

Json kept_context(Store& store, const Session& session, std::size_t messages) {
  Json context = session.context;
  std::optional<SessionId> original = session.forked_from;
  for (int i = 0; i < kMostForks && context.is_null() && original; ++i) {
    const auto found = store.get_session(*original);
    if (!found) break;
    context = context_of_fork(found->context, messages);
    original = found->forked_from;
  }
  return context;
}

}  // namespace wright::runtime

namespace wright {

Result<SessionContext> session_context(Store& store, const Agent& agent, SessionId id) {
  auto context = TRY(runtime::load_context(agent, store, id));
  return runtime::shown_context(agent, context);
}

Result<SessionContext> compact(Store& store, const Agent& agent, SessionId id, std::string focus,
                               const RunOptions& options) {
  TRY(check(agent));
  const auto runner = TRY(runtime::RunnerRegistration::open(store));
  runtime::InlineHost host(runner.get(), 1);
  runtime::HeldTree held(store, host, runner->id());
  TRY(held.take(id));
  auto context = TRY(runtime::load_context(agent, store, id));
  if (context.session.status == SessionStatus::running ||
      context.session.status == SessionStatus::waiting) {
    return fail(ErrorCode::unavailable, fmt::format("Session {} is {}: resume it first", id,
                                                    to_string(context.session.status)));
  }
  if (!context.fitting.want_summary(agent, context.run, std::move(focus))) {
    return fail(ErrorCode::unavailable, "There is nothing to sum up yet");
  }
  const auto response = runtime::complete_safely(
      ContextFitting::summary_model(agent), context.fitting.summary_request(agent, context.run),
      {.stop = options.stop});
  if (!response) return std::unexpected(response.error());
  context.fitting.take_summary(context.run, *response);
  Usage usage = context.session.usage;
  usage += response->usage;
  const std::vector<Write> writes{
      HoldLease{.session_id = id, .runner_id = runner->id()},
      UpdateSession{.session_id = id, .usage = usage, .context = context.fitting.to_json()}};
  TRY(store.apply(writes));
  return runtime::shown_context(agent, context);
}

}  // namespace wright
