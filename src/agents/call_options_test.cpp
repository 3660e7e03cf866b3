#include "agents/call_options.h"

#include <gtest/gtest.h>

#include "wright/tool.h"

namespace wright {
namespace {

// Whoever asks for the approval, its diff comes from the preview. What is hidden in it counts all the
// same.
TEST(CallOptions, hides_secrets_in_the_diff_that_is_approved) {
  std::string diff = "-key=hunter2-secret\n+x\n";
  Agent agent{.name = "a"};
  agent.tools = {tool("edit", "", [] { return "done"; })};
  agent.tools.front().preview = [&](const Json&) -> Json { return {{"diff", diff}}; };
  for (const bool is_asked_by_rules : {false, true}) {
    agent.tools.front().spec.options.needs_approval = !is_asked_by_rules;
    CallOptions options{.redactor = Redactor({"hunter2-secret", "another-secret"})};
    if (is_asked_by_rules) options.permissions = {{{"edit", intercept::Permission::ask}}};
    diff = "-key=hunter2-secret\n+x\n";
    set_up_calls(agent, options);
    const ToolCall call{"1", "edit", "{}"};
    const auto asked = execute(agent.tools, agent.interceptors, call, {});
    ASSERT_TRUE(asked.waiting);
    EXPECT_EQ(asked.waiting->shown.at("diff").as_string(), "-key=[REDACTED]\n+x\n");
    Context approved;
    approved.answers.approval = Approval{.decision = Decision::once};
    approved.answers.approved = asked.waiting->shown;
    EXPECT_FALSE(execute(agent.tools, agent.interceptors, call, approved).waiting);
    diff = "-key=another-secret\n+x\n";
    EXPECT_TRUE(execute(agent.tools, agent.interceptors, call, approved).waiting)
        << "it looks the same, and is not";
  }
}

}  // namespace
}  // namespace wright
