#include "simulation/workload.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "simulation/world.h"

namespace wright::simulation {
namespace {

constexpr std::array<std::string_view, 8> kToolNames{
    "write", "put", "read", "serial", "exclusive", "question", "guarded", "confirmed"};
constexpr std::array<Feature, 8> kToolFeatures{
    Feature::writes,    Feature::puts,      Feature::reads,     Feature::serial,
    Feature::exclusive, Feature::questions, Feature::approvals, Feature::questions};
constexpr std::string_view kMark = "w:";
constexpr std::int64_t kMostAnswerTokens = 300;

std::int64_t bytes_of(const Request& request) {
  std::size_t bytes = 0;
  for (const Message& message : request.messages) {
    for (const Part& part : message.parts) {
      if (const std::string* words = words_in(part)) bytes += words->size();
      if (const auto* call = std::get_if<ToolCall>(&part)) bytes += call->arguments.size();
      if (const auto* result = std::get_if<ToolResult>(&part)) bytes += result->content.size();
    }
  }
  return static_cast<std::int64_t>(bytes);
}

bool asks_for_summary(const Request& request) {
  return request.messages.back() == Message::notice(Notice::Kind::summarise);
}

int weight_of(const Options& options, const Tool& tool) {
  if (tool.specialist) {
    return options.weight(tool.specialist->kind == Specialist::Kind::handoff ? Feature::handoff
                                                                             : Feature::delegation);
  }
  const auto kind = tool_kind_from(tool.spec.name);
  return kind ? options.weight(kToolFeatures[static_cast<std::size_t>(*kind)]) : 0;
}

}  // namespace

std::string_view to_string(ToolKind kind) {
  return kToolNames[static_cast<std::size_t>(kind)];
}

std::optional<ToolKind> tool_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kToolNames.size(); ++i) {
    if (kToolNames[i] == name) return static_cast<ToolKind>(i);
  }
  return std::nullopt;
}

bool is_single(ToolKind kind) {
  return kind == ToolKind::write || kind == ToolKind::serial || kind == ToolKind::exclusive ||
         kind == ToolKind::guarded || kind == ToolKind::confirmed;
}

std::string Workload::prompt_of(std::int64_t number) {
  return fmt::format("{}{} please", kMark, number);
}

std::optional<std::int64_t> Workload::number_in(std::string_view prompt) {
  const std::size_t at = prompt.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  prompt.remove_prefix(at + kMark.size());
  std::int64_t number = 0;
  const auto read = std::from_chars(prompt.data(), prompt.data() + prompt.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

// --- agents ------------------------------------------------------------------------------------

Workload::Workload(World& world) : world_(world) {
  for (std::size_t i = 0; i < kToolNames.size(); ++i) {
    tools_.push_back(tool_of(static_cast<ToolKind>(i)));
  }
  deep_ = agent("deep", {});
  const auto digger = agent("digger", {});
  add_specialist(*digger, &Workload::deep_);
  digger_ = digger;
  const auto helper = agent("helper", {});
  add_specialist(*helper, &Workload::digger_);
  helper_ = helper;
}

std::shared_ptr<Agent> Workload::agent(std::string name, Limits limits) {
  Agent agent{.name = std::move(name),
              .instructions = "Work.",
              .model = model_from(
                  "simulation", "model",
                  [this](const Request& request, const ModelCall&) { return answer(request); }),
              .tools = tools_,
              .limits = limits};
  agent.sampling.max_tokens = static_cast<int>(kMostAnswerTokens);
  return std::make_shared<Agent>(std::move(agent));
}

void Workload::add_specialist(Agent& agent, AgentPointer Workload::*which) {
  auto tool = delegate_to(
      Specialist{.name = (this->*which)->name, .make = [this, which] { return this->*which; }},
      "Helps.");
  if (tool) agent.tools.push_back(std::move(*tool));
}

Limits Workload::limits_of(std::int64_t number) const {
  const Options& options = world_.options();
  Random random(mixed({options.seed, static_cast<std::uint64_t>(number), mixed("limits")}));
  const auto is_on = [&](Feature feature) { return random.chance(options.weight(feature) * 8); };
  Limits limits{.max_iterations = static_cast<int>(random.between(4, 12))};
  const auto calls = static_cast<int>(random.between(1, 8));
  const std::int64_t tokens = random.between(900, 6000);
  const std::int64_t time = random.between(1, 20) * 1000;
  if (is_on(Feature::call_limit)) limits.max_tool_calls = calls;
  if (is_on(Feature::token_limit)) limits.max_tokens = tokens;
  if (is_on(Feature::time_limit)) limits.max_time = std::chrono::milliseconds(time);
  return limits;
}

std::shared_ptr<const Agent> Workload::root_agent(std::int64_t number) {
  AgentPointer& root = roots_[number];
  if (!root) {
    const auto chief = agent("chief", limits_of(number));
    add_specialist(*chief, &Workload::helper_);
    const AgentPointer second = agent("second", limits_of(number));
    chief->tools.push_back(hand_off_to(Specialist{.kind = Specialist::Kind::handoff,
                                                  .name = "second",
                                                  .make = [second] { return second; }},
                                       "Goes on."));
    chief->context_tokens = window_of(number);
    root = chief;
  }
  return root;
}

// --- models ------------------------------------------------------------------------------------

// Some conversations are longer than what their model reads.
std::optional<std::int64_t> Workload::window_of(std::int64_t number) const {
  Random random(
      mixed({world_.options().seed, static_cast<std::uint64_t>(number), mixed("window")}));
  const std::int64_t window = random.between(300, 1'200);
  return random.chance(400) ? std::optional(window) : std::nullopt;
}

// Good, blank, or none at all.
Result<Response> Workload::summary(const Request& request, Random& random) {
  world_.reach("a summary was asked for");
  if (random.chance(200)) return fail(ErrorCode::overloaded, "The model is busy");
  Response response;
  response.usage.input_tokens = bytes_of(request) / 4;
  response.usage.output_tokens = random.between(1, kMostAnswerTokens);
  response.content.emplace_back(Text{random.chance(200) ? " \n" : "In short."});
  return response;
}

Result<Response> Workload::answer(const Request& request) {
  const auto number = number_in(request.messages.front().text());
  if (!number) return fail(ErrorCode::protocol, "This conversation is none of the simulation's");
  const std::size_t length = request.messages.size();
  const int again = asked_[{*number, length}]++;
  Random random(mixed({world_.options().seed, static_cast<std::uint64_t>(*number), length,
                       static_cast<std::uint64_t>(again)}));
  const auto happens = [&](Feature feature, int most) {
    return random.chance(world_.options().weight(feature) * most / 100);
  };
  if (happens(Feature::model_fails, 60)) {
    world_.reach("a model failed");
    return fail(ErrorCode::network, "The model is not there");
  }
  if (asks_for_summary(request)) return summary(request, random);
  // What it reads may be less than what is known of it.
  const auto window = window_of(*number);
  if (window && random.chance(300) && bytes_of(request) / 4 > *window / 2) {
    world_.reach("a model refused a long request");
    return fail(ErrorCode::context_too_long,
                random.chance(500)
                    ? fmt::format("The maximum context length is {} tokens", *window / 2)
                    : "That is too long");
  }
  Response response;
  response.usage.input_tokens = bytes_of(request) / 4;
  response.usage.output_tokens = random.between(1, kMostAnswerTokens);
  const auto turns = static_cast<std::int64_t>(length / 2);
  const bool is_last = random.chance(std::min<std::int64_t>(900, 60 + 90 * turns));
  if (is_last) {
    response.content.emplace_back(Text{fmt::format("answer {} {}", *number, length)});
  } else {
    response.content = calls(request, *number, random);
    response.stop_reason = StopReason::tool_use;
  }
  if (happens(Feature::model_cut, 150)) {
    world_.reach("an answer was cut");
    response.stop_reason = StopReason::max_tokens;
    if (auto* call = std::get_if<ToolCall>(&response.content.back())) call->arguments = "{\"n\": ";
  }
  return response;
}

std::vector<Part> Workload::calls(const Request& request, std::int64_t number, Random& random) {
  const Options& options = world_.options();
  const auto happens = [&](Feature feature, int most) {
    return random.chance(options.weight(feature) * most / 100);
  };
  std::int64_t all = 0;
  for (const Tool& tool : request.tools) all += weight_of(options, tool);
  const std::int64_t count = happens(Feature::many_calls, 800) ? random.between(2, 4) : 1;
  std::vector<Part> parts;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = random.below(all);
    const Tool* tool = nullptr;
    for (const Tool& each : request.tools) {
      tool = &each;
      at -= weight_of(options, each);
      if (at < 0) break;
    }
    ToolCall call{.id = fmt::format("c{}-{}-{}", number, request.messages.size(), i),
                  .name = tool->spec.name,
                  .arguments = fmt::format("{{\"n\": {}}}", random.below(1'000'000))};
    if (tool->specialist) {
      const auto child = static_cast<std::int64_t>(random.next() % 1'000'000'000'000U);
      call.arguments = fmt::format("{{\"message\": \"{}\"}}", prompt_of(child));
    }
    if (happens(Feature::repeated_ids, 300)) {
      call.id = random.chance(500) ? "" : "same";
      world_.reach("a call had no id of its own");
    }
    if (happens(Feature::unknown_tool, 100)) call.name = "nobody";
    if (happens(Feature::broken_arguments, 100)) call.arguments = "{n: ";
    parts.emplace_back(std::move(call));
  }
  return parts;
}

// --- tools -------------------------------------------------------------------------------------

Tool Workload::tool_of(ToolKind kind) {
  ToolOptions options{.effect = Effect::write, .timeout = std::chrono::milliseconds(4'000)};
  if (kind == ToolKind::put) options.effect = Effect::idempotent;
  if (kind == ToolKind::read || kind == ToolKind::question) options.effect = Effect::read;
  if (kind == ToolKind::serial) options.concurrency = Concurrency::serial;
  if (kind == ToolKind::exclusive) options.concurrency = Concurrency::exclusive;
  options.needs_approval = kind == ToolKind::guarded;
  auto made =
      tool(ToolSpec{.name = std::string(to_string(kind)),
                    .description = "Does something.",
                    .options = options},
           [this, kind](const Json&, const Context& context) { return execute(kind, context); });
  return made ? std::move(*made) : Tool{};
}

Result<ToolReply> Workload::execute(ToolKind kind, const Context& context) {
  Random& faults = world_.faults();
  Execution execution{.kind = kind,
                      .runner = world_.acting_runner(),
                      .session_id = context.session_id,
                      .call_id = std::string(context.call_id),
                      .key = std::string(context.idempotency_key),
                      .epoch = context.lease_epoch};
  world_.watch().begins(execution);
  world_.note(to_string(kind), context.session_id, context.lease_epoch);
  ToolTime& time = world_.tool_time();
  time = {.lasts = faults.between(0, 40), .heeds_stop = faults.chance(500), .stop = context.stop};
  if (world_.happens(Feature::tool_slow, 300)) time.lasts = faults.between(500, 8'000);
  time.hangs = world_.happens(Feature::tool_hangs, 100);
  if (kind == ToolKind::question || kind == ToolKind::confirmed) {
    if (context.answers.answer) {
      const std::int64_t* payload = context.answers.answer->if_int64();
      if (payload == nullptr) world_.reach("a call was told that nobody answers");
      world_.watch().receives(payload != nullptr ? *payload : 0);
      return Output{.value = Json(fmt::format("heard {}", payload != nullptr ? *payload : 0))};
    }
    if (kind == ToolKind::confirmed && !world_.watch().takes_effect(execution)) {
      return fail(ErrorCode::permission_denied, "A later driver was here before");
    }
    Waiting waiting{.kind = faults.chance(500) ? WaitKind::question : WaitKind::result,
                    .shown = JsonObject{{"of", execution.key}}};
    if (world_.happens(Feature::short_waits, 600)) {
      waiting.timeout = std::chrono::seconds(faults.between(1, 30));
    }
    if (kind == ToolKind::confirmed) waiting.state = JsonObject{{"has_begun", true}};
    return waiting;
  }
  if (world_.happens(Feature::tool_throws, 100)) {
    world_.reach("a tool threw");
    throw std::runtime_error("It broke");
  }
  if (kind != ToolKind::read) {
    if (world_.happens(Feature::late_effect, 400)) {
      // Far away, so that it happens whatever becomes of the process; the tool waits for it.
      time.heeds_stop = false;
      ++time.lasts;
      world_.at(world_.now() + faults.below(time.lasts), kWorld,
                [this, execution, era = world_.era()] {
                  if (era == world_.era()) (void)world_.watch().takes_effect(execution);
                });
    } else if (!world_.watch().takes_effect(execution)) {
      return fail(ErrorCode::permission_denied, "A later driver was here before");
    }
  }
  return Output{.value = Json(result_of(execution.key))};
}

// Some are long, so that conversations outgrow their windows. The same for the same call, and apart
// from all other chances.
std::string Workload::result_of(const std::string& key) const {
  Random random(mixed({world_.options().seed, mixed(key), mixed("result")}));
  const auto length = static_cast<std::size_t>(random.between(200, 2'000));
  return random.chance(400) ? key + " " + std::string(length, 'r') : key;
}

}  // namespace wright::simulation
