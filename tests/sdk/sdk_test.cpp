// The vendors' own programs, unchanged, against a server with a parrot for an agent.
#include <sys/wait.h>

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
  const std::string command = copy + " && timeout 120 " WRIGHT_NODE " sdk.mjs " + part + " http://" +
                              served.http().addresses().at(0) + " " + token;
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

}  // namespace
}  // namespace wright::server
