#include "feedback/usage.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/text.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kLongestPurpose = 160;  // bytes
constexpr std::size_t kLongestValue = 40;
constexpr std::size_t kLongestArguments = 16 * 1024;

// The position of the last user message; notices of the machine do not count.
std::size_t last_prompt(const Run& run) {
  for (std::size_t i = run.messages.size(); i-- > 0;) {
    const Message& message = run.messages[i];
    if (message.is_from_user()) return i;
  }
  return 0;
}

const ToolResult* result_in(const Message& message) {
  for (const Part& part : message.parts) {
    if (const auto* result = std::get_if<ToolResult>(&part)) return result;
  }
  return nullptr;
}

void append_shortened(std::string& out, std::string_view text, std::size_t bytes) {
  const std::string_view head = utf8_prefix(text, bytes);
  for (const char c : head) out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  if (head.size() < text.size()) out += "…";
}

// entity_type='class', limit=10
std::string show_arguments(std::string_view text) {
  if (text.size() > kLongestArguments) return {};
  const auto arguments = parse_json(text);
  const JsonObject* object = arguments ? arguments->if_object() : nullptr;
  if (object == nullptr) return {};
  std::string shown;
  for (const auto& [key, value] : *object) {
    if (shown.size() > kLongestPurpose) {
      shown += ", …";
      break;
    }
    if (!shown.empty()) shown += ", ";
    append_shortened(shown, key, kLongestValue);
    shown += '=';
    if (const JsonString* string = value.if_string()) {
      shown += '\'';
      append_shortened(shown, *string, kLongestValue);
      shown += '\'';
    } else {
      append_shortened(shown, to_text(value), kLongestValue);
    }
  }
  return shown;
}

std::string outcome_of(const CallRecord& record) {
  constexpr std::size_t kLongestError = 100;
  switch (record.state) {
    case CallRecord::State::waiting: return "waits";
    case CallRecord::State::failed: {
      std::string error = "failed: ";
      append_shortened(error, record.error, kLongestError);
      return error;
    }
    case CallRecord::State::succeeded: break;
  }
  const ResultShape& shape = record.shape;
  if (shape.says_failure) return "it answered that it did not succeed";
  if (shape.is_empty) return "nothing was found";
  std::string outcome = "succeeded";
  if (shape.items)
    outcome = fmt::format("{} {}", *shape.items, *shape.items == 1 ? "result" : "results");
  return shape.is_truncated ? outcome + ", not all there is" : outcome;
}

std::string purpose_of(const std::vector<const CallRecord*>& calls) {
  std::string purpose = show_arguments(calls.front()->arguments);
  if (calls.size() > 1) {
    purpose =
        fmt::format("{} calls{}{}", calls.size(), purpose.empty() ? "" : "; first: ", purpose);
  }
  return purpose.empty() ? "called without arguments" : purpose;
}

// The records of each tool, in the order of first use.
std::vector<std::vector<const CallRecord*>> by_tool(const std::vector<CallRecord>& records) {
  std::vector<std::vector<const CallRecord*>> groups;
  for (const CallRecord& record : records) {
    if (record.state == CallRecord::State::waiting) continue;
    const auto group = std::ranges::find_if(
        groups, [&](const auto& each) { return each.front()->name == record.name; });
    if (group == groups.end()) {
      groups.push_back({&record});
    } else {
      group->push_back(&record);
    }
  }
  return groups;
}

// If all succeeded, the worst counts; failures among successes make it partial.
ResultQuality quality_of(const std::vector<const CallRecord*>& calls) {
  ResultQuality best = ResultQuality::failed;
  ResultQuality worst = ResultQuality::excellent;
  for (const CallRecord* call : calls) {
    const ResultQuality quality = feedback::quality_of(*call);
    best = std::min(best, quality);
    worst = std::max(worst, quality);
  }
  if (best == ResultQuality::failed || worst < ResultQuality::partial) return worst;
  return best == worst ? worst : ResultQuality::partial;
}

}  // namespace

void UsageTracker::add(std::string call_id, Observation observation) {
  const std::lock_guard lock(mutex_);
  observations_.insert_or_assign(std::move(call_id), std::move(observation));
}

std::optional<Observation> UsageTracker::find(const std::string& call_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = observations_.find(call_id);
  if (found == observations_.end()) return std::nullopt;
  return found->second;
}

std::vector<CallRecord> UsageTracker::records(const Run& run) const {
  std::vector<CallRecord> records;
  std::map<std::string_view, std::size_t> places;  // of calls whose result is still to come
  const auto add = [&](const ToolCall& call) {
    if (call.name == kReportToolFeedback) return;
    places[call.id] = records.size();
    records.push_back(
        {.name = call.name, .arguments = call.arguments, .state = CallRecord::State::waiting});
  };
  const auto end = [&](const ToolResult& result) {
    const auto place = places.find(result.call_id);
    if (place == places.end()) return;
    CallRecord& record = records[place->second];
    const auto seen = find(result.call_id);
    // Calls that a cancellation answered were never executed.
    const bool was_executed = seen || run.phase != Phase::cancelled || !result.is_error;
    if (!was_executed) return;
    places.erase(place);
    record.duration_ms = seen ? seen->duration_ms : 0;
    if (result.is_error) {
      record.state = CallRecord::State::failed;
      record.error = result.content;
      const ErrorCode code = seen && seen->code ? *seen->code : ErrorCode::tool_failed;
      record.failure = failure_of(code, result.content);
    } else {
      record.state = CallRecord::State::succeeded;
      record.shape = seen && seen->shape ? *seen->shape : shape_of_text(result.content);
      record.shape.is_truncated |= is_cut_text(result.content);
    }
  };
  for (std::size_t i = last_prompt(run); i < run.messages.size(); ++i) {
    const Message& message = run.messages[i];
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part)) add(*call);
    }
    if (const ToolResult* result = result_in(message)) end(*result);
  }
  for (const OpenCall& open : run.open_calls) {
    if (open.state == OpenCall::State::answered) end(open.result);
  }
  return records;
}

ResultQuality quality_of(const CallRecord& record) {
  if (record.state != CallRecord::State::succeeded) return ResultQuality::failed;
  if (record.shape.says_failure || record.shape.is_empty || record.shape.is_truncated) {
    return ResultQuality::partial;
  }
  // Having a result does not make it excellent: only the model can tell whether it was what was
  // needed.
  return ResultQuality::good;
}

std::vector<UsedTool> used_tools(const std::vector<CallRecord>& records) {
  std::vector<UsedTool> tools;
  for (const auto& calls : by_tool(records)) {
    const bool has_succeeded = std::ranges::any_of(
        calls, [](const CallRecord* call) { return call->state == CallRecord::State::succeeded; });
    tools.push_back({calls.front()->name, purpose_of(calls), has_succeeded, quality_of(calls)});
  }
  return tools;
}

std::vector<std::string> construction_of(const std::vector<CallRecord>& records,
                                         std::optional<std::string_view> answer) {
  constexpr std::size_t kMostSteps = 12;
  std::vector<std::string> steps;
  for (const CallRecord& record : records) {
    if (steps.size() == kMostSteps) {
      steps.push_back(fmt::format("… and {} more calls", records.size() - kMostSteps));
      break;
    }
    const std::string arguments = show_arguments(record.arguments);
    steps.push_back(fmt::format("Called {}{}: {}", record.name,
                                arguments.empty() ? "" : fmt::format(" ({})", arguments),
                                outcome_of(record)));
  }
  if (!answer) return steps;
  const bool has_results = std::ranges::any_of(records, [](const CallRecord& record) {
    return record.state == CallRecord::State::succeeded && !record.shape.is_empty;
  });
  steps.emplace_back(records.empty() ? "Answered without calling a tool"
                     : has_results   ? "Answered from these results"
                                     : "Answered although no call gave a result");
  return steps;
}

std::string reasoning_in(const Run& run) {
  constexpr std::size_t kLongestReasoning = 2'000;
  std::string said;
  std::string_view last;
  const auto add = [&](std::string_view text) {
    text = trimmed(text);
    if (text.empty() || text == last || said.size() > kLongestReasoning) return;
    if (!said.empty()) said += '\n';
    said += text;
    last = text;
  };
  for (std::size_t i = last_prompt(run); i < run.messages.size(); ++i) {
    const Message& message = run.messages[i];
    if (message.role != Role::assistant) continue;
    const bool has_calls = !message.tool_calls().empty();
    for (const Part& part : message.parts) {
      if (const auto* reasoning = std::get_if<Reasoning>(&part)) add(reasoning->text);
      const auto* text = std::get_if<Text>(&part);
      if (text != nullptr && has_calls) add(text->text);
    }
  }
  const std::string_view head = utf8_prefix(said, kLongestReasoning);
  return head.size() < said.size() ? std::string(head) + "…" : said;
}

std::vector<ToolUsage> usage_of(const std::vector<CallRecord>& records, Times times) {
  std::vector<ToolUsage> usage;
  for (const auto& calls : by_tool(records)) {
    ToolUsage tool{.name = calls.front()->name, .calls = static_cast<int>(calls.size())};
    double total = 0;
    double slowest = 0;
    for (const CallRecord* call : calls) {
      if (call->state == CallRecord::State::failed) ++tool.failed;
      total += call->duration_ms;
      slowest = std::max(slowest, call->duration_ms);
    }
    if (times == Times::included) {
      tool.total_ms = total;
      tool.slowest_ms = slowest;
    }
    usage.push_back(std::move(tool));
  }
  return usage;
}

std::string query_of(const Run& run) {
  if (run.messages.empty()) return {};
  return run.messages[last_prompt(run)].text();
}

}  // namespace wright::feedback
