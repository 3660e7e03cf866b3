// One run in a prepared sandbox: start it, read its output, wait until it ends or its time is up,
// and leave nothing behind.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "core/try.h"
#include "sandbox/mounted_apart.h"
#include "sandbox/output_capture.h"
#include "sandbox/sandbox_state.h"
#include "wright/json.h"

namespace wright {
namespace {

using Clock = std::chrono::steady_clock;
using sandbox::OutputCapture;

constexpr int kTimeoutExit = 124;
constexpr int kStoppedExit = 130;
constexpr std::chrono::milliseconds kPatience{10'000};
constexpr int kMostStarts = 20;
constexpr std::string_view kDefaultPath =
    "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

std::unexpected<Error> system_failure(std::string_view doing, int problem) {
  return fail(ErrorCode::unavailable,
              fmt::format("Cannot {}: {}", doing, std::generic_category().message(problem)));
}

// The child puts its streams on 0 to 2, so nothing it needs may be there already.
FileDescriptor above_streams(int number) {
  FileDescriptor given(number);
  if (number < 0 || number > 2) return given;
  return FileDescriptor(::fcntl(number, F_DUPFD_CLOEXEC, 3));
}

struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;

  static Result<Pipe> make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("make a pipe", errno);
    Pipe made{above_streams(ends[0]), above_streams(ends[1])};
    const int flags = ::fcntl(made.reading.get(), F_GETFL);
    if (flags < 0 || ::fcntl(made.reading.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
      return system_failure("make a pipe", errno);
    }
    return made;
  }
};

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

// Whether a path leads to a program, seen from where commands run.
bool is_program(const std::string& path, const Sandbox::State& state) {
  if (!state.namespaces) return ::access(path.c_str(), X_OK) == 0;
  const FileDescriptor found = state.namespaces->find(path);
  // By its descriptor, since from here it may be elsewhere or invisible.
  return found.is_open() &&
         ::access(fmt::format("/proc/self/fd/{}", found.get()).c_str(), X_OK) == 0;
}

Result<std::string> find_program(const std::string& name, const std::string& search_path,
                                 const Sandbox::State& state) {
  if (name.find('/') != std::string::npos) return name;
  std::string_view rest = search_path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view folder = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    // A relative folder would find whatever is in the folder where the program runs.
    if (!folder.starts_with('/')) continue;
    std::string path = fmt::format("{}/{}", folder, name);
    if (is_program(path, state)) return path;
  }
  return fail(ErrorCode::not_found, fmt::format("There is no program '{}' in PATH", name));
}

Result<void> check(const Command& command, const Variables& environment) {
  if (command.arguments.empty() || command.arguments.front().empty()) {
    return fail(ErrorCode::invalid_argument, "There is no program to run");
  }
  bool is_text = !has_nul(command.working_directory.native());
  for (const std::string& argument : command.arguments) is_text = is_text && !has_nul(argument);
  for (const auto& [name, value] : environment) {
    is_text = is_text && !has_nul(name) && !has_nul(value) && name.find('=') == std::string::npos;
  }
  if (!is_text) {
    return fail(ErrorCode::invalid_argument,
                "A NUL byte cannot be part of a command, its folder or its environment");
  }
  return {};
}

// The watching process; a new one if somebody has killed it.
Result<std::shared_ptr<const sandbox::ParentWatch>> watch_of(Sandbox::State& state) {
  const std::lock_guard lock(state.watch_mutex);
  if (state.watch == nullptr || state.watch->is_alive()) return state.watch;
  auto again = sandbox::ParentWatch::start(state.folder.path());
  if (!again) {
    return fail(ErrorCode::unavailable,
                fmt::format("Nothing would end the command if this program is killed: {}",
                            again.error().message));
  }
  state.watch = std::make_shared<const sandbox::ParentWatch>(std::move(*again));
  return state.watch;
}

// What keeps a command from what is protected or unreadable. The placeholders prevent things from
// being created.
struct Guard {
  std::vector<sandbox::Placeholder> placeholders = {};
  std::unique_ptr<sandbox::ReplacementWatch::Run> replacements = {};  // may be null
};

// Also tells the request what to mount.
Result<Guard> guard_for(Sandbox::State& state, const sandbox::ParentWatch* watch,
                        sandbox::SpawnRequest& request) {
  Guard guard;
  if (!state.guarded) return guard;
  auto found = TRY(state.guarded->look());
  if (state.guards_all && !found.is_complete()) {
    return fail(
        ErrorCode::unavailable,
        fmt::format("There is too much now to find all that is protected or unreadable: {}. "
                    "Nothing runs before that is changed",
                    to_valid_utf8(found.too_much)));
  }
  if (watch != nullptr) {
    for (const auto& placeholder : found.placeholders) watch->remove_later(placeholder.path());
  }
  if (state.replacements) guard.replacements = TRY(state.replacements->watch(found.mounts));
  guard.placeholders = std::move(found.placeholders);
  if (state.has_mounts_apart) {
    const auto tops = state.tops();
    found.mounts = sandbox::as_seen_inside(std::move(found.mounts), tops, *state.namespaces);
  }
  request.guarded = std::move(found.mounts);
  // Where not everything can be found, nothing is promised.
  using Moved = sandbox::SpawnRequest::Moved;
  request.moved = state.guards_all ? Moved::refused : Moved::passed_over;
  return guard;
}

// Wakes a poll() when a stop is requested.
class StopSignal {
 public:
  explicit StopSignal(std::stop_token stop)
      : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        callback_(std::move(stop), Wake{event_.get()}) {}

  int descriptor() const { return event_.get(); }

 private:
  struct Wake {
    int event;
    void operator()() const {
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = ::write(event, &one, sizeof one);
    }
  };
  FileDescriptor event_;
  std::stop_callback<Wake> callback_;
};

// Follows one process to its end.
class ProcessWatch {
 public:
  ProcessWatch(sandbox::SpawnedProcess process, const sandbox::RunGroup* group,
               const sandbox::ParentWatch* parent_watch,
               sandbox::ReplacementWatch::Run* replacements, FileDescriptor output,
               FileDescriptor error, const CommandOptions& options)
      : process_(std::move(process)),
        group_(group),
        parent_watch_(parent_watch),
        replacements_(replacements),
        options_(options),
        streams_{Stream{std::move(output), OutputCapture(options.kept_bytes), OutputStream::output},
                 Stream{std::move(error), OutputCapture(options.kept_bytes), OutputStream::error}} {
  }

  Result<FinishedCommand> finish() {
    const auto began = Clock::now();
    const auto deadline = began + options_.timeout;
    const StopSignal stop(options_.stop);
    if (replacements_ != nullptr) {
      replacements_->kill_if_replaced(process_.descriptor.get());
    }
    while (!has_ended_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      if (!is_ending_ && options_.stop.stop_requested()) {
        finished_.is_stopped = true;
        end();
      } else if (!is_ending_ && left.count() <= 0) {
        finished_.is_timed_out = true;
        end();
      }
      if (is_ending_ && Clock::now() > ended_at_ + kPatience) return not_ended();
      wait_for_something(stop, clamped(is_ending_ ? kPatience : left));
    }
    // The first process of a PID namespace ends after everything else in it.
    if (group_ != nullptr && !group_->end_all(process_.id)) return not_ended();
    for (Stream& stream : streams_) {
      while (read_from(stream)) {
      }
    }
    finished_.exit_code = exit_code();
    if (replacements_ != nullptr) {
      if (const auto path = replacements_->replaced_in_the_end()) return ended_for(*path);
    }
    finished_.duration = Clock::now() - began;
    finished_.output = std::move(streams_[0].capture).finish();
    finished_.error = std::move(streams_[1].capture).finish();
    return std::move(finished_);
  }

 private:
  struct Stream {
    FileDescriptor pipe;
    OutputCapture capture;
    OutputStream name;
  };

  // A process that hangs in the kernel cannot be killed, only abandoned.
  std::unexpected<Error> not_ended() {
    if (replacements_ != nullptr) replacements_->forget();
    return fail(ErrorCode::internal, "Some processes of the command could not be ended");
  }

  // What it printed may have come from there.
  static std::unexpected<Error> ended_for(const std::string& path) {
    return fail(ErrorCode::tool_failed,
                fmt::format("The command was ended: somebody replaced, moved or removed '{}' while "
                            "it ran, and it must not read or change what is there. What it had "
                            "done by then is done; it can be run again",
                            to_valid_utf8(path)));
  }

  static int clamped(std::chrono::milliseconds left) {
    return static_cast<int>(std::min<std::int64_t>(left.count(), INT_MAX));
  }

  void end() {
    is_ending_ = true;
    ended_at_ = Clock::now();
    sandbox::RunGroup::end_leader(process_.id);
  }

  void wait_for_something(const StopSignal& stop, int milliseconds) {
    std::array<pollfd, 4> watched{pollfd{process_.descriptor.get(), POLLIN, 0},
                                  pollfd{streams_[0].pipe.get(), POLLIN, 0},
                                  pollfd{streams_[1].pipe.get(), POLLIN, 0},
                                  pollfd{is_ending_ ? -1 : stop.descriptor(), POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), milliseconds) <= 0) return;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (watched[i + 1].revents != 0) read_from(streams_[i]);
    }
    if (watched[0].revents != 0) has_ended_ = true;
  }

  // One piece. False when there is none, now or ever.
  bool read_from(Stream& stream) {
    if (!stream.pipe.is_open()) return false;
    std::array<char, 64 * 1024> buffer;
    ssize_t count = -1;
    do {
      count = ::read(stream.pipe.get(), buffer.data(), buffer.size());
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
      if (count == 0 || errno != EAGAIN) stream.pipe = FileDescriptor();
      return false;
    }
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(count));
    if (replacements_ != nullptr && replacements_->replaced()) return true;
    stream.capture.add(piece);
    if (options_.on_output) options_.on_output(stream.name, piece);
    return true;
  }

  // Reaps the process, which has ended: until now its number could not be reused.
  int exit_code() const {
    if (parent_watch_ != nullptr) parent_watch_->forget(process_.id);
    if (replacements_ != nullptr) replacements_->forget();
    siginfo_t ended{};
    const int result = ::waitid(P_PID, static_cast<id_t>(process_.id), &ended, WEXITED | __WALL);
    if (finished_.is_timed_out) return kTimeoutExit;
    if (finished_.is_stopped) return kStoppedExit;
    if (result != 0) return -1;  // the host program waits for children that are not its own
    return ended.si_code == CLD_EXITED ? ended.si_status : 128 + ended.si_status;
  }

  sandbox::SpawnedProcess process_;
  const sandbox::RunGroup* group_;  // null where no process can be left over
  const sandbox::ParentWatch* parent_watch_;
  sandbox::ReplacementWatch::Run* replacements_;  // null where nothing is watched
  const CommandOptions& options_;
  std::array<Stream, 2> streams_;
  FinishedCommand finished_;
  bool is_ending_ = false;
  Clock::time_point ended_at_ = {};
  bool has_ended_ = false;
};

}  // namespace

Result<Command> shell_command(std::string line, std::filesystem::path working_directory) {
  for (const char* shell : {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"}) {
    if (::access(shell, X_OK) != 0) continue;
    return Command{
        {shell, "--noprofile", "--norc", "-c", std::move(line)}, std::move(working_directory), {}};
  }
  return fail(ErrorCode::unsupported, "There is no bash on this machine to run commands with");
}

Result<FinishedCommand> Sandbox::run(const Command& command, const CommandOptions& options) const {
  Variables environment = state_->policy.environment;
  environment.emplace("PATH", kDefaultPath);
  environment.insert_or_assign("HOME", state_->folder.home().string());
  environment.insert_or_assign("TMPDIR", state_->folder.temporary().string());
  for (const auto& [name, value] : command.environment) environment.insert_or_assign(name, value);
  TRY(check(command, environment));
  auto program = TRY(find_program(command.arguments.front(), environment.at("PATH"), *state_));
  auto output = TRY(Pipe::make());
  auto error = TRY(Pipe::make());
  const FileDescriptor nothing = above_streams(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.is_open()) return system_failure("open /dev/null", errno);
  const auto group = TRY(sandbox::RunGroup::make(state_->cgroups, state_->policy.limits.processes));
  const auto watch = TRY(watch_of(*state_));
  sandbox::SpawnRequest request{.program = std::move(program),
                                .arguments = command.arguments,
                                .environment = {},
                                .working_directory = command.working_directory.string(),
                                .input = nothing.get(),
                                .output = output.writing.get(),
                                .error = error.writing.get(),
                                .process_group_file = group.joining_file(),
                                .cgroup = group.cgroup(),
                                .watch = watch.get()};
  for (const auto& [name, value] : environment) request.environment.push_back(name + "=" + value);
  // Kept until the end of the run.
  Guard guard = TRY(guard_for(*state_, watch.get(), request));
  if (options.before_start) TRY(options.before_start());
  auto process = sandbox::spawn(request, state_->confinement);
  for (int starts = 1; !process && sandbox::has_moved(process.error()); ++starts) {
    if (starts == kMostStarts) {
      return fail(ErrorCode::unavailable,
                  "Cannot start the command: what is protected or unreadable is moved before it "
                  "can be guarded, again and again");
    }
    state_->has_mounts_apart = true;
    guard = TRY(guard_for(*state_, watch.get(), request));
    process = sandbox::spawn(request, state_->confinement);
  }
  if (!process) {
    const bool is_missing = process.error().problem == ENOENT;
    return fail(is_missing ? ErrorCode::not_found : ErrorCode::unavailable,
                sandbox::to_text(process.error()));
  }
  // From now on only the child holds these, so that they close when it ends.
  output.writing = FileDescriptor();
  error.writing = FileDescriptor();
  return ProcessWatch(std::move(*process), state_->namespaces ? nullptr : &group, request.watch,
                      guard.replacements.get(), std::move(output.reading), std::move(error.reading),
                      options)
      .finish();
}

}  // namespace wright
