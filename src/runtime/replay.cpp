// replay(): drives a recorded session again in the caller's thread, on a store in memory, and holds
// what came against the record.
#include "wright/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "core/try.h"
#include "runtime/inline_host.h"
#include "runtime/load_tree.h"
#include "runtime/model_call.h"
#include "runtime/replayed_agent.h"
#include "runtime/runner_registration.h"
#include "runtime/tree_driver.h"
#include "session/agent_of_now.h"

namespace wright {
namespace {

using runtime::InlineHost;
using runtime::ReplayComparison;
using runtime::ReplayState;
using runtime::SessionTape;
using runtime::TreeDriver;
using session::Ending;
using session::SessionTree;

// A service that has seen the call of then must not take the one of now for it.
std::string new_key_prefix() {
  std::random_device random;
  return fmt::format("replay-{:08x}{:08x}", random(), random());
}

// A store in memory registers everybody.
std::unique_ptr<runtime::RunnerRegistration> registered(Store& store) {
  auto runner = runtime::RunnerRegistration::open(store);
  return runner ? std::move(*runner) : nullptr;
}

// The tape answers at once, so that it may read the conversation where it is: a copy of all of it
// for every turn would take as long as all turns together.
class ReplayHost final : public InlineHost {
 public:
  using InlineHost::InlineHost;
  void ask(const Model& model, const Request& request, ModelCall call, ModelDone done) override {
    done(runtime::complete_safely(model, request, call));
  }
};

class Replay {
 public:
  Replay(const RecordedSession& recorded, const ReplayOptions& options)
      : recorded_(recorded),
        options_(options),
        state_{.tools = options.tools,
               .after_difference = options.after_difference,
               .comparison = ReplayComparison(options.redactor),
               .key_prefix = new_key_prefix(),
               .end = [this] { end_.request_stop(); }},
        tape_(std::make_shared<SessionTape>(recorded, state_.comparison)),
        store_(open_memory_store()),
        runner_(registered(*store_)),
        host_(runner_.get(), 1) {}

  Result<ReplayReport> run(const Agent& agent) {
    agent_ = std::make_shared<const Agent>(runtime::replayed_agent(agent, state_, tape_));
    TRY(check(*agent_));
    const std::vector<Message> said = tape_->said();
    for (std::size_t taken = 0; taken < said.size(); taken = std::max(taken + 1, taken_by_now())) {
      TRY(drive(said[taken]));
      if (options_.stop.stop_requested()) {
        return fail(ErrorCode::cancelled, "The replay was stopped");
      }
      // A session that waits, or was ended, hears nothing more.
      if (end_.stop_requested() || last_ == Ending::Kind::waiting) break;
    }
    return report();
  }

 private:
  // The first message begins the session, the others go on with it.
  Result<SessionTree> tree_for(const Message& said) {
    // Nobody else drives it: it needs no runner.
    const session::TreeOptions options{.machine = {.has_store = true, .parallel_calls = 1}};
    if (session_id_ == 0) {
      SessionTree tree(options);
      tree.plant_new({.agent = agent_}, start(*agent_, said), new_session(said));
      return tree;
    }
    if (can_go_on_from_run()) return tree_of_run(options, said);
    auto loaded = TRY(runtime::load_tree(host_, options, {.agent = agent_}, *store_,
                                         {.id = session_id_, .said = said}));
    return std::move(loaded.tree);
  }

  // Reading the whole session again for every message would take as long as all messages together.
  // Live tools have interceptors, whose memory is that of a session that was loaded.
  bool can_go_on_from_run() const {
    const bool has_ended = last_ == Ending::Kind::completed || last_ == Ending::Kind::failed;
    return options_.tools == ToolSource::record && has_ended && run_.open_calls.empty();
  }

  // What was spent before does not matter: nothing is spent.
  Result<SessionTree> tree_of_run(const session::TreeOptions& options, const Message& said) {
    session::Journal journal(std::nullopt, session_id_, run_.messages.size());
    run_.phase = Phase::done;
    TRY(accept(run_, UserSaid{said}));
    const auto& agent = run_.agent == agent_->name ? agent_ : last_agent_;
    SessionTree tree(options);
    tree.plant({.agent = session::agent_of_now(agent, agent)},
               {.run = std::move(run_), .journal = std::move(journal)});
    return tree;
  }

  Result<void> drive(const Message& said) {
    auto tree = TRY(tree_for(said));
    const auto driver = std::make_shared<TreeDriver>(
        host_, nullptr, std::move(tree), Delivery::whole,
        runtime::DriverCallbacks{.ended = [this](Ending ending) { ending_ = std::move(ending); }});
    state_.say = [&driver, count = 0](Message message) mutable {
      driver->said({std::to_string(++count), std::move(message)});
    };
    const auto cancel = [&] { driver->cancel_root(std::string(runtime::kReplayEndsHere)); };
    const std::stop_callback on_end(end_.get_token(), cancel);
    const std::stop_callback on_stop(options_.stop, cancel);
    driver->begin();
    host_.run_until([&] { return ending_.has_value(); });
    state_.say = {};
    last_ = ending_->kind;
    session_id_ = ending_->session_id;
    ending_.reset();
    last_agent_ = driver->agent();
    run_ = driver->take_run();
    return {};
  }

  // Messages of the user that are in the session: some were said while it worked.
  std::size_t taken_by_now() {
    for (; counted_ < run_.messages.size(); ++counted_) {
      if (counted_ == 0 || run_.messages[counted_].is_from_user()) ++taken_;
    }
    return taken_;
  }

  NewSession new_session(const Message& said) const {
    NewSession session{.agent_name = agent_->name,
                       .provider = recorded_.provider,
                       .model = recorded_.model,
                       .user_prompt = said.text(),
                       .config = recorded_.config};
    if (!agent_->instructions.empty()) session.system_prompt = agent_->instructions;
    return session;
  }

  Result<ReplayReport> report() {
    auto now = TRY(load_recording(*store_, session_id_));
    ReplayReport report{.differences = state_.comparison.differences(recorded_, now),
                        .turns = state_.turns,
                        .recorded_calls = state_.recorded_calls,
                        .live_calls = state_.live_calls,
                        .missing_tools = {state_.missing_tools.begin(), state_.missing_tools.end()},
                        .session = std::move(now)};
    report.is_complete = !end_.stop_requested();
    if (report.differences.empty() || is_all_before(report)) {
      std::ranges::move(state_.asked_again, std::back_inserter(report.differences));
    }
    if (options_.after_difference == AfterDifference::stop) keep_first(report.differences);
    add_notes(report);
    return report;
  }

  // Whether everything that differs differs before anything was said.
  static bool is_all_before(const ReplayReport& report) {
    return std::ranges::all_of(report.differences, [](const Difference& each) {
      return each.kind == Difference::Kind::instructions;
    });
  }

  static void keep_first(std::vector<Difference>& differences) {
    const auto first = std::ranges::find_if(differences, [](const Difference& each) {
      return each.kind != Difference::Kind::instructions;
    });
    if (first != differences.end()) differences.erase(first + 1, differences.end());
  }

  void add_notes(ReplayReport& report) const {
    if (state_.has_reached_end_of_record) {
      report.notes.push_back(end_of_record());
    } else if (recorded_.status == SessionStatus::waiting) {
      report.notes.emplace_back("The session waits for a person; the record goes as far as that");
    } else if (runtime::failed_after_answer(recorded_)) {
      report.notes.push_back(
          fmt::format("The session failed after its last answer, for a reason outside of it: {}",
                      recorded_.error));
    }
    const auto unknown =
        std::ranges::count(recorded_.calls, CallStatus::unknown, &RecordedCall::status);
    if (unknown > 0) {
      report.notes.push_back(fmt::format(
          "{} interrupted, and nobody knows what came of it; the record's word was taken",
          unknown == 1 ? "One call was" : fmt::format("{} calls were", unknown)));
    }
  }

  std::string end_of_record() const {
    const auto count = recorded_.messages.size();
    switch (recorded_.status) {
      case SessionStatus::cancelled:
        return fmt::format("The session was cancelled after message {}; the record ends there",
                           count);
      case SessionStatus::completed:
        return fmt::format("The session is a fork that ends with message {}", count);
      case SessionStatus::running:
      case SessionStatus::failed:
      case SessionStatus::queued:
      case SessionStatus::waiting: break;
    }
    return fmt::format("The session has not ended; the record goes as far as message {}", count);
  }

  const RecordedSession& recorded_;
  const ReplayOptions& options_;
  std::stop_source end_;
  ReplayState state_;
  std::shared_ptr<SessionTape> tape_;
  std::unique_ptr<Store> store_;
  std::shared_ptr<const Agent> agent_;
  std::optional<Ending> ending_;
  Ending::Kind last_ = Ending::Kind::completed;
  SessionId session_id_ = 0;
  Run run_;  // as the last message left it
  std::shared_ptr<const Agent> last_agent_;
  std::size_t counted_ = 0;  // messages of the run that taken_ is about
  std::size_t taken_ = 0;
  const std::unique_ptr<runtime::RunnerRegistration> runner_;
  ReplayHost host_;  // last: its tasks refer to the rest
};

}  // namespace

Result<ReplayReport> replay(const Agent& agent, const RecordedSession& recorded,
                            const ReplayOptions& options) {
  TRY(check(recorded));
  return Replay(recorded, options).run(agent);
}

}  // namespace wright
