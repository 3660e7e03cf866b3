// A tool: a spec that the model sees, and a plain function. Interceptors wrap every execution.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wright/json.h"
#include "wright/log.h"
#include "wright/message.h"
#include "wright/people.h"
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
  bool logging = false;
  bool metadata = false;
};

// Which calls of one turn may run beside each other. Their results always keep the calls' order.
enum class Concurrency : std::uint8_t {
  parallel,   // beside others
  serial,     // after all calls before it, and before all calls after it
  exclusive,  // serial, and one at a time among all sessions of a Runtime
};

struct ToolOptions {
  Effect effect = Effect::write;
  Concurrency concurrency = Concurrency::parallel;
  // Absent: as long, or as much, as it takes.
  std::optional<std::chrono::milliseconds> timeout = std::chrono::milliseconds(120'000);
  std::optional<std::size_t> output_limit = 64 * 1024;  // bytes that the model gets to read
  bool needs_approval = false;  // a person must approve every call, whatever the rules say
  // An approval for the session holds for calls with the same arguments only, not for every call.
  bool approved_by_arguments = false;
  Provides provides = {};
  // That whoever drives a session with this tool must have, such as "gpu": see NewSession::labels.
  std::vector<std::string> labels = {};
};

struct ToolSpec {
  std::string name = {};
  std::string description = {};
  Json parameters = JsonObject{{"type", "object"}};  // JSON schema
  ToolOptions options = {};
  std::vector<std::string> aliases = {};  // other names that calls may use; never advertised
  // A mark of all that it promises, of a tool whose promises can change (those of a server): what
  // was approved for the session holds for this one. Empty: for the name.
  std::string definition = {};
};

struct Tool;
struct Specialist;
namespace detail {
struct DecodedArguments;
}

// Keeps a text whole that is too long for the model, and answers with the absolute path where
// read_file finds it.
using Spill = std::function<Result<std::string>(std::string_view text)>;

// What calls that ask models by themselves may use of their session's budget: one for all that are
// under way at once. What is used counts for the session when one of them ends. Thread-safe.
class CallBudget {
 public:
  CallBudget() = default;
  // Absent is no limit.
  CallBudget(std::optional<std::int64_t> tokens, std::optional<double> cost_usd)
      : tokens_(tokens), cost_usd_(cost_usd) {}

  std::optional<std::int64_t> tokens_left() const;
  std::optional<double> cost_usd_left() const;
  void spend(const Usage& usage);
  Usage spent() const;

 private:
  mutable std::mutex mutex_;
  const std::optional<std::int64_t> tokens_;
  const std::optional<double> cost_usd_;
  Usage spent_;
};

class CommandPlace;  // sandbox.h

// What a running tool knows about its call, and what it may use. The views are valid for the
// duration of the call.
struct Context {
  std::string_view agent_name = {};
  std::int64_t session_id = 0;
  std::string_view call_id = {};
  std::string_view idempotency_key = {};  // the same when a call is run again
  // The fencing token: rises with everybody who takes over the session. Whoever keeps the highest
  // one it has seen can refuse a process that was thought dead. 0 when nothing is stored.
  int lease_epoch = 0;
  // Whether the session is still this process's own: while it slept or waited, another may have
  // taken over. A tool that was long in preparing asks once more, as the last thing before it does
  // what must not be done twice, and passes the error on. Empty when nothing is stored.
  std::function<Result<void>()> still_ours = {};
  // Stores with the call what it needs to go on after a crash, such as the name of a job that
  // somebody does elsewhere, in the place of what it kept before. Whatever its effect, a call that
  // has kept something is then executed again instead of being `unknown`, with this in
  // WaitAnswers::kept: the tool goes on with the job, and does nothing twice. An error: it may not
  // be stored. Empty where nothing is.
  std::function<Result<void>(const Json& note)> keep = {};
  std::stop_token stop = {};  // asked to end early
  // Whether it is asked to end only because its process does: the session goes on later, and so
  // does a call that has kept something. May be empty.
  std::function<bool()> is_suspended = {};
  std::shared_ptr<RunMemory> memory = {};  // of the run; null where a call stands alone
  Spill spill = {};                        // may be empty: then a long text is only cut
  WaitAnswers answers = {};                // of a call that waited, when it is executed again
  // Tells whoever looks on what a long call is doing. May be empty.
  std::function<void(std::string_view text)> progress = {};
  TraceContext trace = {};                   // for those whom the call asks
  std::shared_ptr<CallBudget> budget = {};   // null where a call stands alone
  std::shared_ptr<CommandPlace> place = {};  // where commands are to run; null: in our processes
  // The same for the calls of one answer of the model, and for no others of the run. 0: not known.
  std::size_t turn = 0;
};

// What a tool answers: a value for the model, what it looks at beside it, and notes for people on
// what was done to the call.
struct Output {
  Json value = {};
  std::vector<Image> images = {};
  std::vector<std::string> notes = {};
  std::optional<double> duration_ms = {};  // set by the timing interceptor
  // Of `value` as the tool returned it; set where the tool is called.
  std::uint64_t fingerprint = 0;
  std::vector<Notice> notices = {};  // what the model is told beside `value`; never cut
};

// The run of a specialist (agent.h) is to answer this call.
struct Delegate {
  std::string message = {};
  bool operator==(const Delegate&) const = default;
};

// All that can come of a call that has not failed. A call that waits or is delegated is executed
// again, from the outermost interceptor on, when Context::answers has what it waited for.
using ToolReply = std::variant<Output, Waiting, Delegate>;

using ToolFunction =
    std::function<Result<ToolReply>(const Json& arguments, const Context& context)>;

struct Tool {
  ToolSpec spec;
  ToolFunction function;
  std::optional<JsonSchema> schema = {};  // spec.parameters, compiled; tool() sets it
  // Puts arguments that use other names than the schema's into its names, before they are checked.
  // May be empty.
  std::function<Json(Json arguments)> rewrite = {};
  // Checks arguments in place of the schema, by what the tool's C++ types demand. May be empty.
  std::function<Result<void>(const Json& arguments)> check = {};
  // What a call with these arguments would touch, for a person who has to approve it. Of an object,
  // the members are shown to them: "diff" (unified), "commands" ([{command, permission, reason}]),
  // "folder", "problem", or any other. Where its "diff", "folder" or "problem" is another one when
  // the approved call is to run, the person is asked again. Changes nothing. May be empty.
  std::function<Json(const Json& arguments)> preview = {};
  // Whether a call with these arguments only reads, of a tool that can do more: such a call may run
  // beside others though the tool is serial. May be empty.
  std::function<bool(const Json& arguments)> only_reads = {};
  std::shared_ptr<const Specialist> specialist = {};  // see agent.h: a child run answers

  // The same tool under another name.
  Tool as(std::string name) const;
};

// The tool that a call by this name means: the one of that name, else the one with that alias.
const Tool* find_tool(std::span<const Tool> tools, std::string_view name);

// How arguments are held against a tool's schema before the call.
enum class Strictness : std::uint8_t {
  strict,   // what does not fit is refused, and the model told why
  lenient,  // it is noted and logged, and the call goes on
  off,      // nothing is checked, but for what the tool's own C++ types demand
};
// Whether unambiguous mistakes are put right: "5" for 5, "true" for true, one value for a list of
// one, JSON inside a string. Each is noted and logged.
enum class Coercion : std::uint8_t { off, on };

struct ValidationOptions {
  Strictness strictness = Strictness::strict;
  Coercion coercion = Coercion::off;
  int retry_budget = 2;  // turns with refused calls of one tool in a row, beyond the first, before
                         // the model is told to stop trying
  Logger logger = {};
  Redactor redactor = {};  // of what is logged
};

// A call on its way to its tool. It refers to all that it names.
struct Invocation {
  const ToolCall& call;
  const Tool& tool;       // a stand-in that fails where nobody has that name
  const Json& arguments;  // parsed and checked
  // Set when the call cannot reach its tool: nobody has that name, the arguments are no JSON, or
  // they do not fit. It passes the interceptors all the same, and the innermost end answers with
  // this.
  const Error* unusable = nullptr;
  std::span<const std::string> notes = {};  // on what was put right in the arguments
  const ValidationOptions* validation = nullptr;
  bool arguments_changed = false;
  // The arguments as the tool's own C++ type, where that is how they were checked.
  const detail::DecodedArguments* decoded = nullptr;

  // The same call with other arguments, which are checked before the tool sees them.
  Invocation with(const Json& other) const {
    return {call, tool, other, nullptr, notes, validation, true};
  }
};

class Next;
using Interceptor =
    std::function<Result<ToolReply>(const Invocation&, const Context&, const Next&)>;

// The rest of the way of a call: the interceptors after the one that holds it, then the tool.
class Next {
 public:
  using Function = std::function<Result<ToolReply>(const Invocation&, const Context&)>;

  // Refers to them.
  explicit Next(std::span<const Interceptor> rest) : rest_(rest) {}
  // Something else than a tool, for tests of interceptors.
  template <std::convertible_to<Function> Callable>
  requires(!std::same_as<Callable, Next>) Next(Callable instead) : instead_(std::move(instead)) {}

  // Never throws.
  Result<ToolReply> operator()(const Invocation& invocation, const Context& context) const;

 private:
  std::span<const Interceptor> rest_;
  Function instead_;
};

// What to return instead of going on while a person has not approved this call, nor all of these
// kinds of calls for the session: the refusal with its reason, or the wait. Nothing: go on.
std::optional<Result<ToolReply>> unless_approved(const Context& context, std::string_view tool,
                                                 JsonObject shown, std::vector<std::string> kinds);

// The error of a call that a person refused; its result says so (ToolResult::Origin).
std::unexpected<Error> refused_by_person(std::string message);
bool is_refused_by_person(const Error& error);

// Makes a tool of a function over a struct (see schema.h):
//
//   tool("weather", "Weather in a city", [](const Place& p) { return "sunny in " + p.city; })
//
// The function takes nothing, a struct, a const Context&, or both in that order, and
// returns anything that has a JSON form, an Output, a ToolReply, a Result of such a thing, or void.
template <class Function>
Tool tool(std::string name, std::string description, Function function, ToolOptions options = {});

// Makes a tool of a JSON schema that was written by hand or came from elsewhere. Refuses a bad
// schema, naming the place. The function takes (const Json& arguments, const Context&), arguments
// that the schema accepts, and returns what the function of the other form may return.
Result<Tool> tool(ToolSpec spec, ToolFunction function);
template <std::invocable<const Json&, const Context&> Function>
Result<Tool> tool(ToolSpec spec, Function function);

// What came of one call.
struct ToolOutcome {
  ToolResult result = {};                 // what the model reads
  Json response = {};                     // what the tool returned, null when it failed
  std::optional<Error> error = {};        // why it failed
  std::optional<Waiting> waiting = {};    // set when somebody must answer first
  std::optional<Delegate> delegate = {};  // set when a specialist is to answer
  double duration_ms = 0;
  std::vector<std::string> notes = {};  // Output::notes

  bool has_ended() const { return !waiting && !delegate; }
  // Why it failed; empty when it did not.
  std::string_view error_message() const {
    return error ? std::string_view(error->message) : std::string_view();
  }
};

// The one way by which a tool is ever run: find it, parse and check the arguments, interceptors
// outermost first, the tool. Calls that name no tool or whose arguments cannot be used pass the
// interceptors too. Never throws; a failure of any kind is an outcome that tells the model. A
// tool's timeout is the driver's business.
ToolOutcome execute(std::span<const Tool> tools, std::span<const Interceptor> interceptors,
                    const ToolCall& call, const Context& context,
                    const ValidationOptions& validation = {});

}  // namespace wright

#include "wright/detail/tool.h"
