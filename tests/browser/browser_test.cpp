// The dashboard in Debian's chromium, against a server whose agent does as it is told.
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "server/service_testing.h"
#include "wright/agent.h"
#include "wright/driver.h"
#include "wright/tools.h"

namespace wright::server {
namespace {

struct Path {
  std::string path = {};
};
WRIGHT_DESCRIBE(Path, WRIGHT_FIELD(path))

const std::string kMarkup = "<script>document.title='owned'</script>";

// "shout": ten megabytes. "do [[["read",{…}],["fail",{}]],[["helper",{…}]]]": calls turn by turn.
// Everything else is said again.
Result<wright::Response> directed(const wright::Request& request, const ModelCall& call) {
  const auto last = std::ranges::find(request.messages.rbegin(), request.messages.rend(),
                                      Role::user, &Message::role);
  if (last != request.messages.rend() && last->text() == "shout") {
    return testing::says(kMarkup + std::string(std::size_t{10} << 20, 'x'));
  }
  if (last == request.messages.rend() || !last->text().starts_with("do ")) {
    return parrot_answer(request, call);
  }
  const auto turn = static_cast<std::size_t>(
      std::count_if(request.messages.rbegin(), last,
                    [](const Message& message) { return message.role == Role::assistant; }));
  const Json turns = parse_json(std::string_view(last->text()).substr(3)).value();
  wright::Response response = testing::says("All of it is done.");
  if (turn < turns.as_array().size()) {
    std::vector<ToolCall> calls;
    for (const Json& each : turns.as_array()[turn].as_array()) {
      calls.push_back(
          testing::call(std::string(each.at(0).as_string()), to_text(each.at(1)),
                        "call-" + std::to_string(turn) + "-" + std::to_string(calls.size())));
    }
    response = testing::calls(std::move(calls), "Turn " + std::to_string(turn + 1));
  }
  response.usage = {.input_tokens = 1'200, .output_tokens = 80, .cost_usd = 0.0042};
  return response;
}

Tool reading_tool(const char* name, int milliseconds) {
  return tool(name, "Reads something, slowly", [milliseconds](const Path& path) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    return Json{{"path", path.path},
                {"lines", 3},
                {"_execution_metadata", {{"duration_ms", milliseconds}}}};
  });
}

Tool changing_tool() {
  return tool("change", "Changes a file", [](const Path& path, const Context& context) {
    auto instead = unless_approved(
        context, "change",
        {{"tool", "change"},
         {"arguments", {{"path", path.path}}},
         {"diff", "--- a/" + path.path + "\n+++ b/" + path.path + "\n@@ -1 +1 @@\n-old\n+new\n"},
         {"commands",
          JsonArray{{{"command", "git commit -m new"}, {"permission", "ask"}, {"reason", "writes"}},
                    {{"command", "ls"}, {"permission", "allow"}}}}},
        {"tool:change"});
    if (instead) return std::move(*instead);
    return Result<ToolReply>(Output{.value = Json("changed")});
  });
}

Served everything() {
  Served what{.model = model_from("test", "director", directed)};
  Agent helper{.name = "helper",
               .description = "Helps",
               .model = model_from("test", "director", directed),
               .tools = {reading_tool("read", 40)}};
  what.tools.push_back(reading_tool("read", 60));
  what.tools.push_back(reading_tool("search", 120));
  what.tools.push_back(tool("fail", "Fails", []() -> Result<Json> {
    return fail(ErrorCode::unavailable, "<b>The disk</b> is full");
  }));
  what.tools.push_back(changing_tool());
  what.tools.push_back(ask_user_tool());
  what.tools.push_back(delegate_to(std::move(helper)));
  return what;
}

// Calls that wait for all nine kinds of answers.
constexpr const char* kNineQuestions =
    R"(do [[["ask_user",{"prompt":"Before I begin:","questions":[
  {"id":"a","question":"Your name?","type":"text","description":"As it shall be printed"},
  {"id":"b","question":"How many?","type":"number","validation":{"min_value":1,"max_value":9}},
  {"id":"c","question":"Really?","type":"boolean"},
  {"id":"d","question":"Which colour?","type":"select","options":["red","green"]},
  {"id":"e","question":"Which days?","type":"multiselect","options":["Monday","Tuesday","Friday"]},
  {"id":"f","question":"The password?","type":"password"},
  {"id":"g","question":"Which file?","type":"file_path"},
  {"id":"h","question":"Your address?","type":"email"},
  {"id":"i","question":"Your page?","type":"url","optional":true}]}]]])";

TEST(Dashboard, works_in_a_browser) {
  ServedService served(everything());
  served.begin("A session that was there before");
  served.begin(
      R"(do [[["read",{"path":"a.txt"}],["search",{"path":"b"}],["fail",{}]],)"
      R"([["helper",{"message":"do [[[\"read\",{\"path\":\"c\"}],[\"read\",{\"path\":\"d\"}]]]"}]],)"
      R"([["read",{"path":"z.txt"}]]])");
  ASSERT_TRUE(
      run(served.store(), served.agent(), R"(do [[["read",{"path":"apart"}],["fail",{}]]])"))
      << "by another process, which tells nobody";
  Agent other = served.agent();
  other.instructions = "Give an older answer.\nBe brief.";
  ASSERT_TRUE(run(served.store(), other, "Of an agent that was another then"));
  ASSERT_TRUE(served.store().create_session({.agent_name = "parrot",
                                             .user_prompt = "Waits for a worker",
                                             .is_queued = true,
                                             .priority = 7}));
  served.begin("call ask");
  served.begin(kNineQuestions);
  served.begin(R"(do [[["change",{"path":"main.cpp"}]]])");
  served.begin("<img src=x onerror=\"document.title='owned'\"> \xE2\x80\xAEright to left");
  served.writer().flush();
  const char* pictures = std::getenv("WRIGHT_PICTURES");
  const std::string command = std::string("cp ") + WRIGHT_BROWSER_SOURCE + "/dashboard.mjs " +
                              WRIGHT_BROWSER_FOLDER + "/ && cd " + WRIGHT_BROWSER_FOLDER +
                              " && timeout 240 node dashboard.mjs http://" +
                              served.http().addresses().at(0) + " " + served.tokens().make_code() +
                              " " + (pictures == nullptr ? "" : pictures);
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(served.store().get_waits({.status = WaitStatus::open}).value().empty())
      << "it was all answered in the browser";
}

}  // namespace
}  // namespace wright::server
