#include "wright/people.h"
#include "wright/tools.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

namespace wright {
namespace {

Question question(std::string id, QuestionType type = QuestionType::text) {
  Question made{.id = std::move(id), .question = "Well?", .type = type};
  if (type == QuestionType::select || type == QuestionType::multiselect) {
    made.options = {"Red", "Green", "blue"};
  }
  return made;
}

Question with_rules(QuestionType type, AnswerRules rules) {
  Question made = question("q", type);
  made.validation = std::move(rules);
  return made;
}

// What is wrong with an answer to the only question; empty when nothing is.
std::string problem(const Question& asked, Json answer) {
  const auto problems = validate_answers({.questions = {asked}}, {{asked.id, std::move(answer)}});
  return problems.empty() ? "" : problems.front().message;
}

ToolOutcome ask(std::string_view arguments) {
  const std::vector<Tool> tools{ask_user_tool()};
  return execute(tools, {}, {"1", "ask_user", std::string(arguments)}, Context{});
}

TEST(AskUser, waits_with_the_questions) {
  const auto outcome = ask(R"({"prompt":"Before I start","questions":[
      {"id":"name","question":"Your name?"},
      {"id":"size","question":"How large?","type":"select","options":["s","m"],"default":"m"}]})");
  ASSERT_TRUE(outcome.waiting) << outcome.error_message();
  EXPECT_EQ(outcome.waiting->kind, WaitKind::question);
  const Json& shown = outcome.waiting->shown;
  EXPECT_EQ(shown.at("prompt"), "Before I start");
  EXPECT_EQ(shown.at("questions").as_array().size(), 2U);
  EXPECT_EQ(shown.at("questions").at(0).at("type"), "text");
  EXPECT_EQ(shown.at("questions").at(1).at("default"), "m");
}

TEST(AskUser, knows_nine_types) {
  const Json schema = schema_of<AskUserRequest>();
  EXPECT_NE(to_text(schema).find(R"(["text","number","boolean","select","multiselect","password",)"
                                 R"("file_path","email","url"])"),
            std::string::npos)
      << to_text(schema);
}

TEST(AskUser, refuses_questions_that_nobody_can_answer) {
  struct Bad {
    const char* questions;
    const char* says;
  };
  for (const Bad& bad : {
           Bad{R"__([])__", "questions"},
           Bad{R"__([{"id":"","question":"a"}])__", "id"},
           Bad{R"__([{"id":" \t","question":"a"}])__", "empty id"},
           Bad{R"__([{"id":"a","question":"a"},{"id":"a","question":"b"}])__", "'a'"},
           Bad{R"__([{"id":"a","question":" "}])__", "no text"},
           Bad{R"__([{"id":"a"}])__", "question"},
           Bad{R"__([{"id":"a","question":"a","type":"colour"}])__", "type"},
           Bad{R"__([{"id":"a","question":"a","type":"select"}])__", "needs options"},
           Bad{R"__([{"id":"a","question":"a","type":"select","options":[]}])__", "needs options"},
           Bad{R"__([{"id":"a","question":"a","type":"select","options":["x","x"]}])__", "twice"},
           Bad{R"__([{"id":"a","question":"a","options":["x"]}])__", "options belong"},
           Bad{R"__([{"id":"a","question":"a","validation":{"min_length":3,"max_length":2}}])__",
               "min_length"},
           Bad{R"__([{"id":"a","question":"a","validation":{"min_value":3,"max_value":2}}])__",
               "min_value"},
           Bad{R"__([{"id":"a","question":"a","validation":{"pattern":"(a"}}])__", "pattern"},
           Bad{R"__([{"id":"a","question":"a","validation":{"pattern":"(?=a)"}}])__", "pattern"},
           Bad{R"__([{"id":"a","question":"a","type":"number","default":"many"}])__", "default"},
           Bad{R"__([{"id":"a","question":"a","type":"password","default":"x"}])__", "default"},
       }) {
    const auto outcome = ask(std::string(R"({"questions":)") + bad.questions + "}");
    EXPECT_FALSE(outcome.waiting) << bad.questions;
    EXPECT_NE(outcome.error_message().find(bad.says), std::string::npos)
        << bad.questions << ": " << outcome.error_message();
  }
}

TEST(AskUser, checks_text) {
  EXPECT_EQ(problem(question("q"), "anything"), "");
  EXPECT_EQ(problem(question("q"), 5), "It must be text");
  EXPECT_NE(problem(question("q"), "\xFF"), "");
  const Question bounded =
      with_rules(QuestionType::text, {.min_length = 2, .max_length = 3, .pattern = "^[a-zé]+$"});
  EXPECT_EQ(problem(bounded, "ééé"), "") << "characters, not bytes";
  EXPECT_EQ(problem(bounded, "a"), "It needs at least 2 characters");
  EXPECT_EQ(problem(bounded, "abcd"), "It may have at most 3 characters");
  EXPECT_EQ(problem(bounded, "A1"), "It must match ^[a-zé]+$");
  EXPECT_EQ(problem(with_rules(QuestionType::text, {.min_length = 9, .error_message = "Longer!"}),
                    "short"),
            "Longer!");
}

TEST(AskUser, checks_numbers_and_booleans) {
  const Question number = with_rules(QuestionType::number, {.min_value = -1, .max_value = 2.5});
  for (const Json& good : {Json(-1), Json(2.5), Json("2"), Json(" 0.5 ")}) {
    EXPECT_EQ(problem(number, good), "") << to_text(good);
  }
  for (const Json& bad : {Json(-2), Json(3), Json("3"), Json("two"), Json("1x"), Json("nan"),
                          Json("1e999"), Json(true), Json(JsonArray{})}) {
    EXPECT_NE(problem(number, bad), "") << to_text(bad);
  }
  for (const Json& good : {Json(true), Json("yes"), Json("No"), Json("false")}) {
    EXPECT_EQ(problem(question("q", QuestionType::boolean), good), "") << to_text(good);
  }
  for (const Json& bad : {Json(1), Json("maybe"), Json("oui")}) {
    EXPECT_NE(problem(question("q", QuestionType::boolean), bad), "") << to_text(bad);
  }
}

TEST(AskUser, checks_choices) {
  const Question one = question("q", QuestionType::select);
  EXPECT_EQ(problem(one, "Red"), "");
  EXPECT_EQ(problem(one, "green"), "");
  EXPECT_EQ(problem(one, "yellow"), "Choose one of Red, Green, blue");
  EXPECT_NE(problem(one, JsonArray{"Red"}), "");
  const Question many = with_rules(QuestionType::multiselect, {.min_length = 1, .max_length = 2});
  EXPECT_EQ(problem(many, JsonArray{"Red", "blue"}), "");
  EXPECT_EQ(problem(many, JsonArray{}), "It needs at least 1 options");
  EXPECT_NE(problem(many, JsonArray{"Red", "red"}), "");
  EXPECT_NE(problem(many, JsonArray{"Red", "Green", "blue"}), "");
  EXPECT_NE(problem(many, JsonArray{"Red", 1}), "");
  EXPECT_NE(problem(many, "Red"), "");
}

TEST(AskUser, checks_addresses_and_paths) {
  const Question email = question("q", QuestionType::email);
  for (const char* good : {"ada.l+x@mail.example.org", "o'brien@example.co.uk", "用户@例子.广告",
                           "müller@bücher.example", "a_b-c=d@x1.example", " ada@example.org\n"}) {
    EXPECT_EQ(problem(email, good), "") << good;
  }
  for (const char* bad :
       {"ada", "@example.org", "ada@", "ada@example", "a b@example.org", "ada@example..org",
        "a@b@example.org", "ada@example.org\nx", "ada@example.org>", "<ada@example.org",
        "ada@example.org,", "a..b@c.org", ".a@example.org", "a.@example.org", "ada@-example.org",
        "ada@example-.org", "ada@exa_mple.org", "ada@example.org\x01", "ada@example.o"}) {
    EXPECT_NE(problem(email, bad), "") << bad;
  }
  const Question url = question("q", QuestionType::url);
  for (const char* good : {"https://example.org/a?b#c", "http://localhost:8080",
                           "http://[::1]:80/x", "https://bücher.example/straße",
                           "ftp://ada@files.example.org/a%20b", "HTTPS://EXAMPLE.ORG"}) {
    EXPECT_EQ(problem(url, good), "") << good;
  }
  for (const char* bad :
       {"example.org", "https://", "http:// x", "://x", "https://a b", "https://:80", "https://..",
        "https://?q", "http://x:port", "https://a\x01.org"}) {
    EXPECT_NE(problem(url, bad), "") << bad;
  }
  const Question path = question("q", QuestionType::file_path);
  EXPECT_EQ(problem(path, "~/a b/ü.txt"), "");
  EXPECT_NE(problem(path, Json(std::string_view("a\0b", 3))), "");
  EXPECT_NE(problem(path, "  "), "");
}

TEST(AskUser, applies_the_rules_to_what_is_kept) {
  const Question email =
      with_rules(QuestionType::email, {.min_length = 10, .pattern = "@example\\.org$"});
  EXPECT_EQ(problem(email, "abc@example.org \n"), "");
  EXPECT_NE(problem(with_rules(QuestionType::file_path, {.min_length = 5}), "a       "), "");
}

TEST(AskUser, names_limits_in_full) {
  EXPECT_EQ(problem(with_rules(QuestionType::number, {.max_value = 1234567}), 2e9),
            "It must be at most 1234567");
  EXPECT_EQ(problem(with_rules(QuestionType::number, {.min_value = 0.125}), 0),
            "It must be at least 0.125");
}

TEST(AskUser, takes_what_models_fill_in_without_need) {
  for (const char* type : {"text", "email", "number", "password", "boolean"}) {
    const auto outcome = ask(fmt::format(
        R"({{"questions":[{{"id":"a","question":"a","type":"{}","default":{},"options":[]}}]}})",
        type, std::string_view(type) == "email" ? R"("")" : "null"));
    EXPECT_TRUE(outcome.waiting) << type << ": " << outcome.error_message();
  }
  Question email = question("mail", QuestionType::email);
  email.default_answer = "";
  EXPECT_FALSE(validate_answers({.questions = {email}}, {}).empty()) << "that is no default";
}

TEST(AskUser, lists_every_problem_in_the_order_of_the_questions) {
  Question free = question("free");
  free.is_optional = true;
  const AskUserRequest request{
      .questions = {question("a"), free, question("b", QuestionType::number), question("c")}};
  const auto problems = validate_answers(request, {{"b", "x"}, {"c", "1"}, {"c", "2"}, {"z", "?"}});
  EXPECT_EQ(problems, (std::vector<AnswerProblem>{{"a", "An answer is required"},
                                                  {"b", "It must be a number"},
                                                  {"c", "It was answered twice"},
                                                  {"z", "Nobody asked this"}}));
  EXPECT_TRUE(validate_answers({.questions = {question("a")}, .required = false}, {}).empty());
}

TEST(AskUser, is_completed_when_nothing_stays_open_that_is_not_optional) {
  Question free = question("free");
  free.is_optional = true;
  Question usual = question("usual");
  usual.default_answer = "as ever";
  const AskUserRequest request{.questions = {question("a"), free, usual}, .required = false};
  const auto completed = [](const AskUserRequest& asked,
                            const std::vector<QuestionAnswer>& answers) {
    const auto accepted = accept_answers(asked, answers);
    EXPECT_TRUE(accepted);
    return accepted && accepted->response.completed;
  };
  EXPECT_FALSE(completed(request, {}));
  EXPECT_FALSE(completed(request, {{"free", "x"}}));
  EXPECT_TRUE(completed(request, {{"a", "x"}})) << "the default answers the other one";
  EXPECT_TRUE(completed({.questions = {free}, .required = false}, {}));
  EXPECT_FALSE(completed({.questions = {free}}, {})) << "something had to be answered";

  const Tool tool = ask_user_tool([](const AskUserRequest&) -> Result<AskUserResponse> {
    return AskUserResponse{.completed = true};
  });
  const auto outcome =
      execute({&tool, 1}, {},
              {"1", "ask_user", R"({"questions":[{"id":"a","question":"A?"}],"required":false})"},
              Context{});
  EXPECT_EQ(outcome.response.at("completed"), Json(false));
}

TEST(AskUser, keeps_passwords_out_of_everything_that_is_kept) {
  const AskUserRequest request{
      .questions = {question("user"), question("key", QuestionType::password)}};
  const auto accepted = accept_answers(request, {{"key", "hunter2"}, {"user", "ada"}});
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_EQ(accepted->secrets, (std::map<std::string, std::string>{{"key", "hunter2"}}));
  EXPECT_EQ(to_text(encode(accepted->response)),
            R"({"completed":true,"responses":[{"question_id":"user","answer":"ada"},)"
            R"__({"question_id":"key","answer":"(hidden)"}],)__"
            R"("message":"2 of 2 questions answered"})");
  Question strict = question("key", QuestionType::password);
  strict.validation = AnswerRules{.min_length = 20, .pattern = "[A-Z]"};
  const auto refused = accept_answers({.questions = {strict}}, {{"key", "hunter2"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ((refused.error().message + to_text(refused.error().detail)).find("hunter2"),
            std::string::npos);
}

TEST(AskUser, puts_answers_into_their_types_and_fills_in_defaults) {
  Question size = question("size", QuestionType::number);
  size.default_answer = 7;
  const AskUserRequest request{
      .questions = {question("n", QuestionType::number), question("b", QuestionType::boolean),
                    question("s", QuestionType::select), question("m", QuestionType::multiselect),
                    question("e", QuestionType::email), size}};
  const auto accepted = accept_answers(request, {{"n", "42"},
                                                 {"b", "yes"},
                                                 {"s", "GREEN"},
                                                 {"m", JsonArray{"red"}},
                                                 {"e", " a@b.org "},
                                                 {"size", nullptr}});
  ASSERT_TRUE(accepted) << accepted.error().message;
  std::string answers;
  for (const QuestionAnswer& each : accepted->response.responses) {
    answers += to_text(each.answer) + ' ';
  }
  EXPECT_EQ(answers, R"(42 true "Green" ["Red"] "a@b.org" 7 )");
}

}  // namespace
}  // namespace wright
