#include "project/hooks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/call_preview.h"
#include "core/enum_names.h"
#include "core/file_descriptor.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/try.h"
#include "project/hook_answer.h"
#include "project/hook_matcher.h"
#include "project/hook_scripts.h"
#include "sandbox/trace_variables.h"
#include "wright/json.h"

namespace wright::project {

WRIGHT_ENUM(HookMoment, SessionStart, PreToolUse, PostToolUse, Notification, Stop, UserPromptSubmit)

namespace {

constexpr std::size_t kMostHooks = 100;
constexpr std::int64_t kLongestTimeout = 600;
constexpr std::size_t kMostPrinted = std::size_t{256} * 1024;
constexpr std::string_view kInSandbox =
    " (it ran in the sandbox; \"sandbox\": false beside its command has it run outside)";

const JsonObject* object_at(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

std::string string_at(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Result<Hook> parse_hook(const Json& json, HookMoment moment, const std::string& matcher,
                        const std::string& place) {
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::invalid_argument, fmt::format("{}: {}", place, what));
  };
  const JsonObject* object = json.if_object();
  if (object == nullptr) return wrong("must be an object");
  if (const std::string type = string_at(*object, "type"); !type.empty() && type != "command") {
    return wrong(fmt::format("type '{}' is not known here; there is command", type));
  }
  Hook hook{.moment = moment, .matcher = matcher, .command = string_at(*object, "command")};
  if (is_blank(hook.command)) return wrong("command must be a line for bash");
  if (const auto checked = check_matcher(hook.matcher); !checked) {
    return wrong(checked.error().message);
  }
  if (const Json* timeout = object->if_contains("timeout"); timeout != nullptr) {
    if (!timeout->is_int64() || timeout->get_int64() < 1 ||
        timeout->get_int64() > kLongestTimeout) {
      return wrong(fmt::format("timeout must be seconds from 1 to {}", kLongestTimeout));
    }
    hook.timeout = std::chrono::seconds(timeout->get_int64());
  }
  if (const Json* sandbox = object->if_contains("sandbox"); sandbox != nullptr) {
    if (!sandbox->is_bool()) return wrong("sandbox must be true or false");
    hook.place = sandbox->get_bool() ? HookPlace::sandbox : HookPlace::outside;
  }
  return hook;
}

bool is_about(const Hook& hook, std::string_view tool) {
  return is_about_tool(hook.matcher, tool);
}

// A file with the text that nobody else can read, and that is gone with this object.
class InputFile {
 public:
  static Result<InputFile> make(const std::filesystem::path& folder, std::string_view text) {
    InputFile file;
    file.path_ = (folder / "wright-hook-XXXXXX").string();
    const FileDescriptor opened(::mkostemp(file.path_.data(), O_CLOEXEC));
    const bool is_written = opened.is_open() && ::write(opened.get(), text.data(), text.size()) ==
                                                    static_cast<ssize_t>(text.size());
    if (is_written) return file;
    if (!opened.is_open()) file.path_.clear();
    return fail(ErrorCode::storage, "its input cannot be written");
  }
  InputFile(InputFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  InputFile() = default;
  std::string path_;
};

std::string printed(const CapturedOutput& output) {
  return std::string(trimmed(to_valid_utf8(output.head + output.tail)));
}

constexpr std::string_view kNoLongerApproved =
    "What would run is no longer what you approved: a hook has changed it";

// Whether a person has approved this call with other arguments than these. What tools ask may show
// more than was said, and less of what they have no use for.
bool is_approval_of_another(const Context& context, const Json& arguments, bool is_changed) {
  const auto& approval = context.answers.approval;
  if (!approval || approval->decision == Decision::refuse ||
      approval->decision == Decision::never) {
    return false;
  }
  const JsonObject* approved = context.answers.approved.if_object();
  const JsonObject* then = approved != nullptr ? object_at(*approved, "arguments") : nullptr;
  const JsonObject* now = arguments.if_object();
  if (then == nullptr || now == nullptr) return false;
  return std::ranges::any_of(*now, [&](const auto& member) {
    const Json* value = then->if_contains(member.key());
    return value == nullptr ? is_changed && !member.value().is_null() : *value != member.value();
  });
}

// Whether a person is to say if the call may run. What a call asks on its way is another question.
bool asks_before_it_begins(const Result<ToolReply>& reply) {
  const Waiting* waiting = reply ? std::get_if<Waiting>(&*reply) : nullptr;
  return waiting != nullptr && waiting->kind == WaitKind::approval && waiting->state.is_null();
}

void add_note(Result<ToolReply>& reply, const std::string& note) {
  Output* output = reply ? std::get_if<Output>(&*reply) : nullptr;
  if (output == nullptr || note.empty()) return;
  if (JsonObject* object = output->value.if_object()) (*object)["hook_note"] = note;
  output->notes.push_back(note);
}

}  // namespace

Result<std::vector<Hook>> parse_hooks(std::string_view text) {
  const auto json = TRY(parse_json(text));
  const JsonObject* top = json.if_object();
  const JsonObject* moments = top != nullptr ? object_at(*top, "hooks") : nullptr;
  if (moments == nullptr) {
    return fail(ErrorCode::invalid_argument, "there must be an object with a member \"hooks\"");
  }
  std::vector<Hook> hooks;
  for (const auto& member : *moments) {
    const std::string name(member.key());
    const auto moment = enum_named<HookMoment>(name);
    if (!moment) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("hooks.{}: unknown; there are {}", name, enum_names<HookMoment>()));
    }
    const JsonArray* groups = member.value().if_array();
    if (groups == nullptr) {
      return fail(ErrorCode::invalid_argument, fmt::format("hooks.{}: must be a list", name));
    }
    for (std::size_t i = 0; i < groups->size(); ++i) {
      const JsonObject* group = (*groups)[i].if_object();
      const Json* list = group != nullptr ? group->if_contains("hooks") : nullptr;
      const std::string place = fmt::format("hooks.{}[{}]", name, i);
      if (list == nullptr || !list->is_array()) {
        return fail(ErrorCode::invalid_argument, fmt::format("{}: has no list \"hooks\"", place));
      }
      for (const Json& each : list->get_array()) {
        auto hook = TRY(parse_hook(each, *moment, string_at(*group, "matcher"), place));
        hooks.push_back(std::move(hook));
      }
    }
  }
  if (hooks.size() > kMostHooks) {
    return fail(ErrorCode::limit_reached, fmt::format("more than {} hooks", kMostHooks));
  }
  return hooks;
}

// A hook by its place among the others.
struct Hooks::Files {
  std::vector<Result<HookScripts>> of_hooks;
};

Hooks::Hooks(HookOptions options) : options_(std::move(options)) {
  auto files = std::make_unique<Files>();
  for (const Hook& hook : options_.hooks) {
    files->of_hooks.push_back(scripts_of({&hook, 1}, options_.folder));
  }
  files_ = std::move(files);
}

Hooks::~Hooks() = default;

SandboxPolicy Hooks::policy_for(const Hook& hook, const std::filesystem::path& input) const {
  SandboxPolicy policy = options_.sandbox;
  if (hook.place == HookPlace::outside) {
    policy.mode = SandboxMode::off;
    policy.network = NetworkAccess::on;
    return policy;
  }
  policy.read_paths.push_back(input);
  policy.write_paths.push_back(options_.folder);
  return policy;
}

HookAnswer Hooks::ask(const Hook& hook, const Json& told, const std::stop_token& stop,
                      const TraceContext& trace) const {
  const auto failed = [&](std::string_view why) {
    return HookAnswer{.verdict = HookAnswer::Verdict::failed,
                      .reason = fmt::format("The hook `{}` failed: {}", hook.command, why)};
  };
  const auto& begun = files_->of_hooks.at(static_cast<std::size_t>(&hook - options_.hooks.data()));
  const auto now = scripts_of({&hook, 1}, options_.folder);
  if (!begun || !now) return failed((begun ? now : begun).error().message);
  if (*begun != *now) {
    return failed("a file that it runs has changed since the session began, so it was not run");
  }
  const auto input = InputFile::make(options_.sandbox.temporary_root, to_text(told));
  if (!input) return failed(input.error().message);
  const auto shell = Sandbox::prepare(policy_for(hook, input->path()));
  if (!shell) return failed(shell.error().message);
  auto command = shell_command(fmt::format("{{\n{}\n}} < \"$WRIGHT_HOOK_INPUT\"", hook.command),
                               options_.folder);
  if (!command) return failed(command.error().message);
  command->environment = {
      {"WRIGHT_HOOK_INPUT", input->path()},
      {"WRIGHT_PROJECT_DIR", options_.folder.string()},
      // No module beside a script, or in the folder, stands for one of Python's.
      {"PYTHONSAFEPATH", "1"},
      {"PYTHONDONTWRITEBYTECODE", "1"}};
  add_to(command->environment, trace);
  const auto done =
      shell->run(*command, {.timeout = hook.timeout, .stop = stop, .kept_bytes = kMostPrinted});
  if (!done) return failed(done.error().message);
  if (done->is_timed_out) return failed(fmt::format("not done after {} s", hook.timeout.count()));
  const std::string error(utf8_prefix(printed(done->error), kMostSaidByHook));
  if (done->exit_code == 2) {
    return {.verdict = HookAnswer::Verdict::refuse,
            .reason = error.empty() ? std::string(kNoReasonOfHook) : error};
  }
  if (done->exit_code != 0) {
    return failed(fmt::format("exit code {}{}{}{}", done->exit_code, error.empty() ? "" : ": ",
                              error, hook.place == HookPlace::outside ? "" : kInSandbox));
  }
  if (done->output.omitted_bytes() > 0) return failed("it printed too much");
  HookAnswer answer = answer_in(printed(done->output), hook.moment);
  return answer.verdict == HookAnswer::Verdict::failed ? failed(answer.reason) : answer;
}

Result<ToolReply> Hooks::around(const Invocation& invocation, const Context& context,
                                const Next& next) const {
  const std::string& tool = invocation.tool.spec.name;
  JsonObject told{{"hook_event_name", "PreToolUse"},
                  {"session_id", context.session_id},
                  {"agent", context.agent_name},
                  {"cwd", options_.folder.string()},
                  {"tool_name", tool},
                  {"tool_use_id", context.call_id},
                  {"tool_input", invocation.arguments}};
  bool has_hook = false;
  std::string notes;
  std::string reasons;  // why a person is asked
  std::string asking;   // the commands that want it
  bool is_allowed = false;
  std::optional<Json> arguments;
  for (const Hook& hook : options_.hooks) {
    if (hook.moment != HookMoment::PreToolUse || !is_about(hook, tool)) continue;
    if (invocation.unusable != nullptr) break;
    has_hook = true;
    const HookAnswer said = ask(hook, told, context.stop, context.trace);
    using Verdict = HookAnswer::Verdict;
    if (said.verdict == Verdict::refuse) {
      return fail(ErrorCode::permission_denied, fmt::format("Refused by a hook: {}", said.reason));
    }
    if (said.verdict == Verdict::ask || said.verdict == Verdict::failed) {
      reasons += (reasons.empty() ? "" : "\n") + said.reason;
      asking += hook.command + "\n";
    }
    if (said.input) {
      arguments = said.input;
      told["tool_input"] = *arguments;
      is_allowed = false;  // that was for other arguments
    }
    is_allowed = is_allowed || (said.allows && hook.say == HookSay::allow);
    notes += said.note;
  }
  // A person sees what would run: all hooks have had their say by now.
  const Json& to_run = arguments ? *arguments : invocation.arguments;
  const bool is_other = has_hook && is_approval_of_another(context, to_run, arguments.has_value());
  if (!reasons.empty() || is_other) {
    JsonObject shown = approval_question(arguments ? invocation.with(*arguments) : invocation);
    shown["question"] = fmt::format("May {} run?", tool);
    shown["reason"] = reasons.empty() ? kNoLongerApproved : std::string_view(reasons);
    shown.erase("remembers");
    // An approval is for this call alone, and for these arguments: the next one is the hook's to
    // judge.
    std::vector<std::string> kinds{
        fmt::format("hook:{}:{}", context.call_id, sha256_hex(asking + to_text(to_run)))};
    if (is_other) {
      return Waiting{
          .kind = WaitKind::approval, .shown = std::move(shown), .covers = std::move(kinds)};
    }
    auto instead = unless_approved(context, tool, std::move(shown), std::move(kinds));
    if (instead) return std::move(*instead);
  }
  const auto go_on = [&](const Context& with) {
    return arguments ? next(invocation.with(*arguments), with) : next(invocation, with);
  };
  auto reply = go_on(context);
  if (is_allowed && asks_before_it_begins(reply) && !context.answers.approval) {
    Context approved = context;
    approved.answers.approval = Approval{Decision::once, {}};
    approved.answers.approved = std::get<Waiting>(*reply).shown;
    reply = go_on(approved);
    if (Output* output = reply ? std::get_if<Output>(&*reply) : nullptr) {
      output->notes.emplace_back("Allowed by a hook; nobody was asked");
    }
  }
  if (reply && !std::holds_alternative<Output>(*reply)) return reply;
  if (arguments) {
    notes += notes.empty() ? "A hook changed the arguments" : "; a hook changed the arguments";
  }
  told["hook_event_name"] = "PostToolUse";
  told["tool_response"] =
      reply ? std::get<Output>(*reply).value : Json(JsonObject{{"error", reply.error().message}});
  for (const Hook& hook : options_.hooks) {
    if (hook.moment != HookMoment::PostToolUse || !is_about(hook, tool)) continue;
    const HookAnswer said = ask(hook, told, context.stop, context.trace);
    for (const std::string& words : {said.reason, said.note}) {
      if (!words.empty()) notes += (notes.empty() ? "" : "\n") + words;
    }
  }
  add_note(reply, notes);
  return reply;
}

Interceptor Hooks::interceptor(std::shared_ptr<const Hooks> hooks) {
  return [hooks = std::move(hooks)](const Invocation& invocation, const Context& context,
                                    const Next& next) {
    return hooks->around(invocation, context, next);
  };
}

Result<Message> Hooks::submitted(Message message, std::int64_t session_id,
                                 const std::stop_token& stop) const {
  const JsonObject told{{"hook_event_name", enum_name(HookMoment::UserPromptSubmit)},
                        {"session_id", session_id},
                        {"cwd", options_.folder.string()},
                        {"prompt", message.text()}};
  for (const Hook& hook : options_.hooks) {
    if (hook.moment != HookMoment::UserPromptSubmit) continue;
    const HookAnswer said = ask(hook, told, stop, {});
    using Verdict = HookAnswer::Verdict;
    if (said.verdict == Verdict::failed) return fail(ErrorCode::permission_denied, said.reason);
    if (said.verdict != Verdict::nothing) {
      return fail(ErrorCode::permission_denied, fmt::format("Refused by a hook: {}", said.reason));
    }
    if (said.note.empty()) continue;
    message.parts.emplace_back(Text{fmt::format("\n\n[A hook adds:]\n{}", said.note)});
  }
  return message;
}

std::vector<std::string> Hooks::observe(const Event& event, std::int64_t session_id) const {
  std::optional<HookMoment> moment;
  JsonObject told{{"session_id", session_id}, {"cwd", options_.folder.string()}};
  if (std::holds_alternative<SessionStarted>(event)) {
    moment = HookMoment::SessionStart;
  } else if (const auto* waiting = std::get_if<RunWaiting>(&event)) {
    moment = HookMoment::Notification;
    JsonArray waits;
    for (const PersonWait& wait : waiting->waits) {
      waits.push_back({{"kind", to_string(wait.kind)}, {"tool_name", wait.call.name}});
    }
    told["waits"] = std::move(waits);
  } else if (const auto* ended = std::get_if<RunEnded>(&event)) {
    moment = HookMoment::Stop;
    told["last_assistant_message"] = ended->text;
    if (ended->error != nullptr) told["error"] = ended->error->message;
  }
  std::vector<std::string> problems;
  if (!moment) return problems;
  told["hook_event_name"] = enum_name(*moment);
  for (const Hook& hook : options_.hooks) {
    if (hook.moment != *moment) continue;
    const HookAnswer said = ask(hook, told, {}, {});
    if (said.verdict == HookAnswer::Verdict::failed) problems.push_back(said.reason);
  }
  return problems;
}

}  // namespace wright::project
