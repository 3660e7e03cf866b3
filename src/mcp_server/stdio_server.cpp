#include "mcp_server/stdio_server.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
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
    start_reader();
    watch_readers();
    std::unique_lock lock(mutex_);
    const auto all_done = [this] { return threads_ == 0; };
    ended_.wait_for(lock, options_.patience, all_done);
    for (auto& [id, stop] : working_) stop.request_stop();
    ended_.wait_for(lock, options_.grace, all_done);
  }

 private:
  // --- who reads -----------------------------------------------------------------------------

  void start_reader() {
    const std::lock_guard lock(mutex_);
    if (threads_ >= options_.most_calls) return;
    ++threads_;
    ++reader_;
    busy_since_ = 0;
    std::thread([self = shared_from_this(), turn = reader_] { self->read_on(turn); }).detach();
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
      if (busy != 0 && now.time_since_epoch() - Clock::duration(busy) > kMoment) {
        lock.unlock();
        start_reader();
        lock.lock();
      }
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
    const std::lock_guard lock(mutex_);
    --threads_;
    ended_.notify_all();
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

  void start_thread(mcp::Work work) {
    {
      const std::lock_guard lock(mutex_);
      ++threads_;
    }
    std::thread([self = shared_from_this(), work = std::move(work)] {
      self->perform(self->work_on(work));
      const std::lock_guard lock(self->mutex_);
      --self->threads_;
      self->ended_.notify_all();
    }).detach();
  }

  mcp::ServerActions work_on(const mcp::Work& work) {
    WorkControls controls;
    if (!host_->is_quick(work)) {
      const std::lock_guard lock(mutex_);
      controls.stop = working_[work.id].get_token();
    }
    if (work.wants_progress) {
      controls.progress = [this, id = work.id](const mcp::Progress& progress) {
        mcp::ServerActions actions;
        {
          const std::lock_guard lock(mutex_);
          actions = machine_.report(id, progress);
        }
        for (const mcp::ServerAction& action : actions) {
          write(std::get<mcp::SendLine>(action).line + "\n");
        }
      };
    }
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
