// The vendors' own programs, unchanged, against a server with a parrot for an agent.
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>

#include "server/service_testing.h"

namespace wright::server {
namespace {

// Runs one part of sdk.mjs with the server's address and a token, which programs that the server's
// process has started need; it says on standard error what is wrong.
int run_part(ServedService& served, const std::string& part) {
  const std::string token = served.tokens().add("sdk", {Scope::admin}, 5).value_or("");
  const std::string copy = std::string("cp ") + WRIGHT_SDK_SOURCE + "/sdk.mjs " +
                           WRIGHT_SDK_FOLDER + "/sdk.mjs && cd " + WRIGHT_SDK_FOLDER;
  const std::string command = copy + " && timeout 120 " WRIGHT_NODE " sdk.mjs " + part +
                              " http://" + served.http().addresses().at(0) + " " + token;
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Sdk, openai_speaks_chat_completions_and_responses) {
  ServedService served;
  EXPECT_EQ(run_part(served, "openai"), 0);
}

TEST(Sdk, anthropic_speaks_messages) {
  ServedService served;
  EXPECT_EQ(run_part(served, "anthropic"), 0);
}

TEST(Sdk, vercel_speaks_all_three) {
  ServedService served;
  EXPECT_EQ(run_part(served, "vercel"), 0);
}

// Seven requests, whatever became of their answers: the agent has acted seven times.
TEST(Sdk, nothing_is_done_twice_by_what_they_repeat) {
  std::atomic<int> acted = 0;
  ServedService served(
      {.model = model_from("test", "acting",
                           [](const Request& request, const ModelCall&) -> Result<Response> {
                             const Message& last = request.messages.back();
                             if (last.role != Role::tool) {
                               return testing::calls({testing::call("write", "{}")});
                             }
                             for (const Message& each : request.messages) {
                               if (!each.text().ends_with("fail")) continue;
                               return fail(ErrorCode::unavailable, "The vendor is away");
                             }
                             return testing::says("done");
                           }),
       .tools = {tool("write", "Counts its calls", [&](const Context&) { return ++acted; })},
       .can_ask = false});
  EXPECT_EQ(run_part(served, "repetitions"), 0);
  EXPECT_EQ(acted, 7);
  EXPECT_EQ(served.store().list_sessions({}).value().size(), 7U);
}

}  // namespace
}  // namespace wright::server
