// One run in debug mode, from the agent that replaces the original to the report at the end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>

#include "feedback/debug_prompt.h"
#include "feedback/merging.h"
#include "feedback/reporting_model.h"
#include "feedback/usage.h"
#include "wright/feedback.h"

namespace wright {
namespace {

constexpr std::size_t kMostReports = 20;  // of one run

bool has_tool(const Agent& agent, std::string_view name) {
  return std::ranges::any_of(agent.tools, [&](const Tool& tool) { return tool.spec.name == name; });
}

}  // namespace

struct FeedbackSession::State {
  explicit State(DebugOptions given) : options(std::move(given)) {}

  void add_report(std::string text) {
    log("The model reported", {{"bytes", static_cast<std::int64_t>(text.size())}});
    const std::lock_guard lock(mutex);
    if (reports.size() < kMostReports) reports.push_back(std::move(text));
  }

  std::vector<std::string> all_reports() const {
    const std::lock_guard lock(mutex);
    return reports;
  }

  void log(std::string_view message, std::initializer_list<LogField> fields) const {
    if (options.verbose_logging) {
      options.logger.log(LogLevel::debug, fmt::format("[TOOL FEEDBACK] {}", message), fields);
    }
  }

  // Inspects the result of a call on its way out.
  void observe(const ToolCall& call, const Result<ToolReply>& reply, double duration_ms) {
    feedback::Observation seen{.duration_ms = duration_ms};
    if (!reply) {
      seen.code = reply.error().code;
    } else if (const auto* output = std::get_if<Output>(&*reply)) {
      seen.shape = feedback::shape_of(output->value);
    } else {
      return;  // a waiting call has not ended
    }
    if (options.verbose_logging) {
      log("A call ended", {{"tool", call.name},
                           {"success", reply.has_value()},
                           {"empty", seen.shape && seen.shape->is_empty},
                           {"truncated", seen.shape && seen.shape->is_truncated},
                           {"duration_ms", duration_ms}});
    }
    tracker.add(call.id, std::move(seen));
  }

  const DebugOptions options;
  feedback::UsageTracker tracker;
  mutable std::mutex mutex;
  std::vector<std::string> reports;
};

FeedbackSession::FeedbackSession(DebugOptions options)
    : state_(std::make_shared<State>(std::move(options))) {}

Agent FeedbackSession::observed(Agent agent) const {
  const auto state = state_;
  // The offline planner has no opinion of its own, and an agent that has a tool of this name keeps
  // it.
  const bool asks_model =
      agent.model.provider() != "offline" && !has_tool(agent, kReportToolFeedback);
  const auto track = [state, asks_model](const Invocation& invocation, const Context& context,
                                         const Next& next) -> Result<ToolReply> {
    const ToolCall& call = invocation.call;
    if (asks_model && call.name == kReportToolFeedback) {
      state->add_report(call.arguments);
      return next(invocation.with(JsonObject{}), context);
    }
    const auto began = std::chrono::steady_clock::now();
    Result<ToolReply> reply = next(invocation, context);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    state->observe(call, reply, took.count());
    return reply;
  };
  agent.interceptors.insert(agent.interceptors.begin(), track);
  if (!asks_model) return agent;
  agent.instructions += feedback::debug_instructions(state->options.tool_feedback);
  agent.tools.push_back(feedback::report_tool(state->options.tool_feedback));
  if (agent.model.is_set()) {
    agent.model = feedback::reporting_model(
        std::move(agent.model), [state](std::string text) { state->add_report(std::move(text)); });
  }
  return agent;
}

FeedbackReport FeedbackSession::conclude(const Agent& agent, const Run& run) const {
  const DebugOptions& options = state_->options;
  feedback::Evidence evidence{.agent = agent.name,
                              .query = feedback::query_of(run),
                              .calls = state_->tracker.records(run),
                              .tools = feedback::facts_of(agent.tools),
                              .available = options.available,
                              .reasoning = feedback::reasoning_in(run),
                              .phase = run.phase,
                              .error = run.error,
                              .max_iterations = run.limits.max_iterations};
  if (run.phase == Phase::done) evidence.answer = best_answer(run);
  // A tool that is offered after all is not missing.
  std::erase_if(evidence.available, [&](const AvailableTool& tool) {
    return std::ranges::find(evidence.tools, tool.name, &feedback::ToolFacts::name) !=
           evidence.tools.end();
  });
  std::erase_if(evidence.tools,
                [](const feedback::ToolFacts& tool) { return tool.name == kReportToolFeedback; });
  FeedbackReport report;
  std::vector<ReadFeedback> said;
  for (const std::string& text : state_->all_reports()) {
    said.push_back(tool_feedback_from_text(text));
    std::ranges::move(said.back().notes, std::back_inserter(report.notes));
  }
  feedback::Merged merged = feedback::merge(evidence, said, options.tool_feedback);
  report.tool_feedback = std::move(merged.feedback);
  report.contradictions = std::move(merged.contradictions);
  report.usage =
      feedback::usage_of(evidence.calls, options.track_performance ? feedback::Times::included
                                                                   : feedback::Times::left_out);
  for (const Limitation& each : report.tool_feedback.limitations) {
    state_->log("A limitation", {{"description", each.description}});
  }
  for (const Suggestion& each : report.tool_feedback.suggestions) {
    state_->log("A suggestion", {{"description", each.description}});
  }
  return report;
}

}  // namespace wright
