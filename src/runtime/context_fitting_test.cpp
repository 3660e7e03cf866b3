// Long conversations with models whose window is small, and which mean it.
#include "wright/fitting.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "core/try.h"
#include "wright/agent.h"
#include "wright/driver.h"
#include "wright/runtime.h"
#include "wright/testing.h"

namespace wright {
namespace {

constexpr std::string_view kSummary = "SUMMARY: the user wants to look around.";

std::int64_t tokens_of(const Request& request) {
  std::size_t bytes = request.system.size();
  for (const Message& message : request.messages) bytes += to_text(to_json(message)).size();
  return static_cast<std::int64_t>(bytes / 4);
}

bool asks_for_summary(std::span<const Message> messages) {
  return messages.back() == Message::notice(Notice::Kind::summarise);
}

// Calls the tool `look` so many times for every message of the user, and then answers. Refuses what
// is too long for it, as vendors do.
class SmallModel : public ModelBackend {
 public:
  struct Options {
    std::int64_t window = 8'000;
    std::int64_t stated_window = 0;  // what it says of itself
    int looks = 20;
    std::function<Result<Response>()> summarise = [] {
      return testing::says(std::string(kSummary));
    };
  };

  explicit SmallModel(Options options) : options_(std::move(options)) {}

  Result<Response> complete(const Request& request, const ModelCall&) override {
    const std::lock_guard lock(mutex_);
    const std::int64_t tokens = tokens_of(request);
    requests_.emplace_back(request.messages.begin(), request.messages.end());
    if (tokens > options_.window) {
      ++refused_;
      return fail(ErrorCode::context_too_long, "That is too long");
    }
    auto response = TRY(answer(request));
    response.usage = {.input_tokens = tokens, .output_tokens = 10};
    used_ += response.usage;
    return response;
  }

  std::optional<std::int64_t> context_tokens() const override { return options_.stated_window; }

  const std::vector<std::vector<Message>>& requests() const { return requests_; }
  int refused() const { return refused_; }
  int summaries() const {
    return static_cast<int>(std::ranges::count_if(requests_, asks_for_summary));
  }
  const Usage& used() const { return used_; }

 private:
  Result<Response> answer(const Request& request) {
    if (asks_for_summary(request.messages)) return options_.summarise();
    if (request.messages.back().role == Role::user) looked_ = 0;
    if (looked_ == options_.looks) return testing::says("I have looked.");
    ++looked_;
    return testing::calls({testing::call("look", fmt::format(R"({{"at":{}}})", ++calls_))});
  }

  const Options options_;
  std::mutex mutex_;
  std::vector<std::vector<Message>> requests_;
  int refused_ = 0;
  int looked_ = 0;
  int calls_ = 0;
  Usage used_;
};

struct Place {
  int at = 0;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(at))

Agent looker(const std::shared_ptr<SmallModel>& model) {
  return Agent{.name = "looker",
               .instructions = "Look.",
               .model = Model("small", "model", model),
               .tools = {tool("look", "Looks",
                              [](const Place& place) {
                                return fmt::format("{} {}", place.at, std::string(4'000, 'r'));
                              })},
               .limits = {.max_iterations = 100, .max_repeats = {}},
               .sampling = {.max_tokens = 1'000}};
}

// Every call is answered, right behind it and in its order.
void expect_calls_are_answered(std::span<const Message> messages) {
  for (std::size_t at = 0; at < messages.size(); ++at) {
    ASSERT_NE(messages[at].role, Role::tool) << "a result without its call, at " << at;
    const auto open = messages[at].tool_calls();
    for (const ToolCall& call : open) {
      ++at;
      ASSERT_LT(at, messages.size());
      ASSERT_EQ(messages[at].role, Role::tool);
      ASSERT_EQ(std::get<ToolResult>(messages[at].parts.front()).call_id, call.id);
    }
  }
}

void expect_whole_in_store(Store& store, SessionId id, std::size_t looks) {
  const auto messages = store.get_messages(id);
  ASSERT_TRUE(messages);
  std::size_t results = 0;
  for (const StoredMessage& stored : *messages) {
    for (const Part& part : stored.message.parts) {
      const auto* result = std::get_if<ToolResult>(&part);
      if (result == nullptr) continue;
      ++results;
      EXPECT_GT(result->content.size(), 4'000U);
    }
    EXPECT_EQ(stored.message.text().find("SUMMARY"), std::string::npos);
  }
  EXPECT_EQ(results, looks);
}

TEST(ContextFitting, keeps_every_request_of_a_long_tool_loop_within_the_window) {
  const auto model = std::make_shared<SmallModel>(
      SmallModel::Options{.window = 8'000, .stated_window = 8'000, .looks = 60});
  const auto store = open_memory_store();
  int told = 0;
  Usage told_usage;
  const auto answer =
      run(*store, looker(model), "Look around", {.observer = [&](const Event& event) {
        if (const auto* shortened = std::get_if<ContextShortened>(&event)) {
          ++told;
          told_usage += shortened->usage;
          EXPECT_GT(shortened->shortened_messages, 0U);
        }
      }});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "I have looked.");
  EXPECT_EQ(model->refused(), 0);
  EXPECT_GT(model->summaries(), 0);
  // Not with every turn: a vendor's cache should hold.
  EXPECT_GT(told, 1);
  EXPECT_LT(told, 30);
  for (const auto& request : model->requests()) {
    expect_calls_are_answered(request);
    EXPECT_EQ(request.front(), Message::user("Look around"));
  }
  EXPECT_EQ(answer->usage, model->used()) << "summaries are counted";
  EXPECT_EQ(told_usage.output_tokens, 10 * model->summaries());
  EXPECT_EQ(store->get_session(answer->session_id)->usage, model->used());
  expect_whole_in_store(*store, answer->session_id, 60);
}

TEST(ContextFitting, does_without_a_summary_when_the_model_has_none) {
  for (const bool fails : {true, false}) {
    const auto model = std::make_shared<SmallModel>(
        SmallModel::Options{.stated_window = 8'000, .looks = 60, .summarise = [=] {
                              return fails ? Result<Response>(fail(ErrorCode::unavailable, "Busy"))
                                           : Result<Response>(Response{});
                            }});
    const auto answer = run(looker(model), "Look around");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(model->refused(), 0);
    const auto& last = model->requests().back();
    expect_calls_are_answered(last);
    EXPECT_NE(last[1].text().find("You called look"), std::string::npos) << last[1].text();
  }
}

TEST(ContextFitting, learns_the_window_from_a_refusal_and_asks_again) {
  const auto model = std::make_shared<SmallModel>(SmallModel::Options{.looks = 30});
  const auto answer = run(looker(model), "Look around");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "I have looked.");
  EXPECT_EQ(model->refused(), 1);
  for (const auto& request : model->requests()) expect_calls_are_answered(request);
}

TEST(ContextFitting, fails_when_even_less_is_refused) {
  const auto model = std::make_shared<SmallModel>(SmallModel::Options{.window = 10});
  const auto answer = run(looker(model), std::string(10'000, 'x'));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::context_too_long);
  EXPECT_LE(model->refused(), 2);
}

TEST(ContextFitting, obeys_the_agent_before_the_model) {
  const auto model = std::make_shared<SmallModel>(
      SmallModel::Options{.window = 8'000, .stated_window = 1'000'000});
  Agent agent = looker(model);
  agent.context_tokens = 8'000;
  ASSERT_TRUE(run(agent, "Look around"));
  EXPECT_EQ(model->refused(), 0);
}

TEST(ContextFitting, keeps_the_summary_for_the_next_message) {
  const auto model = std::make_shared<SmallModel>(SmallModel::Options{.stated_window = 8'000});
  const auto store = open_memory_store();
  const Agent agent = looker(model);
  const auto first = run(*store, agent, "Look around");
  ASSERT_TRUE(first) << first.error().message;
  const int summaries = model->summaries();
  ASSERT_GT(summaries, 0);
  const std::size_t asked = model->requests().size();
  const auto second = send(*store, agent, first->session_id, "Once more");
  ASSERT_TRUE(second) << second.error().message;
  const auto& request = model->requests().at(asked);
  EXPECT_FALSE(asks_for_summary(request));
  EXPECT_NE(request[1].text().find(kSummary), std::string::npos) << request[1].text();
  EXPECT_EQ(request.back(), Message::user("Once more"));
  expect_whole_in_store(*store, first->session_id, 40);
}

TEST(ContextFitting, is_computed_again_where_what_was_kept_is_damaged) {
  for (const Json& damaged :
       {Json("x"), Json(JsonObject{}), Json(JsonObject{{"shortened", 1'000'000}}),
        Json(JsonObject{{"shortened", 0},
                        {"summarised", 3},  // between a call and its result
                        {"summary", "wrong"},
                        {"tight", {{"begin", 0}, {"end", 0}, {"kept", 0}}}})}) {
    const auto model = std::make_shared<SmallModel>(SmallModel::Options{.stated_window = 8'000});
    const auto store = open_memory_store();
    const Agent agent = looker(model);
    const auto first = run(*store, agent, "Look around");
    ASSERT_TRUE(first);
    const std::vector<Write> writes{
        UpdateSession{.session_id = first->session_id, .context = damaged}};
    ASSERT_TRUE(store->apply(writes));
    const auto second = send(*store, agent, first->session_id, "Once more");
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(model->refused(), 0);
    for (const auto& request : model->requests()) expect_calls_are_answered(request);
  }
}

TEST(ContextFitting, is_cancelled_with_the_run) {
  std::stop_source stop;
  const auto model = std::make_shared<SmallModel>(SmallModel::Options{
      .stated_window = 8'000, .looks = 60, .summarise = [&]() -> Result<Response> {
        stop.request_stop();
        return fail(ErrorCode::cancelled, "Stopped");
      }});
  const auto store = open_memory_store();
  const auto answer = run(*store, looker(model), "Look around", {.stop = stop.get_token()});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled);
  EXPECT_EQ(model->summaries(), 1);
  EXPECT_EQ(store->list_sessions({})->front().status, SessionStatus::cancelled);
}

TEST(ContextFitting, holds_for_specialists) {
  const auto model =
      std::make_shared<SmallModel>(SmallModel::Options{.stated_window = 8'000, .looks = 40});
  const testing::ScriptedModel script(
      {testing::calls({testing::call("looker", R"({"message":"Look around"})")}),
       testing::says("Done.")});
  const auto runtime = Runtime::open();
  ASSERT_TRUE(runtime);
  const auto boss = std::make_shared<const Agent>(
      Agent{.name = "boss", .model = script.model(), .tools = {delegate_to(looker(model))}});
  const auto id = (*runtime)->start(boss, "Go");
  ASSERT_TRUE(id);
  const auto answer = (*runtime)->wait(*id);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Done.");
  EXPECT_EQ(model->refused(), 0);
  EXPECT_GT(model->summaries(), 0);
}

TEST(ContextFitting, stays_within_the_budget) {
  const auto model =
      std::make_shared<SmallModel>(SmallModel::Options{.stated_window = 8'000, .looks = 60});
  Agent agent = looker(model);
  agent.limits.max_tokens = 100'000;
  const auto answer = run(agent, "Look around");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_LE(model->used().input_tokens + model->used().output_tokens, 100'000);
}

TEST(ContextFitting, shows_two_phase_histories_in_part) {
  const auto model = std::make_shared<SmallModel>(
      SmallModel::Options{.window = 8'000, .stated_window = 8'000, .looks = 0});
  TwoPhaseAgent agent(looker(model));
  std::vector<Message> history;
  for (int i = 0; i < 60; ++i) {
    history.push_back(Message::user(fmt::format("{} {}", i, std::string(2'000, 'u'))));
    history.push_back(Message::assistant("Yes."));
  }
  auto response = agent.process("And?", history).get();
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(model->refused(), 0);
  EXPECT_EQ(model->requests().size(), 1U);
  EXPECT_EQ(model->requests().front().back(), Message::user("And?"));
}

TEST(ContextFitting, sends_the_messages_themselves_while_they_fit) {
  const auto model = std::make_shared<SmallModel>(SmallModel::Options{.stated_window = 8'000});
  const Agent agent = looker(model);
  const wright::Run run = start(agent, "Look around");
  const Step step = next(agent, run);
  ContextFitting context;
  context.fit(agent, run);
  EXPECT_FALSE(context.wants_summary());
  const Request request = context.fitted(std::get<CallModel>(step).request, run);
  EXPECT_EQ(request.messages.data(), run.messages.data());
  EXPECT_FALSE(context.take_news());
  EXPECT_FALSE(context.take_changed_cut());
}

}  // namespace
}  // namespace wright
