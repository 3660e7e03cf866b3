// `wright batch`: many prompts at once, answered within a day at half the price. The vendor keeps a
// batch; nothing is kept here, and any machine that has the key can ask for it by its name.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/terminal/interruption.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/stored_session.h"
#include "core/nearest.h"
#include "core/text.h"
#include "core/try.h"

namespace wright::app {
namespace {

constexpr std::string_view kList = "wright batch";
constexpr std::string_view kSeeBatch = "See `wright help batch`.";

std::string text_at(const JsonObject& line, std::string_view key) {
  const Json* value = line.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

constexpr auto kKeysOfLine = std::to_array<std::string_view>({"id", "prompt", "system"});

// A key that nobody reads is a slip of the hand, and the requests cost money.
Result<void> check_keys(const JsonObject& line, std::size_t number) {
  for (const auto& member : line) {
    const std::string_view key = member.key();
    if (!is_one_of(key, kKeysOfLine)) {
      const std::string near = did_you_mean(key, kKeysOfLine);
      return fail(ErrorCode::invalid_argument,
                  fmt::format("line {}: unknown key '{}'{} The keys are {}", number, key,
                              near.empty() ? "." : near, fmt::join(kKeysOfLine, ", ")));
    }
    if (!member.value().is_string() && !member.value().is_null()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("line {} must be a prompt, or JSON with texts: {} is {}", number, key,
                              to_text(member.value())));
    }
  }
  return {};
}

// {"prompt", "id"?, "system"?}, or a prompt as it is. Without an id, the number of the line is one.
Result<BatchRequest> request_in(std::string_view line, std::size_t number, int max_tokens) {
  if (!is_valid_utf8(line)) {
    return fail(ErrorCode::invalid_argument, fmt::format("line {} is not valid UTF-8", number));
  }
  BatchRequest request{.id = fmt::format("{}", number)};
  request.sampling.max_tokens = max_tokens;
  if (!line.starts_with('{')) {
    request.messages.push_back(Message::user(std::string(line)));
    return request;
  }
  const auto json = parse_json(line);
  const JsonObject* object = json ? json->if_object() : nullptr;
  if (object != nullptr) TRY(check_keys(*object, number));
  if (object == nullptr || text_at(*object, "prompt").empty()) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("line {} must be a prompt, or JSON such as {{\"id\": \"a\", \"prompt\": "
                    "\"…\", \"system\": \"…\"}}{}{}",
                    number, json ? "" : ": ", json ? "" : json.error().message));
  }
  if (const std::string id = text_at(*object, "id"); !id.empty()) request.id = id;
  request.system = text_at(*object, "system");
  request.messages.push_back(Message::user(text_at(*object, "prompt")));
  return request;
}

Result<std::vector<BatchRequest>> requests_in(std::string_view text, int max_tokens) {
  std::vector<BatchRequest> requests;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto request = TRY(request_in(line, number, max_tokens));
    requests.push_back(std::move(request));
  }
  return requests;
}

void hide_keys(std::vector<BatchRequest>& requests, const std::vector<std::string>& keys) {
  for (BatchRequest& request : requests) {
    request.system = without_keys(Message::user(request.system), keys).text();
    for (Message& message : request.messages) message = without_keys(std::move(message), keys);
  }
}

Result<std::string> content_of(const std::string& path) {
  return path == "-" ? read_standard_input() : read_input_file(path);
}

Json json_of(const BatchState& state) {
  return {{"id", state.id},
          {"phase", state.phase == BatchState::Phase::ended ? "ended" : "working"},
          {"status", state.status},
          {"total", state.total},
          {"answered", state.answered},
          {"failed", state.failed}};
}

std::string line_of(const BatchState& state) {
  return fmt::format("{}  {}  {} of {} answered, {} failed\n", on_one_line(state.id),
                     on_one_line(state.status), state.answered, state.total, state.failed);
}

// The models of the settings, or a complaint.
std::optional<Models> models_or_complain(const SettingFlags& flags, CommandContext context) {
  const auto settings = settings_or_complain(flags, context);
  if (!settings) return std::nullopt;
  auto models = make_models(*settings, flags, context.environment);
  if (models) return std::move(*models);
  context.console.complain(models.error().message, "See `wright help models`.");
  return std::nullopt;
}

ExitCode report(const Result<BatchState>& state, OutputFormat output, CommandContext context) {
  if (!state) return complain_about(state.error(), context.console, kList);
  if (output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(json_of(*state)) + "\n");
  } else {
    context.console.print(line_of(*state));
  }
  return ExitCode::ok;
}

JsonObject json_of(const BatchResult& result) {
  JsonObject json{{"id", result.id.empty() ? Json(nullptr) : Json(result.id)}};
  if (result.response) {
    json["answer"] = result.response->answer();
    json["usage"] = to_json(result.response->usage);
    json["model"] = result.response->model;
  } else {
    json["error"] = result.response.error().message;
  }
  return json;
}

// One result for each request is what was asked for.
std::vector<std::string> problems_with(const std::vector<BatchResult>& results,
                                       const BatchState& state) {
  std::map<std::string_view, std::size_t> by_id;
  std::int64_t without_id = 0;
  std::size_t unnamed = 0;
  std::size_t failed = 0;
  for (const BatchResult& result : results) {
    if (result.id.empty()) {
      ++without_id;
      if (result.response) ++unnamed;
    } else {
      ++by_id[result.id];
    }
    if (!result.response) ++failed;
  }
  std::vector<std::string> problems;
  if (failed > 0) {
    problems.push_back(fmt::format("{} of {} requests failed", failed, results.size()));
  }
  if (unnamed > 0) problems.push_back(fmt::format("{} answers came without an id", unnamed));
  for (const auto& [id, count] : by_id) {
    if (count > 1) problems.push_back(fmt::format("{} results came for the id {}", count, id));
  }
  const std::int64_t came = std::ssize(by_id) + without_id;
  const std::int64_t counted = state.answered + state.failed;
  if (came < counted) {
    problems.push_back(fmt::format(
        "{} of {} results came: the vendor counts {} requests as answered and {} as failed", came,
        counted, state.answered, state.failed));
  }
  return problems;
}

}  // namespace

ExitCode execute(const ListBatchesCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto models = models_or_complain(command.settings, context);
  if (!models) return ExitCode::usage;
  std::vector<std::string> vendors;
  if (command.vendor) vendors.push_back(*command.vendor);
  for (const std::string_view name : {"openai", "anthropic", "gemini", "mistral", "azure"}) {
    const VendorInfo* vendor = models->catalogue().find_vendor(name);
    const bool has_key =
        vendor != nullptr && !key_for(*vendor, *settings, context.environment).value.empty();
    if (!command.vendor && has_key) vendors.emplace_back(name);
  }
  if (vendors.empty()) {
    context.console.complain("no vendor that takes batches has a key here", kSeeBatch);
    return ExitCode::usage;
  }
  Interruption interruption;
  interruption.watch({});
  JsonArray array;
  std::string text;
  for (const std::string& vendor : vendors) {
    const auto states = models->batches(vendor, interruption.token());
    if (!states) return complain_about(states.error(), context.console, kList);
    for (const BatchState& state : *states) {
      array.push_back(json_of(state));
      text += line_of(state);
    }
  }
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(array) + "\n");
  } else {
    context.console.print(text);
  }
  return ExitCode::ok;
}

ExitCode execute(const SubmitBatchCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto models = models_or_complain(command.settings, context);
  if (!models) return ExitCode::usage;
  const auto content = content_of(command.file);
  auto requests =
      content ? requests_in(*content, settings->max_tokens().value_or(Sampling{}.max_tokens))
              : std::unexpected(content.error());
  if (!requests) {
    context.console.complain(requests.error().message, kSeeBatch);
    return ExitCode::usage;
  }
  hide_keys(*requests, known_keys(*settings, context.environment));
  Interruption interruption;
  interruption.watch({});
  return report(models->submit_batch(settings->model(), *requests, interruption.token()),
                command.output, context);
}

ExitCode execute(const ShowBatchCommand& command, CommandContext context) {
  const auto models = models_or_complain(command.settings, context);
  if (!models) return ExitCode::usage;
  Interruption interruption;
  interruption.watch({});
  return report(models->batch(command.id, interruption.token()), command.output, context);
}

ExitCode execute(const CancelBatchCommand& command, CommandContext context) {
  const auto models = models_or_complain(command.settings, context);
  if (!models) return ExitCode::usage;
  Interruption interruption;
  interruption.watch({});
  return report(models->cancel_batch(command.id, interruption.token()), command.output, context);
}

ExitCode execute(const BatchResultsCommand& command, CommandContext context) {
  const auto models = models_or_complain(command.settings, context);
  if (!models) return ExitCode::usage;
  Interruption interruption;
  interruption.watch({});
  const auto state = models->batch(command.id, interruption.token());
  if (!state) return complain_about(state.error(), context.console, kList);
  const auto results = models->batch_results(command.id, interruption.token());
  if (!results) return complain_about(results.error(), context.console, kList);
  for (const BatchResult& result : *results) {
    context.console.print_json(to_text(Json(json_of(result))) + "\n");
  }
  const std::vector<std::string> problems = problems_with(*results, *state);
  for (const std::string& problem : problems) context.console.complain(problem);
  return problems.empty() ? ExitCode::ok : ExitCode::failed;
}

}  // namespace wright::app
