#include "feedback/summary.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "feedback/failure_kind.h"
#include "feedback/findings.h"
#include "store/fork.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kMostExamples = 5;
constexpr std::size_t kLongestError = 200;

double weight_of(Impact priority) {
  constexpr std::array<double, 4> kWeights{8, 4, 2, 1};
  return kWeights[static_cast<std::size_t>(priority)];
}

void add_example(std::vector<SessionId>& examples, SessionId id) {
  if (examples.size() < kMostExamples && (examples.empty() || examples.back() != id)) {
    examples.push_back(id);
  }
}

bool is_confusion(FailureKind kind) {
  switch (kind) {
    case FailureKind::broken_arguments:
    case FailureKind::refused_arguments:
    case FailureKind::unknown_field:
    case FailureKind::unsupported_operator:
    case FailureKind::unknown_entity:
    case FailureKind::unknown_relationship: return true;
    default: return false;
  }
}

std::vector<std::string> parameters_of(const StoredCall& call) {
  std::vector<std::string> names;
  const auto parsed = parse_json(call.request);
  if (!parsed || !parsed->is_object()) return names;
  for (const auto& [key, value] : parsed->get_object()) names.emplace_back(key);
  return names;
}

std::string_view type_of(std::string_view parameter) {
  constexpr auto kNumbers =
      std::to_array<std::string_view>({"value", "upper_value", "tolerance", "limit", "offset",
                                       "depth", "top_k", "min_score", "round_to", "timeout"});
  constexpr auto kFlags =
      std::to_array<std::string_view>({"case_sensitive", "exclude", "recursive", "include_hidden"});
  constexpr auto kLists = std::to_array<std::string_view>({"values", "conditions"});
  if (std::ranges::find(kNumbers, parameter) != kNumbers.end()) return "number";
  if (std::ranges::find(kFlags, parameter) != kFlags.end()) return "boolean";
  if (std::ranges::find(kLists, parameter) != kLists.end()) return "array";
  return "string";
}

Json ids(const std::vector<SessionId>& examples) {
  JsonArray list;
  for (const SessionId id : examples) list.emplace_back(id);
  return list;
}

Json to_json(const std::vector<Wish>& wishes) {
  JsonArray list;
  for (const Wish& wish : wishes) {
    JsonObject json = encode(wish.suggestion).as_object();
    json["sessions"] = wish.sessions;
    json["score"] = wish.score;
    json["examples"] = ids(wish.examples);
    if (wish.suggestion.tool_spec) json["draft"] = draft_tool_spec(*wish.suggestion.tool_spec);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

void FeedbackCollector::add(const Session& session, std::span<const StoredCall> calls) {
  if (!store::has_run(session)) return;
  ++summary_.sessions;
  seen_.clear();
  add_report(session);
  add_more(session, calls);
}

void FeedbackCollector::add_more(const Session& session, std::span<const StoredCall> calls) {
  for (const StoredCall& call : calls) {
    if (!store::was_copied(session, call)) add_call(session, call);
  }
}

void FeedbackCollector::add_report(const Session& session) {
  if (session.feedback.is_null()) return;
  const auto report = feedback_report_from_json(session.feedback);
  if (!report) {
    ++summary_.unreadable;
    return;
  }
  ++summary_.with_feedback;
  if (!report->contradictions.empty()) ++summary_.contradicted;
  for (const Suggestion& suggestion : report->tool_feedback.suggestions) {
    add_wish(suggestion, session);
  }
}

void FeedbackCollector::add_call(const Session& session, const StoredCall& call) {
  if (call.tool_name == kReportToolFeedback) return;
  const bool has_ended = call.status == CallStatus::completed || call.status == CallStatus::failed;
  if (!has_ended) return;
  const bool has_failed = call.status == CallStatus::failed;
  const std::string error = call.error_details.value_or("");
  const FailureKind kind =
      has_failed ? failure_of(ErrorCode::tool_failed, error).kind : FailureKind::none;
  if (kind == FailureKind::unknown_tool) {
    const Suggestion wish{SuggestionType::new_tool, Impact::high,
                          "A model expected " + call.tool_name + " and called it",
                          ProposedTool{call.tool_name, "What models call it for; see the sessions",
                                       parameters_of(call)},
                          std::nullopt};
    return add_wish(wish, session);
  }
  Trouble& trouble = troubles_[call.tool_name];
  trouble.tool = call.tool_name;
  ++trouble.calls;
  if (!has_failed) return;
  ++trouble.failed;
  if (is_confusion(kind)) ++trouble.confused;
  add_example(trouble.examples, session.id);
  if (trouble.example_error.empty()) trouble.example_error = utf8_prefix(error, kLongestError);
}

void FeedbackCollector::add_wish(const Suggestion& wished, const Session& session) {
  Suggestion suggestion = wished;
  if (wished.type == SuggestionType::new_tool && wished.tool_spec && way_to_tool_) {
    // What exists already need not be built.
    if (const auto there = way_to_tool_(wished.tool_spec->name, session.agent_name)) {
      suggestion = switch_on(*there, {there->name}, session.agent_name, wished.priority);
    }
  }
  const std::string key = key_of(suggestion);
  const bool is_again = !seen_.insert(key).second;
  Wish& wish = wishes_.try_emplace(key, Wish{.suggestion = suggestion}).first->second;
  const Impact before = wish.suggestion.priority;
  join_into(wish.suggestion, suggestion);
  if (is_again) {
    wish.suggestion.priority = before;  // the first of a session counts
    return;
  }
  ++wish.sessions;
  wish.score += weight_of(suggestion.priority);
  add_example(wish.examples, session.id);
}

FeedbackSummary FeedbackCollector::finish() && {
  for (auto& [key, wish] : wishes_) {
    switch (wish.suggestion.type) {
      case SuggestionType::new_tool: summary_.tools_to_build.push_back(std::move(wish)); break;
      case SuggestionType::expose_field:
        summary_.fields_to_expose.push_back(std::move(wish));
        break;
      case SuggestionType::add_relationship:
      case SuggestionType::improve_existing:
        summary_.improvements.push_back(std::move(wish));
        break;
    }
  }
  for (auto* list :
       {&summary_.tools_to_build, &summary_.fields_to_expose, &summary_.improvements}) {
    std::ranges::stable_sort(*list, std::greater<>(), &Wish::score);
  }
  for (auto& [name, trouble] : troubles_) {
    if (trouble.failed > 0) summary_.troubled_tools.push_back(std::move(trouble));
  }
  std::ranges::stable_sort(summary_.troubled_tools, std::greater<>(), &Trouble::failed);
  return std::move(summary_);
}

Json draft_tool_spec(const ProposedTool& tool) {
  JsonObject properties;
  JsonArray required;
  for (const std::string& parameter : tool.parameters) {
    std::string_view name = parameter;
    const bool is_optional = name.ends_with('?');
    if (is_optional) name.remove_suffix(1);
    if (name.empty() || properties.contains(name)) continue;
    properties[name] = JsonObject{{"type", type_of(name)}};
    if (!is_optional) required.emplace_back(name);
  }
  return {{"name", tool.name},
          {"description", tool.purpose},
          {"parameters",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}}}};
}

Json to_json(const FeedbackSummary& summary) {
  JsonArray troubled;
  for (const Trouble& each : summary.troubled_tools) {
    troubled.push_back({{"tool", each.tool},
                        {"calls", each.calls},
                        {"failed", each.failed},
                        {"confused", each.confused},
                        {"examples", ids(each.examples)},
                        {"example_error", each.example_error}});
  }
  return {{"sessions", summary.sessions},
          {"with_feedback", summary.with_feedback},
          {"unreadable", summary.unreadable},
          {"contradicted", summary.contradicted},
          {"tools_to_build", to_json(summary.tools_to_build)},
          {"fields_to_expose", to_json(summary.fields_to_expose)},
          {"improvements", to_json(summary.improvements)},
          {"troubled_tools", std::move(troubled)}};
}

}  // namespace wright::feedback
