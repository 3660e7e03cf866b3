#include "runtime/event_writer.h"

#include <chrono>
#include <utility>

#include "runtime/event_json.h"

namespace wright::runtime {
namespace {

constexpr int kMostWriteAttempts = 5;
constexpr std::chrono::milliseconds kPauseBeforeWriting{50};
constexpr std::size_t kBytesOfAnEvent = 256;  // beside its text

std::size_t text_bytes(const Event& event) {
  if (const auto* delta = std::get_if<TextDelta>(&event)) return delta->text.size();
  if (const auto* ended = std::get_if<ToolEnded>(&event)) {
    return ended->outcome.result.content.size();
  }
  if (const auto* ended = std::get_if<ModelEnded>(&event)) return ended->response.text().size();
  if (const auto* ended = std::get_if<RunEnded>(&event)) return ended->text.size();
  return 0;
}

}  // namespace

EventWriter::EventWriter(Store& store, std::function<void()> on_written,
                         std::size_t most_waiting_bytes)
    : store_(store),
      on_written_(std::move(on_written)),
      most_waiting_bytes_(most_waiting_bytes),
      thread_([this] { write_all(); }) {}

EventWriter::~EventWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Observer EventWriter::observer() {
  return [this](const Event& event, const EventOrigin& origin) { add(event, origin); };
}

void EventWriter::add(const Event& event, const EventOrigin& origin) {
  if (origin.session_id == 0) return;
  const std::size_t bytes = text_bytes(event) + kBytesOfAnEvent;
  const std::lock_guard lock(mutex_);
  if (waiting_bytes_ + bytes > most_waiting_bytes_) {
    ++left_out_;
    return;
  }
  waiting_bytes_ += bytes;
  const auto* delta = std::get_if<TextDelta>(&event);
  // Words that come faster than they are written are one event, unless they are of two kinds.
  const bool may_join = delta != nullptr && last_phase_ == delta->phase;
  if (may_join && !waiting_.empty() && waiting_.back().session_id == origin.session_id &&
      waiting_.back().event.type == type_of(event)) {
    waiting_.back().event.data.as_object()["text"].as_string().append(delta->text);
    return;
  }
  if (delta != nullptr) last_phase_ = delta->phase;
  waiting_.push_back(
      {origin.session_id,
       {.type = std::string(type_of(event)), .data = data_of(event), .at = origin.time_ms}});
  if (waiting_.size() == 1) changed_.notify_all();
}

void EventWriter::write_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<Waiting> taken = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    is_writing_ = true;
    lock.unlock();
    write(std::move(taken));
    if (on_written_) on_written_();
    lock.lock();
    is_writing_ = false;
    changed_.notify_all();
  }
}

// Batches of their own, so that a session that was deleted meanwhile takes no other with it.
void EventWriter::write(std::vector<Waiting> waiting) {
  std::vector<Batch> batches;
  SessionId last = 0;
  for (Waiting& each : waiting) {
    if (batches.empty() || each.session_id != last) {
      batches.push_back({.writes = {AppendEvents{.session_id = each.session_id}}});
      last = each.session_id;
    }
    std::get<AppendEvents>(batches.back().writes.front()).events.push_back(std::move(each.event));
  }
  for (int attempt = 1; !batches.empty(); ++attempt) {
    const auto results = store_.apply_all(batches);
    std::vector<Batch> again;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i]) continue;
      if (results[i].error().code == ErrorCode::unavailable && attempt < kMostWriteAttempts) {
        again.push_back(std::move(batches[i]));
        continue;
      }
      const std::lock_guard lock(mutex_);
      left_out_ += std::get<AppendEvents>(batches[i].writes.front()).events.size();
    }
    batches = std::move(again);
    if (!batches.empty()) std::this_thread::sleep_for(kPauseBeforeWriting);
  }
}

void EventWriter::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && !is_writing_; });
}

std::uint64_t EventWriter::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

}  // namespace wright::runtime
