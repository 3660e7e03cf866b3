// The sandbox runs commands to their end and gives them nothing to read. So the program gets its
// input from a named pipe in a private folder, which a shell opens for it; what it writes comes in
// pieces as it does for any command. Its end, its limits and its children are the sandbox's
// business.
#include "mcp_client/stdio_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/text.h"
#include "core/try.h"
#include "mcp_client/named_pipe.h"

namespace wright::mcp_client {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeToEnd{2'000};  // after its input was closed
constexpr std::size_t kKeptComplaint = 2'000;
constexpr std::size_t kMostUnread = 64 << 20;  // of what we write
constexpr int kLookMs = 100;

class StdioChannel : public Channel {
 public:
  StdioChannel(Sandbox sandbox, NamedPipe pipe, std::shared_ptr<ChannelListener> listener)
      : sandbox_(std::move(sandbox)), pipe_(std::move(pipe)), listener_(std::move(listener)) {}

  ~StdioChannel() override {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
      changed_.notify_all();
    }
    if (writer_.joinable()) writer_.join();
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kTimeToEnd, [this] { return is_over_; });
    }
    stop_.request_stop();
    if (runner_.joinable()) runner_.join();
  }

  void start(const ServerProgram& program) {
    Command command;
    command.working_directory = program.working_directory;
    command.environment = program.environment;
    command.arguments = {"/bin/sh", "-c", R"(exec "$@" <"$0")", pipe_.path()};
    command.arguments.insert(command.arguments.end(), program.command.begin(),
                             program.command.end());
    runner_ = std::thread([this, command = std::move(command)] { run(command); });
    writer_ = std::thread([this] { write_on(); });
  }

  Result<void> send(const mcp::SendFrame& frame) override {
    const std::lock_guard lock(mutex_);
    if (is_over_) return fail(ErrorCode::unavailable, "The server has ended");
    if (unread_ + frame.line.size() > kMostUnread) {
      return fail(ErrorCode::overloaded, "The server does not read what it is sent");
    }
    std::string line = frame.line + "\n";
    // Most fit into the pipe at once, and need no other thread.
    if (lines_.empty()) {
      const ssize_t count = ::write(pipe_.descriptor(), line.data(), line.size());
      if (count > 0) line.erase(0, static_cast<std::size_t>(count));
      if (line.empty()) return {};
    }
    unread_ += line.size();
    lines_.push_back(std::move(line));
    changed_.notify_all();
    return {};
  }

 private:
  void run(const Command& command) {
    CommandOptions options;
    options.timeout = std::chrono::hours(24 * 365);
    options.stop = stop_.get_token();
    options.kept_bytes = 1024;
    options.on_output = [this](OutputStream stream, std::string_view piece) {
      take(stream, piece);
    };
    const auto ended = sandbox_.run(command, options);
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      changed_.notify_all();
    }
    std::string why = is_too_long_ ? fmt::format("the server wrote a line of more than {} MB",
                                                 mcp::FrameReader::kLongestFrame >> 20)
                      : ended ? fmt::format("the server ended with exit code {}", ended->exit_code)
                              : ended.error().message;
    const std::string said = to_valid_utf8(std::string(trimmed(complaint_)));
    if (!said.empty()) why += fmt::format(". It said: {}", said);
    const ErrorCode code = is_too_long_ ? ErrorCode::limit_reached
                           : ended      ? ErrorCode::unavailable
                                        : ended.error().code;
    listener_->on_lost({code, std::move(why)});
  }

  void take(OutputStream stream, std::string_view piece) {
    if (stream == OutputStream::error) {
      complaint_ += piece;
      if (complaint_.size() > kKeptComplaint) {
        complaint_.erase(0, complaint_.size() - kKeptComplaint);
      }
      return;
    }
    // Nothing tells whose answer a line was that is too long to be kept. None of those that wait
    // can be sure of theirs, so all of them are told.
    frames_.feed(
        piece, [this](std::string_view line) { listener_->on_line(0, line); },
        [this] {
          is_too_long_ = true;
          stop_.request_stop();
        });
  }

  // Writes what did not fit into the pipe at once. Closes it at the end.
  void write_on() {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      changed_.wait(lock, [this] { return is_over_ || is_closing_ || !lines_.empty(); });
      if (is_over_ || is_closing_) break;
      std::string line = std::move(lines_.front());  // stays in the queue, so that others wait
      lock.unlock();
      const ssize_t count = ::write(pipe_.descriptor(), line.data(), line.size());
      if (count < 0 && errno == EAGAIN) {
        pollfd waiting{pipe_.descriptor(), POLLOUT, 0};
        (void)::poll(&waiting, 1, kLookMs);
      }
      lock.lock();
      const auto written = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
      unread_ -= written;
      line.erase(0, written);
      if (line.empty()) {
        lines_.pop_front();
      } else {
        lines_.front() = std::move(line);
      }
    }
    pipe_.close();
  }

  const Sandbox sandbox_;
  NamedPipe pipe_;
  const std::shared_ptr<ChannelListener> listener_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;  // not written yet
  std::size_t unread_ = 0;         // their bytes
  bool is_closing_ = false;
  bool is_over_ = false;
  std::stop_source stop_;
  mcp::FrameReader frames_;
  bool is_too_long_ = false;  // a line; of the runner's thread, as the next
  std::string complaint_;     // the last that it wrote to its standard error
  std::thread runner_;
  std::thread writer_;
};

}  // namespace

Result<std::unique_ptr<Channel>> start_program(const ServerProgram& program,
                                               std::shared_ptr<ChannelListener> listener) {
  if (program.command.empty()) {
    return fail(ErrorCode::invalid_argument, "there is no program to start");
  }
  auto pipe = TRY(NamedPipe::make(program.policy.temporary_root));
  SandboxPolicy policy = program.policy;
  policy.read_paths.emplace_back(pipe.folder());
  auto sandbox = TRY(Sandbox::prepare(std::move(policy)));
  auto channel =
      std::make_unique<StdioChannel>(std::move(sandbox), std::move(pipe), std::move(listener));
  channel->start(program);
  return std::unique_ptr<Channel>(std::move(channel));
}

}  // namespace wright::mcp_client
