// Calls that a server goes on with as tasks: followed to their end, also by another process of ours
// and with another process of the server, which keeps its tasks in files.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>
#include <sstream>

#include "core/unknown_outcome.h"
#include "mcp_client/python_server_testing.h"
#include "mcp_client/server_tools.h"
#include "mcp_client/stdio_channel.h"
#include "tools/temporary_folder_testing.h"
#include "wright/agent.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kTaskServer = R"(
folder = sys.argv[2]
TASKS = "io.modelcontextprotocol/tasks"
def note(word): open(folder + "/journal", "a").write(word + "\n")
def path(task): return folder + "/" + task + ".json"
def load(task):
    try: return json.load(open(path(task)))
    except OSError: return None
def save(task): json.dump(task, open(path(task["id"]), "w"))
def tool(name, **hints): return {"name": name, "inputSchema": {"type": "object"}, "annotations": hints,
                                 "execution": {"taskSupport": "optional"}}
FORM = {"message": "Who pays?", "requestedSchema": {"type": "object",
        "properties": {"name": {"type": "string"}}, "required": ["name"]}}
def form():
    # Another question under the same key, with the same field, once it is asked to.
    return {**FORM, "message": "Who pays 50000?"} if os.path.exists(folder + "/greedy") else FORM
def seen(task):
    seen = {"taskId": task["id"], "status": task["status"], "createdAt": "2026-07-28T10:00:00Z",
            "lastUpdatedAt": "2026-07-28T10:00:00Z"}
    if "message" in task: seen["statusMessage"] = task["message"]
    seen.update({"ttlMs": None, "pollIntervalMs": 20} if modern else {"ttl": None, "pollInterval": 20})
    return seen
CAPABLE = {"tools": {}, "extensions": {TASKS: {}}} if modern else {
    "tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
fetching = {}  # who waits for the result of a task
asked = {}     # questions of ours, by their ids
def finish(task, who):
    note("finished")
    task.update(status="completed", message="done", result=text("paid by " + who))
    save(task)
for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params") or {}
    if greeted(method, id): continue
    if method == "tools/list":
        answer(id, {"tools": [tool("pay"), tool("ask"), tool("fail"), tool("endless"), tool("stop"),
                              tool("stop_looking", readOnlyHint=True), tool("look", readOnlyHint=True)]})
    elif method == "tools/call":
        known = TASKS in params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"] if modern else "task" in params
        note("began" if known else "began without a task")
        task = {"id": "t1", "tool": params["name"], "status": "working", "looks": 0}
        save(task)
        if modern: send({"id": id, "result": {"resultType": "task", **seen(task)}})
        else: answer(id, {"task": seen(task)})
    elif method == "tasks/get" or method == "tasks/result":
        task = load(params["taskId"])
        if task is None:
            problem(id, -32602, "Task not found")
            continue
        if task["status"] == "working":
            task["looks"] += 1
            task["message"] = "look %d" % task["looks"]
            if task["looks"] >= 3 and task["tool"] == "ask": task["status"] = "input_required"
            elif task["looks"] >= 3 and task["tool"] == "fail":
                task.update(status="failed", error={"code": -32603, "message": "no money"})
            elif task["looks"] >= 3 and task["tool"].startswith("stop"):
                task.update(status="cancelled", message="the bank has closed")
            elif task["looks"] >= 3 and task["tool"] != "endless": finish(task, "the bank")
            save(task)
        if method == "tasks/result" and task["status"] == "input_required":
            fetching["q1"] = (id, task["id"])
            send({"id": "q1", "method": "elicitation/create", "params": {
                **form(), "_meta": {"io.modelcontextprotocol/related-task": {"taskId": task["id"]}}}})
        elif method == "tasks/result" and "error" in task: send({"id": id, "error": task["error"]})
        elif method == "tasks/result": answer(id, task["result"])
        else:
            shown = seen(task)
            if modern and task["status"] == "input_required":
                shown["inputRequests"] = {"k": {"method": "elicitation/create", "params": form()}}
            for key in ("result", "error"):
                if modern and key in task: shown[key] = task[key]
            answer(id, shown)
    elif method == "tasks/update":
        task = load(params["taskId"])
        note("told")
        answer(id, {})
        if task["status"] == "input_required": finish(task, params["inputResponses"]["k"]["content"]["name"])
    elif method == "tasks/cancel":
        note("cancelled")
        answer(id, {})
    elif id in fetching and "result" in m:
        call, task = fetching.pop(id)
        note("told")
        task = load(task)
        finish(task, m["result"]["content"]["name"])
        answer(call, task["result"])
)";

class McpRemoteTask : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "server.py") << kPythonServer << kTaskServer;
  }

  // Another process of ours, and of the server.
  std::vector<Tool> connect() {
    ServerProgram program{.command = {"python3", (folder_.path() / "server.py").string(),
                                      GetParam(), folder_.path().string()},
                          .working_directory = folder_.path()};
    program.policy.mode = SandboxMode::off;
    const auto connection = std::make_shared<Connection>(
        ConnectionOptions{.name = "bank",
                          .client = {.self = {"test", "", "1"},
                                     .capabilities = {{"elicitation", JsonObject{}}},
                                     .has_tasks = true},
                          .make = [program](std::shared_ptr<ChannelListener> listener) {
                            return start_program(program, std::move(listener));
                          }});
    auto tools = server_tools(connection, {.name = "bank", .timeout = timeout_});
    EXPECT_TRUE(tools) << tools.error().message;
    return tools ? std::move(tools->tools) : std::vector<Tool>();
  }

  ToolOutcome call(const std::vector<Tool>& tools, std::string name, WaitAnswers answers = {},
                   const std::stop_token& stop = {}) {
    Context context{.session_id = 1, .call_id = "c1", .stop = stop};
    context.answers = std::move(answers);
    context.is_suspended = [&] { return is_suspended_; };
    context.keep = [&](const Json& note) -> Result<void> {
      kept_ = note;
      return {};
    };
    context.progress = [&](std::string_view text) {
      told_.emplace_back(text);
      if (on_progress_) on_progress_();
    };
    return execute(tools, {}, ToolCall{"c1", "bank__" + name, "{}"}, context);
  }

  std::string journal() const {
    std::ifstream file(folder_.path() / "journal");
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }

  TemporaryFolder folder_;
  std::chrono::milliseconds timeout_{20'000};
  std::function<void()> on_progress_;
  bool is_suspended_ = false;
  Json kept_;
  std::vector<std::string> told_;
};

TEST_P(McpRemoteTask, is_followed_to_its_end_and_kept_with_the_call) {
  const auto outcome = call(connect(), "pay");
  EXPECT_EQ(outcome.result.content, "paid by the bank");
  EXPECT_EQ(journal(), "began\nfinished\n");
  EXPECT_EQ(kept_, (Json{{"mcp_task", "t1"}}));
  EXPECT_EQ(told_, (std::vector<std::string>{"look 1", "look 2", "done"}));
}

TEST_P(McpRemoteTask, is_followed_by_whoever_comes_after_a_crash) {
  const auto tools = connect();
  std::stop_source stop;
  // The first process sees the task begin and no more of it.
  on_progress_ = [&] { stop.request_stop(); };
  EXPECT_TRUE(call(tools, "pay", {}, stop.get_token()).result.is_error);
  on_progress_ = {};
  const auto outcome = call(connect(), "pay", {.kept = kept_});
  EXPECT_EQ(outcome.result.content, "paid by the bank");
  EXPECT_EQ(journal(), "began\ncancelled\nfinished\n") << "it was begun once";
}

// A process that ends in peace leaves as much as one that is killed.
TEST_P(McpRemoteTask, is_not_cancelled_where_only_the_process_ends) {
  const auto tools = connect();
  std::stop_source stop;
  on_progress_ = [&] { stop.request_stop(); };
  is_suspended_ = true;
  const auto left = call(tools, "pay", {}, stop.get_token());
  ASSERT_TRUE(left.error);
  EXPECT_EQ(left.error->code, ErrorCode::cancelled);
  on_progress_ = {};
  const auto outcome = call(connect(), "pay", {.kept = kept_});
  EXPECT_EQ(outcome.result.content, "paid by the bank");
  EXPECT_EQ(journal(), "began\nfinished\n");
}

TEST_P(McpRemoteTask, asks_a_person_once_and_goes_on_with_the_answer_in_any_process) {
  for (const bool is_same_process : {true, false}) {
    const auto tools = connect();
    auto first = call(tools, "ask");
    ASSERT_TRUE(first.waiting) << first.result.content;
    const Json answer =
        JsonObject{{"completed", true},
                   {"responses", JsonArray{JsonObject{{"question_id", "name"}, {"answer", "Ada"}}}},
                   {"message", ""}};
    const WaitAnswers answers{.answer = answer, .state = first.waiting->state, .kept = kept_};
    const auto outcome = call(is_same_process ? tools : connect(), "ask", answers);
    EXPECT_EQ(outcome.result.content, "paid by Ada");
    EXPECT_EQ(journal(), "began\ntold\nfinished\n");
    // The process dies before what came of it is stored: nothing is told or done again.
    const auto again = call(connect(), "ask", answers);
    EXPECT_EQ(again.result.content, "paid by Ada");
    EXPECT_EQ(journal(), "began\ntold\nfinished\n");
    std::filesystem::remove(folder_.path() / "journal");
  }
}

TEST_P(McpRemoteTask, gets_no_answer_to_a_question_that_nobody_was_shown) {
  auto first = call(connect(), "ask");
  ASSERT_TRUE(first.waiting) << first.result.content;
  const Json answer =
      JsonObject{{"completed", true},
                 {"responses", JsonArray{JsonObject{{"question_id", "name"}, {"answer", "Ada"}}}},
                 {"message", ""}};
  std::ofstream(folder_.path() / "greedy") << "now";
  const auto tools = connect();
  const auto second =
      call(tools, "ask", {.answer = answer, .state = first.waiting->state, .kept = kept_});
  ASSERT_TRUE(second.waiting) << second.result.content;
  EXPECT_NE(to_text(second.waiting->shown).find("Who pays 50000?"), std::string::npos);
  EXPECT_EQ(journal(), "began\n") << "nothing was told";
  const auto agreed =
      call(tools, "ask", {.answer = answer, .state = second.waiting->state, .kept = kept_});
  EXPECT_EQ(agreed.result.content, "paid by Ada");
}

TEST_P(McpRemoteTask, that_fails_is_told_with_its_reason) {
  const auto outcome = call(connect(), "fail");
  EXPECT_TRUE(outcome.result.is_error);
  EXPECT_NE(outcome.result.content.find("no money"), std::string::npos) << outcome.result.content;
  EXPECT_FALSE(is_unknown(outcome));
}

TEST_P(McpRemoteTask, that_takes_too_long_is_cancelled_and_its_outcome_not_known) {
  timeout_ = std::chrono::milliseconds(300);
  const auto outcome = call(connect(), "endless");
  EXPECT_TRUE(is_unknown(outcome)) << outcome.result.content;
  EXPECT_EQ(journal(), "began\ncancelled\n");
}

// It had begun: a write may have been done. What only reads has failed.
TEST_P(McpRemoteTask, that_its_server_cancels_has_an_outcome_that_is_not_known_if_it_writes) {
  const auto writing = call(connect(), "stop");
  EXPECT_TRUE(is_unknown(writing)) << writing.result.content;
  EXPECT_NE(writing.result.content.find("the bank has closed"), std::string::npos)
      << writing.result.content;
  const auto reading = call(connect(), "stop_looking");
  EXPECT_TRUE(reading.result.is_error);
  EXPECT_FALSE(is_unknown(reading));
  EXPECT_NE(reading.result.content.find("the bank has closed"), std::string::npos)
      << reading.result.content;
  EXPECT_EQ(journal(), "began\nbegan\n") << "there is nothing to cancel any more";
}

TEST_P(McpRemoteTask, whose_server_has_forgotten_it_has_an_outcome_that_is_not_known) {
  const auto writing = call(connect(), "pay", {.kept = JsonObject{{"mcp_task", "gone"}}});
  EXPECT_TRUE(is_unknown(writing)) << writing.result.content;
  const auto reading = call(connect(), "look", {.kept = JsonObject{{"mcp_task", "gone"}}});
  EXPECT_TRUE(reading.result.is_error);
  EXPECT_FALSE(is_unknown(reading));
  EXPECT_EQ(journal(), "") << "nothing is begun";
}

INSTANTIATE_TEST_SUITE_P(Eras, McpRemoteTask, ::testing::Values("modern", "legacy"));

}  // namespace
}  // namespace wright::mcp_client
