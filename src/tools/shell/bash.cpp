// bash: runs a line of shell after the rules have judged every command in it, inside the sandbox.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include "core/call_preview.h"
#include "core/firm_bounds.h"
#include "core/permission_names.h"
#include "core/try.h"
#include "sandbox/trace_variables.h"
#include "tools/edit/change_journal.h"
#include "tools/edit/preview.h"
#include "tools/shell/command_output.h"
#include "tools/shell/command_progress.h"
#include "tools/workspace/workspace.h"
#include "wright/schema.h"
#include "wright/tools.h"

namespace wright::tools {

struct BashArguments {
  std::string command;
  std::optional<std::string> working_dir;
  std::int64_t timeout_secs = 120;
  std::optional<std::string> description;
};
WRIGHT_DESCRIBE(
    BashArguments, WRIGHT_FIELD(command, "The line of shell to run, for bash").min_length(1),
    WRIGHT_FIELD(working_dir, "Folder to run it in, relative to the base; the base when absent"),
    WRIGHT_FIELD(timeout_secs, "Seconds after which it is ended; it then exits with 124")
        .at_least(1)
        .at_most(3600)
        .with_default(),
    WRIGHT_FIELD(description, "What the command is for, in a few words, for people"))

namespace {

constexpr std::size_t kOutputShown = 36 * 1024;
constexpr std::size_t kErrorShown = 16 * 1024;
constexpr std::size_t kLargestKept = 16 * 1024 * 1024;
constexpr std::size_t kCommandShown = 4 * 1024;
constexpr std::chrono::seconds kLongest{3660};

double in_milliseconds(std::chrono::duration<double> duration) {
  return std::round(duration.count() * 1000) / 1000;
}

class Bash {
 public:
  Bash(BashOptions options, CommandRules rules, Workspace workspace)
      : options_(std::move(options)), rules_(std::move(rules)), workspace_(std::move(workspace)) {}

  Result<ToolReply> run(const BashArguments& arguments, const Context& context) {
    auto folder = TRY(working_folder(arguments.working_dir.value_or(".")));
    if (auto instead = unless_permitted(arguments, folder, context)) return std::move(*instead);
    const auto sandbox = TRY(prepared());
    auto command = TRY(shell_command(arguments.command, folder));
    add_to(command.environment, context.trace);
    Printed printed;
    CommandProgress progress(context.progress);
    const CommandOptions options = how(arguments, context, printed, progress);
    struct timespec begun {};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &begun);
    auto finished = context.place ? context.place->run(policy(), command, options)
                                  : sandbox->run(command, options);
    progress.finish();
    remove_journals_of_commands(options_.policy.write_paths, begun);
    if (!finished) return std::unexpected(std::move(finished).error());
    JsonObject result = result_of(arguments, folder, *finished);
    if (failed_at_protection(*finished)) note_protection(sandbox->report(), result);
    keep(result, "stdout_file", finished->output, kOutputShown, printed.output, context);
    keep(result, "stderr_file", finished->error, kErrorShown, printed.error, context);
    if (finished->is_stopped) {
      return fail(ErrorCode::cancelled,
                  "The command was stopped before it ended; what it had done by then is done: " +
                      to_text(result));
    }
    return Output{.value = std::move(result), .notes = gaps_in(sandbox->report())};
  }

  // Judges, and runs nothing.
  Json preview(const Json& json) const {
    const auto arguments = decode<BashArguments>(json);
    if (!arguments) return preview_problem(arguments.error());
    const CommandDecision decision = rules_.judge(arguments->command);
    JsonObject seen{{"commands", commands_of(decision)}};
    if (const auto folder = working_folder(arguments->working_dir.value_or("."))) {
      seen["folder"] = real_folder(folder->string());
    }
    if (decision.permission == intercept::Permission::deny) {
      seen["problem"] = fmt::format("It would be refused: {}", decision.reason);
    }
    return seen;
  }

 private:
  Result<std::filesystem::path> working_folder(std::string_view wanted) const {
    const auto path = TRY(workspace_.locate(wanted));
    const auto status = TRY(workspace_.status(path));
    if (status.kind != EntryKind::folder) {
      return fail(ErrorCode::invalid_argument, fmt::format("'{}' is not a folder", path));
    }
    const std::filesystem::path base(workspace_.base());
    return path == "." ? base : base / path;
  }

  // What to answer instead of running the command; nothing when it may run.
  std::optional<Result<ToolReply>> unless_permitted(const BashArguments& arguments,
                                                    const std::filesystem::path& folder,
                                                    const Context& context) const {
    const CommandDecision decision = rules_.judge(arguments.command);
    if (decision.permission == intercept::Permission::allow) return std::nullopt;
    if (decision.permission == intercept::Permission::deny) {
      // Without a command that a rule forbids, it is the line that is wrong.
      return fail(
          decision.commands.empty() ? ErrorCode::invalid_argument : ErrorCode::permission_denied,
          decision.reason);
    }
    const auto answer = options_.ask ? options_.ask(decision, context) : std::nullopt;
    if (!answer || *answer == intercept::Permission::ask) {
      // The whole line and where it runs: a longer one, or one elsewhere, is another.
      const std::string where = real_folder(folder.string());
      const JsonArray exactly{"bash", where, arguments.command};
      return unless_approved(context, "bash", question(decision, arguments, where),
                             {to_text(exactly)});
    }
    if (*answer == intercept::Permission::allow) return std::nullopt;
    return refused_by_person("A person refused this command. Do not repeat it");
  }

  static JsonObject question(const CommandDecision& decision, const BashArguments& arguments,
                             std::string_view folder) {
    JsonObject shown{{"question", "May this command run?"},
                     {"tool", "bash"},
                     {"arguments", encode(arguments)},
                     {"reason", decision.reason},
                     {"remembers", "exactly this command, in this folder"}};
    // As in the preview: others may have asked about the same line, and what they showed is
    // compared.
    JsonObject seen = shown_part({{"commands", commands_of(decision)}, {"folder", folder}});
    for (auto& member : seen) shown.emplace(member.key(), std::move(member.value()));
    return shown;
  }

  static JsonArray commands_of(const CommandDecision& decision) {
    JsonArray commands;
    for (const JudgedCommand& judged : decision.commands) {
      commands.push_back({{"command", judged.command},
                          {"permission", enum_name(judged.permission)},
                          {"reason", judged.reason.empty() ? Json(nullptr) : Json(judged.reason)}});
    }
    return commands;
  }

  // Made by the first call: an agent that never runs a command needs no sandbox.
  Result<const Sandbox*> prepared() {
    const std::lock_guard lock(mutex_);
    if (!sandbox_) {
      sandbox_ = TRY(Sandbox::prepare(policy()));
    }
    return &*sandbox_;
  }

  SandboxPolicy policy() const {
    SandboxPolicy policy = options_.policy;
    policy.read_paths.emplace_back(workspace_.base());
    return policy;
  }

  // Told to people beside every result.
  static std::vector<std::string> gaps_in(const SandboxReport& report) {
    std::vector<std::string_view> missing;
    for (const SandboxLayer& layer : report.layers) {
      if (layer.state == SandboxLayer::State::missing) missing.push_back(layer.name);
    }
    if (missing.empty()) return {};
    return {fmt::format("The sandbox of this machine lacks: {}", fmt::join(missing, ", "))};
  }

  static bool failed_at_protection(const FinishedCommand& finished) {
    const auto says_so = [](const CapturedOutput& output) {
      constexpr std::string_view kSaid = "Read-only file system";
      return output.head.find(kSaid) != std::string::npos ||
             output.tail.find(kSaid) != std::string::npos;
    };
    // A terminal has both in one.
    return finished.exit_code != 0 && (says_so(finished.error) || says_so(finished.output));
  }

  // Why a command such as `git commit` fails, which does not say so itself.
  static void note_protection(const SandboxReport& report, JsonObject& result) {
    if (!report.enforces("protected paths")) return;
    const auto layer =
        std::ranges::find(report.layers, std::string_view("protected paths"), &SandboxLayer::name);
    result["note"] = fmt::format("Commands can read but not change {}: the setting bash.protected",
                                 layer->detail);
  }

  // What a command printed, whole as long as it is not enormous, where it can go into a file.
  struct Printed {
    std::string output;
    std::string error;
  };

  CommandOptions how(const BashArguments& arguments, const Context& context, Printed& printed,
                     CommandProgress& progress) const {
    CommandOptions how{.timeout = std::chrono::seconds(arguments.timeout_secs),
                       .stop = context.stop,
                       .before_start = context.still_ours,
                       .kept_bytes = 2 * kOutputShown};
    how.on_output = [this, &context, &printed, &progress](OutputStream stream,
                                                          std::string_view piece) {
      progress.add(stream, piece);
      if (options_.on_output) options_.on_output(context, stream, piece);
      if (!context.spill) return;
      std::string& whole = stream == OutputStream::error ? printed.error : printed.output;
      whole += piece.substr(0, kLargestKept - std::min(kLargestKept, whole.size()));
    };
    return how;
  }

  // Names the file with all of an output of which the model reads only the start and the end.
  static void keep(JsonObject& result, std::string_view name, const CapturedOutput& output,
                   std::size_t shown, std::string& whole, const Context& context) {
    if (!context.spill || output.total_bytes <= shown) return;
    if (whole.size() < output.total_bytes) {
      whole.resize(prefix_of_words(whole, whole.size() - 1).size());
      whole += fmt::format("\n[The first {} of {} bytes]\n", whole.size(), output.total_bytes);
    }
    if (auto path = context.spill(to_valid_utf8(std::move(whole)))) result[name] = *path;
  }

  static JsonObject result_of(const BashArguments& arguments, const std::filesystem::path& folder,
                              const FinishedCommand& finished) {
    return JsonObject{{"command", utf8_prefix(arguments.command, kCommandShown)},
                      {"working_dir", to_valid_utf8(folder.string())},
                      {"stdout", shown_output(finished.output, kOutputShown)},
                      {"stderr", shown_output(finished.error, kErrorShown)},
                      {"exit_code", finished.exit_code},
                      {"timed_out", finished.is_timed_out},
                      {"execution_time_secs", in_milliseconds(finished.duration)}};
  }

  BashOptions options_;
  CommandRules rules_;
  Workspace workspace_;
  std::mutex mutex_;
  std::optional<Sandbox> sandbox_;
};

}  // namespace
}  // namespace wright::tools

namespace wright {

Result<Tool> bash_tool(BashOptions options) {
  auto workspace = TRY(tools::Workspace::open(FileAccess{.base = options.base}));
  auto rules = TRY(CommandRules::make(options.rules));
  // Tools are values that are copied; all copies share one sandbox.
  auto bash =
      std::make_shared<tools::Bash>(std::move(options), std::move(rules), std::move(workspace));
  Tool made = with_firm_bounds(tool(
      "bash",
      "Runs a line of shell with bash in a sandbox and returns what it printed and its exit code. "
      "Every command in the line must be allowed; a refusal says by which rule. There is no input "
      "to read and nothing keeps running afterwards.",
      [bash](const tools::BashArguments& arguments, const Context& context) -> Result<ToolReply> {
        return bash->run(arguments, context);
      },
      {.effect = Effect::write,
       .concurrency = Concurrency::serial,
       .timeout = tools::kLongest,
       .approved_by_arguments = true}));
  made.only_reads =
      [looking_around =
           CommandRules::make(rules_of(CommandPreset::read_only)).value()](const Json& arguments) {
        const auto decoded = decode<tools::BashArguments>(arguments);
        return decoded &&
               looking_around.judge(decoded->command).permission == intercept::Permission::allow;
      };
  made.preview = [bash](const Json& arguments) { return bash->preview(arguments); };
  return made;
}

}  // namespace wright
