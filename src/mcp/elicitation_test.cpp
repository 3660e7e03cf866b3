#include "mcp/elicitation.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::mcp {
namespace {

JsonObject json(std::string_view text) {
  return parse_json(text).value().as_object();
}

TEST(Elicitation, QuestionsGoOutAsAFormAndAFormComesInAsQuestions) {
  const AskUserRequest request{
      .questions = {{.id = "name", .question = "Your name?", .default_answer = Json("Ada")},
                    {.id = "age",
                     .question = "Age?",
                     .type = QuestionType::number,
                     .validation = AnswerRules{.min_value = 0}},
                    {.id = "sure", .question = "Sure?", .type = QuestionType::boolean},
                    {.id = "one",
                     .question = "One?",
                     .type = QuestionType::select,
                     .options = std::vector<std::string>{"a", "b"}},
                    {.id = "many",
                     .question = "Many?",
                     .type = QuestionType::multiselect,
                     .options = std::vector<std::string>{"a", "b"},
                     .is_optional = true},
                    {.id = "mail", .question = "Mail?", .type = QuestionType::email}},
      .prompt = "Please"};
  const auto form = form_of(request);
  ASSERT_TRUE(form);
  const auto back = questions_in(*form);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->questions.size(), request.questions.size());
  for (std::size_t i = 0; i < request.questions.size(); ++i) {
    EXPECT_EQ(back->questions[i].id, request.questions[i].id);
    EXPECT_EQ(back->questions[i].type, request.questions[i].type);
    EXPECT_EQ(back->questions[i].options, request.questions[i].options);
    EXPECT_EQ(back->questions[i].is_optional, request.questions[i].is_optional);
    EXPECT_EQ(back->questions[i].default_answer, request.questions[i].default_answer);
  }
}

TEST(Elicitation, PasswordsAreNotAskedForInAForm) {
  const auto form = form_of(
      {.questions = {{.id = "p", .question = "Password?", .type = QuestionType::password}}});
  ASSERT_FALSE(form);
  EXPECT_EQ(form.error().code, ErrorCode::unsupported);
}

TEST(Elicitation, ChoicesWithTitlesAreUnderstood) {
  const auto request = questions_in(json(R"({"message":"m","requestedSchema":{"type":"object",
    "properties":{"a":{"type":"string","oneOf":[{"const":"x","title":"The X"},{"const":"y"}]},
      "b":{"type":"array","items":{"anyOf":[{"const":"p","title":"P!"}]}},
      "c":{"type":"string","enum":["k"],"enumNames":["Key"]}}}})"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->questions[0].options, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(request->questions[0].description, "x: The X");
  EXPECT_EQ(request->questions[1].type, QuestionType::multiselect);
  EXPECT_EQ(request->questions[2].description, "k: Key");
}

TEST(Elicitation, BrokenFormsAreRefused) {
  for (const std::string_view text :
       {"{}", R"({"requestedSchema":{}})", R"({"requestedSchema":{"properties":{"a":7}}})",
        R"({"mode":"telepathy","requestedSchema":{"properties":{"a":{"type":"string"}}}})"}) {
    EXPECT_FALSE(questions_in(json(text))) << text;
  }
}

TEST(Elicitation, AnAddressIsShownWhole) {
  const auto words = [](std::string_view url) {
    const auto asked = questions_in({{"mode", "url"}, {"url", url}, {"message", "a\nb"}});
    return asked ? asked->prompt.value_or("") : "refused";
  };
  EXPECT_EQ(words("https://Pay.example/x?y#z"),
            "open an address in a browser yourself\nHost: pay.example\n"
            "Address: https://Pay.example/x?y#z\nWhy, in its words: a b");
  EXPECT_NE(words("https://bank.example@evil.example/").find("Host: evil.example"),
            std::string::npos);
  EXPECT_NE(words("https://bank.example@evil.example/").find("Careful"), std::string::npos);
  EXPECT_NE(words("https://xn--bnk-5qa.example/").find("look like others"), std::string::npos);
  EXPECT_NE(words("http://pay.example/").find("not encrypted"), std::string::npos);
  EXPECT_EQ(words("http://127.0.0.1:99/").find("Careful"), std::string::npos);
  EXPECT_NE(words("http://[::1]:99/").find("Host: [::1]"), std::string::npos);
  for (const std::string_view bad :
       {"", "pay.example", "file:///etc/passwd", "javascript:alert(1)", "https://", "https:///x",
        "https://[::1", "https://a b/", "https://evil.example\\@bank.example/",
        "https://b\xc3\xa4nk.example/", "https://a/\x1b[2J"}) {
    EXPECT_EQ(words(bad), "refused") << bad;
  }
  EXPECT_EQ(words("https://a/" + std::string(5000, 'x')), "refused");
}

TEST(Elicitation, AgreeingToAnAddressHasNoContent) {
  const JsonObject params{{"mode", "url"}, {"url", "https://a"}};
  const auto result = [&](std::string_view answer) {
    return elicitation_result(params, parse_json(answer).value());
  };
  EXPECT_EQ(result(R"({"completed":true,"responses":[{"question_id":"opened","answer":true}]})"),
            json(R"({"action":"accept"})"));
  for (const std::string_view no :
       {R"({"completed":true,"responses":[{"question_id":"opened","answer":false}]})",
        R"({"completed":true,"responses":[]})", R"({"completed":false})", R"("?")"}) {
    EXPECT_EQ(result(no), json(R"({"action":"decline"})")) << no;
  }
}

TEST(Elicitation, AnswersGoBackAndARefusalIsADecline) {
  EXPECT_EQ(form_result(json(R"({"completed":true,"responses":[
      {"question_id":"a","answer":1},{"question_id":"b","answer":null}]})")),
            json(R"({"action":"accept","content":{"a":1}})"));
  EXPECT_EQ(form_result(json(R"({"completed":false,"responses":[]})")),
            json(R"({"action":"decline"})"));
  EXPECT_EQ(form_result("nonsense"), json(R"({"action":"decline"})"));
  EXPECT_EQ(answers_in_form(json(R"({"action":"accept","content":{"a":1}})")).value(),
            Json(json(R"({"a":1})")));
  EXPECT_FALSE(answers_in_form(json(R"({"action":"cancel"})")));
}

TEST(Elicitation, DefaultsStandInWhereTheyAreEnough) {
  const auto form = [](std::string_view required) {
    return json(R"({"message":"","requestedSchema":{"type":"object","properties":{"a":{"type":
      "string","default":"x"},"b":{"type":"boolean"}},"required":)" +
                std::string(required) + "}}");
  };
  EXPECT_EQ(defaults_of(form(R"(["a"])"))->at("content"), Json(JsonObject{{"a", "x"}}));
  EXPECT_FALSE(defaults_of(form(R"(["a","b"])")));
}

}  // namespace
}  // namespace wright::mcp
