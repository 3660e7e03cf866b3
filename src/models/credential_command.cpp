#include "models/credential_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "core/file_descriptor.h"
#include "core/try.h"

namespace wright::models {
namespace {

constexpr std::size_t kMostPrinted = 64 << 10;

// Kept alive by the loop, which holds it in its callbacks.
class CommandRun : public std::enable_shared_from_this<CommandRun> {
 public:
  CommandRun(net::EventLoop& loop, std::function<void(Result<StepAnswer>)> done)
      : loop_(loop), done_(std::move(done)) {}
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;
  ~CommandRun() { kill_group(); }

  Result<void> start(const CommandLine& command, std::chrono::milliseconds longest) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("pipe", errno);
    output_ = FileDescriptor(ends[0]);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);  // this end only: the command's own must block
    const FileDescriptor written(ends[1]);
    TRY(spawn(command, written.get()));
    exit_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
    if (exit_.get() < 0) return failed("pidfd_open", errno);
    const auto self = shared_from_this();
    loop_.watch(output_.get(), EPOLLIN, [self](std::uint32_t) { self->read(); });
    loop_.watch(exit_.get(), EPOLLIN, [self](std::uint32_t) { self->end(); });
    timer_ = loop_.run_at(net::EventLoop::Clock::now() + longest, [self, longest] {
      self->give_up(fmt::format("it took longer than {} s",
                                std::chrono::ceil<std::chrono::seconds>(longest).count()));
    });
    return {};
  }

 private:
  static std::unexpected<Error> failed(std::string_view what, int problem) {
    return fail(ErrorCode::authentication, fmt::format("{}: {}", what, std::strerror(problem)));
  }

  Result<void> spawn(const CommandLine& command, int output) {
    std::vector<char*> words;
    for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
    if (words.empty()) return fail(ErrorCode::invalid_argument, "it is empty");
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    // What it complains about may quote a secret; a person sees it by running the command.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) {
      sigaddset(&usual, signal);
    }
    posix_spawnattr_setsigmask(&attributes, &none);  // the loop's thread blocks all signals
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int problem =
        posix_spawnp(&process_, words.front(), &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (problem == 0) return {};
    process_ = -1;
    return failed(command.words.front(), problem);
  }

  void read() {
    std::array<char, 4096> buffer{};
    while (true) {
      const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count == 0) loop_.forget(output_.get());
      if (count <= 0) return;
      printed_.append(buffer.data(), static_cast<std::size_t>(count));
      if (printed_.size() > kMostPrinted) {
        give_up(fmt::format("it printed more than {} bytes", kMostPrinted));
        return;
      }
    }
  }

  void end() {
    read();  // what is left in the pipe
    if (!done_) return;
    int status = 0;
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == 0) return;
    process_ = -1;
    if (ended > 0 && WIFSIGNALED(status)) {
      finish(fail(ErrorCode::authentication,
                  fmt::format("it was ended by signal {}", WTERMSIG(status))));
      return;
    }
    finish(StepAnswer{.status = ended > 0 ? WEXITSTATUS(status) : 0, .body = std::move(printed_)});
  }

  void give_up(std::string why) {
    kill_group();
    finish(fail(ErrorCode::authentication, std::move(why)));
  }

  void kill_group() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  void finish(Result<StepAnswer> answer) {
    if (!done_) return;
    const auto self = shared_from_this();  // the loop lets go of it here
    loop_.cancel(timer_);
    loop_.forget(output_.get());
    loop_.forget(exit_.get());
    const auto done = std::exchange(done_, {});
    done(std::move(answer));
  }

  net::EventLoop& loop_;
  std::function<void(Result<StepAnswer>)> done_;
  FileDescriptor output_;
  FileDescriptor exit_;
  pid_t process_ = -1;
  std::string printed_;
  net::EventLoop::Timer timer_;
};

}  // namespace

void run_credential_command(net::EventLoop& loop, const CommandLine& command,
                            std::chrono::milliseconds longest,
                            std::function<void(Result<StepAnswer>)> done) {
  const auto run = std::make_shared<CommandRun>(loop, done);
  if (auto started = run->start(command, longest); !started) {
    loop.post([done = std::move(done), error = std::move(started).error()]() mutable {
      done(std::unexpected(std::move(error)));
    });
  }
}

}  // namespace wright::models
