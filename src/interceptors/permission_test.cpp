#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include <stdexcept>

#include "interceptors/glob.h"
#include "wright/interceptors.h"
#include "wright/testing.h"

namespace wright::intercept {
namespace {

using testing::call;

TEST(Glob, matches_names) {
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*", "anything"));
  EXPECT_TRUE(matches_glob("read_*", "read_file"));
  EXPECT_TRUE(matches_glob("*_f?le", "read_file"));
  EXPECT_TRUE(matches_glob("a*b*c", "axxbxbxc"));
  EXPECT_FALSE(matches_glob("read_*", "bread_file"));
  EXPECT_FALSE(matches_glob("read", "read_file"));
  EXPECT_FALSE(matches_glob("?", ""));
  EXPECT_FALSE(matches_glob("", "a"));
  EXPECT_FALSE(matches_glob("*a*a*a*a*a*b", std::string(5000, 'a')));
}

class Permissions : public ::testing::Test {
 protected:
  ToolOutcome run(const std::string& name, PermissionOptions options) {
    const Tool tool = wright::tool(name, "", [this] { return ++runs_; });
    const std::vector<Interceptor> list{permission(std::move(options))};
    return execute({&tool, 1}, list, call(name, "{}"), {});
  }
  int runs_ = 0;
};

TEST_F(Permissions, the_first_rule_that_fits_counts) {
  const PermissionOptions options{.rules = {{"delete_nothing", Permission::allow},
                                            {"delete_*", Permission::deny},
                                            {"*", Permission::allow}}};
  EXPECT_FALSE(run("delete_nothing", options).result.is_error);
  EXPECT_FALSE(run("read_file", options).result.is_error);
  EXPECT_EQ(runs_, 2);
  const auto refused = run("delete_file", options);
  EXPECT_EQ(refused.error_message(),
            "The tool delete_file is not allowed here. Do not call it again");
  EXPECT_EQ(runs_, 2);
}

TEST_F(Permissions, what_no_rule_names_is_as_said) {
  EXPECT_FALSE(run("a", {}).result.is_error);
  EXPECT_TRUE(run("a", {.otherwise = Permission::deny}).result.is_error);
}

TEST_F(Permissions, a_person_is_shown_what_the_call_would_touch) {
  Tool tool = wright::tool("wipe", "", [](const Json&) { return 1; });
  const auto shown = [&](std::function<Json(const Json&)> preview) {
    tool.preview = std::move(preview);
    const std::vector<Interceptor> list{permission({.otherwise = Permission::ask})};
    const ToolOutcome outcome = execute({&tool, 1}, list, call("wipe", R"({"disk": "a"})"), {});
    return outcome.waiting ? outcome.waiting->shown : Json("not asked");
  };
  const Json seen = shown([](const Json& arguments) {
    return JsonObject{{"diff", "- " + to_text(arguments)}, {"tool", "harmless"}};
  });
  EXPECT_EQ(seen.at("diff"), Json(R"(- {"disk":"a"})"));
  EXPECT_EQ(seen.at("tool"), Json("wipe")) << "a preview changes nothing of what is asked";
  EXPECT_EQ(shown([](const Json&) { return Json(7); }).as_object().size(), 3U);
  EXPECT_EQ(shown({}).as_object().size(), 3U);
}

TEST_F(Permissions, a_preview_never_fails_the_call) {
  Tool tool = wright::tool("wipe", "", [] { return 1; });
  const std::vector<Interceptor> list{permission({.otherwise = Permission::ask})};
  tool.preview = [](const Json&) -> Json { throw std::runtime_error("no disk"); };
  auto outcome = execute({&tool, 1}, list, call("wipe"), {});
  ASSERT_TRUE(outcome.waiting);
  EXPECT_EQ(outcome.waiting->shown.at("problem"),
            Json("What it would touch is not known: no disk"));
  tool.preview = [](const Json&) -> Json { throw 3; };
  EXPECT_TRUE(execute({&tool, 1}, list, call("wipe"), {}).waiting);
  tool.preview = [](const Json&) { return Json{{"diff", std::string(1 << 20, 'x')}}; };
  outcome = execute({&tool, 1}, list, call("wipe"), {});
  ASSERT_TRUE(outcome.waiting);
  EXPECT_LT(to_text(outcome.waiting->shown).size(), 1000U);
  EXPECT_TRUE(outcome.waiting->shown.as_object().contains("problem"));
}

TEST_F(Permissions, asking_makes_the_run_wait_and_shows_the_exact_call) {
  const auto outcome = run("write_file", {.rules = {{"write_*", Permission::ask}}});
  ASSERT_TRUE(outcome.waiting);
  EXPECT_EQ(outcome.waiting->kind, WaitKind::approval);
  EXPECT_EQ(outcome.waiting->shown.at("tool"), Json("write_file"));
  EXPECT_EQ(outcome.waiting->shown.at("arguments"), Json(JsonObject{}));
  EXPECT_EQ(outcome.waiting->covers, std::vector<std::string>{"tool:write_file"});
  EXPECT_EQ(runs_, 0);
}

TEST_F(Permissions, rules_hold_for_a_tool_by_whatever_name_it_is_called) {
  Tool tool = wright::tool("write_file", "", [this] { return ++runs_; });
  tool.spec.aliases = {"Write"};
  const std::vector<Interceptor> list{permission({.rules = {{"write_file", Permission::deny}}})};
  EXPECT_TRUE(execute({&tool, 1}, list, call("Write"), {}).result.is_error);
  EXPECT_EQ(runs_, 0);
}

TEST_F(Permissions, what_forbids_is_not_lost_to_a_capital_letter) {
  EXPECT_TRUE(run("bash", {.rules = {{"Bash", Permission::deny}}}).result.is_error);
  EXPECT_TRUE(run("bash", {.rules = {{"B*", Permission::ask}}}).waiting);
  EXPECT_EQ(runs_, 0);
  EXPECT_TRUE(run("bash", {.rules = {{"Bash", Permission::allow}}, .otherwise = Permission::deny})
                  .result.is_error);
}

TEST_F(Permissions, an_approval_for_the_session_may_hold_for_the_same_arguments_only) {
  Tool tool = wright::tool("bash", "", [this](const Json&) { return ++runs_; },
                           {.approved_by_arguments = true});
  const std::vector<Interceptor> list{permission({.otherwise = Permission::ask})};
  const auto asked = [&](const char* arguments, std::shared_ptr<RunMemory> memory) {
    Context context;
    context.memory = std::move(memory);
    return execute({&tool, 1}, list, call("bash", arguments), context);
  };
  const auto memory = std::make_shared<RunMemory>();
  const auto first = asked(R"({"command":"ls"})", memory);
  ASSERT_TRUE(first.waiting);
  EXPECT_TRUE(first.waiting->shown.as_object().contains("remembers"));
  ASSERT_EQ(first.waiting->covers.size(), 1U);
  memory->decide(first.waiting->covers.front(), Decision::session);
  EXPECT_FALSE(asked(R"({"command":"ls"})", memory).waiting);
  EXPECT_TRUE(asked(R"({"command":"rm x"})", memory).waiting);
  EXPECT_EQ(runs_, 1);
}

TEST_F(Permissions, a_pattern_allows_no_tool_by_another_name_of_it) {
  Tool tool = wright::tool("fetch_url", "", [this] { return ++runs_; });
  tool.spec.aliases = {"web_fetch"};
  const auto is_refused = [&](std::vector<PermissionRule> rules, std::string_view name) {
    const std::vector<Interceptor> list{
        permission({.rules = std::move(rules), .otherwise = Permission::deny})};
    return execute({&tool, 1}, list, call(std::string(name)), {}).result.is_error;
  };
  for (const std::string_view name : {"fetch_url", "web_fetch"}) {
    EXPECT_TRUE(is_refused({{"web_*", Permission::allow}}, name)) << name;
    EXPECT_TRUE(is_refused({{"web_*", Permission::allow}, {"fetch_url", Permission::deny}}, name));
    EXPECT_TRUE(is_refused({{"web_*", Permission::deny}, {"*", Permission::allow}}, name)) << name;
    EXPECT_FALSE(is_refused({{"web_fetch", Permission::allow}}, name)) << name;
    EXPECT_FALSE(is_refused({{"fetch_*", Permission::allow}}, name)) << name;
  }
  EXPECT_EQ(runs_, 4);
}

TEST_F(Permissions, somebody_who_is_there_answers_at_once) {
  const auto options = [](std::optional<Permission> answer) {
    return PermissionOptions{.otherwise = Permission::ask,
                             .ask = [answer](const Invocation&, const Context&) { return answer; }};
  };
  EXPECT_FALSE(run("a", options(Permission::allow)).result.is_error);
  EXPECT_EQ(run("a", options(Permission::deny)).error_message(),
            "A person refused this call of a. Do not repeat it");
  EXPECT_TRUE(run("a", options(std::nullopt)).waiting);
  EXPECT_EQ(runs_, 1);
}

}  // namespace
}  // namespace wright::intercept
