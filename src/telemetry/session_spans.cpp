#include "telemetry/session_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "telemetry/content.h"

namespace wright::telemetry {
namespace {

// Names of attributes, in one place: the conventions still move.
constexpr std::string_view kOperation = "gen_ai.operation.name";
constexpr std::string_view kProvider = "gen_ai.provider.name";
constexpr std::string_view kAgent = "gen_ai.agent.name";
constexpr std::string_view kConversation = "gen_ai.conversation.id";
constexpr std::string_view kRequestModel = "gen_ai.request.model";
constexpr std::string_view kResponseModel = "gen_ai.response.model";
constexpr std::string_view kFinishReasons = "gen_ai.response.finish_reasons";
constexpr std::string_view kTimeToFirstChunk = "gen_ai.response.time_to_first_chunk";
constexpr std::string_view kInputTokens = "gen_ai.usage.input_tokens";
constexpr std::string_view kOutputTokens = "gen_ai.usage.output_tokens";
constexpr std::string_view kCacheRead = "gen_ai.usage.cache_read.input_tokens";
constexpr std::string_view kCacheWrite = "gen_ai.usage.cache_creation.input_tokens";
constexpr std::string_view kReasoning = "gen_ai.usage.reasoning.output_tokens";
constexpr std::string_view kTool = "gen_ai.tool.name";
constexpr std::string_view kToolCall = "gen_ai.tool.call.id";
constexpr std::string_view kToolType = "gen_ai.tool.type";
constexpr std::string_view kErrorType = "error.type";
// Only where content is wanted.
constexpr std::string_view kInputMessages = "gen_ai.input.messages";
constexpr std::string_view kInstructions = "gen_ai.system_instructions";
constexpr std::string_view kDefinitions = "gen_ai.tool.definitions";
constexpr std::string_view kOutputMessages = "gen_ai.output.messages";
constexpr std::string_view kArguments = "gen_ai.tool.call.arguments";
constexpr std::string_view kToolResult = "gen_ai.tool.call.result";
// Wright's own.
constexpr std::string_view kCost = "wright.cost_usd";
constexpr std::string_view kRetries = "wright.retries";
constexpr std::string_view kIteration = "wright.iteration";
constexpr std::string_view kPhase = "wright.phase";
constexpr std::string_view kWaits = "wright.waits_for";

constexpr std::size_t kMostLive = 50'000;  // sessions that are known at a time
constexpr std::size_t kMostError = 1'000;

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::string content_of(std::string_view text) {
  return std::string(utf8_prefix(text, kMostContent));
}

void add_usage(Span& span, const Usage& usage) {
  span.attributes.push_back({kInputTokens, usage.input_tokens});
  span.attributes.push_back({kOutputTokens, usage.output_tokens});
  if (usage.cached_tokens > 0) span.attributes.push_back({kCacheRead, usage.cached_tokens});
  if (usage.cache_write_tokens > 0) {
    span.attributes.push_back({kCacheWrite, usage.cache_write_tokens});
  }
  if (usage.reasoning_tokens > 0) span.attributes.push_back({kReasoning, usage.reasoning_tokens});
  if (usage.cost_usd > 0) span.attributes.push_back({kCost, usage.cost_usd});
}

// What went wrong is a message for people: it may name files, but holds no content of models.
void add_error(Span& span, const Error& error) {
  span.has_failed = true;
  span.error = utf8_prefix(error.message, kMostError);
  span.attributes.push_back({kErrorType, std::string(to_string(error.code))});
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
    live.calls.insert_or_assign(tool->call.id, Open{ids_.span(), now_ns()});
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

bool SessionSpans::is_chosen(const TraceId& trace) const {
  if (sampler_.ratio >= 1) return true;
  // The same bytes as everybody else takes, so that all choose the same traces.
  std::uint64_t number = 0;
  for (std::size_t i = 8; i < trace.size(); ++i) number = number << 8 | trace[i];
  constexpr double kAll = 9223372036854775808.0;  // 2^63
  return static_cast<double>(number >> 1) < sampler_.ratio * kAll;
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
  if (!parent) parent = Place{.trace = ids_.trace(), .span = {}, .flags = 0};
  const bool is_followed = sampler_.asks_parent && parent->span != SpanId{};
  if (!is_followed) parent->flags = is_chosen(parent->trace) ? 1 : 0;
  return std::move(*parent);
}

void SessionSpans::make_room() {
  if (live_.size() < kMostLive) return;
  // Sessions that were lost to other processes say no last word: the oldest is one of them.
  const auto oldest =
      std::ranges::min_element(live_, {}, [](const auto& each) { return each.second.began_ns; });
  if (oldest->second.chat) asked_.erase(oldest->second.chat->id);
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
  if (live.chat) asked_.erase(live.chat->id);
  if (has_content_) asked_.insert_or_assign(chat.id, session_id);
  live.chat = std::move(chat);
}

void SessionSpans::asked(const Request& request, const TraceContext& at) {
  const auto place = place_from(at);
  if (!has_content_ || !place || !place->is_sampled()) return;
  // Written before the mutex is taken: it may be long.
  Content content{input_messages(request),
                  request.system.empty() ? std::string() : system_instructions(request),
                  request.tools.empty() ? std::string() : tool_definitions(request)};
  const std::lock_guard lock(mutex_);
  const auto session = asked_.find(place->span);
  if (session == asked_.end()) return;
  const auto live = live_.find(session->second);
  if (live != live_.end() && live->second.chat) live->second.chat->content = std::move(content);
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
  const Chat chat = std::move(*live.chat);
  live.chat.reset();
  asked_.erase(chat.id);
  if (event != nullptr) live.usage += event->response.usage;
  if (!live.place.is_sampled()) return;
  Span span = span_of(live, chat, "chat " + chat.model, SpanKind::client);
  auto& attributes = span.attributes;
  attributes.push_back({kOperation, "chat"});
  attributes.push_back({kProvider, chat.provider});
  attributes.push_back({kRequestModel, chat.model});
  attributes.push_back({kAgent, live.agent});
  attributes.push_back({kConversation, fmt::to_string(origin.session_id)});
  attributes.push_back({kIteration, std::int64_t{chat.iteration}});
  if (chat.retries > 0) attributes.push_back({kRetries, std::int64_t{chat.retries}});
  if (chat.first_text_ns > 0) {
    attributes.push_back(
        {kTimeToFirstChunk, static_cast<double>(chat.first_text_ns - chat.began_ns) / 1e9});
  }
  const auto add_content = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) attributes.push_back({name, text});
  };
  add_content(kInstructions, chat.content.instructions);
  add_content(kDefinitions, chat.content.tools);
  add_content(kInputMessages, chat.content.messages);
  if (event != nullptr) {
    const Response& response = event->response;
    if (!response.model.empty()) attributes.push_back({kResponseModel, response.model});
    attributes.push_back({kFinishReasons, std::vector{finish_reason(response.stop_reason)}});
    add_usage(span, response.usage);
    if (has_content_) {
      attributes.push_back({kOutputMessages, output_messages(response)});
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
  const Open open = found ? found.mapped() : Open{ids_.span(), now_ns() - took_ns};
  if (!live.place.is_sampled()) return;
  Span span = span_of(live, open, "execute_tool " + event.call.name, SpanKind::internal);
  auto& attributes = span.attributes;
  attributes.push_back({kOperation, "execute_tool"});
  attributes.push_back({kTool, event.call.name});
  attributes.push_back({kToolCall, event.call.id});
  attributes.push_back({kToolType, "function"});
  attributes.push_back({kAgent, live.agent});
  attributes.push_back({kConversation, fmt::to_string(origin.session_id)});
  if (outcome.waiting) {
    attributes.push_back({kWaits, std::string(to_string(outcome.waiting->kind))});
  }
  if (has_content_) {
    attributes.push_back({kArguments, content_of(event.call.arguments)});
    if (outcome.has_ended()) {
      attributes.push_back({kToolResult, content_of(outcome.result.content)});
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
  attributes.push_back({kOperation, "invoke_agent"});
  if (!live.provider.empty()) attributes.push_back({kProvider, live.provider});
  if (!live.model.empty()) attributes.push_back({kRequestModel, live.model});
  attributes.push_back({kAgent, live.agent});
  attributes.push_back({kConversation, fmt::to_string(session_id)});
  attributes.push_back({kPhase, std::string(phase)});
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
