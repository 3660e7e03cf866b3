// The blocking driver: advances one run in the caller's thread until it ends or needs a person.
#include "wright/driver.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

#include "runtime/debug_mode.h"
#include "runtime/session_recorder.h"
#include "wright/store.h"

namespace wright {
namespace {

class Driver {
 public:
  Driver(const Agent& agent, Run& run, const RunOptions& options, SessionRecorder& recorder)
      : agent_(agent), run_(run), options_(options), recorder_(recorder) {}

  Result<Answer> drive() {
    while (true) {
      Step step = next(agent_, run_);
      Result<void> taken;
      if (options_.stop.stop_requested() && !has_ended()) {
        taken = cancel();
      } else if (const auto* call = std::get_if<CallModel>(&step)) {
        taken = call_model(call->request);
      } else if (const auto* tools = std::get_if<CallTools>(&step)) {
        taken = call_tools(tools->calls);
      } else if (auto* wait = std::get_if<Wait>(&step)) {
        return answer(Answer::Status::waiting, {}, std::move(wait->waits));
      } else if (auto* done = std::get_if<Done>(&step)) {
        return answer(Answer::Status::completed, std::move(done->text), {});
      } else {
        return std::unexpected(std::get<Failed>(std::move(step)).error);
      }
      if (!taken) {
        // The store failed. It may still take a few words, so that the session does not look
        // alive; when it does not, the first error is the one to report.
        (void)recorder_.broke_off(taken.error());
        return std::unexpected(std::move(taken).error());
      }
    }
  }

 private:
  bool has_ended() const {
    return run_.phase == Phase::done || run_.phase == Phase::failed ||
           run_.phase == Phase::cancelled;
  }

  Result<void> cancel() { return take(Cancelled{"The run was cancelled"}); }

  // Advances the run and writes down where it stands now.
  Result<void> take(Outcome outcome) {
    if (auto accepted = accept(run_, std::move(outcome)); !accepted) return accepted;
    return recorder_.advanced(run_);
  }

  Result<void> call_model(const Request& request) {
    tell(ModelStarted{run_.iterations + 1});
    ModelCall call{.stop = options_.stop};
    if (options_.observer) {
      if (options_.delivery == Delivery::streamed) {
        call.on_text = [&](std::string_view text) { tell(TextDelta{text}); };
      }
      call.on_retry = [&](const ModelRetry& retry) { tell(ModelRetried{retry}); };
    }
    const auto began = std::chrono::steady_clock::now();
    Result<Response> response = complete(request, call);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    if (!response && options_.stop.stop_requested()) return cancel();
    if (!response) return take(ModelFailed{std::move(response).error()});
    tell(ModelEnded{*response, took.count()});
    return take(ModelAnswered{std::move(*response)});
  }

  // A model may be a user's own function, so this is a boundary: what it throws ends the run.
  Result<Response> complete(const Request& request, const ModelCall& call) {
    try {
      return agent_.model.complete(request, call);
    } catch (const std::exception& thrown) {
      return fail(ErrorCode::internal, fmt::format("The model threw: {}", thrown.what()));
    } catch (...) {
      return fail(ErrorCode::internal, "The model threw something that is not a std::exception");
    }
  }

  Result<void> call_tools(const std::vector<ToolCall>& calls) {
    for (const ToolCall& call : calls) {
      if (options_.stop.stop_requested()) return {};
      if (auto called = call_tool(call); !called) return called;
    }
    return {};
  }

  Result<void> call_tool(const ToolCall& call) {
    if (auto started = recorder_.call_started(call); !started) return started;
    tell(ToolStarted{call});
    const std::string key = fmt::format("{}:{}", recorder_.session_id(), call.id);
    const std::vector<Interceptor>& interceptors =
        options_.interceptors ? *options_.interceptors : agent_.interceptors;
    const ToolOutcome outcome = execute(agent_.tools, interceptors, call,
                                        Context{.agent_name = agent_.name,
                                                .session_id = recorder_.session_id(),
                                                .call_id = call.id,
                                                .idempotency_key = key,
                                                .stop = options_.stop,
                                                .memory = memory_});
    tell(ToolEnded{call, outcome});
    Outcome taken = outcome.waiting ? Outcome(ToolWaits{call.id, *outcome.waiting})
                                    : Outcome(ToolFinished{outcome.result});
    if (auto accepted = accept(run_, std::move(taken)); !accepted) return accepted;
    return recorder_.call_ended(run_, call, outcome);
  }

  Answer answer(Answer::Status status, std::string text, std::vector<PersonWait> waits) const {
    return {.status = status,
            .text = std::move(text),
            .waits = std::move(waits),
            .session_id = recorder_.session_id(),
            .iterations = run_.iterations,
            .usage = run_.usage};
  }

  void tell(const Event& event) const {
    if (options_.observer) options_.observer(event);
  }

  const Agent& agent_;
  Run& run_;
  const RunOptions& options_;
  SessionRecorder& recorder_;
  const std::shared_ptr<RunMemory> memory_ = std::make_shared<RunMemory>();
};

}  // namespace

namespace {

Result<Answer> run_into(Run& run, const Agent& agent, std::string_view prompt,
                        const RunOptions& options) {
  if (auto usable = check(agent); !usable) return std::unexpected(std::move(usable).error());
  const std::string said = to_valid_utf8(std::string(prompt));
  run = start(agent, said);
  SessionRecorder recorder(options.store);
  if (auto begun = recorder.begin(agent, run, said, options.config); !begun) {
    return std::unexpected(std::move(begun).error());
  }
  if (options.observer) options.observer(SessionStarted{recorder.session_id()});
  return Driver(agent, run, options, recorder).drive();
}

Result<Answer> drive_without_store(const Agent& agent, Run& run, const RunOptions& options) {
  if (auto usable = check(agent); !usable) return std::unexpected(std::move(usable).error());
  SessionRecorder recorder(nullptr);
  return Driver(agent, run, options, recorder).drive();
}

}  // namespace

Result<Answer> run(const Agent& agent, std::string_view prompt, const RunOptions& options) {
  Run run;
  if (!wants_feedback(options.debug, agent.debug)) return run_into(run, agent, prompt, options);
  return with_feedback(agent, options, run, [&](const Agent& observed, const RunOptions& inner) {
    return run_into(run, observed, prompt, inner);
  });
}

Result<Answer> drive(const Agent& agent, Run& run, const RunOptions& options) {
  if (!wants_feedback(options.debug, agent.debug)) return drive_without_store(agent, run, options);
  RunOptions unstored = options;
  unstored.store = nullptr;
  return with_feedback(agent, unstored, run, [&](const Agent& observed, const RunOptions& inner) {
    return drive_without_store(observed, run, inner);
  });
}

}  // namespace wright
