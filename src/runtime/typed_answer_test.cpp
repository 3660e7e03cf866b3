#include "wright/driver.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include "runtime/runtime_testing.h"
#include "wright/replay.h"
#include "wright/runtime.h"
#include "wright/tools.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;
using testing::value_of;

enum class Colour { red, green };
WRIGHT_ENUM(Colour, red, green)

struct Piece {
  std::string name;
  std::optional<int> weight;
};
struct Car {
  std::string maker;
  Colour colour = Colour::red;
  std::vector<Piece> parts;
};

constexpr const char* kCar =
    R"({"maker":"Saab","colour":"green","parts":[{"name":"door","weight":null},{"name":"seat"}]})";

Agent reader_of(const ScriptedModel& script) {
  return Agent{.name = "reader", .instructions = "Read.", .model = script.model()};
}

std::vector<std::string> notices_in(const std::vector<Message>& messages) {
  std::vector<std::string> texts;
  for (const Message& message : messages) {
    for (const wright::Part& part : message.parts) {
      if (const auto* told = std::get_if<Notice>(&part)) texts.push_back(told->text);
    }
  }
  return texts;
}

TEST(TypedAnswer, is_a_struct_with_all_that_is_in_it) {
  const ScriptedModel script({says(std::string("```json\n") + kCar + "\n```")});
  const auto car = run_as<Car>(reader_of(script), "Which car?");
  ASSERT_TRUE(car) << car.error().message;
  EXPECT_EQ(car->maker, "Saab");
  EXPECT_EQ(car->colour, Colour::green);
  ASSERT_EQ(car->parts.size(), 2U);
  EXPECT_EQ(car->parts[0].weight, std::nullopt);
  EXPECT_EQ(car->parts[1].name, "seat");
}

TEST(TypedAnswer, gives_its_schema_to_the_model) {
  ResponseFormat asked;
  Agent agent{.model = model_from("test", "spy", [&](const Request& request, const ModelCall&) {
                asked = request.sampling->response_format;
                return Result<Response>(says(kCar));
              })};
  ASSERT_TRUE(run_as<Car>(agent, "Which car?"));
  EXPECT_EQ(asked.kind, ResponseFormat::Kind::json_schema);
  EXPECT_EQ(asked.schema, schema_of<Car>());
  EXPECT_EQ(agent.sampling.response_format, ResponseFormat{}) << "the agent itself stays as it is";
}

TEST(TypedAnswer, may_be_a_list_an_enumerator_a_map_or_a_number) {
  const auto answer = [](const char* text) { return reader_of(ScriptedModel({says(text)})); };
  const auto cars = run_as<std::vector<Car>>(
      answer(R"({"answer":[{"maker":"Saab","colour":"red","parts":[]}]})"), "Cars?");
  ASSERT_TRUE(cars) << cars.error().message;
  EXPECT_EQ(cars->at(0).maker, "Saab");
  EXPECT_EQ(run_as<Colour>(answer(R"({"answer":"green"})"), "Colour?").value(), Colour::green);
  EXPECT_EQ(run_as<int>(answer(R"({"answer":7})"), "How many?").value(), 7);
  const auto prices = run_as<std::map<std::string, double>>(answer(R"({"a":1.5})"), "Prices?");
  EXPECT_EQ(prices.value().at("a"), 1.5);
}

struct Tree {
  std::string name;
  std::vector<Tree> below;
};

TEST(TypedAnswer, may_contain_itself) {
  const ScriptedModel script(
      {says(R"({"answer":[{"name":"a","below":[{"name":"b"}]}]})"),
       says(R"({"answer":[{"name":"a","below":[{"name":"b","below":[]}]}]})")});
  const auto trees = run_as<std::vector<Tree>>(reader_of(script), "Trees?");
  ASSERT_TRUE(trees) << trees.error().message;
  EXPECT_EQ(trees->at(0).below.at(0).name, "b");
  EXPECT_EQ(script.requests().size(), 2U) << "the first answer lacks a field deep inside";
  const ScriptedModel one({says(R"({"answer":{"name":"a","below":[{"name":"b","below":[]}]}})")});
  const auto tree = run_as<std::optional<Tree>>(reader_of(one), "A tree, if there is one?");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(tree->value().below.at(0).name, "b");
}

TEST(TypedAnswer, that_is_wrong_is_told_to_the_model_and_asked_for_again) {
  const ScriptedModel script({says("A green Saab."), says(R"({"maker":"Saab"})"), says(kCar)});
  const auto store = open_memory_store();
  const auto car = run_as<Car>(*store, reader_of(script), "Which car?");
  ASSERT_TRUE(car) << car.error().message;
  EXPECT_EQ(car->maker, "Saab");
  const auto requests = script.requests();
  ASSERT_EQ(requests.size(), 3U);
  const auto told = notices_in(requests.back());
  ASSERT_EQ(told.size(), 2U);
  EXPECT_NE(told[0].find("is not JSON"), std::string::npos) << told[0];
  EXPECT_NE(told[1].find("Missing required parameter: colour"), std::string::npos) << told[1];
  const Session session = value_of(store->get_session(1));
  EXPECT_EQ(session.status, SessionStatus::completed);
  EXPECT_EQ(value_of(store->get_messages(1)).size(), 6U);
}

TEST(TypedAnswer, that_is_always_wrong_is_an_error_with_what_the_model_said) {
  const ScriptedModel script({says("one"), says("two"), says("three"), says(kCar)});
  const auto store = open_memory_store();
  const auto car = run_as<Car>(*store, reader_of(script), "Which car?");
  ASSERT_FALSE(car);
  EXPECT_EQ(car.error().code, ErrorCode::answer_refused);
  EXPECT_EQ(answer_of(car.error()), "three");
  EXPECT_EQ(script.turns_left(), 1U);
  const Session session = value_of(store->get_session(1));
  EXPECT_EQ(session.status, SessionStatus::failed);
  EXPECT_EQ(session.error_code, ErrorCode::answer_refused);
}

TEST(TypedAnswer, may_use_tools_before) {
  const ScriptedModel script({calls({call("look")}), says("green"), says(kCar)});
  Agent agent = reader_of(script);
  agent.tools = {tool("look", "Looks", [] { return "a green Saab"; })};
  ASSERT_TRUE(run_as<Car>(agent, "Which car?"));
}

TEST(TypedAnswer, of_a_run_that_waits_comes_when_the_person_has_answered) {
  const ScriptedModel script({calls({call("ask")}), says("no JSON"), says(kCar)});
  Agent agent = reader_of(script);
  agent.tools = {testing::asking()};
  const auto store = open_memory_store();
  const auto waiting = run_as<Car>(*store, agent, "Which car?");
  ASSERT_FALSE(waiting);
  EXPECT_EQ(waiting.error().code, ErrorCode::unavailable);
  EXPECT_EQ(waiting.error().detail.at("session_id"), Json(1));
  const auto wait = waiting.error().detail.at("waits").at(0).at("wait_id").to_number<WaitId>();
  ASSERT_TRUE(answer_wait(*store, wait, Json("the green one"), "Ada"));
  const auto car = resume_as<Car>(*store, agent, 1);
  ASSERT_TRUE(car) << car.error().message;
  EXPECT_EQ(car->colour, Colour::green);
  // The next message may be answered with another type.
  const ScriptedModel more({says(R"({"answer":false})")});
  EXPECT_EQ(send_as<bool>(*store, reader_of(more), 1, "Is it red?").value(), false);
}

TEST(TypedAnswer, holds_in_the_concurrent_driver) {
  const ScriptedModel script({says("Saab"), says(kCar)});
  const auto store = open_memory_store();
  const auto runtime = testing::open_runtime(*store);
  const auto agent = std::make_shared<const Agent>(answering_with<Car>(reader_of(script)));
  const SessionId id = value_of(runtime->start(agent, "Which car?"));
  const auto car = answer_as<Car>(value_of(runtime->wait(id)));
  ASSERT_TRUE(car) << car.error().message;
  EXPECT_EQ(car->maker, "Saab");
}

TEST(TypedAnswer, holds_in_two_phases) {
  const ScriptedModel script({says("Saab"), says(kCar), says("1"), says("2"), says("3")});
  TwoPhaseAgent agent(answering_with<Car>(reader_of(script)));
  auto response = agent.process("Which car?").get();
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(text_of(response)->all().value(), kCar);
  auto wrong = agent.process("Which car?").get();
  const auto text = wrong ? text_of(wrong)->all() : std::unexpected(wrong.error());
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::answer_refused);
}

TEST(TypedAnswer, is_replayed_as_it_was) {
  for (const bool ends_well : {true, false}) {
    const ScriptedModel script({says("a"), says("b"), says(ends_well ? kCar : "c")});
    const auto store = open_memory_store();
    const Agent agent = answering_with<Car>(reader_of(script));
    EXPECT_EQ(run(*store, agent, "Which car?").has_value(), ends_well);
    const auto recorded = load_recording(*store, 1);
    ASSERT_TRUE(recorded) << recorded.error().message;
    // Also where nobody knows the agent any more.
    for (const Agent& again : {agent, recorded_agent(*recorded)}) {
      const auto report = replay(again, *recorded);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_TRUE(report->differences.empty()) << report->differences.front().what;
      EXPECT_EQ(report->turns, 3);
      EXPECT_EQ(report->session.messages, recorded->messages);
    }
  }
}

TEST(RunOptions, tell_the_text_as_it_comes_or_whole) {
  for (const Delivery delivery : {Delivery::streamed, Delivery::whole}) {
    const ScriptedModel script({calls({call("look")}, "I look. "), says("It is green.")});
    Agent agent = reader_of(script);
    agent.tools = {tool("look", "Looks", [] { return "green"; })};
    std::string told;
    int events = 0;
    const RunOptions options{.observer = [&](const Event&) { ++events; },
                             .on_text = [&](std::string_view text) { told += text; },
                             .delivery = delivery};
    ASSERT_TRUE(run(agent, "Which colour?", options));
    EXPECT_EQ(told, "I look. It is green.");
    EXPECT_GT(events, 0);
  }
}

TEST(AnswerWait, takes_approvals_and_answers_by_their_types) {
  const ScriptedModel script(
      {calls({call("paint")}), says("done"), calls({call("paint")}), says("not done")});
  int painted = 0;
  Agent agent = reader_of(script);
  agent.tools = {tool("paint", "Paints", [&] { ++painted; }, {.needs_approval = true})};
  const auto store = open_memory_store();
  const auto wait_of = [&](std::string_view prompt) {
    const auto answer = value_of(run(*store, agent, prompt));
    return answer.waits.at(0);
  };
  const PersonWait first = wait_of("Paint");
  ASSERT_TRUE(answer_wait(*store, first.wait_id, Approval{Decision::once}, "Ada"));
  ASSERT_TRUE(resume(*store, agent, first.session_id));
  EXPECT_EQ(painted, 1);
  const PersonWait second = wait_of("Paint");
  ASSERT_TRUE(answer_wait(*store, second.wait_id, Approval{Decision::refuse, "Too red"}, "Ada"));
  ASSERT_TRUE(resume(*store, agent, second.session_id));
  EXPECT_EQ(painted, 1);

  const ScriptedModel asking({calls({call("ask_user", R"({"questions":[{"id":"hue",
      "question":"Which?"}]})")}),
                              says("blue it is")});
  Agent asker = reader_of(asking);
  asker.tools = {ask_user_tool()};
  const auto runtime = testing::open_runtime(*store);
  const SessionId id =
      value_of(runtime->start(std::make_shared<const Agent>(asker), "Paint the wall"));
  const RunResult waiting = value_of(runtime->wait(id));
  const auto questions = value_of(questions_from(waiting.waits.at(0).shown));
  ASSERT_EQ(questions.questions.at(0).id, "hue");
  ASSERT_TRUE(runtime->answer(waiting.waits.at(0).wait_id,
                              std::vector<QuestionAnswer>{{"hue", "blue"}}, "Ada"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "blue it is");
}

}  // namespace
}  // namespace wright
