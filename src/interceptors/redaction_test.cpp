#include <gtest/gtest.h>

#include "wright/interceptors.h"
#include "wright/testing.h"

namespace wright {
namespace {

TEST(Redactor, hides_the_values_it_was_told) {
  const Redactor redactor({"hunter2", "hunter2-long", "abc"});
  EXPECT_EQ(redactor.redacted(std::string_view("hunter2-long and hunter2")),
            "[REDACTED] and [REDACTED]");
  EXPECT_EQ(redactor.redacted(std::string_view("abc")), "abc") << "too short to be a secret";
}

TEST(Redactor, learns_for_all_of_its_copies) {
  const Redactor redactor({"hunter2"});
  const Redactor copy = redactor;
  redactor.learn("a-later-token");
  redactor.learn("abc");
  EXPECT_EQ(copy.redacted(std::string_view("hunter2 a-later-token abc")),
            "[REDACTED] [REDACTED] abc");
  Redactor().learn("nothing");
  EXPECT_EQ(Redactor().redacted(std::string_view("nothing")), "nothing");
}

TEST(Redactor, hides_sparingly_what_cannot_be_a_word) {
  const Redactor whole(std::vector<std::string>{"postgres"});
  const Redactor sparing = whole.sparing();
  for (const char* word :
       {"postgres", "swordfish", "postgres16", "python3.12", "1password", "PostgreSQL", "hunter2",
        "a1b2c3", "ada:secret", "swordfish!", "Paßwörter", "ada@example", "постгрес"}) {
    whole.learn(word);
    EXPECT_EQ(whole.redacted(std::string_view(word)), "[REDACTED]") << word;
    EXPECT_EQ(sparing.redacted(std::string_view(word)), word);
  }
  for (const char* secret : {"a1b2c3d4", "s3cr3t-key", "p4ssw0rd", "sword+fish", "docs-token-1",
                             "abcdefghijklmnop", "abcd efgh ijkl mnop", "4711081547110815"}) {
    whole.learn(secret);
    EXPECT_EQ(sparing.redacted(std::string_view(secret)), "[REDACTED]") << secret;
  }
  const std::string key = "sk-zyxwvutsrqponmlkjihg";
  EXPECT_EQ(sparing.redacted(std::string_view(key)), key) << "it only looks like one";
  sparing.learn(key);
  EXPECT_EQ(sparing.redacted(std::string_view(key)), "[REDACTED]");
  EXPECT_FALSE(Redactor().sparing().is_on());
}

TEST(Redactor, hides_what_looks_like_a_key) {
  const Redactor redactor(std::vector<std::string>{});
  for (const std::string secret :
       {"sk-abcdefghijklmnopqrst", "sk-ant-api03-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrstuvwxyz", "gho_abcdefghijklmnopqrstuvwxyz",
        "ghu_abcdefghijklmnopqrstuvwxyz", "ghs_abcdefghijklmnopqrstuvwxyz",
        "ghr_abcdefghijklmnopqrstuvwxyz", "github_pat_11ABCDEFG0abcdefghijkl",
        "sk_live_abcdefghijklmnop", "rk_test_abcdefghijklmnop", "glpat-abcdefghijklmnopqrst",
        "AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE", "xoxb-1234567890-abcdef",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789", "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc_def-123",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz\n-----END RSA PRIVATE KEY-----"}) {
    EXPECT_EQ(redactor.redacted(std::string_view("key=" + secret + " end")), "key=[REDACTED] end")
        << secret;
  }
  EXPECT_EQ(redactor.redacted(std::string_view("Authorization: Bearer abcdefghij.klm")),
            "Authorization: Bearer [REDACTED]");
  EXPECT_EQ(redactor.redacted(std::string_view("'authorization': 'bearer secret-words'")),
            "'authorization': 'bearer [REDACTED]'");
  EXPECT_EQ(redactor.redacted(std::string_view("HTTP_AUTHORIZATION=Bearer abcdefgh")),
            "HTTP_AUTHORIZATION=Bearer [REDACTED]");
  EXPECT_EQ(redactor.redacted(std::string_view(R"({\"Authorization\":\"Bearer abcdefgh\"})")),
            R"({\"Authorization\":\"Bearer [REDACTED]\"})");
  EXPECT_EQ(redactor.redacted(std::string_view("curl with Bearer abc.1def_ghi-jkl now")),
            "curl with Bearer [REDACTED] now");
  EXPECT_EQ(redactor.redacted(std::string_view("AUTHORIZATION: BEARER abcdefghij.klm")),
            "AUTHORIZATION: BEARER [REDACTED]");
}

// Short texts are not searched for all of it.
TEST(Redactor, hides_a_key_wherever_it_stands) {
  const Redactor redactor(std::vector<std::string>{});
  const std::string key = "ghp_abcdefghijklmnopqrstuvwxyz";
  for (const std::size_t before : {0, 1, 4'000, 4'090, 5'000, 100'000}) {
    const std::string words(before, ' ');
    EXPECT_EQ(redactor.redacted(std::string_view(words + key)), words + "[REDACTED]") << before;
    EXPECT_EQ(redactor.redacted(std::string_view(key + words)), "[REDACTED]" + words) << before;
  }
}

TEST(Redactor, leaves_ordinary_text_alone) {
  const Redactor redactor(std::vector<std::string>{});
  for (const char* text : {"a task-based sk-ill", "the bearer of news", "AKIA",
                           "The API uses bearer authentication.", "bearer identification-papers",
                           "WWW-Authenticate: Bearer\r\nX-Content-Type-Options: nosniff",
                           "# Bearer\n\nrequired_for_2_requests = True", "ghp_short",
                           "risk-abcdefghijklmnopqrst", "bytes \xFF\xFE", ""}) {
    EXPECT_EQ(redactor.redacted(std::string_view(text)), text);
  }
}

TEST(Redactor, looks_into_every_string_of_a_value) {
  const Redactor redactor({"hunter2"});
  EXPECT_EQ(
      redactor.redacted(
          Json{{"a", {"x hunter2", 5}}, {"hunter2", {{"b", "hunter2"}}}, {"c", nullptr}}),
      (Json{{"a", {"x [REDACTED]", 5}}, {"[REDACTED]", {{"b", "[REDACTED]"}}}, {"c", nullptr}}));
}

TEST(Redactor, made_of_nothing_is_off) {
  EXPECT_FALSE(Redactor().is_on());
  EXPECT_EQ(Redactor().redacted(Json("sk-abcdefghijklmnopqrst")), Json("sk-abcdefghijklmnopqrst"));
}

TEST(Redaction, covers_results_and_errors) {
  const std::vector<Tool> tools{
      tool("leak", "", [] { return std::string("the key is hunter2"); }),
      tool("fail", "", []() -> Result<int> {
        return fail(ErrorCode::tool_failed, "hunter2 was refused", JsonObject{{"key", "hunter2"}});
      })};
  const std::vector<Interceptor> list{intercept::redaction(Redactor({"hunter2"}))};
  const auto leaked = execute(tools, list, testing::call("leak"), {}).result;
  EXPECT_EQ(leaked.content, "the key is [REDACTED]");
  EXPECT_EQ(leaked.notices, std::vector{notice(Notice::Kind::secrets_hidden)})
      << "or the model would take the mark for what is there";
  EXPECT_EQ(execute(tools, list, testing::call("fail"), {}).error_message(),
            "[REDACTED] was refused");
}

TEST(Redaction, hides_secrets_in_what_a_call_tells_on_the_way) {
  std::string told;
  Context context;
  context.progress = [&](std::string_view text) { told += text; };
  const std::vector<Tool> tools{tool("speak", "", [](const Context& with) {
    with.progress("key=hunter2-secret\n");
    return "done";
  })};
  const std::vector<Interceptor> chain{intercept::redaction(Redactor({"hunter2-secret"}))};
  (void)execute(tools, chain, {"1", "speak", "{}"}, context);
  EXPECT_EQ(told, "key=[REDACTED]\n");
}

std::vector<Interceptor> hiding_hunter2() {
  return {intercept::redaction(Redactor({"hunter2-secret"}))};
}

TEST(Redaction, hides_secrets_in_what_a_person_is_asked) {
  const Json state{{"token", "hunter2-secret"}};
  const std::vector<Tool> tools{tool("ask", "", [&](const Context& context) -> Result<ToolReply> {
    if (context.answers.answer) return Output{.value = context.answers.state.at("token")};
    return Waiting{
        .shown = {{"prompt", "I have hunter2-secret"},
                  {"questions", {{{"id", "which"}, {"options", {"hunter2-secret", "no"}}}}}},
        .state = state};
  })};
  const auto asked = execute(tools, hiding_hunter2(), testing::call("ask"), {});
  ASSERT_TRUE(asked.waiting);
  EXPECT_EQ(asked.waiting->shown,
            (Json{{"prompt", "I have [REDACTED]"},
                  {"questions", {{{"id", "which"}, {"options", {"[REDACTED]", "no"}}}}}}));
  EXPECT_EQ(asked.waiting->state, state) << "the tool goes on with what it gave";
}

TEST(Redaction, leaves_usable_what_a_server_asks) {
  const std::string login = "https://log.example/in?state=sk_test_0123456789abcdef";
  Tool asks = tool("ask", "", [&]() -> Result<ToolReply> {
    return Waiting{.shown = {{"prompt", login + " hunter2-secret"}}};
  });
  const auto prompt = [&](const Tool& tool) {
    const auto asked = execute(std::vector{tool}, hiding_hunter2(), testing::call("ask"), {});
    return asked.waiting ? asked.waiting->shown.at("prompt") : Json();
  };
  EXPECT_EQ(prompt(asks), Json("https://log.example/in?state=[REDACTED] [REDACTED]"));
  asks.spec.definition = "mcp:docs:1";
  EXPECT_EQ(prompt(asks), Json(login + " [REDACTED]"));
}

TEST(Redaction, lets_an_approval_hold_for_what_was_shown_without_its_secrets) {
  std::string folder = "/home/hunter2-secret";
  const std::vector<Tool> tools{tool("move", "", [&](const Context& context) -> Result<ToolReply> {
    auto instead = unless_approved(
        context, "move", {{"folder", folder}, {"arguments", {{"to", "hunter2-secret"}}}}, {});
    if (instead) return std::move(*instead);
    return Output{.value = "moved"};
  })};
  const auto asked = execute(tools, hiding_hunter2(), testing::call("move"), {});
  ASSERT_TRUE(asked.waiting);
  EXPECT_EQ(asked.waiting->shown.at("folder"), "/home/[REDACTED]");
  EXPECT_EQ(asked.waiting->shown.at("arguments"), (Json{{"to", "hunter2-secret"}}))
      << "they are the model's own words, and stored with the call";
  Context approved;
  approved.answers.approval = Approval{Decision::once, {}};
  approved.answers.approved = asked.waiting->shown;
  EXPECT_EQ(execute(tools, hiding_hunter2(), testing::call("move"), approved).result.content,
            "moved");
  folder = "/srv/hunter2-secret";
  EXPECT_TRUE(execute(tools, hiding_hunter2(), testing::call("move"), approved).waiting)
      << "somewhere else";
}

TEST(Redaction, leaves_a_call_that_is_run_elsewhere_as_it_is) {
  const std::vector<Tool> tools{tool("hand", "", []() -> Result<ToolReply> {
    return Waiting{.kind = WaitKind::result,
                   .shown = {{"tool", "hand"}, {"arguments", R"({"text":"hunter2-secret"})"}}};
  })};
  const auto handed = execute(tools, hiding_hunter2(), testing::call("hand"), {});
  ASSERT_TRUE(handed.waiting);
  EXPECT_EQ(handed.waiting->shown.at("arguments"), R"({"text":"hunter2-secret"})");
}

TEST(Redaction, hides_secrets_in_what_is_kept_in_a_file) {
  std::string kept;
  Context context;
  context.spill = [&](std::string_view text) -> Result<std::string> {
    kept = text;
    return "/output/1";
  };
  const std::vector<Tool> tools{tool("print", "", [](const Context& with) {
    return with.spill("a long text with hunter2-secret in it").value();
  })};
  (void)execute(tools, hiding_hunter2(), testing::call("print"), context);
  EXPECT_EQ(kept, "a long text with [REDACTED] in it");
}

}  // namespace
}  // namespace wright
