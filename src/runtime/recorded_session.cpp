// Records of sessions: made of what a store keeps, checked, and made into an agent where the real
// one is not at hand. Runs nothing.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/enum_names.h"
#include "core/older_forms.h"
#include "core/try.h"
#include "wright/agent.h"
#include "wright/replay.h"
#include "wright/run.h"

namespace wright {

WRIGHT_ENUM(Difference::Kind, instructions, message, result, specialist, turns, end)

namespace {

constexpr int kDeepestSpecialists = 32;

class RecordLoader {
 public:
  explicit RecordLoader(Store& store) : store_(store) {}

  Result<RecordedSession> load(SessionId id, int depth) {
    auto session = TRY(store_.get_session(id));
    if (session.format_version > Session{}.format_version) {
      return fail(ErrorCode::unsupported,
                  fmt::format("Session {} was written by a newer Wright (format {}; this one knows "
                              "up to {})",
                              id, session.format_version, Session{}.format_version));
    }
    if (depth > kDeepestSpecialists) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The specialists of session {} are too deep", id));
    }
    auto messages = TRY(store_.get_messages(id));
    RecordedSession recorded = recorded_row(std::move(session));
    for (StoredMessage& stored : messages) {
      recorded.messages.push_back(std::move(stored.message));
    }
    recorded.calls = TRY(calls_of(id, recorded.messages, depth));
    return recorded;
  }

 private:
  static RecordedSession recorded_row(Session session) {
    RecordedSession recorded{.agent = std::move(session.agent_name),
                             .provider = std::move(session.provider),
                             .model = std::move(session.model),
                             .instructions = session.system_prompt.value_or(""),
                             .config = std::move(session.config),
                             .status = session.status,
                             .error = session.error.value_or(""),
                             .limit = session.limit};
    if (!recorded.config.is_object()) recorded.config = nullptr;
    if (!recorded.limit) recorded.limit = older::limit_in(recorded.error);
    // A conversation that was handed off belongs to the last agent; it began with the first one.
    const JsonObject* config = recorded.config.if_object();
    const Json* first = config != nullptr ? config->if_contains("agent") : nullptr;
    if (!session.parent_session_id && first != nullptr && first->is_string()) {
      recorded.agent = first->get_string();
    }
    return recorded;
  }

  // What is below one session, by the row of the call that it belongs to.
  struct Below {
    std::map<CallId, std::vector<RecordedWait>> waits;
    std::map<CallId, SessionId> children;
  };

  Result<Below> children_of(SessionId id) {
    Below found;
    auto waits = TRY(store_.get_waits({.session_id = id}));
    for (StoredWait& wait : waits) {
      if (wait.session_id != id) continue;
      found.waits[wait.call_id].push_back(
          {wait.kind, std::move(wait.shown), std::move(wait.covers), std::move(wait.answer)});
    }
    auto children = TRY(store_.list_sessions(
        {.parent_session_id = id, .limit = std::numeric_limits<std::size_t>::max()}));
    for (const Session& child : children) {  // newest first
      if (child.parent_call_id) found.children.try_emplace(*child.parent_call_id, child.id);
    }
    return found;
  }

  Result<std::vector<RecordedCall>> calls_of(SessionId id, const std::vector<Message>& messages,
                                             int depth) {
    auto rows = TRY(store_.get_tool_calls(id));
    auto found = TRY(children_of(id));
    std::map<std::string_view, const ToolResult*> results;
    for (const Message& message : messages) {
      for (const Part& part : message.parts) {
        if (const auto* result = std::get_if<ToolResult>(&part)) results[result->call_id] = result;
      }
    }
    std::unordered_map<std::string_view, const StoredCall*> row_of;
    for (const StoredCall& row : rows) row_of.emplace(row.tool_call_id, &row);
    std::vector<RecordedCall> calls;
    for (const Message& message : messages) {
      for (const ToolCall& call : message.tool_calls()) {
        RecordedCall recorded{.id = call.id, .status = CallStatus::pending};
        if (const auto told = results.find(call.id); told != results.end()) {
          recorded.result = *told->second;
          recorded.status = recorded.result->is_error ? CallStatus::failed : CallStatus::completed;
        }
        if (const auto row = row_of.find(call.id); row != row_of.end()) {
          TRY(fill_in(recorded, *row->second, found, depth));
        }
        calls.push_back(std::move(recorded));
      }
    }
    return calls;
  }

  Result<void> fill_in(RecordedCall& call, const StoredCall& row, Below& found, int depth) {
    call.status = row.status;
    if (!call.result) call.result = row.result;
    if (const auto waits = found.waits.find(row.id); waits != found.waits.end()) {
      call.waits = std::move(waits->second);
    }
    const auto child = found.children.find(row.id);
    if (child == found.children.end()) return {};
    auto specialist = TRY(load(child->second, depth + 1));
    call.specialist.push_back(std::move(specialist));
    return {};
  }

  Store& store_;
};

// A run in which the last turn may be open.
Run run_of(const RecordedSession& recorded) {
  Run run;
  run.messages = recorded.messages;
  run.limits.max_iterations = std::numeric_limits<int>::max();
  run.limits.max_repeats.reset();
  if (!run.messages.empty() && run.messages.back().role == Role::assistant) {
    for (ToolCall& call : run.messages.back().tool_calls()) {
      run.open_calls.push_back({.call = std::move(call)});
    }
  }
  return run;
}

Tool stand_in(std::string name) {
  return {.spec = {.name = std::move(name), .options = {.output_limit = {}}},
          .function = [](const Json&, const Context&) -> Result<ToolReply> {
            return fail(ErrorCode::unsupported,
                        "This tool is only known from a record, and cannot be executed");
          }};
}

// The agent of these sessions. One that was asked several times has all the tools it ever called.
Agent agent_of(std::span<const RecordedSession* const> sessions) {
  std::map<std::string, std::vector<const RecordedSession*>> tools;  // and who answered for them
  for (const RecordedSession* session : sessions) {
    std::map<std::string_view, const RecordedCall*> calls;
    for (const RecordedCall& call : session->calls) calls[call.id] = &call;
    for (const Message& message : session->messages) {
      for (const ToolCall& call : message.tool_calls()) {
        const RecordedCall& came = *calls.at(call.id);
        // A call that failed may have named a tool that never was.
        const bool is_known = !came.specialist.empty() || (came.result && !came.result->is_error);
        if (!is_known) continue;
        auto& specialists = tools[call.name];
        for (const RecordedSession& each : came.specialist) specialists.push_back(&each);
      }
    }
  }
  Agent agent{.name = sessions.front()->agent, .instructions = sessions.front()->instructions};
  // The record does not tell its limits; it ends where they ended it.
  agent.limits.max_iterations = std::numeric_limits<int>::max();
  agent.limits.max_repeats.reset();
  agent.limits.max_depth = kDeepestSpecialists;
  for (const auto& [name, specialists] : tools) {
    agent.tools.push_back(specialists.empty() ? stand_in(name)
                                              : delegate_to(agent_of(specialists)).as(name));
  }
  return agent;
}

}  // namespace

std::string_view to_string(Difference::Kind kind) {
  return enum_name(kind);
}

Result<void> check(const RecordedSession& recorded) {
  if (recorded.messages.empty()) {
    return fail(ErrorCode::invalid_argument, "The record has no messages: there is nothing to do");
  }
  if (recorded.messages.front().role != Role::user) {
    return fail(ErrorCode::invalid_argument, "The record does not begin with a user's message");
  }
  TRY(restored(run_of(recorded)));
  std::vector<std::string_view> ids;
  for (const Message& message : recorded.messages) {
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part)) ids.push_back(call->id);
    }
  }
  if (!std::ranges::equal(ids, recorded.calls, {}, {}, &RecordedCall::id)) {
    return fail(ErrorCode::invalid_argument,
                "The calls of the record are not those of its messages");
  }
  for (const RecordedCall& call : recorded.calls) {
    for (const RecordedSession& specialist : call.specialist) {
      TRY(check(specialist));
    }
  }
  return {};
}

Result<RecordedSession> load_recording(Store& store, SessionId id) {
  auto recorded = TRY(RecordLoader(store).load(id, 0));
  if (auto valid = check(recorded); !valid) {
    return fail(valid.error().code,
                fmt::format("Session {} cannot be replayed: {}", id, valid.error().message));
  }
  return recorded;
}

Agent recorded_agent(const RecordedSession& recorded) {
  const RecordedSession* const session = &recorded;
  return agent_of({&session, 1});
}

}  // namespace wright
