#include "wright/runtime.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>

#include "runtime/fitting_memory.h"
#include "runtime/model_call.h"
#include "runtime/run_options.h"
#include "runtime/run_trace.h"
#include "runtime/task_pool.h"
#include "wright/events.h"
#include "wright/run.h"

namespace wright {

// Written by the model's callbacks, read by whoever holds a stream.
class TextStream::State {
 public:
  void add(std::string_view text) {
    const std::lock_guard lock(mutex_);
    text_ += text;
    changed_.notify_all();
  }

  // The attempt that had spoken failed, and another one begins.
  void restart() {
    const std::lock_guard lock(mutex_);
    text_.clear();
    read_ = 0;
  }

  void end(Result<void> result, std::optional<NeedsToolExecution> needs) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    needs_ = std::move(needs);
    changed_.notify_all();
  }

  std::optional<std::string> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return read_ < text_.size() || result_; });
    if (read_ >= text_.size()) return std::nullopt;
    std::string piece = text_.substr(read_);
    read_ = text_.size();
    return piece;
  }

  Result<std::string> all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return result_.has_value(); });
    if (!*result_) return std::unexpected(result_->error());
    return text_;
  }

  std::optional<NeedsToolExecution> needs_tools() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return result_.has_value(); });
    return needs_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::size_t read_ = 0;
  std::optional<Result<void>> result_;  // at the end
  std::optional<NeedsToolExecution> needs_;
};

std::optional<std::string> TextStream::next() {
  return state_->next();
}

Result<std::string> TextStream::all() const {
  return state_->all();
}

std::optional<NeedsToolExecution> TextStream::needs_tools() const {
  return state_->needs_tools();
}

namespace {

// The run that a conversation has come to. Results may stand in any order behind their calls.
Result<Run> run_from(const Agent& agent, std::vector<Message> messages) {
  Run run;
  run.agent = agent.name;
  run.limits = agent.limits;
  std::map<std::string, Message, std::less<>> results;  // of the last turn
  while (!messages.empty() && messages.back().role == Role::tool) {
    for (const Part& part : messages.back().parts) {
      const auto* result = std::get_if<ToolResult>(&part);
      if (result != nullptr) results.insert_or_assign(result->call_id, Message::tool(*result));
    }
    messages.pop_back();
  }
  if (!messages.empty() && messages.back().role == Role::assistant) {
    for (const ToolCall& call : messages.back().tool_calls()) {
      auto result = results.extract(call.id);
      if (!result) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The call '{}' of {} has no result among the messages", call.id,
                                call.name));
      }
      messages.push_back(std::move(result.mapped()));
    }
  }
  if (!results.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("There is a result for '{}', which nobody has called", results.begin()->first));
  }
  for (const Message& message : messages) {
    if (message.is_from_user()) run.iterations = 0;
    if (message.role == Role::assistant) ++run.iterations;
  }
  run.messages = std::move(messages);
  return restored(std::move(run));
}

}  // namespace

class TwoPhaseAgent::Implementation {
 public:
  Implementation(Agent agent, const RunOptions& options)
      : shared_(std::make_shared<const Shared>(std::move(agent), options)),
        on_stop_(options.stop, [this] { stop_.request_stop(); }),
        pool_(1, kThreads) {}
  ~Implementation() { stop_.request_stop(); }

  const Agent& agent() const { return shared_->agent; }

  void respond_to(Result<Run> run, Respond respond) {
    if (run) {
      if (auto usable = check(agent()); !usable) run = std::unexpected(std::move(usable).error());
    }
    if (!run) return respond(std::unexpected(std::move(run).error()));
    auto pending =
        std::make_shared<PendingRequest>(shared_, memory_, std::move(*run), std::move(respond));
    if (!pending->needs_model()) return pending->end_without_model();
    if (agent().model.blocks()) {
      pool_.run_blocking([pending, stop = stop_.get_token()] { pending->ask_and_wait(stop); }, {});
    } else {
      pending->ask(stop_.get_token());
    }
  }

 private:
  static constexpr std::size_t kThreads = 8;  // for models that block

  // What all requests use, also those that outlive the agent.
  struct Shared {
    Shared(Agent an_agent, const RunOptions& options)
        : agent(std::move(an_agent)),
          delivery(options.delivery),
          observer(runtime::observer_of(options)) {}

    void tell(const Event& event) const {
      if (!observer) return;
      const std::lock_guard lock(mutex);
      try {
        observer(event,
                 {.agent = agent.name, .time_ms = system_clock_ms(), .sequence = ++last_sequence});
      } catch (...) {  // whoever looks on does not decide what happens
      }
    }

    const Agent agent;
    const Delivery delivery;
    const Observer observer;
    mutable std::mutex mutex;  // one event at a time
    mutable std::uint64_t last_sequence = 0;
  };

  // One request to the model, until it has said everything.
  class PendingRequest : public std::enable_shared_from_this<PendingRequest> {
   public:
    PendingRequest(std::shared_ptr<const Shared> shared,
                   std::shared_ptr<runtime::FittingMemory> memory, Run run, Respond respond)
        : shared_(std::move(shared)),
          memory_(std::move(memory)),
          run_(std::move(run)),
          context_(memory_->recall(run_.messages)),
          respond_(std::move(respond)) {}

    bool needs_model() const { return run_.phase == Phase::model; }
    void end_without_model() {
      const Step step = next(agent(), run_);
      const auto* failed = std::get_if<Failed>(&step);
      respond_(failed != nullptr
                   ? std::unexpected(failed->error)
                   : fail(ErrorCode::invalid_argument,
                          "The last message is the agent's own: there is nothing to answer"));
    }

    void ask(const std::stop_token& stop) {
      ask_again_ = [this, stop] { ask(stop); };
      if (!fit()) return;
      begin_asking();
      runtime::start_safely(agent().model, request(), call(stop),
                            [self = shared_from_this()](Result<Response> response) {
                              self->take(std::move(response));
                            });
    }

    void ask_and_wait(const std::stop_token& stop) {
      ask_again_ = [this, stop] { ask_and_wait(stop); };
      if (!fit()) return;
      begin_asking();
      take(runtime::complete_safely(agent().model, request(), call(stop)));
    }

   private:
    // The results came with the messages: whoever executed the calls is somebody else.
    void begin_asking() {
      for (auto last = run_.messages.rbegin();
           last != run_.messages.rend() && last->role == Role::tool; ++last) {
        for (const Part& part : last->parts) {
          const auto* result = std::get_if<ToolResult>(&part);
          if (result != nullptr) runtime::trace_result(logger(), agent().name, *result);
        }
      }
      runtime::trace_request(logger(), agent().name, run_.iterations + 1, agent().tools.size());
      shared_->tell(
          ModelStarted{run_.iterations + 1, agent().model.provider(), agent().model.name()});
      began_ = std::chrono::steady_clock::now();
    }
    Logger logger() const { return agent().debug ? agent().debug->logger : Logger(); }

    // Within the model's window. The history is the caller's, who asked for one call of the model:
    // what gives way is told without it. False, and at its end, when it cannot fit.
    bool fit() {
      context_.fit(agent(), run_);
      while (context_.wants_summary()) {
        context_.do_without_summary(run_);
        context_.fit(agent(), run_);
      }
      if (const auto& too_long = context_.too_long()) {
        end(std::unexpected(*too_long), std::nullopt);
        return false;
      }
      return true;
    }

    Request request() {
      const Step step = next(agent(), run_);
      return context_.fitted(std::get<CallModel>(step).request, run_);
    }

    ModelCall call(const std::stop_token& stop) {
      ModelCall call{.stop = stop,
                     .on_retry = [self = shared_from_this()](const ModelRetry& retry) {
                       if (self->stream_) self->stream_->restart();
                       self->shared_->tell(ModelRetried{retry});
                     }};
      if (shared_->delivery == Delivery::streamed) {
        call.on_text = [self = shared_from_this()](TextPiece piece) { self->speak(piece); };
      }
      return call;
    }

    void speak(TextPiece piece) {
      if (piece.text.empty()) return;
      shared_->tell(TextDelta{piece.text, piece.phase});
      if (!stream_) {
        stream_ = std::make_shared<TextStream::State>();
        respond_(TextStream(stream_));
      }
      stream_->add(piece.text);
    }

    void take(Result<Response> response) {
      if (!response) {
        const bool is_too_long = response.error().code == ErrorCode::context_too_long;
        if (is_too_long && context_.shrink(agent(), run_, response.error())) return ask_again();
        return end(std::unexpected(std::move(response).error()), std::nullopt);
      }
      context_.answered(run_, *response);
      memory_->remember(run_.messages, context_);
      runtime::trace_response(logger(), agent().name, *response);
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - began_;
      shared_->tell(ModelEnded{*response, took.count()});
      const std::string text = response->text();
      if (auto accepted = accept(run_, ModelAnswered{std::move(*response)}); !accepted) {
        return end(std::unexpected(std::move(accepted).error()), std::nullopt);
      }
      if (auto refused = refusal_of(agent(), run_)) {
        if (auto accepted = accept(run_, std::move(*refused)); !accepted) {
          return end(std::unexpected(std::move(accepted).error()), std::nullopt);
        }
        if (run_.phase == Phase::model) {
          if (stream_) stream_->restart();
          return ask_again();
        }
      }
      Step step = next(agent(), run_);
      if (auto* calls = std::get_if<CallTools>(&step)) {
        return end({}, NeedsToolExecution{std::move(calls->calls), run_.messages});
      }
      if (const auto* failed = std::get_if<Failed>(&step)) {
        return end(std::unexpected(failed->error), std::nullopt);
      }
      // A model that does not stream says everything now, also when that is nothing.
      if (!stream_) {
        stream_ = std::make_shared<TextStream::State>();
        stream_->add(text);
        respond_(TextStream(stream_));
      }
      end({}, std::nullopt);
    }

    void ask_again() {
      const auto again = ask_again_;
      again();
    }

    // Whoever hears of the end may let go of the agent, and with it of the thread that this runs
    // in.
    void end(Result<void> result, std::optional<NeedsToolExecution> needs) {
      ask_again_ = {};
      shared_.reset();
      if (stream_) return stream_->end(std::move(result), std::move(needs));
      if (!result) return respond_(std::unexpected(std::move(result).error()));
      respond_(std::move(*needs));
    }

    const Agent& agent() const { return shared_->agent; }

    std::shared_ptr<const Shared> shared_;  // until the end
    const std::shared_ptr<runtime::FittingMemory> memory_;
    Run run_;
    ContextFitting context_;
    const Respond respond_;
    std::shared_ptr<TextStream::State> stream_;  // once the model has spoken
    std::function<void()> ask_again_;            // as it was asked
    std::chrono::steady_clock::time_point began_;
  };

  const std::shared_ptr<const Shared> shared_;
  const std::shared_ptr<runtime::FittingMemory> memory_ =
      std::make_shared<runtime::FittingMemory>();
  std::stop_source stop_;
  const std::stop_callback<std::function<void()>> on_stop_;
  runtime::TaskPool pool_;
};

TwoPhaseAgent::TwoPhaseAgent(Agent agent, RunOptions options)
    : implementation_(std::make_shared<Implementation>(std::move(agent), options)) {}

TwoPhaseAgent::~TwoPhaseAgent() = default;

const Agent& TwoPhaseAgent::agent() const {
  return implementation_->agent();
}

void TwoPhaseAgent::process(std::string message, std::vector<Message> history, Respond respond) {
  history.push_back(Message::user(to_valid_utf8(std::move(message))));
  process_with_results(std::move(history), std::move(respond));
}

void TwoPhaseAgent::process_with_results(std::vector<Message> messages, Respond respond) {
  implementation_->respond_to(run_from(agent(), std::move(messages)), std::move(respond));
}

std::future<Result<AgentResponse>> TwoPhaseAgent::process(std::string message,
                                                          std::vector<Message> history) {
  history.push_back(Message::user(to_valid_utf8(std::move(message))));
  return process_with_results(std::move(history));
}

std::future<Result<AgentResponse>> TwoPhaseAgent::process_with_results(
    std::vector<Message> messages) {
  const auto promise = std::make_shared<std::promise<Result<AgentResponse>>>();
  auto future = promise->get_future();
  process_with_results(std::move(messages), [promise](Result<AgentResponse> response) {
    promise->set_value(std::move(response));
  });
  return future;
}

std::optional<NeedsToolExecution> needs_tools(const Result<AgentResponse>& response) {
  if (!response) return std::nullopt;
  if (const auto* needs = std::get_if<NeedsToolExecution>(&*response)) return *needs;
  return std::get<TextStream>(*response).needs_tools();
}

TextStream* text_of(Result<AgentResponse>& response) {
  return response ? std::get_if<TextStream>(&*response) : nullptr;
}

}  // namespace wright
