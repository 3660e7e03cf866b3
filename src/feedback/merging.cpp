#include "feedback/merging.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/enum_names.h"

namespace wright::feedback {
namespace {

constexpr double kSurelyGood = 80;  // percent, above which a rating claims that all went well

class Merging {
 public:
  Merging(const Evidence& evidence, const ToolFeedbackOptions& options)
      : evidence_(evidence), options_(options) {
    Findings findings = all_findings(evidence);
    merged_.feedback.tools_used = used_tools(evidence.calls);
    merged_.feedback.limitations = std::move(findings.limitations);
    merged_.feedback.suggestions = std::move(findings.suggestions);
    if (options.include_alternatives) {
      merged_.feedback.alternatives = std::move(findings.alternatives);
    }
    if (!evidence.reasoning.empty()) merged_.feedback.reasoning = evidence.reasoning;
    merged_.feedback.construction = construction_of(evidence.calls, evidence.answer);
    lower_qualities();
    merged_.feedback.answer_quality = estimate();
  }

  void add(const ReadFeedback& said) {
    for (const UsedTool& tool : said.feedback.tools_used) add(tool);
    for (const ConsideredTool& tool : said.feedback.tools_considered) add(tool);
    for (const Limitation& limitation : said.feedback.limitations) add(limitation);
    for (const Suggestion& suggestion : said.feedback.suggestions) add(suggestion);
    if (said.feedback.alternatives && options_.include_alternatives) {
      for (const Alternative& each : *said.feedback.alternatives) {
        merged_.feedback.alternatives->push_back(each);
      }
    }
    if (said.feedback.reasoning) merged_.feedback.reasoning = said.feedback.reasoning;
    if (said.feedback.construction && !said.feedback.construction->empty()) {
      merged_.feedback.construction = said.feedback.construction;
    }
    if (said.is_rated) rate(said.feedback.answer_quality);
  }

  Merged finish() && {
    ToolFeedback& feedback = merged_.feedback;
    if (!options_.include_reasoning) {
      for (UsedTool& tool : feedback.tools_used) tool.purpose.clear();
      feedback.tools_considered.clear();
      feedback.reasoning.reset();
      feedback.construction.reset();
    }
    if (!options_.include_limitations) feedback.limitations.clear();
    if (!options_.include_suggestions) feedback.suggestions.clear();
    return std::move(merged_);
  }

 private:
  void contradict(std::string about, std::string said, std::string recorded) {
    merged_.contradictions.push_back({std::move(about), std::move(said), std::move(recorded)});
  }

  UsedTool* find_used(std::string_view name) {
    const auto found = std::ranges::find(merged_.feedback.tools_used, name, &UsedTool::name);
    return found == merged_.feedback.tools_used.end() ? nullptr : &*found;
  }

  bool is_offered(std::string_view name) const {
    return std::ranges::find(evidence_.tools, name, &ToolFacts::name) != evidence_.tools.end();
  }

  // A search that could not do what was asked gave at best a part of the answer.
  void lower_qualities() {
    const bool has_gap = std::ranges::any_of(merged_.feedback.limitations, [](const auto& each) {
      return each.impact <= Impact::high && each.missing_capability.has_value();
    });
    if (!has_gap) return;
    for (UsedTool& tool : merged_.feedback.tools_used) {
      const bool has_records = std::ranges::any_of(evidence_.calls, [&](const CallRecord& call) {
        return call.name == tool.name && call.shape.has_records;
      });
      if (has_records && tool.result_quality < ResultQuality::partial) {
        tool.result_quality = ResultQuality::partial;
      }
    }
  }

  std::string outcome_of(std::string_view name) const {
    int calls = 0;
    int good = 0;
    for (const CallRecord& call : evidence_.calls) {
      if (call.name != name || call.state == CallRecord::State::waiting) continue;
      ++calls;
      if (call.state == CallRecord::State::succeeded) ++good;
    }
    return fmt::format("{} of {} calls succeeded", good, calls);
  }

  void add(const UsedTool& said) {
    if (said.name == kReportToolFeedback) return;
    UsedTool* used = find_used(said.name);
    if (used == nullptr) {
      contradict("tools_used " + said.name, "it was used", "it was never called");
      return;
    }
    if (!said.purpose.empty()) used->purpose = said.purpose;
    if (said.success != used->success) {
      contradict("tools_used " + said.name, said.success ? "it succeeded" : "it failed",
                 outcome_of(said.name));
    } else if (said.result_quality) {
      judge(*used, *said.result_quality);
    }
  }

  // The record shows whether there was a result; only the model can say whether it was what was
  // needed. The model may rate a result lower than the record does, and a complete one higher.
  void judge(UsedTool& used, ResultQuality said) {
    const ResultQuality recorded = *used.result_quality;
    const bool is_worse = said > recorded;
    if (is_worse || recorded == ResultQuality::good) {
      used.result_quality = said;
    } else if (said == ResultQuality::excellent && recorded != said) {
      contradict("tools_used " + used.name, fmt::format("its results were {}", enum_name(said)),
                 fmt::format("they were {}", enum_name(recorded)));
    }
  }

  void add(const ConsideredTool& said) {
    if (find_used(said.name) != nullptr) {
      contradict("tools_considered " + said.name, "it was considered and not used",
                 outcome_of(said.name));
      return;
    }
    if (!is_offered(said.name)) {
      contradict("tools_considered " + said.name, "it could have been used",
                 "the agent does not have it");
    }
    merged_.feedback.tools_considered.push_back(said);
  }

  void add(const Limitation& said) {
    auto& all = merged_.feedback.limitations;
    if (std::ranges::find(all, said.description, &Limitation::description) == all.end()) {
      all.push_back(said);
    }
  }

  void add(const Suggestion& said) {
    if (said.type == SuggestionType::new_tool && said.tool_spec &&
        is_offered(said.tool_spec->name)) {
      contradict("suggestions " + said.tool_spec->name, "it should be added",
                 "the agent has it already");
      return;
    }
    if (said.type == SuggestionType::new_tool && said.tool_spec) {
      const AvailableTool* there = available_tool(evidence_.available, said.tool_spec->name);
      if (there != nullptr)
        return join(switch_on(*there, {there->name}, evidence_.agent, said.priority));
    }
    join(said);
  }

  void join(const Suggestion& said) {
    auto& all = merged_.feedback.suggestions;
    const std::string key = key_of(said);
    const auto known = std::ranges::find(all, key, key_of);
    if (known == all.end()) {
      all.push_back(said);
    } else {
      join_into(*known, said);
    }
  }

  void rate(const AnswerQuality& said) {
    const AnswerQuality estimated = estimate();
    AnswerQuality& quality = merged_.feedback.answer_quality;
    quality = said;
    const bool claims_success = said.completeness >= kSurelyGood || said.confidence >= kSurelyGood;
    const std::string claim =
        fmt::format("completeness {:g} %, confidence {:g} %", said.completeness, said.confidence);
    const bool has_used = !merged_.feedback.tools_used.empty();
    if (has_no_answer()) {
      if (claims_success) contradict("answer_quality", claim, "the run gave no answer");
      quality.completeness = 0;
      quality.confidence = 0;
    } else if (is_refused(evidence_)) {
      // Being sure that something cannot be done does not mean that it was done.
      if (said.completeness >= kSurelyGood) {
        contradict("answer_quality", claim, "the answer says that it cannot be given");
      }
      quality.completeness = std::min(said.completeness, estimated.completeness);
    } else if (claims_success && has_used &&
               std::ranges::none_of(merged_.feedback.tools_used, &UsedTool::success)) {
      contradict("answer_quality", claim, "no call of a tool succeeded");
    }
  }

  bool has_no_answer() const {
    return evidence_.phase == Phase::failed || evidence_.phase == Phase::cancelled ||
           evidence_.phase == Phase::waiting;
  }

  // Cautious: having results does not show that they answer the question.
  AnswerQuality estimate() const {
    struct Cost {
      double completeness;
      double confidence;
    };
    constexpr std::array<Cost, 4> kCosts{{{100, 90}, {30, 10}, {15, 5}, {5, 2}}};
    const bool has_evidence = has_data(evidence_);
    double completeness = has_evidence ? 80 : 50;
    double confidence = has_evidence ? 70 : 30;
    for (const Limitation& each : merged_.feedback.limitations) {
      const Cost& cost = kCosts[static_cast<std::size_t>(each.impact)];
      completeness -= cost.completeness;
      confidence -= cost.confidence;
    }
    if (has_no_answer()) {
      completeness = 0;
      confidence = 0;
    }
    std::string notes = "Estimated from the record: the model did not rate its answer";
    if (!has_evidence && !has_no_answer()) {
      notes += evidence_.calls.empty() ? ", and no tool was called" : ", and no call gave data";
    }
    return {std::max(completeness, 0.0), std::max(confidence, 0.0), std::move(notes)};
  }

  const Evidence& evidence_;
  const ToolFeedbackOptions& options_;
  Merged merged_;
};

}  // namespace

Merged merge(const Evidence& evidence, const std::vector<ReadFeedback>& said,
             const ToolFeedbackOptions& options) {
  Merging merging(evidence, options);
  for (const ReadFeedback& each : said) merging.add(each);
  return std::move(merging).finish();
}

}  // namespace wright::feedback
