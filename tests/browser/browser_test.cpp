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

// The same, as if it were sent somewhere.
class DirectedBackend : public ModelBackend {
 public:
  Result<wright::Response> complete(const wright::Request& request,
                                    const ModelCall& call) override {
    auto response = directed(request, call);
    if (response) response->request_fingerprint = request_fingerprint(body_of(request));
    return response;
  }
  Result<std::vector<HttpRequest>> preview(const wright::Request& request) const override {
    return std::vector{HttpRequest{.url = "https://model.test/v1", .body = body_of(request)}};
  }

 private:
  static std::string body_of(const wright::Request& request) {
    JsonArray messages;
    for (const Message& each : request.messages) messages.emplace_back(display_text(each));
    return to_text(Json{{"markup", kMarkup}, {"messages", std::move(messages)}});
  }
};

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
  Served what{.model = Model("test", "director", std::make_shared<DirectedBackend>())};
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

// A script that looks at the pages as a person would.
void browse(ServedService& served, const std::string& script) {
  const char* pictures = std::getenv("WRIGHT_PICTURES");
  const std::string command = std::string("cp ") + WRIGHT_BROWSER_SOURCE + "/" + script + " " +
                              WRIGHT_BROWSER_FOLDER + "/ && cd " + WRIGHT_BROWSER_FOLDER +
                              " && timeout 240 " WRIGHT_NODE " " + script + " http://" +
                              served.http().addresses().at(0) + " " + served.tokens().make_code() +
                              " " + (pictures == nullptr ? "" : pictures);
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

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
  browse(served, "dashboard.mjs");
  EXPECT_TRUE(served.store().get_waits({.status = WaitStatus::open}).value().empty())
      << "it was all answered in the browser";
}

constexpr int kTurns = 3'000;
constexpr int kCallsOfTurn = 10;

// As a server would have left it behind: every call with its events and its row.
void store_long_session(Store& store) {
  Batch first{.create = NewSession{.agent_name = "parrot", .user_prompt = "Thirty thousand calls"}};
  const auto begun = store.apply_all({&first, 1});
  ASSERT_TRUE(begun.at(0)) << begun.at(0).error().message;
  const SessionId id = begun.at(0)->session;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  std::int64_t at = now;
  const auto event = [&](const char* type, Json data) {
    return NewEvent{.type = type, .data = std::move(data), .at = ++at};
  };
  std::vector<Write> writes{
      AppendEvents{.session_id = id, .events = {event("session_started", {{"session_id", id}})}}};
  for (int turn = 1; turn <= kTurns; ++turn) {
    Message answer{.role = Role::assistant};
    AppendEvents happened{.session_id = id};
    happened.events.push_back(event("model_started", {{"iteration", turn}}));
    happened.events.push_back(event("model_ended", {{"text", ""}}));
    for (int i = 0; i < kCallsOfTurn; ++i) {
      const std::string call = "call-" + std::to_string(turn) + "-" + std::to_string(i);
      const Json arguments{{"path", call + ".txt"}};
      answer.parts.emplace_back(
          ToolCall{.id = call, .name = "read", .arguments = to_text(arguments)});
      happened.events.push_back(
          event("tool_started", {{"call_id", call}, {"name", "read"}, {"arguments", arguments}}));
      happened.events.push_back(event("tool_ended", {{"call_id", call},
                                                     {"name", "read"},
                                                     {"status", "completed"},
                                                     {"duration_ms", 1},
                                                     {"content", "Lines of " + call}}));
    }
    writes.emplace_back(AppendMessage{
        .session_id = id, .message = std::move(answer), .started_calls = kCallsOfTurn});
    writes.emplace_back(std::move(happened));
    if (turn % 100 == 0 || turn == kTurns) {
      const auto stored = store.apply(writes);
      ASSERT_TRUE(stored) << stored.error().message;
      writes.clear();
      for (const CallId call : stored->calls) {
        writes.emplace_back(UpdateCall{.call_id = call, .status = CallStatus::completed});
      }
    }
  }
  ASSERT_TRUE(store.apply(writes));
  ASSERT_TRUE(store.apply(std::vector<Write>{
      AppendEvents{.session_id = id, .events = {event("run_ended", {{"phase", "done"}})}},
      UpdateSession{.session_id = id, .status = SessionStatus::completed, .result = "Done."}}));
}

TEST(Dashboard, shows_a_session_of_thirty_thousand_calls) {
  ServedService served(everything());
  store_long_session(served.store());
  browse(served, "long_session.mjs");
}

}  // namespace
}  // namespace wright::server
