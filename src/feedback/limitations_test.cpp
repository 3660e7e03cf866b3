// Limitation detection: what failed, what was missing, and what shape results have.
#include <gtest/gtest.h>

#include "feedback/findings_testing.h"

namespace wright::feedback {
namespace {

using namespace sample;

TEST(Limitations, tell_of_tools_that_are_not_there) {
  const Evidence evidence{
      .query = "Who wrote this?",
      .calls = {failed_call("git_blame", "Unknown tool: git_blame. Available tools: grep",
                            ErrorCode::not_found, R"({"path":"a.c","line":3})"),
                failed_call("git_blame", "Unknown tool: git_blame. Available tools: grep",
                            ErrorCode::not_found, "{}")},
      .tools = {tool_named("grep")}};
  const Findings findings = all_findings(evidence);
  EXPECT_TRUE(has_limitation(findings, "The model called git_blame, which does not exist (2 times)",
                             Impact::high, MissingCapability::tool));
  const Suggestion* suggestion = tool_suggestion(findings, "git_blame");
  ASSERT_NE(suggestion, nullptr);
  EXPECT_EQ(suggestion->tool_spec->parameters, (std::vector<std::string>{"path", "line"}));
}

TEST(Limitations, take_a_name_that_is_nearly_right_for_an_alias) {
  const Evidence evidence{
      .calls = {failed_call("read_fil", "Unknown tool: read_fil. Available tools: read_file")},
      .tools = {tool_named("read_file")}};
  const Findings findings = all_findings(evidence);
  EXPECT_EQ(suggestion_of(findings, SuggestionType::new_tool), nullptr);
  const Suggestion* alias = suggestion_of(findings, SuggestionType::improve_existing);
  ASSERT_NE(alias, nullptr);
  EXPECT_EQ(alias->config_change->change, "Add the alias read_fil");
}

struct FailureCase {
  const char* error;
  ErrorCode code;
  FailureKind kind;
  const char* subject;
};

class Failures : public ::testing::TestWithParam<FailureCase> {};

TEST_P(Failures, are_understood_by_code_and_words) {
  const Failure failure = failure_of(GetParam().code, GetParam().error);
  EXPECT_EQ(failure.kind, GetParam().kind) << GetParam().error;
  EXPECT_EQ(failure.subject, GetParam().subject) << GetParam().error;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Failures,
    ::testing::Values(
        FailureCase{"no such column: nam", ErrorCode::tool_failed, FailureKind::unknown_field,
                    "nam"},
        FailureCase{"'class' has no field 'line_cnt'; its fields are: name, file",
                    ErrorCode::invalid_argument, FailureKind::unknown_field, "line_cnt"},
        FailureCase{"The field `age` does not exist", ErrorCode::tool_failed,
                    FailureKind::unknown_field, "age"},
        FailureCase{"Unknown parameter: sort (known: path)", ErrorCode::invalid_argument,
                    FailureKind::unknown_field, "sort"},
        FailureCase{"Parameter field must be one of: name, file", ErrorCode::invalid_argument,
                    FailureKind::unknown_field, ""},
        FailureCase{"There is no operator '~='; there are: =, !=", ErrorCode::invalid_argument,
                    FailureKind::unsupported_operator, "~="},
        FailureCase{"Operator 'BETWEEN' is not supported", ErrorCode::tool_failed,
                    FailureKind::unsupported_operator, "BETWEEN"},
        FailureCase{"Parameter conditions[0].operator must be one of: =, !=",
                    ErrorCode::invalid_argument, FailureKind::unsupported_operator, ""},
        FailureCase{"no such table: userz. There are: users", ErrorCode::tool_failed,
                    FailureKind::unknown_entity, "userz"},
        FailureCase{"Unknown relationship 'befriends'", ErrorCode::tool_failed,
                    FailureKind::unknown_relationship, "befriends"},
        FailureCase{"whatever", ErrorCode::permission_denied, FailureKind::permission, ""},
        FailureCase{"open: Permission denied", ErrorCode::tool_failed, FailureKind::permission, ""},
        FailureCase{"whatever", ErrorCode::timeout, FailureKind::timeout, ""},
        FailureCase{"The command timed out", ErrorCode::tool_failed, FailureKind::timeout, ""},
        FailureCase{"The arguments are not valid JSON: at byte 3", ErrorCode::invalid_json,
                    FailureKind::broken_arguments, ""},
        FailureCase{"The arguments must be a JSON object", ErrorCode::invalid_argument,
                    FailureKind::broken_arguments, ""},
        FailureCase{"Missing required parameter: path", ErrorCode::invalid_argument,
                    FailureKind::refused_arguments, ""},
        FailureCase{"Parameter days must be at most 7, not 8", ErrorCode::invalid_argument,
                    FailureKind::refused_arguments, ""},
        FailureCase{"The file is too large", ErrorCode::tool_failed, FailureKind::too_much, ""},
        FailureCase{"slow down", ErrorCode::rate_limited, FailureKind::too_much, ""},
        FailureCase{"busy", ErrorCode::unavailable, FailureKind::unavailable, ""},
        FailureCase{"\xff\xfe", ErrorCode::tool_failed, FailureKind::other, ""},
        FailureCase{"", ErrorCode::tool_failed, FailureKind::other, ""}));

TEST(Limitations, name_fields_operators_entities_and_relationships_that_were_missing) {
  const Evidence evidence{.agent = "code",
                          .calls = {failed_call("query", "no such column: line_count"),
                                    failed_call("query", "Operator 'gt' is not supported"),
                                    failed_call("query", "no such table: userz"),
                                    failed_call("explore", "Unknown relationship 'befriends'")},
                          .tools = {tool_named("query"), tool_named("explore")}};
  const Findings findings = all_findings(evidence);
  EXPECT_TRUE(has_limitation(findings, "query does not know the field line_count", Impact::high,
                             MissingCapability::field));
  EXPECT_TRUE(has_limitation(findings, "query does not support the operator gt", Impact::high,
                             MissingCapability::comparison));
  EXPECT_TRUE(has_limitation(findings, "query does not know userz", Impact::medium,
                             MissingCapability::field));
  EXPECT_TRUE(has_limitation(findings, "explore does not know the relationship befriends",
                             Impact::high, MissingCapability::relationship));
  const Suggestion* field = suggestion_of(findings, SuggestionType::expose_field);
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->config_change->entity, "class");
  EXPECT_NE(suggestion_of(findings, SuggestionType::add_relationship), nullptr);
}

TEST(Limitations, tell_of_permissions_and_time) {
  const Evidence evidence{
      .agent = "code",
      .calls = {failed_call("read_file", "outside", ErrorCode::permission_denied,
                            R"({"path":"/etc/passwd"})"),
                failed_call("write_file", "denied", ErrorCode::permission_denied,
                            R"({"path":"a.txt"})"),
                failed_call("bash", "timed out", ErrorCode::timeout)},
      .tools = {}};
  const Findings findings = all_findings(evidence);
  EXPECT_TRUE(has_limitation(findings, "read_file was not permitted", Impact::high, {}));
  EXPECT_TRUE(has_limitation(findings, "bash ran out of time", Impact::high, {}));
  std::vector<std::string> examples;
  for (const Suggestion& each : findings.suggestions) {
    ASSERT_TRUE(each.config_change);
    examples.push_back(each.config_change->example);
  }
  std::ranges::sort(examples);
  EXPECT_EQ(examples, (std::vector<std::string>{"[agent]\nreadable = [\"/etc/passwd\"]",
                                                "[agents.code.tool_execution]\ntimeout = \"5m\"",
                                                "[permissions]\n\"write_file\" = \"ask\""}));
}

TEST(Limitations, tell_of_calls_that_a_model_got_wrong) {
  const Evidence evidence{
      .calls = {failed_call("grep", "Missing required parameter: pattern"),
                failed_call("grep", "Missing required parameter: pattern"),
                failed_call("list", "The arguments are not valid JSON: x", ErrorCode::invalid_json),
                failed_call("list", "disk on fire")},
      .tools = {tool_named("grep"), tool_named("list")}};
  const Findings findings = all_findings(evidence);
  EXPECT_TRUE(has_limitation(findings, "Calls of grep did not fit its parameters (2 times)",
                             Impact::medium, {}));
  EXPECT_TRUE(has_limitation(findings, "Calls of list were not valid JSON", Impact::low, {}));
  EXPECT_TRUE(has_limitation(findings, "list failed: disk on fire", Impact::medium, {}));
  ASSERT_EQ(findings.suggestions.size(), 1U);
  EXPECT_EQ(findings.suggestions[0].config_change->entity, "grep");
}

TEST(Limitations, tell_of_results_that_are_empty_cut_or_unwell) {
  Evidence evidence{.calls = {call_of("search", R"({"results":[]})"),
                              call_of("list", R"({"files":["a"],"truncated":true})"),
                              call_of("bash", R"({"stdout":"","exit_code":2})")},
                    .tools = {tool_named("list")}};
  const Findings findings = all_findings(evidence);
  EXPECT_TRUE(has_limitation(findings, "search found nothing", Impact::low, {}));
  EXPECT_TRUE(has_limitation(findings, "list returned only a part", Impact::medium, {}));
  EXPECT_TRUE(
      has_limitation(findings, "bash answered that it did not succeed", Impact::medium, {}));
  ASSERT_EQ(findings.suggestions.size(), 1U);
  EXPECT_EQ(findings.suggestions[0].config_change->change, "Add the parameters limit and offset");
  evidence.tools = {tool_named("list", R"({"properties":{"offset":{}}})")};
  EXPECT_TRUE(all_findings(evidence).suggestions.empty()) << "it can page already";
  evidence.calls.erase(evidence.calls.begin() + 1, evidence.calls.end());
  EXPECT_TRUE(has_limitation(all_findings(evidence), "search found nothing", Impact::high, {}))
      << "there was nothing else";
}

TEST(Limitations, tell_how_the_run_ended) {
  const Evidence limit{.agent = "code",
                       .phase = Phase::failed,
                       .error = limit_error(Limit::iterations, "Maximum iteration limit reached"),
                       .max_iterations = 10};
  const Findings findings = all_findings(limit);
  EXPECT_TRUE(has_limitation(findings, "limit of 10 turns", Impact::critical, {}));
  ASSERT_EQ(findings.suggestions.size(), 1U);
  EXPECT_EQ(findings.suggestions[0].config_change->example, "--max-iterations 20");
  for (const auto& [answer, impact] :
       {std::pair{"I cannot help with that.", Impact::critical}, std::pair{"", Impact::critical},
        std::pair{"Which one do you mean?", Impact::high},
        std::pair{"There are 3.\nI could not count the others.", Impact::medium}}) {
    const Evidence said{.tools = {tool_named("grep")}, .answer = answer};
    const Findings about = all_findings(said);
    ASSERT_EQ(about.limitations.size(), 1U) << answer;
    EXPECT_EQ(about.limitations[0].impact, impact) << about.limitations[0].description;
  }
  const Evidence failed{.phase = Phase::failed, .error = {ErrorCode::network, "no route", {}}};
  EXPECT_TRUE(
      has_limitation(all_findings(failed), "The run failed: no route", Impact::critical, {}));
  const Evidence waiting{.phase = Phase::waiting};
  EXPECT_TRUE(has_limitation(all_findings(waiting), "waits for a person", Impact::high, {}));
}

TEST(Shapes, are_found_in_results_of_any_kind) {
  EXPECT_TRUE(shape_of(Json(nullptr)).is_empty);
  EXPECT_TRUE(shape_of(Json("")).is_empty);
  EXPECT_FALSE(shape_of(Json("text")).is_empty);
  EXPECT_TRUE(shape_of(parsed("[]")).is_empty);
  EXPECT_TRUE(shape_of(parsed("{}")).is_empty);
  EXPECT_TRUE(shape_of(parsed(R"({"_execution_metadata":{}})")).is_empty);
  EXPECT_FALSE(shape_of(parsed(R"({"a":[],"b":[1]})")).is_empty);
  EXPECT_TRUE(shape_of(parsed(R"({"success":false})")).says_failure);
  EXPECT_TRUE(shape_of(parsed(R"({"timed_out":true,"stdout":"x"})")).says_failure);
  EXPECT_TRUE(shape_of(parsed(R"({"has_more":true,"a":[1]})")).is_truncated);
  EXPECT_TRUE(shape_of(Json("abc\n[Output cut: the first 3 of 9 bytes]")).is_truncated);
  const ResultShape fields = shape_of(
      parsed(R"([{"size":3,"score":1,"created_at":"x","on":"2026-03-01","nested":{"depth":1}}])"));
  EXPECT_EQ(fields.number_fields, (std::vector<std::string>{"size", "depth"}));
  EXPECT_EQ(fields.date_fields, (std::vector<std::string>{"created_at", "on"}));
  EXPECT_TRUE(fields.has_records);
  const ResultShape beside =
      shape_of(parsed(R"({"files":["a"],"total":1,"skipped":{"hidden":2}})"));
  EXPECT_TRUE(beside.number_fields.empty()) << "they tell about the list";
  const ResultShape document = shape_of(parsed(R"({"content":"int x;","start_line":1})"));
  EXPECT_TRUE(document.number_fields.empty()) << "they tell about the text";
  const ResultShape alone = shape_of(parsed(R"({"city":"Oslo","degrees":3,"wind":{"speed":4}})"));
  EXPECT_EQ(alone.number_fields, (std::vector<std::string>{"degrees", "speed"}));
}

TEST(Shapes, are_found_in_what_a_model_read) {
  EXPECT_EQ(shape_of_text(R"([{"size":3}])").number_fields, std::vector<std::string>{"size"});
  EXPECT_TRUE(shape_of_text("").is_empty);
  EXPECT_TRUE(shape_of_text("null").is_empty);
  EXPECT_FALSE(shape_of_text("{broken").is_empty);
  EXPECT_TRUE(shape_of_text("{\"a\":1\n[Output cut: the first 6 of 9 bytes]").is_truncated);
}

}  // namespace
}  // namespace wright::feedback
