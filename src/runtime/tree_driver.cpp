#include "runtime/tree_driver.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/kept_history.h"

namespace wright::runtime {
namespace {

session::Now now_of(Host& host) {
  const auto steady = host.now().time_since_epoch();
  return {host.clock(), std::chrono::duration_cast<std::chrono::milliseconds>(steady).count()};
}

}  // namespace

std::vector<std::shared_ptr<RunningCall>>::iterator TreeDriver::Work::find_call(
    std::string_view call_id) {
  return std::ranges::find(calls, call_id, [](const auto& call) { return call->call_id(); });
}

std::shared_ptr<RunningCall> TreeDriver::Work::take_call(std::string_view call_id) {
  const auto found = find_call(call_id);
  if (found == calls.end()) return nullptr;
  auto call = std::move(*found);
  calls.erase(found);
  return call;
}

TreeDriver::TreeDriver(Host& host, ExclusiveGate* gate, session::SessionTree tree,
                       Delivery delivery, DriverCallbacks callbacks)
    : host_(host),
      gate_(gate),
      delivery_(delivery),
      callbacks_(std::move(callbacks)),
      tree_(std::move(tree)) {}

void TreeDriver::begin() {
  post(BeginAll{});
}

void TreeDriver::begin_cancelled(std::string reason) {
  const std::lock_guard lock(inbox_mutex_);
  inbox_.emplace_back(BeginAll{});
  inbox_.emplace_back(ToNode{session::kRoot, session::Cancel{std::move(reason)}});
  is_scheduled_ = true;
  host_.run_soon([self = shared_from_this()] { self->work(); });
}

bool TreeDriver::cancel(SessionId id, std::string reason) {
  return post(ToSession{id, session::Cancel{std::move(reason)}});
}

bool TreeDriver::cancel_root(std::string reason) {
  return post(ToNode{session::kRoot, session::Cancel{std::move(reason)}});
}

bool TreeDriver::answered(StoredWait wait) {
  return post(ToCall{std::move(wait)});
}

bool TreeDriver::said(session::Said said) {
  return post(ToNode{session::kRoot, session::UserSpoke{std::move(said)}});
}

bool TreeDriver::suspend(std::optional<std::chrono::milliseconds> time_left) {
  return post(ToNode{session::kRoot, session::Suspend{time_left}});
}

// The host is told without the lock, which its thread needs at once.
bool TreeDriver::post(Post&& post) {
  bool is_to_be_scheduled = false;
  {
    const std::lock_guard lock(inbox_mutex_);
    if (is_closed_) return false;
    inbox_.push_back(std::move(post));
    is_to_be_scheduled = !std::exchange(is_scheduled_, true);
  }
  if (is_to_be_scheduled) host_.run_soon([self = shared_from_this()] { self->work(); });
  return true;
}

// What a round needs in memory is kept by the thread: many sessions wait, and few are at work.
void TreeDriver::work() {
  constexpr std::size_t kMostKept = 16;
  thread_local session::TreeOutput kept;
  session::TreeOutput output = std::exchange(kept, {});
  std::vector<Post> posts;
  while (true) {
    {
      const std::lock_guard lock(inbox_mutex_);
      posts.swap(inbox_);
    }
    for (Post& post : posts) {
      step(std::move(post), output);
      perform(output);
      output.batches.clear();
      output.actions.clear();
    }
    posts.clear();
    if (auto ending = close_if_over()) {
      if (callbacks_.ended) callbacks_.ended(std::move(*ending));
      break;
    }
    const std::lock_guard lock(inbox_mutex_);
    if (!inbox_.empty()) continue;
    if (posts.capacity() == 1) inbox_.swap(posts);
    is_scheduled_ = false;
    break;
  }
  if (output.actions.capacity() <= kMostKept && output.of_one.actions.capacity() <= kMostKept) {
    kept = std::move(output);
  }
}

// What arrives from here on is refused, and nothing that arrived before is left. Whoever hears of the
// end may release every session of the tree, so no call of any may begin afterwards.
std::optional<Ending> TreeDriver::close_if_over() {
  if (!ending_ || !tree_.is_at_rest()) return std::nullopt;
  const std::lock_guard lock(inbox_mutex_);
  if (!inbox_.empty()) return std::nullopt;
  is_closed_ = true;
  return std::exchange(ending_, {});
}

void TreeDriver::step(Post&& post, session::TreeOutput& output) {
  const session::Now now = now_of(host_);
  if (std::holds_alternative<BeginAll>(post)) return tree_.begin(now, output);
  if (auto* to = std::get_if<ToNode>(&post)) {
    const auto* written = std::get_if<session::Written>(&to->input);
    if (written != nullptr && written->ids) {
      Work& work = work_[to->node];
      work.held_since = work.sent_at;
    }
    forget_ended_call(*to);
    tell_what_was_spent(*to);
    return tree_.step(now, to->node, std::move(to->input), output);
  }
  if (auto* to = std::get_if<ToSession>(&post)) {
    const auto node = tree_.node_of(to->session_id);
    if (node) tree_.step(now, *node, std::move(to->input), output);
    return;
  }
  tree_.answer(now, std::get<ToCall>(post).wait, output);
}

void TreeDriver::forget_ended_call(const ToNode& to) {
  const std::string* call_id = nullptr;
  if (const auto* ended = std::get_if<session::CallEnded>(&to.input)) call_id = &ended->call_id;
  if (const auto* call = std::get_if<session::CallNotBegun>(&to.input)) call_id = &call->call_id;
  if (const auto* call = std::get_if<session::CallFenced>(&to.input)) call_id = &call->call_id;
  if (call_id == nullptr) return;
  const auto work = work_.find(to.node);
  if (work != work_.end()) work->second.take_call(*call_id);
}

// By all calls of the session since this was told last: those that go on have spent it already.
void TreeDriver::tell_what_was_spent(ToNode& to) {
  const auto work = work_.find(to.node);
  if (work == work_.end() || !work->second.budget) return;
  const auto newly_spent = [&] {
    const Usage spent = work->second.budget->spent();
    return spent - std::exchange(work->second.counted, spent);
  };
  if (auto* ended = std::get_if<session::CallEnded>(&to.input)) ended->spent = newly_spent();
  if (auto* call = std::get_if<session::CallGivenUp>(&to.input)) call->spent = newly_spent();
}

void TreeDriver::perform(session::TreeOutput& output) {
  for (auto& [node, batch] : output.batches) {
    work_[node].sent_at = host_.boot_clock();
    host_.write(std::move(batch), [self = shared_from_this(), id = node](Result<BatchIds> ids) {
      self->post_to(id, session::Written{std::move(ids)});
    });
  }
  for (auto& [node, action] : output.actions) {
    std::visit([&, id = node](auto&& one) { perform(id, std::forward<decltype(one)>(one)); },
               std::move(action));
  }
}

// A run's messages are only ever added to, and an agent is never changed.
void TreeDriver::recall(Work& work, const session::SessionMachine& machine, Request& request) {
  request.memory = work.memory.get();  // `done` keeps it
  const bool is_whole = request.messages.data() == machine.run().messages.data();
  const auto agent = is_whole ? machine.agent_pointer() : nullptr;
  if (work.remembered != agent) {
    work.memory->take();
    work.remembered = agent;
  } else if (agent != nullptr) {
    KeptHistory::continue_with(*work.memory, request);
  }
}

void TreeDriver::perform(NodeId node, session::AskModel ask) {
  session::SessionMachine& machine = tree_.at(node);
  Work& work = work_[node];
  ModelCall call{.stop = work.stop.get_token()};
  if (callbacks_.tell && !ask.is_summary) {
    const EventSource* const source = work.source.get();  // `done` keeps it
    if (delivery_ == Delivery::streamed) {
      call.on_text = [this, source](TextPiece piece) {
        tell(*source, TextDelta{piece.text, piece.phase});
      };
    }
    call.on_retry = [this, source](const ModelRetry& retry) {
      tell(*source, ModelRetried{retry});
    };
  }
  call.trace = trace_of(work.source->session_id, {});
  const auto began = host_.now();
  Request request = machine.request();
  if (!ask.is_summary) recall(work, machine, request);
  host_.ask(machine.model(), request, std::move(call),
            [self = shared_from_this(), agent = machine.agent_pointer(), memory = work.memory,
             source = work.source, node, began](Result<Response> response) {
              const std::chrono::duration<double, std::milli> took = self->host_.now() - began;
              self->post_to(node, session::ModelCame{std::move(response), took.count()});
            });
}

void TreeDriver::perform(NodeId node, const session::RunCall& run) {
  session::SessionMachine& machine = tree_.at(node);
  Work& work = work_[node];
  // One for all that are under way, so that they cannot pass the limit together.
  if (work.calls.empty()) {
    work.budget = std::make_shared<CallBudget>(run.left.tokens, run.left.cost_usd);
    work.counted = {};
  }
  const auto running = std::make_shared<RunningCall>(
      CallPlan{.agent = machine.agent_pointer(),
               .call = run.call,
               .answers = run.answers,
               .session_id = machine.journal().session_id(),
               .lease_epoch = run.lease_epoch,
               .row = machine.journal().row_of(run.call->id),
               .lease = machine.journal().lease(),
               .held_since = work.held_since,
               .memory = machine.memory(),
               // Results become messages when all calls of the turn have ended.
               .turn = machine.run().messages.size(),
               .tool = run.tool,
               .limit = run.limit,
               .trace = trace_of(machine.journal().session_id(), run.call->id),
               .budget = work.budget},
      work.stop.get_token());
  work.calls.push_back(running);
  if (callbacks_.tell) {
    running->on_progress(
        [weak = weak_from_this(), source = work.source, call = run.call](std::string_view text) {
          if (const auto self = weak.lock()) self->tell(*source, ToolProgress{*call, text});
        });
  }
  const auto attempt = run.attempt;
  running->on_late([weak = weak_from_this(), node, call = run.call, attempt] {
    if (const auto self = weak.lock()) self->post_to(node, session::CallIsLate{call->id, attempt});
  });
  running->start(host_, run.is_exclusive ? gate_ : nullptr,
                 [self = shared_from_this(), node, call = run.call, attempt](CallReport report) {
                   if (report.outcome) {
                     self->post_to(node, session::CallEnded{.call_id = call->id,
                                                            .attempt = attempt,
                                                            .outcome = std::move(*report.outcome),
                                                            .has_kept = report.has_kept});
                   } else if (report.is_fenced) {
                     self->post_to(node, session::CallFenced{call->id, attempt});
                   } else {
                     self->post_to(node, session::CallNotBegun{call->id, attempt});
                   }
                 });
}

void TreeDriver::perform(NodeId node, const session::StopCall& stop) {
  Work& work = work_[node];
  const auto found = work.find_call(stop.call_id);
  if (found != work.calls.end()) (*found)->request_stop();
}

void TreeDriver::perform(NodeId node, const session::GiveUpCall& give_up) {
  Work& work = work_[node];
  session::CallGivenUp given_up{.call_id = give_up.call_id, .attempt = give_up.attempt};
  if (const auto running = work.take_call(give_up.call_id)) {
    running->give_up(host_);
    given_up.has_begun = running->has_begun();
    if (given_up.has_begun) given_up.duration_ms = running->milliseconds(host_);
  }
  post_to(node, std::move(given_up));
}

void TreeDriver::perform(NodeId node, session::StopWork stop) {
  Work& work = work_[node];
  for (const auto& call : work.calls) call->set_suspended(stop.is_suspended);
  work.stop.request_stop();
}

void TreeDriver::perform(NodeId node, const session::SetTimer& timer) {
  const auto id = host_.run_at(host_.now() + timer.after, [weak = weak_from_this(), node, timer] {
    if (const auto self = weak.lock()) {
      self->post_to(node, session::TimerFired{timer.kind, timer.call_id, timer.attempt});
    }
  });
  if (timer.kind == session::TimerKind::deadline) work_[node].deadline = id;
  if (timer.kind == session::TimerKind::count) work_[node].count = id;
}

void TreeDriver::perform(NodeId node, session::CancelTimer timer) {
  Work& work = work_[node];
  host_.cancel(timer.kind == session::TimerKind::count ? work.count : work.deadline);
}

void TreeDriver::perform(NodeId node, const session::Publish& publish) {
  Work& work = work_[node];
  if (const auto* handed = std::get_if<HandedOff>(publish.event.get())) {
    EventSource source = *work.source;
    source.agent = handed->agent;
    work.source = std::make_shared<const EventSource>(std::move(source));
  }
  tell(*work.source, *publish.event);
}

void TreeDriver::perform(NodeId node, const session::Created& created) {
  work_[node].source =
      std::make_shared<const EventSource>(EventSource{.session_id = created.session_id,
                                                      .parent_session_id = tree_.parent_of(node),
                                                      .depth = tree_.depth_of(node),
                                                      .agent = tree_.at(node).agent().name});
  if (callbacks_.created) callbacks_.created(created.session_id);
}

void TreeDriver::perform(NodeId node, session::NowWaits waiting) {
  if (node == session::kRoot) ending_ = std::move(waiting.ending);
}

void TreeDriver::perform(NodeId node, session::Woke) {
  if (node == session::kRoot) ending_.reset();
}

void TreeDriver::perform(NodeId node, session::Ended ended) {
  if (ended.ending.kind == Ending::Kind::lost) {
    if (ended.ending.session_id != 0) {
      host_.release(ended.ending.session_id, ended.ending.lease_epoch);
    } else {
      host_.look_for_undriven();
    }
  }
  if (node == session::kRoot) {
    ending_ = std::move(ended.ending);
  } else {
    work_.erase(node);
  }
}

void TreeDriver::tell(const EventSource& source, const Event& event) {
  if (!callbacks_.tell) return;
  const std::lock_guard lock(tell_mutex_);
  const EventOrigin origin{.session_id = source.session_id,
                           .parent_session_id = source.parent_session_id,
                           .depth = source.depth,
                           .agent = source.agent,
                           .time_ms = host_.clock(),
                           .sequence = ++last_sequence_};
  try {
    callbacks_.tell(event, origin);
  } catch (...) {  // whoever looks on does not decide what happens
  }
}

TraceContext TreeDriver::trace_of(SessionId id, std::string_view call_id) const {
  if (!callbacks_.find_trace) return {};
  try {
    return callbacks_.find_trace(id, call_id);
  } catch (...) {  // as above
    return {};
  }
}

}  // namespace wright::runtime
