// Whatever a model writes as the arguments of a call: every interceptor and the tool see it,
// nothing breaks, what goes back to the model is UTF-8, and the log has whole lines without
// secrets.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wright/interceptors.h"

namespace {

using namespace wright;

Tool echo() {
  const auto schema = parse_json(R"({"type": "object", "properties": {
    "count": {"type": "integer", "minimum": 0}, "ratio": {"type": "number"},
    "flag": {"type": "boolean"}, "text": {"type": "string", "maxLength": 20},
    "tags": {"type": "array", "items": {"type": "string"}},
    "inner": {"type": "object", "properties": {"deep": {"$ref": "#"}}}},
    "additionalProperties": {"type": ["string", "null"]}})");
  return tool({.name = "echo", .parameters = *schema, .options = {.effect = Effect::read}},
              [](const Json& arguments, const Context&) -> Result<Json> {
                return JsonObject{{"arguments", arguments}};
              })
      .value();
}

Agent everything() {
  const Logger logger = line_logger(LogFormat::json, LogLevel::debug, [](std::string_view line) {
    if (!line.ends_with('\n') || !parse_json(line.substr(0, line.size() - 1))) std::abort();
    if (line.find("hunter22") != std::string_view::npos) std::abort();
  });
  const Redactor redactor({"hunter22"});
  Agent agent{.tools = {echo()}};
  agent.validation = {.strictness = Strictness::lenient,
                      .coercion = Coercion::on,
                      .logger = logger,
                      .redactor = redactor};
  std::vector<Interceptor>& list = agent.interceptors;
  list.push_back(intercept::logging({.logger = logger, .redactor = redactor}));
  list.push_back(intercept::metadata());
  list.push_back(intercept::timing());
  list.push_back(intercept::cache({.max_entries = 4}));
  list.push_back(intercept::output_limit(200));
  list.push_back(intercept::redaction(redactor));
  return agent;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Agent agent = everything();
  const ToolCall call{"call_1", "echo",
                      std::string(reinterpret_cast<const char*>(data), size)};  // NOLINT: bytes
  const ToolOutcome outcome =
      execute(agent, call, Context{.memory = std::make_shared<RunMemory>()});
  if (outcome.waiting || outcome.result.call_id != "call_1") std::abort();
  if (!is_valid_utf8(outcome.result.content) || !is_valid_utf8(outcome.error_message()))
    std::abort();
  if (outcome.result.is_error != outcome.error.has_value()) std::abort();
  return 0;
}
