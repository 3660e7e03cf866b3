#include "app/commands/confined.h"

#include <fmt/format.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>

#include "app/settings/file_output.h"
#include "core/text.h"
#include "core/try.h"
#include "wright/json.h"

namespace wright::app {
namespace {

constexpr int kNotRun = 126;

struct ModeName {
  SandboxMode mode;
  std::string_view name;
};
constexpr std::array kModeNames{ModeName{SandboxMode::required, "required"},
                                ModeName{SandboxMode::best_effort, "best_effort"},
                                ModeName{SandboxMode::off, "off"}};
struct NetworkName {
  NetworkAccess access;
  std::string_view name;
};
constexpr std::array kNetworkNames{NetworkName{NetworkAccess::off, "off"},
                                   NetworkName{NetworkAccess::local, "local"},
                                   NetworkName{NetworkAccess::on, "on"}};

struct LimitName {
  std::optional<std::uint64_t> ResourceLimits::*limit;
  std::string_view name;
};
constexpr std::array kLimitNames{LimitName{&ResourceLimits::processes, "processes"},
                                 LimitName{&ResourceLimits::open_files, "open_files"},
                                 LimitName{&ResourceLimits::file_bytes, "file_bytes"},
                                 LimitName{&ResourceLimits::memory_bytes, "memory_bytes"},
                                 LimitName{&ResourceLimits::cpu_seconds, "cpu_seconds"}};

// --- writing -------------------------------------------------------------------------------------

Result<Json> text_json(const std::string& text) {
  if (is_valid_utf8(text)) return Json(text);
  return fail(ErrorCode::unsupported,
              "a path or a variable is no UTF-8, and cannot be handed to a terminal");
}

template <class List>
Result<JsonArray> list_json(const List& list) {
  JsonArray json;
  for (const auto& each : list) {
    auto text = TRY(text_json(std::filesystem::path(each).string()));
    json.push_back(std::move(text));
  }
  return json;
}

Result<JsonObject> variables_json(const Variables& variables) {
  JsonObject json;
  for (const auto& [name, value] : variables) {
    TRY(text_json(name));
    json[name] = TRY(text_json(value));
  }
  return json;
}

// --- reading -------------------------------------------------------------------------------------

Result<const Json*> needed(const JsonObject& object, std::string_view key) {
  if (const Json* value = object.if_contains(key)) return value;
  return fail(ErrorCode::invalid_argument, fmt::format("{} is missing", key));
}

Result<std::string> needed_text(const JsonObject& object, std::string_view key) {
  const Json* value = TRY(needed(object, key));
  if (value->is_string()) return std::string(value->get_string());
  return fail(ErrorCode::invalid_argument, fmt::format("{} must be a string", key));
}

template <class Value>
Result<std::vector<Value>> needed_list(const JsonObject& object, std::string_view key) {
  const Json* value = TRY(needed(object, key));
  const auto wrong =
      fail(ErrorCode::invalid_argument, fmt::format("{} must be a list of strings", key));
  if (!value->is_array()) return wrong;
  std::vector<Value> list;
  for (const Json& each : value->get_array()) {
    if (!each.is_string()) return wrong;
    list.emplace_back(std::string(each.get_string()));
  }
  return list;
}

Result<Variables> needed_variables(const JsonObject& object, std::string_view key) {
  const Json* value = TRY(needed(object, key));
  const auto wrong = fail(ErrorCode::invalid_argument, fmt::format("{} must hold strings", key));
  if (!value->is_object()) return wrong;
  Variables variables;
  for (const auto& [name, each] : value->get_object()) {
    if (!each.is_string()) return wrong;
    variables.emplace(name, each.get_string());
  }
  return variables;
}

Result<std::int64_t> needed_count(const JsonObject& object, std::string_view key) {
  const Json* value = TRY(needed(object, key));
  if (value->is_int64() && value->get_int64() >= 0) return value->get_int64();
  return fail(ErrorCode::invalid_argument, fmt::format("{} must be a number", key));
}

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  for (const auto& each : names) {
    if (const auto& [known, name] = each; known == value) return name;
  }
  return {};
}

Result<FinishedCommand> run(std::span<const std::string> arguments,
                            const Environment& environment) {
  const auto said = environment.find_non_empty(kConfinedVariable);
  if (!said || arguments.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("it is for programs: {} says what a command may touch, and the command "
                            "follows",
                            kConfinedVariable));
  }
  auto confinement = TRY(confinement_from(*said));
  const auto sandbox = TRY(Sandbox::prepare(std::move(confinement.policy)));
  CommandOptions options{.timeout = confinement.timeout, .kept_bytes = 0};
  options.on_output = [](OutputStream stream, std::string_view piece) {
    // Whoever closes the terminal ends the command by other means.
    (void)write_all(stream == OutputStream::error ? STDERR_FILENO : STDOUT_FILENO, piece);
  };
  return sandbox.run({{arguments.begin(), arguments.end()},
                      std::move(confinement.working_directory),
                      std::move(confinement.environment)},
                     options);
}

}  // namespace

Result<std::string> confinement_text(const SandboxPolicy& policy, const Command& command,
                                     std::chrono::milliseconds timeout) {
  JsonObject limits;
  for (const auto& [limit, name] : kLimitNames) limits[name] = (policy.limits.*limit).value_or(0);
  const auto read_paths = TRY(list_json(policy.read_paths));
  const auto write_paths = TRY(list_json(policy.write_paths));
  const auto protected_paths = TRY(list_json(policy.protected_paths));
  const auto unreadable = TRY(list_json(policy.unreadable));
  const auto environment = TRY(variables_json(policy.environment));
  const auto temporary_root = TRY(text_json(policy.temporary_root.string()));
  const auto working_directory = TRY(text_json(command.working_directory.string()));
  const auto added = TRY(variables_json(command.environment));
  return to_text(JsonObject{{"mode", name_in(kModeNames, policy.mode)},
                            {"network", name_in(kNetworkNames, policy.network)},
                            {"read_paths", read_paths},
                            {"write_paths", write_paths},
                            {"protected_paths", protected_paths},
                            {"unreadable", unreadable},
                            {"limits", std::move(limits)},
                            {"environment", environment},
                            {"temporary_root", temporary_root},
                            {"working_directory", working_directory},
                            {"added_environment", added},
                            {"timeout_ms", timeout.count()}});
}

Result<Confinement> confinement_from(std::string_view text) {
  const auto json = TRY(parse_json(text));
  const JsonObject* object = json.if_object();
  if (object == nullptr) return fail(ErrorCode::invalid_argument, "it must be an object");
  Confinement confinement;
  SandboxPolicy& policy = confinement.policy;
  const auto mode = TRY(needed_text(*object, "mode"));
  policy.mode = TRY(sandbox_mode_from(mode));
  const auto network = TRY(needed_text(*object, "network"));
  policy.network = TRY(network_access_from(network));
  policy.read_paths = TRY(needed_list<std::filesystem::path>(*object, "read_paths"));
  policy.write_paths = TRY(needed_list<std::filesystem::path>(*object, "write_paths"));
  policy.protected_paths = TRY(needed_list<std::string>(*object, "protected_paths"));
  policy.unreadable = TRY(needed_list<std::string>(*object, "unreadable"));
  const Json* limits = TRY(needed(*object, "limits"));
  if (!limits->is_object()) return fail(ErrorCode::invalid_argument, "limits must be an object");
  for (const auto& [limit, name] : kLimitNames) {
    const auto most = TRY(needed_count(limits->get_object(), name));
    policy.limits.*limit = std::nullopt;  // 0 is none
    if (most > 0) policy.limits.*limit = static_cast<std::uint64_t>(most);
  }
  policy.environment = TRY(needed_variables(*object, "environment"));
  policy.temporary_root = TRY(needed_text(*object, "temporary_root"));
  confinement.working_directory = TRY(needed_text(*object, "working_directory"));
  confinement.environment = TRY(needed_variables(*object, "added_environment"));
  const auto timeout = TRY(needed_count(*object, "timeout_ms"));
  confinement.timeout = std::chrono::milliseconds(timeout);
  return confinement;
}

int run_confined(std::span<const std::string> arguments, const Environment& environment) {
  const auto finished = run(arguments, environment);
  if (finished) return finished->exit_code;
  const std::string why =
      fmt::format("wright confined: nothing was run: {}\n", finished.error().message);
  (void)write_all(STDERR_FILENO, why);
  return kNotRun;
}

}  // namespace wright::app
