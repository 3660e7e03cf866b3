#include <gtest/gtest.h>

#include <algorithm>

#include "feedback/feedback_reading.h"
#include "wright/feedback.h"
#include "wright/json.h"

namespace wright {
namespace {

ToolFeedback complete_feedback() {
  return {
      .tools_used = {{"query_entities", "Find all classes", true, ResultQuality::partial}},
      .tools_considered = {{"semantic_search", "Not for numbers"}},
      .limitations = {{"Cannot filter by line count", Impact::high, MissingCapability::comparison}},
      .suggestions = {{SuggestionType::new_tool,
                       Impact::high,
                       "Add number_range_search",
                       ProposedTool{"number_range_search",
                                    "Filter by numbers",
                                    {"entity_type", "field", "tolerance?"}},
                       {}},
                      {SuggestionType::expose_field,
                       Impact::high,
                       "Expose line_count",
                       {},
                       ConfigChange{"Scope", "Add line_count", "- name: line_count"}}},
      .alternatives = std::vector<Alternative>{{"Read all", {"works"}, {"slow"}, {{"time"}}}},
      .answer_quality = {40, 80, "Lists, but does not filter"}};
}

Json parsed(std::string_view text) {
  auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json ? *json : Json();
}

bool mentions(const std::vector<std::string>& notes, std::string_view words) {
  return std::ranges::any_of(
      notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST(ToolFeedback, has_the_members_and_names_of_the_schema) {
  const Json json = to_json(complete_feedback());
  EXPECT_EQ(
      to_text(json),
      R"({"tools_used":[{"name":"query_entities","purpose":"Find all classes",)"
      R"("success":true,"result_quality":"partial"}],)"
      R"("tools_considered":[{"name":"semantic_search","reason_not_used":"Not for numbers"}],)"
      R"("limitations":[{"description":"Cannot filter by line count","impact":"high",)"
      R"("missing_capability":"operator"}],)"
      R"("suggestions":[{"type":"new_tool","priority":"high",)"
      R"("description":"Add number_range_search","tool_spec":{"name":"number_range_search",)"
      R"("purpose":"Filter by numbers","parameters":["entity_type","field","tolerance?"]}},)"
      R"({"type":"expose_field","priority":"high","description":"Expose line_count",)"
      R"("config_change":{"entity":"Scope","change":"Add line_count",)"
      R"("example":"- name: line_count"}}],)"
      R"("alternatives":[{"approach":"Read all","pros":["works"],"cons":["slow"],)"
      R"("requires":["time"]}],)"
      R"("answer_quality":{"completeness":40,"confidence":80,)"
      R"("notes":"Lists, but does not filter"}})");
}

TEST(ToolFeedback, is_read_back_whole) {
  const ReadFeedback read = tool_feedback_from_json(to_json(complete_feedback()));
  EXPECT_EQ(read.feedback, complete_feedback());
  EXPECT_TRUE(read.is_rated);
  EXPECT_EQ(read.notes, std::vector<std::string>());
}

TEST(ToolFeedback, fits_its_own_schema) {
  const auto schema = JsonSchema::compile(tool_feedback_schema());
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_TRUE(schema->accepts(to_json(complete_feedback())));
  EXPECT_TRUE(schema->accepts(to_json(ToolFeedback{})));
  Json wrong = to_json(complete_feedback());
  wrong.at("answer_quality").at("completeness") = 101;
  EXPECT_FALSE(schema->accepts(wrong));
  wrong = to_json(complete_feedback());
  wrong.at("limitations").at(0).at("impact") = "huge";
  EXPECT_FALSE(schema->accepts(wrong));
  wrong = to_json(complete_feedback());
  wrong.as_object().erase("answer_quality");
  EXPECT_FALSE(schema->accepts(wrong));
}

// What a model wrote, what of it is kept, and words of the note about the rest.
struct Malformed {
  const char* name;
  std::string text;
  const char* note;
  ToolFeedback kept = {};
};

class MalformedFeedback : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedFeedback, is_dropped_with_a_note) {
  const Malformed& malformed = GetParam();
  const ReadFeedback read = tool_feedback_from_text(malformed.text);
  EXPECT_TRUE(mentions(read.notes, malformed.note)) << ::testing::PrintToString(read.notes);
  EXPECT_EQ(read.feedback, malformed.kept) << to_text(to_json(read.feedback));
  EXPECT_FALSE(read.is_rated);
}

const ToolFeedback kOneLimitation{.limitations = {{"kept", Impact::low, {}}}};
const ToolFeedback kOneSuggestion{
    .suggestions = {{SuggestionType::new_tool, Impact::low, "kept", {}, {}}}};

INSTANTIATE_TEST_SUITE_P(
    Kinds, MalformedFeedback,
    ::testing::Values(
        Malformed{"nothing", "", "empty"}, Malformed{"blank", " \n\t ", "empty"},
        Malformed{"half_json", R"({"limitations": [{"description": )", "not valid JSON"},
        Malformed{"words", "I used grep and it was fine.", "not valid JSON"},
        Malformed{"a_number", "42", "must be an object"},
        Malformed{"null", "null", "must be an object"},
        Malformed{"an_array", R"([{"description":"x","impact":"low"}])", "must be an object"},
        Malformed{"quoted_quotes", R"("\"quoted\"")", "in quotes"},
        Malformed{"unknown_member",
                  R"({"mood":"good","limitations":[{"description":"kept","impact":"low"}]})",
                  "Unknown parameter: mood", kOneLimitation},
        Malformed{"list_that_is_none", R"({"limitations":"none"})", "answer_quality is missing"},
        Malformed{"list_of_none", R"({"limitations":["None."],"suggestions":["n/a"]})",
                  "answer_quality is missing"},
        Malformed{"list_that_is_a_number", R"({"limitations":7})",
                  "Parameter limitations must be an array"},
        Malformed{"empty_description", R"({"limitations":[{"description":"","impact":"low"}]})",
                  "limitations[0].description"},
        Malformed{
            "unknown_capability",
            R"({"limitations":[{"description":"kept","impact":"low","missing_capability":"speed"}]})",
            "missing_capability must be one of", kOneLimitation},
        Malformed{
            "tool_spec_without_name",
            R"({"suggestions":[{"type":"new_tool","priority":"low","description":"kept","tool_spec":{"purpose":"x"}}]})",
            "tool_spec.name is missing", kOneSuggestion},
        Malformed{
            "tool_spec_as_text",
            R"({"suggestions":[{"type":"new_tool","priority":"low","description":"kept","tool_spec":"a tool"}]})",
            "tool_spec must be an object", kOneSuggestion},
        Malformed{
            "parameters_of_all_kinds",
            R"({"suggestions":[{"type":"new_tool","priority":"low","description":"kept","tool_spec":{"name":"t","purpose":"p","parameters":["a",1,null,{"b":2}]}}]})",
            "parameters[1] was dropped",
            {.suggestions = {{SuggestionType::new_tool,
                              Impact::low,
                              "kept",
                              ProposedTool{"t", "p", {"a"}},
                              {}}}}},
        Malformed{"percent_above_100", R"({"answer_quality":{"completeness":140,"confidence":50}})",
                  "answer_quality.completeness must be at most 100"},
        Malformed{"percent_below_0", R"({"answer_quality":{"completeness":10,"confidence":-1}})",
                  "answer_quality.confidence must be at least 0"},
        Malformed{"percent_as_words",
                  R"({"answer_quality":{"completeness":"most of it","confidence":5}})",
                  "completeness must be a number"},
        Malformed{"quality_as_number", R"({"answer_quality":95})", "must be an object"},
        Malformed{"deep_nesting", std::string(300, '[') + std::string(300, ']'), "not valid JSON"},
        Malformed{"far_too_long", std::string(300 * 1024, 'x'), "bytes"},
        Malformed{"binary", std::string("\x00\xff\xfe{}", 5), "not valid JSON"},
        Malformed{"xml_cut_short",
                  "<tool_feedback><limitations><limitation><description>kept"
                  "</description><impact>low</impact>",
                  "ends inside", kOneLimitation},
        Malformed{"xml_closed_wrongly",
                  "<tool_feedback><limitations><limitation><description>kept</description><impact>"
                  "low</limitation></limitations></b></tool_feedback>",
                  "does not close <impact>", kOneLimitation},
        Malformed{"xml_of_words", "<p>It went well</p>", "answer_quality is missing"}),
    [](const ::testing::TestParamInfo<Malformed>& info) { return std::string(info.param.name); });

TEST(ReadingFeedback, cuts_texts_and_lists_that_never_end) {
  JsonArray many;
  for (int i = 0; i < 150; ++i) {
    many.push_back({{"description", "d" + std::to_string(i)}, {"impact", "low"}});
  }
  many[0].at("description") = std::string(5000, 'a') + "\xC3\xA9";
  const ReadFeedback read = tool_feedback_from_json(JsonObject{{"limitations", many}});
  ASSERT_EQ(read.feedback.limitations.size(), 100U);
  EXPECT_EQ(read.feedback.limitations[0].description.size(), 4096U);
  EXPECT_EQ(read.feedback.limitations[99].description, "d99");
  EXPECT_TRUE(mentions(read.notes, "limitations[0].description was cut: it had 5002 bytes"));
  EXPECT_TRUE(mentions(read.notes, "those after the first 100 were dropped"));
}

TEST(ReadingFeedback, keeps_the_number_of_notes_small) {
  JsonObject object;
  for (int i = 0; i < 2000; ++i) object["k" + std::to_string(i)] = i;
  JsonArray items;
  for (int i = 0; i < 100; ++i) items.push_back(JsonObject{{"x", object}});
  const ReadFeedback read = tool_feedback_from_json(JsonObject{{"limitations", items}});
  EXPECT_LE(read.notes.size(), 101U);
  EXPECT_EQ(read.notes.back(), "There was more that was dropped");
}

TEST(ReadingFeedback, accepts_the_wrappings_that_models_use) {
  const std::string plain = to_text(to_json(complete_feedback()));
  const std::vector<std::string> wrapped{
      plain,
      "  " + plain + "\n",
      "```json\n" + plain + "\n```",
      R"({"tool_feedback":)" + plain + "}",
      R"({"feedback":)" + to_text(Json(plain)) + "}",
      to_text(Json(plain)),
  };
  for (const std::string& text : wrapped) {
    const ReadFeedback read = tool_feedback_from_text(text);
    EXPECT_EQ(read.feedback, complete_feedback()) << text;
    EXPECT_TRUE(read.notes.empty()) << text << ::testing::PrintToString(read.notes);
  }
}

TEST(ReadingFeedback, understands_xml_as_it_understands_json) {
  const ReadFeedback read = tool_feedback_from_text(R"(<?xml version="1.0"?>
<tool_feedback>
  <!-- what was used -->
  <tools_used>
    <tool><name>query_entities</name><purpose>Find all classes</purpose>
      <success>true</success><result_quality>partial</result_quality></tool>
  </tools_used>
  <tools_considered><tool name="semantic_search" reason_not_used='Not for numbers'/></tools_considered>
  <limitations>
    <limitation impact="high" missing_capability="operator">
      <description>Cannot filter by line count</description>
    </limitation>
  </limitations>
  <suggestions>
    <suggestion><type>new_tool</type><priority>high</priority>
      <description>Add number_range_search</description>
      <tool_spec><name>number_range_search</name><purpose><![CDATA[Filter by numbers]]></purpose>
        <parameters>entity_type, field, tolerance?</parameters></tool_spec></suggestion>
    <suggestion><type>expose_field</type><priority>high</priority>
      <description>Expose line_count</description>
      <config_change><entity>Scope</entity><change>Add line_count</change>
        <example>- name: line_count</example></config_change></suggestion>
  </suggestions>
  <alternatives><alternative><approach>Read all</approach><pros><item>works</item></pros>
    <cons><item>slow</item></cons><requires><item>time</item></requires></alternative></alternatives>
  <answer_quality><completeness>40%</completeness><confidence>80</confidence>
    <notes>Lists, but does not filter</notes></answer_quality>
</tool_feedback> and words behind it)");
  EXPECT_EQ(read.feedback, complete_feedback()) << to_text(to_json(read.feedback));
  EXPECT_TRUE(read.is_rated);
  EXPECT_EQ(read.notes, std::vector<std::string>());
}

TEST(ReadingFeedback, resolves_entities_and_leaves_the_senseless_ones) {
  const ReadFeedback read = tool_feedback_from_text(
      "<limitations><description>a &lt; b &amp;&amp; c &gt; d &quot;&apos; &#65;&#x42;&#233;&#8364;"
      "&#128512; &nbsp; &#0; &#xD800; &#99999999; & 1 < 2</description><impact>low</impact>"
      "</limitations><answer_quality><completeness>nan</completeness><confidence>1</confidence>"
      "</answer_quality>");
  ASSERT_EQ(read.feedback.limitations.size(), 1U) << ::testing::PrintToString(read.notes);
  EXPECT_EQ(read.feedback.limitations[0].description,
            "a < b && c > d \"' ABé€😀 &nbsp; &#0; &#xD800; &#99999999; & 1 < 2");
  EXPECT_FALSE(read.is_rated);
}

TEST(ReadingFeedback, joins_lists_that_are_written_item_by_item) {
  const ReadFeedback read = tool_feedback_from_text(
      "<tool_feedback>"
      "<limitations><description>a</description><impact>low</impact></limitations>"
      "<limitations><description>b</description><impact>high</impact></limitations>"
      "</tool_feedback>");
  const std::vector<Limitation> expected{{"a", Impact::low, {}}, {"b", Impact::high, {}}};
  EXPECT_EQ(read.feedback.limitations, expected);
}

TEST(ReadingFeedback, survives_hostile_xml) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "<a>";
  std::string wide = "<tool_feedback>";
  for (int i = 0; i < 9000; ++i) wide += "<b x='1'/>";
  for (const std::string& text :
       {deep, wide, std::string(20'000, '<'), std::string("<a b='"), std::string("<a b='>"),
        std::string("</"), std::string("<>"), std::string("<![CDATA["), std::string("<!--"),
        std::string("<?"), "<tool_feedback>" + deep + "</tool_feedback>"}) {
    const ReadFeedback read = tool_feedback_from_text(text);
    EXPECT_EQ(read.feedback, ToolFeedback{}) << text.substr(0, 40);
    EXPECT_FALSE(read.notes.empty()) << text.substr(0, 40);
    EXPECT_LE(read.notes.size(), 300U);
  }
}

TEST(SplitAnswer, takes_feedback_out_of_the_text) {
  const auto xml = feedback::split_answer(
      "There are 3.\n\n<tool_feedback><limitations/></tool_feedback>\n\nThat is all.");
  ASSERT_TRUE(xml);
  EXPECT_EQ(xml->answer, "There are 3.\n\nThat is all.");
  EXPECT_EQ(xml->feedback, "<tool_feedback><limitations/></tool_feedback>");

  const auto json = feedback::split_answer(
      R"(```json
{"answer": "There are 3.", "tool_feedback": {"limitations": []}}
```)");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->answer, "There are 3.");
  EXPECT_EQ(json->feedback, R"({"limitations":[]})");

  const auto object = feedback::split_answer(R"({"count": 3, "tool_feedback": {}})");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->answer, R"({"count":3})");

  const auto cut = feedback::split_answer("Three.\n<tool_feedback><limitations>");
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->answer, "Three.");
}

TEST(SplitAnswer, leaves_other_answers_alone) {
  for (const char* text :
       {"", "There are 3.", "The class tool_feedback is large.", "<tool_feedback_types> is a tag",
        R"({"tool_feedback_of": 3})", R"({"a": "tool_feedback")", "see <tool_feedback"}) {
    EXPECT_FALSE(feedback::split_answer(text)) << text;
  }
}

TEST(Reading, understands_what_models_write_instead) {
  const ReadFeedback read = tool_feedback_from_text(R"({
      "tools_used":[{"name":"grep","success":"yes","result_quality":"Partial"}],
      "tools_considered":["sql",{"name":"bash","reason":"Not allowed"}],
      "limitations":["Es war zu dunkel",{"description":"Slow","impact":"HIGH"},
                     {"description":"Odd","impact":"severe"},{"description":"Bare"}],
      "suggestions":{"tool_spec":{"name":"lamp","description":"Gives light",
                     "parameters":{"type":"object","properties":{"watts":{},"colour":{}}}}},
      "alternatives":[{"approach":"Wait","pros":"Cheap"}],
      "reasoning":["First this.","Then that."],
      "construction":"Looked around",
      "answer_quality":{"completeness":"95 %","confidence":"70"}})");
  const ToolFeedback& feedback = read.feedback;
  EXPECT_EQ(feedback.tools_used,
            (std::vector<UsedTool>{{"grep", "", true, ResultQuality::partial}}));
  EXPECT_EQ(feedback.tools_considered,
            (std::vector<ConsideredTool>{{"sql", ""}, {"bash", "Not allowed"}}));
  EXPECT_EQ(feedback.limitations, (std::vector<Limitation>{{"Es war zu dunkel", Impact::medium, {}},
                                                           {"Slow", Impact::high, {}},
                                                           {"Odd", Impact::medium, {}},
                                                           {"Bare", Impact::medium, {}}}));
  ASSERT_EQ(feedback.suggestions.size(), 1U);
  EXPECT_EQ(feedback.suggestions[0],
            (Suggestion{SuggestionType::new_tool,
                        Impact::medium,
                        "Add lamp",
                        ProposedTool{"lamp", "Gives light", {"watts", "colour"}},
                        {}}));
  ASSERT_TRUE(feedback.alternatives);
  EXPECT_EQ(feedback.alternatives->at(0).pros, std::vector<std::string>{"Cheap"});
  EXPECT_EQ(feedback.reasoning, "First this. Then that.");
  EXPECT_EQ(feedback.construction, std::vector<std::string>{"Looked around"});
  EXPECT_TRUE(read.is_rated);
  EXPECT_EQ(feedback.answer_quality, (AnswerQuality{95, 70, {}}));
  EXPECT_EQ(
      read.notes,
      (std::vector<std::string>{"limitations[2].impact 'severe' is not known; taken as medium"}));
}

TEST(Reading, takes_fractions_for_percent_only_where_they_are_fractions) {
  const auto rating = [](const char* text) {
    const ReadFeedback read =
        tool_feedback_from_text(std::string(R"({"answer_quality":)") + text + "}");
    return read.is_rated ? read.feedback.answer_quality : AnswerQuality{-1, -1, {}};
  };
  EXPECT_EQ(rating(R"({"completeness":0.95,"confidence":1})"), (AnswerQuality{95, 100, {}}));
  EXPECT_EQ(rating(R"({"completeness":1,"confidence":0})"), (AnswerQuality{1, 0, {}}));
  EXPECT_EQ(rating(R"({"completeness":0.5,"confidence":80})"), (AnswerQuality{0.5, 80, {}}));
  EXPECT_EQ(rating(R"({"completeness":"nan","confidence":80})"), (AnswerQuality{-1, -1, {}}));
  EXPECT_EQ(rating(R"({"completeness":"inf","confidence":"1e999"})"), (AnswerQuality{-1, -1, {}}));
  EXPECT_EQ(rating(R"({"completeness":1e308,"confidence":-5})"), (AnswerQuality{-1, -1, {}}));
}

TEST(FeedbackReport, is_read_back_whole_and_refused_when_newer) {
  FeedbackReport report;
  report.tool_feedback = complete_feedback();
  report.usage = {{"query_entities", 3, 1, 4.5, 3.5}, {"grep", 1, 0, {}, {}}};
  report.contradictions = {{"tools_used grep", "it failed", "1 of 1 calls succeeded"}};
  report.notes = {"something was dropped"};
  const Json json = to_json(report);
  const auto again = feedback_report_from_json(json);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, report);

  Json newer = json;
  newer.at("version") = report.version + 1;
  EXPECT_EQ(feedback_report_from_json(newer).error().code, ErrorCode::unsupported);
  EXPECT_FALSE(feedback_report_from_json(parsed("{}")));
  EXPECT_FALSE(feedback_report_from_json(parsed("[1]")));
}

TEST(EffectiveDebug, follows_query_over_agent_over_environment) {
  const DebugOptions on{.enabled = true};
  const DebugOptions off{.enabled = false};
  EXPECT_FALSE(effective_debug({}).wants_feedback());
  EXPECT_TRUE(effective_debug({.environment = true}).wants_feedback());
  EXPECT_FALSE(effective_debug({.agent = off, .environment = true}).wants_feedback());
  EXPECT_TRUE(effective_debug({.agent = on, .environment = false}).wants_feedback());
  EXPECT_TRUE(effective_debug({.query = true, .agent = off}).wants_feedback());
  EXPECT_FALSE(effective_debug({.query = false, .agent = on, .environment = true}).enabled);
  EXPECT_TRUE(effective_debug({.query = true, .environment = false}).wants_feedback());
}

TEST(EffectiveDebug, keeps_what_the_agent_says_about_its_parts) {
  DebugOptions agent{.enabled = false, .track_performance = true};
  agent.tool_feedback = {.enabled = false, .include_reasoning = false};
  const DebugOptions effective = effective_debug({.query = true, .agent = agent});
  EXPECT_TRUE(effective.wants_feedback());
  EXPECT_FALSE(effective.tool_feedback.include_reasoning);
  EXPECT_TRUE(effective.track_performance);
  agent.enabled = true;
  EXPECT_FALSE(effective_debug({.agent = agent}).wants_feedback());
}

}  // namespace
}  // namespace wright
