#include "app/commands/acp_turns.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace wright::app {

std::unique_ptr<AcpTurns::Link> AcpTurns::link_of(const Turn& owner, const std::stop_source& stop) {
  return std::make_unique<Link>(owner->stop.get_token(),
                                [stop = stop]() mutable { stop.request_stop(); });
}

AcpTurns::Turn AcpTurns::add(Answer answer) {
  auto turn = std::make_shared<Prompt>(std::move(answer));
  const std::lock_guard lock(mutex_);
  open_.insert(turn);
  line_.push_back(turn);
  return turn;
}

void AcpTurns::cancel_all() {
  const std::set<Turn> all = [&] {
    const std::lock_guard lock(mutex_);
    return open_;
  }();
  for (const Turn& turn : all) turn->stop.request_stop();
}

void AcpTurns::answer(const Turn& turn, const Result<JsonObject>& result) {
  {
    const std::lock_guard lock(mutex_);
    if (open_.erase(turn) == 0) return;
    std::erase(line_, turn);
  }
  changed_.notify_all();
  turn->answer(result);
}

AcpTurns::Entered AcpTurns::enter(const Turn& turn, const Speech& speech) {
  // What runs says by no event that it can be spoken to.
  constexpr std::chrono::milliseconds kMoment{20};
  std::unique_lock lock(mutex_);
  while (true) {
    if (turn->stop.stop_requested()) {
      std::erase(line_, turn);
      changed_.notify_all();
      return Entered::cancelled;
    }
    const bool is_next = !line_.empty() && line_.front() == turn;
    if (is_next && !running_) {
      line_.pop_front();
      running_ = std::make_shared<Running>(Running{.owner = turn});
      running_->link = link_of(turn, running_->stop);
      return Entered::runs;
    }
    if (is_next && speech.say && !running_->stop.stop_requested()) {
      // It may be read before say() has returned.
      const auto running = running_;
      running->spoken.push_back({turn, speech.text});
      ++running->saying;
      lock.unlock();
      const auto said = speech.say();
      lock.lock();
      --running->saying;
      if (!said) {
        std::erase_if(running->spoken, [&](const Spoken& each) { return each.turn == turn; });
      }
      changed_.notify_all();
      if (said || said.error().code != ErrorCode::unavailable) {
        std::erase(line_, turn);
      }
      if (said) return Entered::spoken;
      if (said.error().code != ErrorCode::unavailable) {
        lock.unlock();
        answer(turn, std::unexpected(said.error()));
        return Entered::spoken;
      }
    }
    changed_.wait_for(lock, turn->stop.get_token(), kMoment, [] { return false; });
  }
}

bool AcpTurns::is_running() const {
  const std::lock_guard lock(mutex_);
  return running_ != nullptr;
}

std::stop_token AcpTurns::stop() const {
  const std::lock_guard lock(mutex_);
  return running_ ? running_->stop.get_token() : std::stop_token();
}

void AcpTurns::taken(std::string_view text) {
  std::vector<Turn> ended;
  std::shared_ptr<Running> running;
  std::unique_ptr<Link> before;
  {
    const std::lock_guard lock(mutex_);
    running = running_;
    if (!running) return;
    std::size_t from = 0;
    while (!running->spoken.empty()) {
      const Spoken& next = running->spoken.front();
      const std::size_t found = text.find(next.text, from);
      if (found == std::string_view::npos) break;
      from = found + next.text.size();
      ended.push_back(std::exchange(running->owner, next.turn));
      running->spoken.pop_front();
    }
    if (ended.empty()) return;
    before = std::move(running->link);
  }
  // Not under the lock: whoever stops meanwhile is waited for, and one that has stopped stops now.
  before.reset();
  auto link = link_of(running->owner, running->stop);
  {
    const std::lock_guard lock(mutex_);
    running->link = std::move(link);
  }
  for (const Turn& turn : ended) answer(turn, JsonObject{{"stopReason", "end_turn"}});
}

AcpTurns::Ended AcpTurns::end() {
  std::shared_ptr<Running> running;
  Ended ended;
  {
    std::unique_lock lock(mutex_);
    running = std::exchange(running_, nullptr);
    if (!running) return {};
    // Whoever is speaking finds out whether it was heard.
    changed_.wait(lock, [&] { return running->saying == 0; });
    ended.owner = running->owner;
    for (const Spoken& each : running->spoken) ended.unheard.push_back(each.turn);
    running->spoken.clear();
  }
  changed_.notify_all();
  return ended;  // the link goes without the lock
}

}  // namespace wright::app
