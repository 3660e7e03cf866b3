// A tool: a spec that the model sees, and a plain function. Interceptors wrap every execution.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wright/message.h"
#include "wright/schema.h"

namespace wright {

// What running a tool does to the world, and so what may happen to a call after a crash.
enum class Effect : std::uint8_t {
  read,        // may be repeated
  idempotent,  // may be repeated with the same key (Context::idempotency_key)
  write,       // never repeated by us
};

std::string_view to_string(Effect effect);

struct ToolOptions {
  Effect effect = Effect::write;
  std::chrono::milliseconds timeout{120'000};
  std::size_t output_limit = 64 * 1024;  // bytes that the model gets to read
};

struct ToolSpec {
  std::string name;
  std::string description;
  Json parameters = JsonObject{{"type", "object"}};  // JSON schema
  ToolOptions options = {};
};

// What a running tool knows about its call. The views are valid for the duration of the call.
struct Context {
  std::string_view agent_name = {};
  std::int64_t session_id = 0;
  std::string_view call_id = {};
  std::string_view idempotency_key = {};  // the same when a call is run again
  std::stop_token stop = {};              // asked to end early
  Json arguments = {};                    // parsed; an interceptor may change them before next()
};

using ToolFunction = std::function<Result<Json>(const Json& arguments, Context& context)>;

struct Tool {
  ToolSpec spec;
  ToolFunction function;
};

using Next = std::function<Result<Json>(const ToolCall&, Context&)>;
using Interceptor = std::function<Result<Json>(const ToolCall&, Context&, const Next&)>;

// Returned by a tool (or an interceptor) that cannot go on before a person has answered. The run
// parks; `shown` is what the person is shown.
std::unexpected<Error> wait_for_person(const Json& shown);

// Makes a tool of a function over a described struct (see describe.h):
//
//   tool("weather", "Weather in a city", [](const Place& p) { return "sunny in " + p.city; })
//
// The function takes nothing, a described struct, a Context&, or both in that order, and returns
// anything that has a JSON form, a Result of such a thing, or void.
template <class Function>
Tool tool(std::string name, std::string description, Function function, ToolOptions options = {});

// What came of one call.
struct ToolOutcome {
  ToolResult result;            // what the model reads
  Json response;                // what the tool returned, null when it failed
  std::string error;            // why it failed, empty when it did not
  std::optional<Json> waiting;  // set when a person must answer first: what they are shown
  double duration_ms = 0;
};

// The one way by which a tool is ever run: find it, parse the arguments, interceptors outermost
// first, the tool. Never throws; a failure of any kind is an outcome that tells the model.
ToolOutcome execute(std::span<const Tool> tools, std::span<const Interceptor> interceptors,
                    const ToolCall& call, Context context);

}  // namespace wright

#include "wright/tool_inline.h"
