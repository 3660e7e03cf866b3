#include "mcp_server/stdio_server.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "mcp/content.h"

namespace wright::mcp_server {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kMoment{2};       // after which another thread reads on
constexpr milliseconds kQuietTime{100};  // after which nobody watches any more

std::int64_t now_ms() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class StdioServer : public std::enable_shared_from_this<StdioServer> {
 public:
  StdioServer(std::shared_ptr<const Host> host, const StdioOptions& options)
      : host_(std::move(host)),
        options_(options),
        machine_(
            std::make_shared<mcp::ServerOffer>(host_->offer(options.self, options.state_key))) {}

  void serve() {
    {
      const std::lock_guard lock(mutex_);
      start_reader();
    }
    watch_readers();
    std::unique_lock lock(mutex_);
    const auto all_done = [this] { return threads_ == 0; };
    ended_.wait_for(lock, options_.patience, all_done);
    waiting_.clear();
    for (auto& [id, stop] : working_) stop.request_stop();
    ended_.wait_for(lock, options_.grace, all_done);
  }

 private:
  // --- who reads -----------------------------------------------------------------------------

  // With the lock held, since whoever decides it: the reader before must not find that it is still
  // its turn. The new one waits for the lock.
  void start_reader() {
    if (!start([self = shared_from_this(), turn = reader_ + 1] { self->read_on(turn); })) return;
    ++reader_;
    busy_since_ = 0;
  }

  bool is_reader(std::uint64_t turn) {
    const std::lock_guard lock(mutex_);
    return reader_ == turn && !has_ended_;
  }

  // Looks every moment whether the reader does something else for too long. Sleeps while nothing
  // happens.
  void watch_readers() {
    std::unique_lock lock(mutex_);
    Clock::time_point quiet_since = Clock::now();
    std::uint64_t seen = 0;
    while (!has_ended_) {
      const auto now = Clock::now();
      if (calls_ != seen || busy_since_ != 0) {
        seen = calls_;
        quiet_since = now;
      }
      if (now - quiet_since > kQuietTime) {
        is_watching_ = false;
        changed_.wait(lock, [&] { return has_ended_ || busy_since_ != 0; });
        is_watching_ = true;
        quiet_since = Clock::now();
        continue;
      }
      const std::int64_t busy = busy_since_;
      if (busy != 0 && now.time_since_epoch() - Clock::duration(busy) > kMoment) start_reader();
      changed_.wait_for(lock, kMoment);
    }
  }

  // --- reading -------------------------------------------------------------------------------

  void read_on(std::uint64_t turn) {
    try {
      while (is_reader(turn)) {
        if (lines_.empty() && !fill_lines()) {
          end();
          break;
        }
        if (lines_.empty()) continue;
        mcp::Frame frame = std::move(lines_.front());
        lines_.pop_front();
        handle(turn, std::move(frame));
      }
    } catch (const std::exception&) {
      end();  // out of memory: nothing can be promised any more
    }
    end_thread();
  }

  // False when there is no more to come.
  bool fill_lines() {
    std::array<char, 64 * 1024> buffer;
    const ssize_t count = ::read(options_.input, buffer.data(), buffer.size());
    if (count < 0) return errno == EINTR;
    if (count == 0) return false;
    reader_bytes_.feed(
        std::string_view(buffer.data(), static_cast<std::size_t>(count)),
        [this](std::string_view line) { lines_.push_back(mcp::read_frame(line)); },
        [this] { lines_.push_back({{mcp::too_long()}}); });
    return true;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }

  // --- doing ---------------------------------------------------------------------------------

  void handle(std::uint64_t turn, mcp::Frame frame) {
    mcp::ServerActions actions;
    bool wakes = false;
    {
      const std::lock_guard lock(mutex_);
      actions = machine_.receive(now_ms(), std::move(frame));
      ++calls_;
      busy_since_ = Clock::now().time_since_epoch().count();
      wakes = !is_watching_;
    }
    if (wakes) changed_.notify_all();
    perform(std::move(actions));
    while (auto work = next_waiting()) perform(work_on(*work));
    const std::lock_guard lock(mutex_);
    if (reader_ == turn) busy_since_ = 0;
  }

  void perform(mcp::ServerActions actions) {
    while (!actions.empty()) {
      std::string lines;
      std::deque<mcp::Work> begun;
      for (mcp::ServerAction& action : actions) {
        if (auto* line = std::get_if<mcp::SendLine>(&action)) {
          lines += line->line;
          lines += '\n';
        } else if (auto* begin = std::get_if<mcp::BeginWork>(&action)) {
          begun.push_back(std::move(begin->work));
        } else {
          stop(std::get<mcp::StopWork>(action).id);
        }
      }
      write(lines);
      actions.clear();
      // The first in this thread, others of a batch beside it.
      while (begun.size() > 1) {
        start_thread(std::move(begun.back()));
        begun.pop_back();
      }
      if (!begun.empty()) actions = work_on(begun.front());
    }
  }

  // What exceeds the threads that there may be waits for one of them.
  void start_thread(mcp::Work work) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    start([self = shared_from_this()] { self->end_thread(); });
  }

  // With the lock held. False when there are enough threads, or can be no more.
  bool start(std::function<void()> body) {
    if (threads_ >= options_.most_calls) return false;
    try {
      std::thread(std::move(body)).detach();
    } catch (const std::system_error&) {
      return false;
    }
    ++threads_;
    return true;
  }

  std::optional<mcp::Work> next_waiting() {
    const std::lock_guard lock(mutex_);
    return take_waiting();
  }
  std::optional<mcp::Work> take_waiting() {
    if (waiting_.empty()) return std::nullopt;
    mcp::Work work = std::move(waiting_.front());
    waiting_.pop_front();
    return work;
  }

  // Does what waits for a thread, then leaves.
  void end_thread() {
    std::unique_lock lock(mutex_);
    while (auto work = take_waiting()) {
      lock.unlock();
      perform(work_on(*work));
      lock.lock();
    }
    --threads_;
    ended_.notify_all();
  }

  mcp::ServerActions work_on(const mcp::Work& work) {
    WorkControls controls;
    if (!host_->is_quick(work)) {
      const std::lock_guard lock(mutex_);
      controls.stop = working_[work.id].get_token();
    }
    const auto tell = [this](auto make) {
      mcp::ServerActions actions;
      {
        const std::lock_guard lock(mutex_);
        actions = make();
      }
      for (const mcp::ServerAction& action : actions) {
        write(std::get<mcp::SendLine>(action).line + "\n");
      }
    };
    if (work.wants_progress) {
      controls.progress = [&, id = work.id](const mcp::Progress& progress) {
        tell([&] { return machine_.report(id, progress); });
      };
    }
    controls.notify = [&, id = work.id](std::string_view method, const JsonObject& params) {
      tell([&] { return machine_.notify(id, method, params); });
    };
    mcp::WorkOutcome outcome;
    try {
      outcome = host_->perform(work, controls);
    } catch (const std::exception& thrown) {
      outcome = mcp::Problem{mcp::code::kInternalError, thrown.what()};
    }
    const std::lock_guard lock(mutex_);
    working_.erase(work.id);
    return machine_.finish(now_ms(), work.id, std::move(outcome));
  }

  void stop(mcp::WorkId id) {
    std::stop_source source(std::nostopstate);
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(waiting_, [id](const mcp::Work& work) { return work.id == id; });
      const auto found = working_.find(id);
      if (found != working_.end()) source = found->second;
    }
    if (source.stop_possible()) source.request_stop();
  }

  // Whole lines, one after the other.
  void write(std::string_view lines) {
    const std::lock_guard lock(writing_);
    while (!lines.empty()) {
      const ssize_t count = ::write(options_.output, lines.data(), lines.size());
      if (count >= 0) {
        lines.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno == EAGAIN) {
        pollfd waiting{options_.output, POLLOUT, 0};
        (void)::poll(&waiting, 1, -1);
      } else if (errno != EINTR) {
        return end();  // nobody reads any more
      }
    }
  }

  const std::shared_ptr<const Host> host_;
  const StdioOptions options_;
  std::mutex mutex_;
  std::mutex writing_;
  std::condition_variable changed_;
  std::condition_variable ended_;
  mcp::ServerMachine machine_;
  std::map<mcp::WorkId, std::stop_source> working_;
  std::deque<mcp::Work> waiting_;  // for a thread
  std::size_t threads_ = 0;
  std::uint64_t reader_ = 0;  // whose turn it is to read
  std::uint64_t calls_ = 0;
  std::int64_t busy_since_ = 0;  // the reader does something else; 0: it reads
  bool is_watching_ = true;
  bool has_ended_ = false;
  // The reader's.
  mcp::FrameReader reader_bytes_;
  std::deque<mcp::Frame> lines_;
};

}  // namespace

void serve_stdio(const std::shared_ptr<const Host>& host, const StdioOptions& options) {
  std::make_shared<StdioServer>(host, options)->serve();
}

}  // namespace wright::mcp_server
