// What a connection is made of: one life of the server after the other, and the calls that are
// under way in it. For connection*.cpp alone.
#pragma once

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

#include "core/try.h"
#include "mcp_client/connection.h"

namespace wright::mcp_client {

inline constexpr std::string_view kListen = "subscriptions/listen";
inline constexpr std::string_view kSubscribe = "resources/subscribe";

class Connection::State : public std::enable_shared_from_this<Connection::State> {
  using Clock = std::chrono::steady_clock;
  using milliseconds = std::chrono::milliseconds;

  static constexpr milliseconds kFirstPause{500};
  static constexpr milliseconds kLongestPause{30'000};
  static constexpr milliseconds kLongLife{60'000};
  static constexpr std::size_t kMostQuestions = 16;  // that one call may have open
  static constexpr std::size_t kMostUpdates = 1'000;
  static constexpr std::size_t kMostSubscriptions = 1'000;

 public:
  explicit State(ConnectionOptions options) : options_(std::move(options)) {}

  const ConnectionOptions& options() const { return options_; }

  Result<mcp::ServerView> open(const std::stop_token& stop) {
    const std::lock_guard opening(opening_);
    {
      const std::lock_guard lock(mutex_);
      if (phase_ == Phase::open) return machine_->server();
      const auto now = Clock::now();
      if (now < not_before_) {
        return fail(
            ErrorCode::unavailable,
            fmt::format("The MCP server {} has failed {} times: {}. It is tried again in {} "
                        "s",
                        options_.name, failures_, last_error_.message,
                        std::chrono::ceil<std::chrono::seconds>(not_before_ - now).count()));
      }
    }
    auto opened = connect(stop);
    const std::lock_guard lock(mutex_);
    if (opened) {
      opened_at_ = Clock::now();
      return opened;
    }
    failed(opened.error());
    return fail(opened.error().code, fmt::format("The MCP server {} cannot be used: {}",
                                                 options_.name, opened.error().message));
  }

  Result<CallHandle> begin(std::string_view method, JsonObject params, const std::stop_token& stop,
                           const std::vector<mcp::HeaderParameter>& repeated) {
    TRY(open(stop));
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::open) return fail(last_error_.code, last_error_.message);
    auto started =
        machine_->call(method, std::move(params), mcp::ClientMachine::WantsProgress::yes, repeated);
    const CallHandle handle{life_, started.number};
    calls_[started.number];
    perform(lock, std::move(started.actions));
    return handle;
  }

  // The bytes of all lines that have come, which is what lists are measured by.
  std::size_t bytes_received() {
    const std::lock_guard lock(mutex_);
    return bytes_received_;
  }

  std::vector<std::string> take_updates() {
    const std::lock_guard lock(mutex_);
    return std::exchange(updates_, {});
  }

  std::uint64_t changes(mcp::Change change) const {
    return changes_.at(static_cast<std::size_t>(change));
  }
  void on_change(std::function<void(mcp::Change)> tell) {
    const std::lock_guard lock(mutex_);
    on_change_ = std::move(tell);
  }
  // Asks for what tells of changes (2026-07-28), in the place of what was asked for before. It is
  // asked for again when the server is another one.
  Result<void> listen(JsonObject params, const std::stop_token& stop) {
    const auto call = TRY(begin(kListen, params, stop, {}));
    std::unique_lock lock(mutex_);
    const CallHandle before = std::exchange(listening_, call);
    listens_since_ = Clock::now();
    listens_for_ = std::move(params);
    if (before.number != 0 && before.life == life_) give_up(lock, before, "there is another one");
    return {};
  }
  // The server was asked to tell of it (before 2026-07-28), and any other one will be.
  void subscribed(std::string uri) {
    const std::lock_guard lock(mutex_);
    if (subscribed_.size() < kMostSubscriptions) subscribed_.insert(std::move(uri));
  }
  bool is_listening() {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(listening_.number);
    return listening_.life == life_ && found != calls_.end() && !found->second.ended;
  }

  Result<Reached> wait(const CallHandle& call, const WaitOptions& options) {
    const auto deadline = options.deadline.value_or(Clock::now() + options.timeout);
    std::unique_lock lock(mutex_);
    while (true) {
      const auto found = calls_.find(call.number);
      if (call.life != life_ || found == calls_.end()) {
        return Lost{"the server was started again"};
      }
      OpenCall& open = found->second;
      // Before what a server that never comes to an end may say without end.
      if (!open.ended && options.stop.stop_requested()) {
        give_up(lock, call, "the caller does not want it any more");
        return fail(ErrorCode::cancelled, "The call was cancelled");
      }
      if (!open.ended && Clock::now() >= deadline) {
        give_up(lock, call, "it took too long");
        return Lost{fmt::format("it did not answer within {:g} s",
                                std::chrono::duration<double>(options.timeout).count()),
                    ErrorCode::timeout};
      }
      if (!open.progress.empty()) {
        const auto told = std::exchange(open.progress, {});
        lock.unlock();
        for (const mcp::Progress& each : told) {
          if (options.on_progress) options.on_progress(each);
        }
        lock.lock();
        continue;
      }
      if (open.ended) {
        Reached reached = std::move(*open.ended);
        calls_.erase(found);
        return reached;
      }
      if (!open.asked.empty()) {
        Asked asked = std::move(open.asked.front());
        open.asked.pop_front();
        open.is_paused = true;
        return asked;
      }
      ++open.waiters;
      changed_.wait_until(lock, options.stop, deadline, [&] {
        const auto now = calls_.find(call.number);
        return call.life != life_ || now == calls_.end() || now->second.has_news();
      });
      const auto now = calls_.find(call.number);
      if (call.life == life_ && now != calls_.end()) --now->second.waiters;
    }
  }

  bool answer(const CallHandle& call, const mcp::RequestId& id,
              const std::variant<JsonObject, mcp::Problem>& outcome) {
    std::unique_lock lock(mutex_);
    if (call.life != life_ || phase_ != Phase::open) return false;
    const std::string key = mcp::id_key(id);
    if (std::erase(open_questions_, key) == 0) return false;
    if (const auto asked = calls_.find(call.number); asked != calls_.end()) {
      asked->second.is_paused = false;
    }
    perform(lock, machine_->answer(id, outcome));
    return true;
  }

  void cancel(const CallHandle& call, std::string_view reason) {
    std::unique_lock lock(mutex_);
    if (call.life == life_) give_up(lock, call, reason);
  }

  void close() {
    std::unique_ptr<Channel> channel;
    {
      const std::lock_guard lock(mutex_);
      phase_ = Phase::closed;
      ++life_;
      channel = std::move(channel_);
    }
    changed_.notify_all();
  }

 private:
  enum class Phase : std::uint8_t { closed, opening, open };
  struct OpenCall {
    std::deque<mcp::Progress> progress = {};
    std::deque<Asked> asked = {};
    std::optional<Reached> ended = {};
    int waiters = 0;
    bool is_paused = false;  // it was asked something, and the answer is not there yet
    bool has_news() const { return !progress.empty() || !asked.empty() || ended; }
  };

  // What a channel tells, for one life of the server. The channel may outlive it.
  class Listener : public ChannelListener {
   public:
    Listener(std::weak_ptr<State> state, std::uint64_t life)
        : state_(std::move(state)), life_(life) {}
    void on_line(mcp::CallNumber call, std::string_view line) override {
      if (const auto state = state_.lock()) state->receive(life_, call, line);
    }
    void on_refused(mcp::CallNumber call, const mcp::Problem& problem) override {
      if (const auto state = state_.lock()) state->call_failed(life_, call, problem);
    }
    void on_unanswered(mcp::CallNumber call, const Error& why, Arrived arrived) override {
      const auto state = state_.lock();
      if (state) state->call_failed(life_, call, Lost{why.message, why.code, arrived});
    }
    void on_lost(const Error& why) override {
      if (const auto state = state_.lock()) state->lost(life_, why);
    }

   private:
    std::weak_ptr<State> state_;
    std::uint64_t life_;
  };

  // --- connecting ----------------------------------------------------------------------------

  Result<mcp::ServerView> connect(const std::stop_token& stop) {
    const auto deadline = Clock::now() + options_.time_to_start;
    for (int attempt = 0; attempt < 2; ++attempt) {
      std::unique_ptr<Channel> before;
      std::uint64_t life = 0;
      {
        const std::lock_guard lock(mutex_);
        before = std::move(channel_);
        life = ++life_;
        phase_ = Phase::opening;
        calls_.clear();
        open_questions_.clear();
        last_error_ = {ErrorCode::unavailable, "the server did not answer in time"};
        auto client = options_.client;
        if (is_known_legacy_) client.revisions = mcp::ClientOptions::Revisions::legacy;
        machine_.emplace(std::move(client));
      }
      before.reset();
      auto channel = TRY(options_.make(std::make_shared<Listener>(weak_from_this(), life)));
      std::unique_lock lock(mutex_);
      channel_ = std::move(channel);
      perform(lock, machine_->start());
      const bool was_probing = machine_->is_probing();
      wait_while_opening(lock, stop, std::min(deadline, Clock::now() + options_.time_to_probe));
      if (phase_ == Phase::opening && machine_->is_probing() && Clock::now() < deadline &&
          !stop.stop_requested()) {
        // Old servers pass over what they do not know.
        perform(lock, machine_->start_with_handshake());
      }
      wait_while_opening(lock, stop, deadline);
      if (phase_ == Phase::open) {
        is_known_legacy_ = machine_->server().era == mcp::Era::legacy;
        return machine_->server();
      }
      // Some end when the first thing that they hear is not the handshake.
      const bool may_try_again = was_probing && !is_known_legacy_ && phase_ == Phase::closed &&
                                 options_.client.revisions != mcp::ClientOptions::Revisions::modern;
      phase_ = Phase::closed;
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "it was cancelled");
      if (!may_try_again || Clock::now() >= deadline) break;
      is_known_legacy_ = true;
    }
    is_known_legacy_ = false;
    const std::lock_guard lock(mutex_);
    return std::unexpected(last_error_);
  }

  void wait_while_opening(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                          Clock::time_point until) {
    changed_.wait_until(lock, stop, until, [&] { return phase_ != Phase::opening; });
  }

  // With the lock held: the server failed to be there.
  void failed(const Error& error) {
    last_error_ = error;
    ++failures_;
    // The first time it is tried again at once.
    if (failures_ < 2) return;
    const int doublings = std::min(failures_ - 2, 6);
    not_before_ = Clock::now() + std::min(kFirstPause * (1 << doublings), kLongestPause);
  }

  // --- what comes ----------------------------------------------------------------------------

  void receive(std::uint64_t life, mcp::CallNumber call, std::string_view line) {
    std::unique_lock lock(mutex_);
    if (life != life_ || phase_ == Phase::closed) return;
    bytes_received_ += line.size();
    came_for_ = call;
    perform(lock, machine_->receive(line));
    came_for_ = 0;
  }

  void call_failed(std::uint64_t life, mcp::CallNumber call, Reached how) {
    std::unique_lock lock(mutex_);
    if (life != life_ || phase_ == Phase::closed) return;
    if (phase_ == Phase::opening) {
      if (machine_->is_probing()) return perform(lock, machine_->start_with_handshake());
      const auto* problem = std::get_if<mcp::Problem>(&how);
      last_error_ = {ErrorCode::unavailable,
                     problem != nullptr ? problem->message : std::get<Lost>(how).why};
      phase_ = Phase::closed;
    }
    const auto found = calls_.find(call);
    if (found != calls_.end() && !found->second.ended) found->second.ended = std::move(how);
    stopped_listening(call);
    changed_.notify_all();
  }

  void lost(std::uint64_t life, const Error& why) {
    const std::lock_guard lock(mutex_);
    if (life != life_) return;
    last_error_ = why;
    if (phase_ == Phase::open) {
      // One that has worked for a while has not kept failing.
      if (Clock::now() - opened_at_ >= kLongLife) failures_ = 0;
      failed(why);
    }
    phase_ = Phase::closed;
    for (auto& [number, call] : calls_) {
      if (!call.ended) call.ended = Lost{why.message};
    }
    open_questions_.clear();
    changed_.notify_all();
  }

  // With the lock held. Lines are sent in their order, which the lock keeps.
  void perform(std::unique_lock<std::mutex>& /*lock*/, mcp::ClientActions actions) {
    for (mcp::ClientAction& action : actions) {
      std::visit([this](auto& each) { take(each); }, action);
    }
    changed_.notify_all();
  }

  void take(const mcp::SendFrame& frame) {
    if (!channel_) return;
    if (const auto sent = channel_->send(frame); !sent && frame.call != 0) {
      const auto found = calls_.find(frame.call);
      if (found != calls_.end()) {
        found->second.ended = Lost{sent.error().message, sent.error().code, Arrived::no};
      }
    }
  }
  void take(const mcp::ServerReady&) {
    phase_ = Phase::open;
    channel_->settle(machine_->server());
    if (!std::exchange(was_open_, true)) return;
    renew_subscriptions();
    // It may be another one by now.
    for (const auto change : {mcp::Change::tools, mcp::Change::prompts, mcp::Change::resources}) {
      has_changed(change);
    }
  }
  // Nobody waits for what it answers: those that it does not tell of are as good.
  void renew_subscriptions() {
    const bool is_modern = machine_->server().era == mcp::Era::modern;
    if (is_modern && listens_for_) {
      auto started = machine_->call(kListen, *listens_for_);
      listening_ = {life_, started.number};
      listens_since_ = Clock::now();
      calls_[started.number];
      take_all(std::move(started.actions));
    }
    if (is_modern) return;
    for (const std::string& uri : subscribed_) {
      take_all(machine_->call(kSubscribe, {{"uri", uri}}).actions);
    }
  }
  // What tells of changes has ended: what it would have told is not known. A server that does not
  // keep it open at all is not asked without end.
  void stopped_listening(mcp::CallNumber call) {
    if (call == 0 || call != listening_.number || listening_.life != life_) return;
    calls_.erase(call);
    listening_ = {};
    constexpr std::chrono::seconds kShort{30};
    constexpr int kMostShort = 2;
    short_listens_ = Clock::now() - listens_since_ < kShort ? short_listens_ + 1 : 0;
    if (short_listens_ <= kMostShort) has_changed(mcp::Change::tools);
  }
  void has_changed(mcp::Change change) {
    ++changes_.at(static_cast<std::size_t>(change));
    if (on_change_) on_change_(change);
  }
  void take(const mcp::ServerUnusable& unusable) {
    last_error_ = unusable.error;
    phase_ = Phase::closed;
  }
  void take(mcp::CallEnded& ended) {
    const auto found = calls_.find(ended.number);
    if (found == calls_.end()) return;
    found->second.ended = std::visit([](auto& each) { return reached(each); }, ended.outcome);
    stopped_listening(ended.number);
  }
  static Reached reached(auto& outcome) { return std::move(outcome); }
  static Reached reached(mcp::Unreadable& outcome) {
    return Lost{std::move(outcome.why), ErrorCode::protocol};
  }
  void take(mcp::CallProgressed& progressed) {
    const auto found = calls_.find(progressed.number);
    if (found == calls_.end()) return;
    constexpr std::size_t kMost = 1000;
    if (found->second.progress.size() < kMost) {
      found->second.progress.push_back(std::move(progressed.progress));
    }
  }
  // The call that it came for. Where nothing says which that is: the oldest that somebody waits
  // for, else the oldest that goes on. One that was asked something may be left alone for days.
  auto asked_call() {
    const auto is_open = [](const auto& each) { return !each.second.ended; };
    if (came_for_ != 0) {
      const auto own = calls_.find(came_for_);
      return own != calls_.end() && is_open(*own) ? own : calls_.end();
    }
    const auto waited_for = std::ranges::find_if(
        calls_, [&](const auto& each) { return is_open(each) && each.second.waiters > 0; });
    if (waited_for != calls_.end()) return waited_for;
    const auto going_on = std::ranges::find_if(
        calls_, [&](const auto& each) { return is_open(each) && !each.second.is_paused; });
    return going_on != calls_.end() ? going_on : std::ranges::find_if(calls_, is_open);
  }
  void take(mcp::ServerAsks& asks) {
    const auto refuse = [&](std::string why) {
      take_all(machine_->answer(asks.id, mcp::Problem{mcp::code::kInvalidRequest, std::move(why)}));
    };
    const auto open = asked_call();
    if (open == calls_.end()) return refuse("there is no call to ask about");
    if (open->second.asked.size() >= kMostQuestions ||
        open_questions_.size() >= kMostQuestions * calls_.size()) {
      return refuse("too many questions are open already");
    }
    open_questions_.push_back(mcp::id_key(asks.id));
    open->second.asked.push_back({asks.id, std::move(asks.method), std::move(asks.params)});
  }
  void take(const mcp::ServerWithdraws& withdraws) {
    std::erase(open_questions_, mcp::id_key(withdraws.id));
  }
  void take(const mcp::ServerChanged& changed) { has_changed(changed.change); }
  void take(const mcp::ResourceUpdated& updated) {
    const bool is_new = std::ranges::find(updates_, updated.uri) == updates_.end();
    if (is_new && updates_.size() < kMostUpdates) updates_.push_back(updated.uri);
    has_changed(mcp::Change::resources);
  }
  void take(const mcp::ServerLogs& logs) {
    options_.logger.log(LogLevel::debug, "mcp.log",
                        {{"server", options_.name}, {"level", logs.level}, {"text", logs.text}});
  }
  void take_all(mcp::ClientActions actions) {
    for (const mcp::ClientAction& action : actions) take(std::get<mcp::SendFrame>(action));
  }

  void give_up(std::unique_lock<std::mutex>& lock, const CallHandle& call,
               std::string_view reason) {
    calls_.erase(call.number);
    if (phase_ != Phase::open) return;
    const bool is_closed = channel_->close_call(call.number);
    auto actions = machine_->cancel(call.number, reason);
    if (!is_closed) perform(lock, std::move(actions));
  }

  const ConnectionOptions options_;
  std::mutex opening_;  // one thread connects
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Phase phase_ = Phase::closed;
  std::uint64_t life_ = 0;
  std::unique_ptr<Channel> channel_;
  std::optional<mcp::ClientMachine> machine_;
  std::map<mcp::CallNumber, OpenCall> calls_;
  std::vector<std::string> open_questions_;
  mcp::CallNumber came_for_ = 0;  // the call that the line came for which is being taken
  std::size_t bytes_received_ = 0;
  std::vector<std::string> updates_;  // resources that have changed
  bool was_open_ = false;
  std::array<std::atomic<std::uint64_t>, 3> changes_ = {};  // by what changed
  std::function<void(mcp::Change)> on_change_;
  CallHandle listening_;  // the call that tells of changes (2026-07-28)
  Clock::time_point listens_since_ = {};
  std::optional<JsonObject> listens_for_;
  std::set<std::string, std::less<>> subscribed_;
  int short_listens_ = 0;
  bool is_known_legacy_ = false;
  int failures_ = 0;
  Clock::time_point opened_at_ = {};
  Clock::time_point not_before_ = {};
  Error last_error_ = {};
};

}  // namespace wright::mcp_client
