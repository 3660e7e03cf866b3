#include "telemetry/exporter.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/no_signals.h"

namespace wright::telemetry {
namespace {

using ExportClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Whatever the number of spans: some have long texts.
constexpr std::size_t kMostWaitingBytes = std::size_t{32} << 20;
constexpr std::size_t kMostBytesAtOnce = std::size_t{4} << 20;
constexpr milliseconds kFirstPause{1'000};
constexpr milliseconds kLongestPause{30'000};
constexpr milliseconds kUrgentPause{200};

bool may_be_tried_again(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

}  // namespace

Exporter::Exporter(const TelemetrySettings& settings, SendRequest send)
    : settings_(settings), send_(std::move(send)) {
  const NoSignals none;
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Exporter::~Exporter() = default;

void Exporter::add(Span span) {
  const std::size_t bytes = bytes_of(span);
  bool is_enough = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= settings_.most_waiting || bytes_ + bytes > kMostWaitingBytes) {
      ++figures_.lost;
      return;
    }
    waiting_.push_back(std::move(span));
    bytes_ += bytes;
    is_enough = waiting_.size() == settings_.most_at_once;
  }
  if (is_enough) changed_.notify_all();
}

void Exporter::flush(milliseconds time) {
  std::unique_lock lock(mutex_);
  is_urgent_ = true;
  urgent_until_ = ExportClock::now() + time;
  changed_.notify_all();
  changed_.wait_for(lock, time, [&] { return waiting_.empty() && !is_busy_; });
}

ExporterFigures Exporter::figures() const {
  const std::lock_guard lock(mutex_);
  ExporterFigures figures = figures_;
  figures.waiting = waiting_.size();
  return figures;
}

// With the mutex held.
std::vector<Span> Exporter::take() {
  std::vector<Span> spans;
  std::size_t bytes = 0;
  while (!waiting_.empty() && spans.size() < settings_.most_at_once) {
    const std::size_t next = bytes_of(waiting_.front());
    if (!spans.empty() && bytes + next > kMostBytesAtOnce) break;
    bytes += next;
    spans.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  bytes_ -= bytes;
  return spans;
}

void Exporter::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, settings_.delay, [&] {
      return waiting_.size() >= settings_.most_at_once || (is_urgent_ && !waiting_.empty());
    });
    if (waiting_.empty()) {
      is_urgent_ = false;
      changed_.notify_all();
      continue;
    }
    const std::vector<Span> spans = take();
    is_busy_ = true;
    lock.unlock();
    const bool is_taken = send_all(spans, stop);
    lock.lock();
    is_busy_ = false;
    (is_taken ? figures_.sent : figures_.lost) += spans.size();
    changed_.notify_all();
  }
}

// Before the next attempt; absent where another would not help.
std::optional<milliseconds> Exporter::pause_after(const Result<HttpResponseHead>& head,
                                                  int attempt) const {
  // A connection that was lost may come back; what cannot be sent at all will not.
  if (!head) {
    const ErrorCode code = head.error().code;
    if (code != ErrorCode::network && code != ErrorCode::timeout) return std::nullopt;
  } else if (!may_be_tried_again(head->status)) {
    return std::nullopt;
  }
  milliseconds pause = std::min(kFirstPause * (1 << std::min(attempt, 5)), kLongestPause);
  if (head) {
    const std::string_view asked = find_header(head->headers, "Retry-After");
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), seconds);
    if (error == std::errc() && end == asked.data() + asked.size() && seconds >= 0) {
      pause = milliseconds(1'000 * std::min<std::int64_t>(seconds, 3'600));
    }
  }
  return pause;
}

bool Exporter::send_all(const std::vector<Span>& spans, const std::stop_token& stop) {
  const auto until = ExportClock::now() + settings_.export_timeout;
  HttpRequest request{.url = settings_.url,
                      .headers = settings_.headers,
                      .body = encode(settings_.encoding, settings_.resource, spans)};
  request.headers.push_back({"Content-Type", std::string(content_type_of(settings_.encoding))});
  const HttpTimeouts timeouts{.connect = settings_.timeout,
                              .first_byte = settings_.timeout,
                              .idle = settings_.timeout,
                              .total = settings_.timeout};
  for (int attempt = 0; !stop.stop_requested(); ++attempt) {
    const auto head = send_(request, timeouts, stop);
    if (head && head->status >= 200 && head->status < 300) return true;
    const auto pause = pause_after(head, attempt);
    if (!pause || !wait_for_next(head, *pause, until, stop)) return false;
  }
  return false;
}

// A process that ends does not wait for a collector that is away, and only as long as it was told
// to for one that is busy.
bool Exporter::wait_for_next(const Result<HttpResponseHead>& head, milliseconds pause,
                             ExportClock::time_point until, const std::stop_token& stop) {
  const auto due = ExportClock::now() + pause;
  if (due >= until) return false;
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, stop, due, [&] { return is_urgent_; });
  if (!is_urgent_) return true;
  const auto sooner = std::min(due, ExportClock::now() + kUrgentPause);
  if (!head || sooner >= urgent_until_) return false;
  changed_.wait_until(lock, stop, sooner, [] { return false; });
  return true;
}

}  // namespace wright::telemetry
