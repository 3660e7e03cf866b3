#include "mcp_server/http_exchange.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace wright::mcp_server {
namespace {

// Errors of the protocol itself, which the newest revision also tells by the status.
int status_of(const mcp::SendLine& line, mcp::Era era) {
  if (line.problem == 0) return 200;
  if (line.problem == mcp::code::kParseError) return 400;
  if (era == mcp::Era::legacy) return 200;
  if (line.problem == mcp::code::kMethodNotFound) return 404;
  const bool is_of_protocol =
      line.problem <= mcp::code::kHeaderMismatch && line.problem >= mcp::code::kUnsupportedVersion;
  // What a host refuses is an answer; what the machine refuses was no request.
  return is_of_protocol || line.about == 0 ? 400 : 200;
}

// A client whose person must not be asked: an answer would be more than its caller may give.
std::shared_ptr<const mcp::ClientView> unasked(const mcp::ClientView& client) {
  auto changed = std::make_shared<mcp::ClientView>(client);
  changed->capabilities.erase("elicitation");
  return changed;
}

}  // namespace

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

HttpExchange::HttpExchange(const EndpointOptions& options, mcp::ServerMachine machine,
                           std::shared_ptr<HttpReply> reply, std::string session,
                           std::set<std::string> asked, StartWork start, OfCaller caller)
    : options_(options),
      reply_(std::move(reply)),
      session_(std::move(session)),
      start_(std::move(start)),
      caller_(std::move(caller)),
      machine_(std::move(machine)),
      asked_(std::move(asked)) {}

void HttpExchange::receive(mcp::Frame frame) {
  mcp::ServerActions actions;
  OpenSpans spans;  // of what the machine answers itself; they end when that is said
  {
    const std::lock_guard lock(mutex_);
    is_batch_ = is_batch_ || frame.is_batch;
    spans = begin_spans(frame);
    actions = machine_.receive(milliseconds_now(), std::move(frame));
    keep_spans(spans, actions);
  }
  perform(std::move(actions));
}

HttpExchange::OpenSpans HttpExchange::begin_spans(const mcp::Frame& frame) {
  OpenSpans spans;
  if (!options_.begin_span) return spans;
  for (const mcp::Message& message : frame.messages) {
    const auto* request = std::get_if<mcp::Request>(&message);
    if (request == nullptr) continue;
    TracedRequest traced = traced_request(*request);
    const JsonObject* meta = mcp::object_in(request->params, "_meta");
    if (meta != nullptr) traced.version = mcp::text_in(*meta, mcp::meta::kVersion);
    if (traced.version.empty()) traced.version = machine_.version();
    if (traced.version.empty()) traced.version = mcp::text_in(request->params, "protocolVersion");
    traced.session = session_;
    traced.carried_by = caller_.trace;
    spans[mcp::id_key(request->id)] = options_.begin_span(traced);
  }
  return spans;
}

void HttpExchange::keep_spans(OpenSpans& begun, const mcp::ServerActions& actions) {
  if (begun.empty()) return;
  for (const mcp::ServerAction& action : actions) {
    const auto* begin = std::get_if<mcp::BeginWork>(&action);
    if (begin == nullptr) continue;
    auto found = begun.extract(mcp::id_key(begin->work.request));
    if (found) spans_[begin->work.id] = std::move(found.mapped());
  }
  // What is left was answered at once. Of a batch, nobody can tell whose answer it is.
  if (begun.size() != 1) return;
  for (const mcp::ServerAction& action : actions) {
    const auto* line = std::get_if<mcp::SendLine>(&action);
    if (line != nullptr && line->problem != 0) begun.begin()->second->refused(line->problem, {});
  }
}

void HttpExchange::end_span(const mcp::Work& work, const mcp::WorkOutcome& outcome) {
  const bool is_asked =
      std::holds_alternative<mcp::NeedsInput>(outcome) && work.client->era == mcp::Era::legacy;
  if (is_asked) return;
  std::unique_ptr<RequestSpan> span;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = spans_.extract(work.id)) span = std::move(found.mapped());
  }
  if (!span) return;
  if (const auto* finished = std::get_if<mcp::Finished>(&outcome)) span->answered(finished->result);
  if (const auto* problem = std::get_if<mcp::Problem>(&outcome)) {
    span->refused(problem->code, problem->message);
  }
}

void HttpExchange::announce(mcp::Change change) {
  if (caller_.is_admitted && !caller_.is_admitted()) return hang_up();
  mcp::ServerActions actions;
  {
    const std::lock_guard lock(mutex_);
    actions = machine_.announce(change);
  }
  // Only a stream that listens has something to hear.
  std::erase_if(actions, [](const mcp::ServerAction& action) {
    const auto* line = std::get_if<mcp::SendLine>(&action);
    return line != nullptr && line->about == 0;
  });
  perform(std::move(actions));
}

void HttpExchange::stop() {
  std::vector<std::stop_source> sources;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, each] : working_) sources.push_back(each.source);
  }
  for (std::stop_source& source : sources) source.request_stop();
}

bool HttpExchange::answers(const std::string& id_key) {
  const std::lock_guard lock(mutex_);
  return asked_.contains(id_key);
}

bool HttpExchange::is_working() {
  const std::lock_guard lock(mutex_);
  return !working_.empty();
}

void HttpExchange::hang_up() {
  stop();
  const std::lock_guard lock(saying_);
  if (is_over_.exchange(true)) return;
  if (is_stream_) reply_->end();
}

void HttpExchange::abandon() {
  is_over_ = true;
  // In the older revisions, going away is not cancelling; but who only waited waits no more.
  if (session_.empty() || only_waits_) stop();
}

// Whether the others of a batch are still answered, though this one is not.
bool HttpExchange::has_others(const mcp::ServerActions& actions) {
  const std::lock_guard lock(mutex_);
  return is_batch_ && (machine_.has_open_work() ||
                       std::ranges::any_of(actions, [](const mcp::ServerAction& action) {
                         return std::holds_alternative<mcp::SendLine>(action);
                       }));
}

void HttpExchange::perform(mcp::ServerActions actions) {
  for (mcp::ServerAction& action : actions) {
    if (const auto* line = std::get_if<mcp::SendLine>(&action)) {
      say(*line);
    } else if (auto* begin = std::get_if<mcp::BeginWork>(&action)) {
      const auto work = std::make_shared<mcp::Work>(std::move(begin->work));
      if (!caller_.may_answer) work->client = unasked(*work->client);
      {
        const std::lock_guard lock(mutex_);
        Working& working = working_[work->id];
        working.id_key = mcp::id_key(work->request);
        if (const auto span = spans_.find(work->id); span != spans_.end()) {
          work->trace = span->second->context();
        }
        only_waits_ = work->method == "tasks/result";
        // Whoever asked may be gone already.
        if (is_over_ && (session_.empty() || only_waits_)) working.source.request_stop();
      }
      if (options_.is_quick && options_.is_quick(*work)) {
        work_on(*work);
        continue;
      }
      if (options_.is_slow && options_.is_slow(*work)) begin_stream();
      const bool has_begun = start_([self = shared_from_this(), work] { self->work_on(*work); });
      if (has_begun) continue;
      mcp::ServerActions more;
      const mcp::Problem problem{mcp::code::kInternalError,
                                 "too many calls are under way; try again later"};
      end_span(*work, problem);
      {
        const std::lock_guard lock(mutex_);
        more = machine_.finish(milliseconds_now(), work->id, problem);
      }
      perform(std::move(more));
    } else {
      std::stop_source source(std::nostopstate);
      {
        const std::lock_guard lock(mutex_);
        const auto found = working_.find(std::get<mcp::StopWork>(action).id);
        if (found != working_.end()) {
          source = found->second.source;
          asked_.erase(found->second.id_key);
        }
      }
      if (source.stop_possible()) source.request_stop();
      if (has_others(actions)) continue;
      // Nobody is answered; the exchange has to end all the same.
      const std::lock_guard lock(saying_);
      if (is_over_.exchange(true)) continue;
      if (is_stream_) {
        reply_->end();
      } else {
        reply_->send(202, {}, "");
      }
    }
  }
}

void HttpExchange::work_on(const mcp::Work& work) {
  WorkControls controls;
  {
    const std::lock_guard lock(mutex_);
    controls.stop = working_[work.id].source.get_token();  // made when it began
  }
  const auto tell = [this](auto make) {
    mcp::ServerActions actions;
    {
      const std::lock_guard lock(mutex_);
      actions = make();
    }
    perform(std::move(actions));
  };
  if (work.wants_progress) {
    controls.progress = [&, id = work.id](const mcp::Progress& progress) {
      tell([&] { return machine_.report(id, progress); });
    };
  }
  controls.log = [&, id = work.id](mcp::LoggingLevel level, const Json& data) {
    tell([&] { return machine_.log(id, level, data); });
  };
  controls.notify = [&, id = work.id](std::string_view method, const JsonObject& params) {
    tell([&] { return machine_.notify(id, method, params); });
  };
  mcp::WorkOutcome outcome;
  try {
    outcome = options_.perform(work, controls);
  } catch (const std::exception& thrown) {
    outcome = mcp::Problem{mcp::code::kInternalError, thrown.what()};
  }
  if (!caller_.may_answer && std::holds_alternative<mcp::NeedsInput>(outcome)) {
    outcome = mcp::Problem{mcp::code::kInvalidRequest,
                           "a person has to be asked, and this token lacks the scope 'answer'"};
  }
  end_span(work, outcome);
  tell([&] {
    working_.erase(work.id);
    return machine_.finish(milliseconds_now(), work.id, std::move(outcome));
  });
}

void HttpExchange::begin_stream() {
  const std::lock_guard lock(saying_);
  if (is_over_ || std::exchange(is_stream_, true)) return;
  std::vector<HttpHeader> headers = headers_;
  headers.push_back({"Content-Type", "text/event-stream"});
  headers.push_back({"Cache-Control", "no-cache"});
  headers.push_back({"X-Accel-Buffering", "no"});
  reply_->begin_stream(std::move(headers));
  // Proxies hold the head back until there is a byte.
  (void)reply_->write(": \n\n");
}

void HttpExchange::say(const mcp::SendLine& line) {
  if (!line.ends_work) begin_stream();
  const std::lock_guard lock(saying_);
  if (is_over_) return;
  // Before its client has the answer, and can ask again by the same id.
  if (line.ends_work || !is_stream_) is_over_ = true;
  if (is_stream_) {
    (void)reply_->write("event: message\ndata: " + line.line + "\n\n");
    if (line.ends_work) reply_->end();
    return;
  }
  std::vector<HttpHeader> headers = headers_;
  headers.push_back({"Content-Type", "application/json"});
  const mcp::Era era =
      session_.empty() && !machine_.is_initialized() ? mcp::Era::modern : mcp::Era::legacy;
  reply_->send(status_of(line, era), std::move(headers), line.line);
}

}  // namespace wright::mcp_server
