// The dashboard in Debian's chromium, against a server with a parrot for an agent.
#include <sys/wait.h>

#include <cstdlib>

#include "server/service_testing.h"

namespace wright::server {
namespace {

TEST(Dashboard, works_in_a_browser) {
  ServedService served;
  served.begin("A session that was there before");
  served.begin("call ask");
  served.begin("<img src=x onerror=\"document.title='owned'\"> \xE2\x80\xAEright to left");
  const std::string command = std::string("cp ") + WRIGHT_BROWSER_SOURCE + "/dashboard.mjs " +
                              WRIGHT_BROWSER_FOLDER + "/ && cd " + WRIGHT_BROWSER_FOLDER +
                              " && timeout 240 node dashboard.mjs http://" +
                              served.http().addresses().at(0) + " " + served.tokens().make_code();
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(served.store().get_waits({.status = WaitStatus::open}).value().empty())
      << "it was answered in the browser";
}

}  // namespace
}  // namespace wright::server
