#include "telemetry/session_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "telemetry/content.h"
#include "telemetry/names.h"
#include "telemetry/sampling.h"

namespace wright::telemetry {
namespace {

constexpr std::size_t kMostLive = 50'000;  // sessions that are known at a time
constexpr std::size_t kMostError = 1'000;
constexpr std::size_t kMostDescription = 1'000;
constexpr std::size_t kMostDescribed = 1'000;  // agents

std::string content_of(std::string_view text) {
  return std::string(utf8_prefix(text, kMostContent));
}

void add_usage(Span& span, const Usage& usage) {
  span.attributes.push_back({name::kInputTokens, usage.input_tokens});
  span.attributes.push_back({name::kOutputTokens, usage.output_tokens});
  if (usage.cached_tokens > 0) span.attributes.push_back({name::kCacheRead, usage.cached_tokens});
  if (usage.cache_write_tokens > 0) {
    span.attributes.push_back({name::kCacheWrite, usage.cache_write_tokens});
  }
  if (usage.reasoning_tokens > 0) {
    span.attributes.push_back({name::kReasoning, usage.reasoning_tokens});
  }
  if (usage.cost_usd > 0) span.attributes.push_back({name::kCost, usage.cost_usd});
}

// How the model is to answer, and where it is.
std::vector<Attribute> request_attributes(const AskedModel& asked) {
  std::vector<Attribute> attributes;
  if (asked.is_streamed) attributes.push_back({name::kStream, true});
  if (!asked.server.host.empty()) {
    attributes.push_back({name::kServerAddress, asked.server.host});
    attributes.push_back({name::kServerPort, asked.server.port});
  }
  if (asked.request.sampling == nullptr) return attributes;
  const Sampling& sampling = *asked.request.sampling;
  attributes.push_back({name::kMaxTokens, std::int64_t{sampling.max_tokens}});
  if (sampling.temperature) attributes.push_back({name::kTemperature, *sampling.temperature});
  if (sampling.top_p) attributes.push_back({name::kTopP, *sampling.top_p});
  if (!sampling.stop_sequences.empty()) {
    attributes.push_back({name::kStopSequences, sampling.stop_sequences});
  }
  if (sampling.response_format.kind != ResponseFormat::Kind::text) {
    attributes.push_back({name::kOutputType, "json"});
  }
  return attributes;
}

void add_content(std::vector<Attribute>& attributes, const Request& request) {
  if (!request.system.empty()) {
    attributes.push_back({name::kInstructions, system_instructions(request)});
  }
  if (!request.tools.empty()) {
    attributes.push_back({name::kDefinitions, tool_definitions(request)});
  }
  attributes.push_back({name::kInputMessages, input_messages(request)});
}

// What went wrong is a message for people: it may name files, but holds no content of models.
void add_error(Span& span, const Error& error) {
  span.has_failed = true;
  span.error = utf8_prefix(error.message, kMostError);
  span.attributes.push_back({name::kErrorType, std::string(to_string(error.code))});
}

}  // namespace

SessionSpans::SessionSpans(const TelemetrySettings& settings, Finish finish)
    : has_content_(settings.has_content),
      sampler_(settings.sampler),
      process_parent_(settings.parent ? place_from(*settings.parent) : std::nullopt),
      finish_(std::move(finish)) {}

void SessionSpans::adopt(std::int64_t session_id, const TraceContext& asked_by) {
  auto place = place_from(asked_by);
  if (!place || session_id == 0) return;
  const std::lock_guard lock(mutex_);
  if (asked_by_.size() >= kMostLive) asked_by_.erase(asked_by_.begin());
  asked_by_.insert_or_assign(session_id, std::move(*place));
}

void SessionSpans::observe(const Event& event, const EventOrigin& origin) {
  if (origin.session_id == 0) return;  // nobody could tell it from others
  if (const auto* text = std::get_if<TextDelta>(&event); text != nullptr && text->text.empty()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (std::holds_alternative<SessionStarted>(event)) return begin_session(origin);
  const auto found = live_.find(origin.session_id);
  if (found == live_.end()) return;
  Live& live = found->second;
  if (const auto* model = std::get_if<ModelStarted>(&event)) {
    begin_chat(live, origin.session_id, *model);
  } else if (std::holds_alternative<TextDelta>(event)) {
    if (live.chat && live.chat->first_text_ns == 0) live.chat->first_text_ns = now_ns();
  } else if (std::holds_alternative<ModelRetried>(event)) {
    if (live.chat) ++live.chat->retries;
  } else if (const auto* answered = std::get_if<ModelEnded>(&event)) {
    end_chat(live, origin, answered, nullptr);
  } else if (const auto* tool = std::get_if<ToolStarted>(&event)) {
    Call call{{ids_.span(), now_ns()}};
    if (auto found_text = live.descriptions.extract(tool->call.id)) {
      call.description = std::move(found_text.mapped());
    }
    live.calls.insert_or_assign(tool->call.id, std::move(call));
  } else if (const auto* child = std::get_if<ChildStarted>(&event)) {
    call_above_.insert_or_assign(child->session_id,
                                 std::pair(origin.session_id, std::string(child->call.id)));
  } else if (const auto* ended = std::get_if<ToolEnded>(&event)) {
    end_call(live, origin, *ended);
  } else if (const auto* over = std::get_if<RunEnded>(&event)) {
    end_session(origin.session_id, origin, to_string(over->phase), over->error);
  } else if (std::holds_alternative<RunWaiting>(event)) {
    end_session(origin.session_id, origin, "waiting", nullptr);
  }
}

// Where the span above stands; where there is none, a new trace with no span in it.
Place SessionSpans::place_for(const EventOrigin& origin) {
  const auto above = origin.parent_session_id ? live_.find(*origin.parent_session_id) : live_.end();
  if (above != live_.end()) {
    Place place = above->second.place;
    if (const auto call = call_above_.extract(origin.session_id)) {
      const auto& calls = above->second.calls;
      const auto found = calls.find(call.mapped().second);
      if (found != calls.end()) place.span = found->second.id;
    }
    return place;
  }
  std::optional<Place> parent = process_parent_;
  if (auto asked = asked_by_.extract(origin.session_id)) parent = std::move(asked.mapped());
  return place_below(std::move(parent), sampler_, ids_);
}

void SessionSpans::make_room() {
  if (live_.size() < kMostLive) return;
  // Sessions that were lost to other processes say no last word: the oldest is one of them.
  const auto oldest =
      std::ranges::min_element(live_, {}, [](const auto& each) { return each.second.began_ns; });
  if (oldest->second.chat) chats_.erase(oldest->second.chat->id);
  live_.erase(oldest);
}

void SessionSpans::begin_session(const EventOrigin& origin) {
  make_room();
  Live live{.place = place_for(origin),
            .began_ns = now_ns(),
            .is_root = origin.depth == 0,
            .agent = std::string(origin.agent)};
  live.parent = live.place.span;
  live.place.span = ids_.span();
  live_.insert_or_assign(origin.session_id, std::move(live));
}

void SessionSpans::begin_chat(Live& live, std::int64_t session_id, const ModelStarted& event) {
  // One that said nothing at the end: its request was too long, and a shorter one follows.
  Chat chat;
  chat.id = ids_.span();
  chat.began_ns = now_ns();
  chat.provider = event.provider;
  chat.model = event.model;
  chat.iteration = event.iteration;
  live.provider = chat.provider;
  live.model = chat.model;
  live.descriptions.clear();
  if (live.chat) chats_.erase(live.chat->id);
  chats_.insert_or_assign(chat.id, session_id);
  live.chat = std::move(chat);
}

SessionSpans::Live* SessionSpans::session_of_chat(const SpanId& chat) {
  const auto session = chats_.find(chat);
  const auto live = session == chats_.end() ? live_.end() : live_.find(session->second);
  return live != live_.end() && live->second.chat ? &live->second : nullptr;
}

void SessionSpans::asked(const AskedModel& asked) {
  const auto place = place_from(asked.at);
  if (!place || !place->is_sampled()) return;
  // Written before the mutex is taken: it may be long.
  std::vector<Attribute> attributes = request_attributes(asked);
  if (has_content_) add_content(attributes, asked.request);
  std::vector<std::pair<std::string, std::string>> tools;
  for (const Tool& tool : asked.request.tools) {
    tools.emplace_back(tool.spec.name, utf8_prefix(tool.spec.description, kMostDescription));
  }
  const std::lock_guard lock(mutex_);
  if (Live* live = session_of_chat(place->span)) {
    live->chat->asked = std::move(attributes);
    live->chat->tools = std::move(tools);
  }
}

void SessionSpans::describe(std::string_view agent, std::string_view description) {
  if (description.empty()) return;
  const std::lock_guard lock(mutex_);
  if (descriptions_.size() >= kMostDescribed && !descriptions_.contains(agent)) return;
  descriptions_.insert_or_assign(std::string(agent),
                                 std::string(utf8_prefix(description, kMostDescription)));
}

// Whose it is.
void SessionSpans::add_agent(Span& span, const Live& live, std::int64_t session_id) const {
  span.attributes.push_back({name::kAgent, live.agent});
  span.attributes.push_back({name::kConversation, fmt::to_string(session_id)});
}

Span SessionSpans::span_of(const Live& live, const Open& open, std::string name, SpanKind kind) {
  Span span{.trace = live.place.trace,
            .id = open.id,
            .parent = live.place.span,
            .state = live.place.state,
            .flags = live.place.flags,
            .name = std::move(name),
            .kind = kind,
            .began_ns = open.began_ns,
            .ended_ns = std::max(open.began_ns, now_ns())};
  span.attributes.reserve(16);
  return span;
}

void SessionSpans::end_chat(Live& live, const EventOrigin& origin, const ModelEnded* event,
                            const Error* error) {
  if (!live.chat) return;
  Chat chat = std::move(*live.chat);
  live.chat.reset();
  chats_.erase(chat.id);
  if (event != nullptr) {
    live.usage += event->response.usage;
    for (const ToolCall& call : event->response.tool_calls()) {
      const auto found = std::ranges::find(chat.tools, call.name,
                                           &std::pair<std::string, std::string>::first);
      if (found != chat.tools.end()) live.descriptions.emplace(call.id, found->second);
    }
  }
  if (!live.place.is_sampled()) return;
  Span span = span_of(live, chat, "chat " + chat.model, SpanKind::client);
  auto& attributes = span.attributes;
  attributes.push_back({name::kOperation, "chat"});
  attributes.push_back({name::kProvider, provider_name(chat.provider)});
  attributes.push_back({name::kRequestModel, chat.model});
  add_agent(span, live, origin.session_id);
  attributes.push_back({name::kIteration, std::int64_t{chat.iteration}});
  if (chat.retries > 0) attributes.push_back({name::kRetries, std::int64_t{chat.retries}});
  if (chat.first_text_ns > 0) {
    attributes.push_back(
        {name::kTimeToFirstChunk, static_cast<double>(chat.first_text_ns - chat.began_ns) / 1e9});
  }
  std::ranges::move(chat.asked, std::back_inserter(attributes));
  if (event != nullptr) {
    const Response& response = event->response;
    if (!response.id.empty()) attributes.push_back({name::kResponseId, response.id});
    if (!response.model.empty()) attributes.push_back({name::kResponseModel, response.model});
    attributes.push_back({name::kFinishReasons, std::vector{finish_reason(response.stop_reason)}});
    add_usage(span, response.usage);
    if (has_content_) {
      attributes.push_back({name::kOutputMessages, output_messages(response)});
    }
  }
  if (error != nullptr) add_error(span, *error);
  finish_(std::move(span));
}

void SessionSpans::end_call(Live& live, const EventOrigin& origin, const ToolEnded& event) {
  const ToolOutcome& outcome = event.outcome;
  auto found = live.calls.extract(event.call.id);
  // A call that went on after a restart was begun by a process that is gone.
  const auto took_ns = static_cast<std::int64_t>(outcome.duration_ms * 1e6);
  const Call open = found ? found.mapped() : Call{{ids_.span(), now_ns() - took_ns}};
  if (!live.place.is_sampled()) return;
  Span span = span_of(live, open, "execute_tool " + event.call.name, SpanKind::internal);
  auto& attributes = span.attributes;
  attributes.push_back({name::kOperation, "execute_tool"});
  attributes.push_back({name::kTool, event.call.name});
  attributes.push_back({name::kToolCall, event.call.id});
  attributes.push_back({name::kToolType, "function"});
  if (!open.description.empty()) {
    attributes.push_back({name::kToolDescription, open.description});
  }
  add_agent(span, live, origin.session_id);
  if (outcome.waiting) {
    attributes.push_back({name::kWaits, std::string(to_string(outcome.waiting->kind))});
  }
  if (has_content_) {
    attributes.push_back({name::kArguments, content_of(event.call.arguments)});
    if (outcome.has_ended()) {
      attributes.push_back({name::kToolResult, content_of(outcome.result.content)});
    }
  }
  if (outcome.error) {
    add_error(span, *outcome.error);
    // What a tool says of its failure is content, too.
    if (!has_content_) span.error.clear();
  }
  finish_(std::move(span));
}

void SessionSpans::end_session(std::int64_t session_id, const EventOrigin& origin,
                               std::string_view phase, const Error* error) {
  const auto found = live_.extract(session_id);
  if (!found) return;
  Live live = std::move(found.mapped());
  end_chat(live, origin, nullptr, error);
  const Place place = live.place;
  const Open own{place.span, live.began_ns};
  const bool is_waiting = phase == "waiting";
  if (is_waiting && live.is_root) {
    // When somebody has answered, it goes on where it was.
    if (asked_by_.size() >= kMostLive) asked_by_.erase(asked_by_.begin());
    asked_by_.insert_or_assign(session_id, place);
  }
  if (!place.is_sampled()) return;
  live.place.span = live.parent;
  Span span = span_of(live, own, "invoke_agent " + live.agent, SpanKind::internal);
  auto& attributes = span.attributes;
  attributes.push_back({name::kOperation, "invoke_agent"});
  if (!live.provider.empty()) attributes.push_back({name::kProvider, provider_name(live.provider)});
  if (!live.model.empty()) attributes.push_back({name::kRequestModel, live.model});
  add_agent(span, live, session_id);
  if (const auto said = descriptions_.find(live.agent); said != descriptions_.end()) {
    attributes.push_back({name::kAgentDescription, said->second});
  }
  attributes.push_back({name::kPhase, std::string(phase)});
  add_usage(span, live.usage);
  if (error != nullptr) add_error(span, *error);
  finish_(std::move(span));
}

TraceContext SessionSpans::trace_of(std::int64_t session_id, std::string_view call_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(session_id);
  if (found == live_.end()) return {};
  const Live& live = found->second;
  Place place = live.place;
  if (call_id.empty()) {
    if (live.chat) place.span = live.chat->id;
  } else if (const auto call = live.calls.find(call_id); call != live.calls.end()) {
    place.span = call->second.id;
  }
  return to_context(place);
}

std::optional<TraceContext> SessionSpans::only_trace() const {
  const std::lock_guard lock(mutex_);
  std::optional<TraceContext> only;
  for (const auto& [id, live] : live_) {
    if (!live.is_root) continue;
    if (only) return std::nullopt;
    only = to_context(live.place);
  }
  return only;
}

}  // namespace wright::telemetry
