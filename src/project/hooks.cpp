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

#include "core/enum_names.h"
#include "core/file_descriptor.h"
#include "core/text.h"
#include "core/try.h"
#include "interceptors/glob.h"
#include "wright/json.h"

namespace wright::project {

WRIGHT_ENUM(HookMoment, SessionStart, PreToolUse, PostToolUse, Notification, Stop)

namespace {

constexpr std::size_t kMostHooks = 100;
constexpr std::int64_t kLongestTimeout = 600;
constexpr std::size_t kMostPrinted = std::size_t{256} * 1024;
constexpr std::size_t kMostSaid = 4000;  // bytes that the model reads of it

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
  if (const Json* timeout = object->if_contains("timeout"); timeout != nullptr) {
    if (!timeout->is_int64() || timeout->get_int64() < 1 ||
        timeout->get_int64() > kLongestTimeout) {
      return wrong(fmt::format("timeout must be seconds from 1 to {}", kLongestTimeout));
    }
    hook.timeout = std::chrono::seconds(timeout->get_int64());
  }
  return hook;
}

bool is_about(const Hook& hook, std::string_view tool) {
  std::string_view rest = hook.matcher;
  if (is_blank(rest)) return true;
  while (true) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    if (intercept::matches_glob(trimmed(rest.substr(0, end)), tool)) return true;
    if (end == rest.size()) return false;
    rest.remove_prefix(end + 1);
  }
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

void add_note(Result<ToolReply>& reply, const std::string& note) {
  Output* output = reply ? std::get_if<Output>(&*reply) : nullptr;
  if (output == nullptr || note.empty()) return;
  if (JsonObject* object = output->value.if_object()) (*object)["hook_note"] = note;
  output->notes.push_back(note);
}

}  // namespace

// What came of one hook.
struct Hooks::Said {
  enum class Verdict : std::uint8_t { nothing, refuse, ask, failed };
  Verdict verdict = Verdict::nothing;
  std::string reason = {};
  std::string note = {};           // for the model
  std::optional<Json> input = {};  // the arguments, changed
};

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

Hooks::Said Hooks::ask(const Hook& hook, const Json& told, const std::stop_token& stop) const {
  const auto failed = [&](std::string_view why) {
    return Said{.verdict = Said::Verdict::failed,
                .reason = fmt::format("The hook `{}` failed: {}", hook.command, why)};
  };
  const auto input = InputFile::make(options_.temporary_root, to_text(told));
  if (!input) return failed(input.error().message);
  SandboxPolicy policy{.mode = SandboxMode::off,
                       .network = NetworkAccess::on,
                       .environment = options_.environment,
                       .temporary_root = options_.temporary_root};
  const auto shell = Sandbox::prepare(std::move(policy));
  if (!shell) return failed(shell.error().message);
  auto command = shell_command(fmt::format("{{\n{}\n}} < \"$WRIGHT_HOOK_INPUT\"", hook.command),
                               options_.folder);
  if (!command) return failed(command.error().message);
  command->environment = {{"WRIGHT_HOOK_INPUT", input->path()},
                          {"WRIGHT_PROJECT_DIR", options_.folder.string()}};
  const auto done =
      shell->run(*command, {.timeout = hook.timeout, .stop = stop, .kept_bytes = kMostPrinted});
  if (!done) return failed(done.error().message);
  if (done->is_timed_out) return failed(fmt::format("not done after {} s", hook.timeout.count()));
  const std::string error(utf8_prefix(printed(done->error), kMostSaid));
  if (done->exit_code == 2) {
    return {.verdict = Said::Verdict::refuse,
            .reason = error.empty() ? "a hook refused this, without a reason" : error};
  }
  if (done->exit_code != 0) {
    return failed(
        fmt::format("exit code {}{}{}", done->exit_code, error.empty() ? "" : ": ", error));
  }
  if (done->output.omitted_bytes() > 0) return failed("it printed too much");
  const std::string text = printed(done->output);
  if (!text.starts_with('{')) return {};
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return failed("what it printed is no JSON");
  const JsonObject& answer = json->get_object();
  Said said{.reason = string_at(answer, "reason")};
  const JsonObject* own = object_at(answer, "hookSpecificOutput");
  const JsonObject& more = own != nullptr ? *own : answer;
  const std::string decision = string_at(more, "permissionDecision");
  if (const std::string why = string_at(more, "permissionDecisionReason"); !why.empty()) {
    said.reason = why;
  }
  if (decision == "deny" || string_at(answer, "decision") == "block") {
    said.verdict = Said::Verdict::refuse;
    if (said.reason.empty()) said.reason = "a hook refused this, without a reason";
  } else if (decision == "ask") {
    said.verdict = Said::Verdict::ask;
    if (said.reason.empty()) said.reason = "A hook wants a person to decide";
  }
  said.reason = utf8_prefix(said.reason, kMostSaid);
  said.note = utf8_prefix(string_at(more, "additionalContext"), kMostSaid);
  if (const Json* input_now = more.if_contains("updatedInput"); input_now != nullptr) {
    if (!input_now->is_object()) return failed("updatedInput is no object");
    said.input = *input_now;
  }
  return said;
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
  std::string notes;
  std::optional<Json> arguments;
  for (const Hook& hook : options_.hooks) {
    if (hook.moment != HookMoment::PreToolUse || !is_about(hook, tool)) continue;
    if (invocation.unusable != nullptr) break;
    const Said said = ask(hook, told, context.stop);
    using Verdict = Said::Verdict;
    if (said.verdict == Verdict::refuse) {
      return fail(ErrorCode::permission_denied, fmt::format("Refused by a hook: {}", said.reason));
    }
    if (said.verdict == Verdict::ask || said.verdict == Verdict::failed) {
      JsonObject shown{{"question", fmt::format("May {} run?", tool)},
                       {"tool", tool},
                       {"arguments", arguments ? *arguments : invocation.arguments},
                       {"reason", said.reason}};
      // An approval is for this call alone: the next one is the hook's to judge.
      auto instead = unless_approved(context, tool, std::move(shown),
                                     {fmt::format("hook:{}:{}", hook.command, context.call_id)});
      if (instead) return std::move(*instead);
    }
    if (said.input) {
      arguments = said.input;
      told["tool_input"] = *arguments;
    }
    notes += said.note;
  }
  auto reply = arguments ? next(invocation.with(*arguments), context) : next(invocation, context);
  if (reply && !std::holds_alternative<Output>(*reply)) return reply;
  if (arguments)
    notes += notes.empty() ? "A hook changed the arguments"
                           : "; a hook changed the "
                             "arguments";
  told["hook_event_name"] = "PostToolUse";
  told["tool_response"] =
      reply ? std::get<Output>(*reply).value : Json(JsonObject{{"error", reply.error().message}});
  for (const Hook& hook : options_.hooks) {
    if (hook.moment != HookMoment::PostToolUse || !is_about(hook, tool)) continue;
    const Said said = ask(hook, told, context.stop);
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
    const Said said = ask(hook, told, {});
    if (said.verdict == Said::Verdict::failed) problems.push_back(said.reason);
  }
  return problems;
}

}  // namespace wright::project
