// From the events of sessions to spans: invoke_agent for each session, chat for what its model is
// asked, execute_tool for its calls, and a specialist below the call that it answers. The names are
// those of OpenTelemetry's conventions for generative AI. Thread-safe; never waits for anybody.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/observed_model.h"
#include "telemetry/settings.h"
#include "telemetry/trace_context.h"
#include "wright/events.h"

namespace wright::telemetry {

class SessionSpans {
 public:
  using Finish = std::function<void(Span)>;  // called with finished spans; must not call back

  SessionSpans(const TelemetrySettings& settings, Finish finish);

  void observe(const Event& event, const EventOrigin& origin);

  // What a model is asked, for observed_model(). What was said is only kept where content is
  // wanted.
  void asked(const AskedModel& asked);

  // What an agent is for, in its author's words.
  void describe(std::string_view agent, std::string_view description);

  // Who asked for a session that is about to begin or to go on. What cannot be read is ignored.
  void adopt(std::int64_t session_id, const TraceContext& asked_by);

  // For FindTrace: the call, what the model is asked, or else the session.
  TraceContext trace_of(std::int64_t session_id, std::string_view call_id) const;
  // Of the one session that is under way without a parent; nothing where there are several.
  std::optional<TraceContext> only_trace() const;

 private:
  struct Open {
    SpanId id = {};
    std::int64_t began_ns = 0;
  };
  struct Call : Open {
    std::string description = {};  // of its tool
  };
  struct Chat : Open {
    std::string provider = {};
    std::string model = {};
    int iteration = 0;
    int retries = 0;
    std::int64_t first_text_ns = 0;     // 0: none came
    std::vector<Attribute> asked = {};  // what the request says
    // Of the tools that it may call: their names, and what they are for.
    std::vector<std::pair<std::string, std::string>> tools = {};
  };
  struct Live {
    Place place = {};  // its own span
    SpanId parent = {};
    std::int64_t began_ns = 0;
    bool is_root = false;
    std::string agent = {};
    std::string provider = {};
    std::string model = {};
    Usage usage = {};
    std::optional<Chat> chat = {};
    std::map<std::string, Call, std::less<>> calls = {};
    // Of the tools that the model has called last, by the ids of the calls.
    std::map<std::string, std::string, std::less<>> descriptions = {};
  };

  // With the mutex held.
  void begin_session(const EventOrigin& origin);
  void begin_chat(Live& live, std::int64_t session_id, const ModelStarted& event);
  void end_chat(Live& live, const EventOrigin& origin, const ModelEnded* event, const Error* error);
  void end_call(Live& live, const EventOrigin& origin, const ToolEnded& event);
  void end_session(std::int64_t session_id, const EventOrigin& origin, std::string_view phase,
                   const Error* error);
  void make_room();
  Place place_for(const EventOrigin& origin);
  Live* session_of_chat(const SpanId& chat);
  void add_agent(Span& span, const Live& live, std::int64_t session_id) const;
  Span span_of(const Live& live, const Open& open, std::string name, SpanKind kind);

  const bool has_content_;
  const Sampler sampler_;
  const std::optional<Place> process_parent_;
  const Finish finish_;
  mutable std::mutex mutex_;
  IdSource ids_;
  std::map<std::int64_t, Live> live_;
  std::map<SpanId, std::int64_t> chats_;  // whose they are
  std::map<std::string, std::string, std::less<>> descriptions_;  // of agents, by name
  // Of sessions that are not under way: who asked for them, and where those that wait went on.
  std::map<std::int64_t, Place> asked_by_;
  std::map<std::int64_t, std::pair<std::int64_t, std::string>> call_above_;  // of specialists
};

}  // namespace wright::telemetry
