// A tool: a spec that the model sees, and a plain function. Interceptors wrap every execution.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wright/approval.h"
#include "wright/json_schema.h"
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

// What a tool sees to by itself, so that the conveniences of interceptors.h do not do it twice.
struct Provides {
  bool validation = false;
  bool logging = false;
  bool metadata = false;
};

// Which calls of one turn may run beside each other. Their results always keep the calls' order.
enum class Concurrency : std::uint8_t {
  parallel,   // beside others
  serial,     // after all calls before it, and before all calls after it
  exclusive,  // serial, and one at a time among all sessions of the process
};

struct ToolOptions {
  Effect effect = Effect::write;
  Concurrency concurrency = Concurrency::parallel;
  std::chrono::milliseconds timeout{120'000};
  std::size_t output_limit = 64 * 1024;  // bytes that the model gets to read
  bool needs_approval = false;           // a person must approve every call, whatever the rules say
  Provides provides = {};
};

struct ToolSpec {
  std::string name = {};
  std::string description = {};
  Json parameters = JsonObject{{"type", "object"}};  // JSON schema
  ToolOptions options = {};
  std::vector<std::string> aliases = {};  // other names that calls may use; never advertised
};

struct Tool;
struct Specialist;

// What a running tool knows about its call. The views are valid for the duration of the call.
struct Context {
  std::string_view agent_name = {};
  std::int64_t session_id = 0;
  std::string_view call_id = {};
  std::string_view idempotency_key = {};   // the same when a call is run again
  std::stop_token stop = {};               // asked to end early
  Json arguments = {};                     // parsed; an interceptor may change them before next()
  std::shared_ptr<RunMemory> memory = {};  // of the run; null where a call stands alone
  const Tool* tool = nullptr;              // set by execute(): what is being called
  // Set by execute() when the call cannot reach a tool: nobody has that name, or the arguments are
  // not JSON. It passes the interceptors all the same, with arguments {}, and the innermost end
  // answers with this. An interceptor that can put it right sets the arguments and clears it.
  std::optional<Error> unusable = {};
  std::optional<double> duration_ms = {};  // set by the timing interceptor
  std::vector<std::string> notes = {};     // for people: what was done to the call on its way
  std::vector<Image> images = {};          // for the model, beside what the tool returns
  // Keeps a text whole that is too long for the model, and answers with the absolute path where
  // read_file finds it. May be empty: then it is only cut.
  std::function<Result<std::string>(std::string_view text)> spill = {};
  WaitAnswers answers = {};  // of a call that waited, when it is executed again
  // Tells whoever looks on what a long call is doing. May be empty.
  std::function<void(std::string_view text)> progress = {};
};

using ToolFunction = std::function<Result<Json>(const Json& arguments, Context& context)>;

struct Tool {
  ToolSpec spec;
  ToolFunction function;
  std::optional<JsonSchema> schema = {};  // spec.parameters, compiled; tool() sets it
  // Puts arguments that use other names than the schema's into its names, before interceptors see
  // them. May be empty.
  std::function<Json(Json arguments)> rewrite = {};
  // What a call with these arguments would touch, for a person who has to approve it. Of an object,
  // the members are shown to them: "diff" (unified), "commands" ([{command, permission, reason}]),
  // "problem", or any other. Changes nothing. May be empty.
  std::function<Json(const Json& arguments)> preview = {};
  std::shared_ptr<const Specialist> specialist = {};  // see specialist.h: a child run answers

  // The same tool under another name.
  Tool as(std::string name) const;
};

class Next;
using Interceptor = std::function<Result<Json>(const ToolCall&, Context&, const Next&)>;

// The rest of the way of a call: the interceptors after the one that holds it, then the tool.
class Next {
 public:
  using Function = std::function<Result<Json>(const ToolCall&, Context&)>;

  // Refers to both.
  Next(const Tool& tool, std::span<const Interceptor> rest) : tool_(&tool), rest_(rest) {}
  // Something else than a tool, for tests of interceptors.
  template <std::convertible_to<Function> Callable>
  requires(!std::same_as<Callable, Next>) Next(Callable instead) : instead_(std::move(instead)) {}

  // Never throws.
  Result<Json> operator()(const ToolCall& call, Context& context) const;

  // One that owns copies of all it needs, and so may outlive the call.
  Next owned() const;

 private:
  const Tool* tool_ = nullptr;
  std::span<const Interceptor> rest_;
  Function instead_;
  std::shared_ptr<const void> kept_;  // what tool_ and rest_ refer to, of one that owns
};

// Returned by a tool (or an interceptor) that cannot go on before somebody has answered. The run
// parks; `shown` is what the person is shown. Its "kind" says what is waited for: "questions",
// "approval", or "result" from outside; "timeout_secs" how long. The call is executed again, from
// the outermost interceptor on, when Context::answers has what it waited for.
std::unexpected<Error> wait_for_person(const Json& shown);

// Whether a person has approved this call, or has approved all of these kinds of calls for the
// session. Otherwise the error to return: the refusal with its reason, or the wait.
Result<void> require_approval(const Context& context, JsonObject shown,
                              const std::vector<std::string>& kinds);

// Makes a tool of a function over a described struct (see describe.h):
//
//   tool("weather", "Weather in a city", [](const Place& p) { return "sunny in " + p.city; })
//
// The function takes nothing, a described struct, a Context&, or both in that order, and returns
// anything that has a JSON form, a Result of such a thing, or void.
template <class Function>
Tool tool(std::string name, std::string description, Function function, ToolOptions options = {});

// Makes a tool of a JSON schema that was written by hand or came from elsewhere. Refuses a bad
// schema, naming the place. The function gets arguments that the schema accepts where the
// validation interceptor is on the way; otherwise whatever the model wrote.
Result<Tool> tool(ToolSpec spec, ToolFunction function);

// What came of one call.
struct ToolOutcome {
  ToolResult result;            // what the model reads
  Json response;                // what the tool returned, null when it failed
  std::string error;            // why it failed, empty when it did not
  std::optional<Json> waiting;  // set when somebody must answer first: what they are shown
  double duration_ms = 0;
  std::vector<std::string> notes;  // Context::notes
};

// The one way by which a tool is ever run: find it, parse the arguments, interceptors outermost
// first, the tool. Calls that name no tool or whose arguments cannot be read pass the interceptors
// too. Never throws; a failure of any kind is an outcome that tells the model.
ToolOutcome execute(std::span<const Tool> tools, std::span<const Interceptor> interceptors,
                    const ToolCall& call, Context context);

}  // namespace wright

#include "wright/tool_inline.h"
