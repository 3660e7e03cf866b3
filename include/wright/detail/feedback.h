// The JSON names, descriptions and ranges of feedback.h. Not for direct inclusion.
#pragma once

namespace wright {

WRIGHT_ENUM(ResultQuality, excellent, good, partial, failed)
WRIGHT_ENUM(Impact, critical, high, medium, low)
WRIGHT_ENUM(SuggestionType, new_tool, expose_field, add_relationship, improve_existing)

// By hand, because `operator` is no name in C++.
[[maybe_unused]] constexpr auto wright_enumerators(Of<MissingCapability>) {
  using Named = std::pair<MissingCapability, std::string_view>;
  return std::array{Named{MissingCapability::tool, "tool"},
                    Named{MissingCapability::field, "field"},
                    Named{MissingCapability::comparison, "operator"},
                    Named{MissingCapability::relationship, "relationship"}};
}

WRIGHT_DESCRIBE_WHEN_USED(UsedTool, WRIGHT_FIELD(name).min_length(1),
                          WRIGHT_FIELD(purpose, "What it was called for"), WRIGHT_FIELD(success),
                          WRIGHT_FIELD(result_quality))
WRIGHT_DESCRIBE_WHEN_USED(ConsideredTool, WRIGHT_FIELD(name).min_length(1),
                          WRIGHT_FIELD(reason_not_used))
WRIGHT_DESCRIBE_WHEN_USED(
    Limitation, WRIGHT_FIELD(description, "What could not be done, and why").min_length(1),
    WRIGHT_FIELD(impact, "On the answer"), WRIGHT_FIELD(missing_capability))
WRIGHT_DESCRIBE_WHEN_USED(ProposedTool, WRIGHT_FIELD(name).min_length(1), WRIGHT_FIELD(purpose),
                          WRIGHT_FIELD(parameters, "Names; a ? after one that may be absent"))
WRIGHT_DESCRIBE_WHEN_USED(ConfigChange, WRIGHT_FIELD(entity), WRIGHT_FIELD(change),
                          WRIGHT_FIELD(example))
WRIGHT_DESCRIBE_WHEN_USED(Suggestion, WRIGHT_FIELD(type), WRIGHT_FIELD(priority),
                          WRIGHT_FIELD(description).min_length(1),
                          WRIGHT_FIELD(tool_spec, "For a tool: what it would be"),
                          WRIGHT_FIELD(config_change, "For a field or a setting: what to change"))
WRIGHT_DESCRIBE_WHEN_USED(
    Alternative, WRIGHT_FIELD(approach).min_length(1), WRIGHT_FIELD(pros), WRIGHT_FIELD(cons),
    WRIGHT_FIELD(needs, "What it would need that is not there").named("requires"))
WRIGHT_DESCRIBE_WHEN_USED(AnswerQuality,
                          WRIGHT_FIELD(completeness, "Percent").at_least(0).at_most(100),
                          WRIGHT_FIELD(confidence, "Percent").at_least(0).at_most(100),
                          WRIGHT_FIELD(notes))
WRIGHT_DESCRIBE_WHEN_USED(
    ToolFeedback, WRIGHT_FIELD(tools_used), WRIGHT_FIELD(tools_considered),
    WRIGHT_FIELD(limitations), WRIGHT_FIELD(suggestions), WRIGHT_FIELD(alternatives),
    WRIGHT_FIELD(reasoning, "Why you went about it in this way and not in another"),
    WRIGHT_FIELD(construction, "How the answer was put together, step by step"),
    WRIGHT_FIELD(answer_quality))

WRIGHT_DESCRIBE_WHEN_USED(ToolUsage, WRIGHT_FIELD(name), WRIGHT_FIELD(calls), WRIGHT_FIELD(failed),
                          WRIGHT_FIELD(total_ms), WRIGHT_FIELD(slowest_ms))
WRIGHT_DESCRIBE_WHEN_USED(Contradiction, WRIGHT_FIELD(about), WRIGHT_FIELD(said),
                          WRIGHT_FIELD(recorded))
WRIGHT_DESCRIBE_WHEN_USED(FeedbackReport, WRIGHT_FIELD(version), WRIGHT_FIELD(tool_feedback),
                          WRIGHT_FIELD(usage), WRIGHT_FIELD(contradictions), WRIGHT_FIELD(notes))

}  // namespace wright
