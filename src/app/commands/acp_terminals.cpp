#include "app/commands/acp_terminals.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <utility>

#include "acp/meta.h"
#include "app/commands/confined.h"
#include "core/try.h"
#include "core/unknown_outcome.h"
#include "wright/sandbox.h"

namespace wright::app {
namespace {

constexpr std::int64_t kMostOutput = std::int64_t{1} << 20;  // bytes that the editor keeps

struct SignalName {
  std::string_view name;
  int number;
};
constexpr std::array kSignalNames{SignalName{"SIGHUP", 1},  SignalName{"SIGINT", 2},
                                  SignalName{"SIGQUIT", 3}, SignalName{"SIGABRT", 6},
                                  SignalName{"SIGKILL", 9}, SignalName{"SIGTERM", 15}};

// The file that this process runs, for an editor to start it again. Refused where another one lies
// there now, or where a command could put one.
Result<std::filesystem::path> own_program(const SandboxPolicy& policy) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  struct stat running {};
  struct stat lying {};
  const bool is_same = !error && ::stat("/proc/self/exe", &running) == 0 &&
                       ::stat(program.c_str(), &lying) == 0 && running.st_dev == lying.st_dev &&
                       running.st_ino == lying.st_ino;
  if (!is_same) {
    return fail(ErrorCode::unavailable,
                "This program was replaced since it began: start it again, or leave acp.terminals "
                "off");
  }
  for (const auto& folder : policy.write_paths) {
    const auto below = program.lexically_relative(std::filesystem::weakly_canonical(folder, error));
    if (!below.empty() && *below.begin() != "..") {
      return fail(ErrorCode::permission_denied,
                  "This program lies where its commands may write, so an editor cannot be told to "
                  "start it: install it elsewhere, or leave acp.terminals off");
    }
  }
  return program;
}

// As a shell would say it.
int exit_code_of(const JsonObject& status) {
  const Json* code = status.if_contains("exitCode");
  if (code != nullptr && code->is_int64()) return static_cast<int>(code->get_int64());
  const std::string signal = mcp::text_in(status, "signal");
  for (const SignalName& each : kSignalNames) {
    if (each.name == signal || each.name.substr(3) == signal) return 128 + each.number;
  }
  return 128;
}

class EditorTerminal : public CommandPlace {
 public:
  EditorTerminal(AcpPeer& peer, std::shared_ptr<const AcpTerminals::Session> session,
                 std::string call, TraceContext trace)
      : peer_(peer),
        session_(std::move(session)),
        call_(std::move(call)),
        trace_(std::move(trace)) {}

  Result<FinishedCommand> run(const SandboxPolicy& policy, const Command& command,
                              const CommandOptions& options) override {
    const auto begun = std::chrono::steady_clock::now();
    const std::string terminal = TRY(create(policy, command, options));
    session_->show(call_, terminal);
    const auto ended = peer_.ask("terminal/wait_for_exit", of(terminal), options.stop);
    FinishedCommand finished;
    if (!ended) {
      TRY(given_up(terminal, options, ended.error()));
      finished.exit_code = 130;
      finished.is_stopped = true;
    } else {
      finished.exit_code = exit_code_of(*ended);
    }
    finished.output = printed(terminal, options, finished);
    peer_.tell("terminal/release", of(terminal));
    finished.duration = std::chrono::steady_clock::now() - begun;
    // See confined.h: it ends what takes too long by itself.
    constexpr int kTimedOut = 124;
    finished.is_timed_out = finished.exit_code == kTimedOut && finished.duration >= options.timeout;
    return finished;
  }

 private:
  JsonObject of(const std::string& terminal) const {
    return {{"sessionId", session_->id}, {"terminalId", terminal}};
  }

  Result<std::string> create(const SandboxPolicy& policy, const Command& command,
                             const CommandOptions& options) const {
    const auto confinement = TRY(confinement_text(policy, command, options.timeout));
    const auto program = TRY(own_program(policy));
    JsonArray arguments{std::string(kConfinedWord)};
    for (const std::string& each : command.arguments) arguments.emplace_back(each);
    JsonObject params{
        {"sessionId", session_->id},
        {"command", program.string()},
        {"args", std::move(arguments)},
        {"env", JsonArray{JsonObject{{"name", kConfinedVariable}, {"value", confinement}}}},
        {"cwd", command.working_directory.string()},
        {"outputByteLimit", kMostOutput}};
    acp::add_trace(params, trace_);
    if (options.before_start) {
      TRY(options.before_start());
    }
    // One that is opened after we have gone is closed again.
    const auto close = [&peer = peer_, session = session_->id](const JsonObject& late) {
      const JsonObject terminal{{"sessionId", session},
                                {"terminalId", mcp::text_in(late, "terminalId")}};
      peer.tell("terminal/kill", terminal);
      peer.tell("terminal/release", terminal);
    };
    const auto created = peer_.ask("terminal/create", params, options.stop, close);
    if (!created && created.error().code == ErrorCode::cancelled) {
      return std::unexpected(not_known("it was opening a terminal"));
    }
    if (!created) {
      return fail(ErrorCode::unavailable,
                  fmt::format("The editor has no terminal for it, and nothing was run: {}",
                              created.error().message));
    }
    std::string terminal = mcp::text_in(*created, "terminalId");
    if (!terminal.empty()) return terminal;
    return std::unexpected(not_known("it said of which terminal it is"));
  }

  // Nobody says how it ended. Fine when we wanted that, and the editor is there to end it.
  Result<void> given_up(const std::string& terminal, const CommandOptions& options,
                        const Error& why) const {
    peer_.tell("terminal/kill", of(terminal));
    if (options.stop.stop_requested() && !peer_.has_ended()) return {};
    peer_.tell("terminal/release", of(terminal));
    return std::unexpected(not_known(why.message));
  }

  static Error not_known(std::string_view why) {
    return unknown_outcome(
        ErrorCode::unavailable,
        fmt::format("The outcome of this command is not known: it was given to a terminal of the "
                    "editor, and the editor gave no answer ({}). It may have run or not, and it "
                    "was not repeated. Find out before you do it again.",
                    to_valid_utf8(std::string(why))));
  }

  CapturedOutput printed(const std::string& terminal, const CommandOptions& options,
                         const FinishedCommand& finished) const {
    if (finished.is_stopped) return {};
    const auto answer = peer_.ask("terminal/output", of(terminal), options.stop);
    std::string text = answer ? mcp::text_in(*answer, "output")
                              : fmt::format("[The editor did not say what it printed: {}]\n",
                                            answer.error().message);
    const Json* truncated = answer ? answer->if_contains("truncated") : nullptr;
    if (truncated != nullptr && truncated->is_bool() && truncated->get_bool()) {
      text.insert(0, "[The editor has kept the end of it only]\n");
    }
    if (options.on_output) options.on_output(OutputStream::output, text);
    const std::uint64_t total = text.size();
    if (text.size() <= options.kept_bytes) return {std::move(text), {}, total};
    const std::size_t half = options.kept_bytes / 2;
    return {text.substr(0, half), text.substr(text.size() - half), total};
  }

  AcpPeer& peer_;
  const std::shared_ptr<const AcpTerminals::Session> session_;
  const std::string call_;
  const TraceContext trace_;
};

}  // namespace

void AcpTerminals::offer(Agent& agent) const {
  agent.interceptors.emplace_back(
      [&peer = peer_, session = session_](const Invocation& invocation, const Context& context,
                                          const Next& next) -> Result<ToolReply> {
        if (!session->is_known(invocation.call.id)) return next(invocation, context);
        Context there = context;
        there.place =
            std::make_shared<EditorTerminal>(peer, session, invocation.call.id, context.trace);
        return next(invocation, there);
      });
}

}  // namespace wright::app
