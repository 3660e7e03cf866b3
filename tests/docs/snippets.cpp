// Pieces of programs that the documents show, compiled as they are shown. A page names one with
// `<!-- snippet NAME -->`; quotes.py compares the two, and `quotes.py --write` copies them over.
#include <gtest/gtest.h>
#include <wright/agents.h>
#include <wright/postgres.h>
#include <wright/testing.h>
#include <wright/wright.h>

#include <iostream>
#include <iterator>
#include <sstream>

// [replay]
#include <wright/replay.h>

// [end]
#include <wright/models.h>

namespace {

using namespace wright;

// [interceptors.shape]
using Interceptor =
    std::function<Result<ToolReply>(const Invocation&, const Context&, const Next&)>;
// [end]
static_assert(std::is_same_v<Interceptor, wright::Interceptor>);

void audit(std::string_view, std::string_view) {}
bool parses(std::string_view) {
  return true;
}
Tool perplexity_tool() {
  return tool("search", "Searches", [] { return ""; });
}

[[maybe_unused]] void agent_files(const Models& models) {
  // [agents.load]
  AgentFileOptions options;
  options.find_model = [&](std::string_view id) { return models.get(id); };
  options.tools = {tool("guest_book", "Who came before", [] { return "Ada, in spring"; })};
  options.variables = {{"HOUSE", "the old mill"}};  // for ${HOUSE} in its strings

  const Result<Agent> agent = load_agent("greeter.toml", options);
  if (!agent) std::cout << agent.error().message << '\n';
  const auto answer = run(*agent, "Good evening!");
  // [end]
}

[[maybe_unused]] void entities() {
  // [entities.index]
  wright::CodeIndexOptions index;
  index.base = "src";
  index.folder = "index";  // where the index is kept
  auto tools = wright::code_entity_tools(index);
  // [end]
}

[[maybe_unused]] void feedback(const Agent& agent) {
  // [feedback.debug]
  const auto answer =
      wright::run(agent, "What are the largest classes (over 200 lines)?", {.debug = true});
  if (answer) std::cout << wright::to_text(*answer->feedback);
  // [end]
}

[[maybe_unused]] void scripted(Agent& agent) {
  // [testing.script]
  wright::testing::ScriptedModel script({
      wright::testing::calls({wright::testing::call("weather", R"({"city":"Oslo"})")}),
      wright::testing::says("Sunny."),
  });
  agent.model = script.model();
  // [end]
}

[[maybe_unused]] void interceptors(Agent& agent, const Logger& logger) {
  // [interceptors.conveniences]
  wright::add_conveniences(agent, {.truncate_logs = 200}, logger);
  // [end]
  // [interceptors.permission]
  agent.interceptors.push_back(wright::intercept::permission(
      {.rules = {{"read_*", wright::Permission::allow}, {"delete_*", wright::Permission::ask}}}));
  // [end]
  // [interceptors.before]
  agent.interceptors.push_back(
      wright::intercept::before([](const auto& invocation, const auto& context) {
        audit(invocation.call.name, context.agent_name);
      }));
  // [end]
  // [interceptors.refuse]
  agent.interceptors.push_back(wright::intercept::before(
      [](const Invocation& invocation, const Context&) -> wright::Result<void> {
        if (invocation.tool.spec.options.effect == wright::Effect::read) return {};
        return wright::fail(wright::ErrorCode::permission_denied, "Nothing is changed on Fridays.");
      }));
  // [end]
}

[[maybe_unused]] void researcher_agent(const Logger& logger) {
  // [interceptors.bare]
  Agent researcher{.model = offline_model(), .tools = {perplexity_tool().as("perplexity_search")}};
  add_conveniences(researcher, {}, logger);
  // [end]
}

[[maybe_unused]] Result<void> json_schema(const Json& value) {
  // [json_schema.compile]
  auto schema = JsonSchema::compile(*parse_json(R"({"type": "object", "required": ["city"]})"));
  if (!schema) return std::unexpected(schema.error());  // names the place: "#/properties/city/type"
  const bool fits = schema->accepts(value);             // allocates nothing
  const auto wrong = schema->violations(value);  // each with its path, keyword and a sentence
  // [end]
  return fits || !wrong.empty() ? Result<void>() : Result<void>();
}

[[maybe_unused]] void long_conversations(Agent& agent, Store* store) {
  // [long_conversations.search]
  agent.tools.push_back(wright::search_session_tool(*store));
  // [end]
}

[[maybe_unused]] void replays(const Agent& agent, Store* store, SessionId id) {
  // [replay]
  const auto recorded = wright::load_recording(*store, id);
  const auto report = wright::replay(agent, *recorded, {.tools = wright::ToolSource::live});
  for (const wright::Difference& difference : report->differences) {
    std::cout << difference.what << '\n';  // and difference.recorded, difference.now
  }
  // [end]
}

[[maybe_unused]] void stored(const Agent& agent, Store* store) {
  const auto print = [](std::string_view) {};
  // [runtime.run]
  auto first = run(agent, "…");           // nothing is stored
  auto answer = run(*store, agent, "…");  // stored
  auto more = send(*store, agent, answer->session_id, "…", {.on_text = print});
  // [end]
}

[[maybe_unused]] void batches(Store& store, SessionId session, RunnerId runner, int epoch,
                              const Message& answer, const Usage& usage) {
  // [runtime.batch]
  const std::vector<Write> writes{HoldLease{session, runner, epoch},  // or nothing happens
                                  AppendMessage{session, answer},
                                  UpdateSession{.session_id = session, .usage = usage}};
  const auto written = store.apply(writes);  // one batch alone
  // [end]
}

[[maybe_unused]] void specialists(Agent& agent, const Agent& poet, const Agent& support) {
  // [runtime.specialists]
  agent.tools.push_back(wright::delegate_to(poet));     // a tool `poet` with a `message`
  agent.tools.push_back(wright::hand_off_to(support));  // a tool `transfer_to_support`
  // [end]
}

[[maybe_unused]] void files() {
  // [tools.files]
  const wright::FileAccess access{
      .base = "project", .readable = {"/usr/share/doc"}, .writable = {"src"}};
  auto tools = wright::file_tools(access);       // list_files, read_file, grep
  auto editing = wright::editing_tools(access);  // write_file, apply_patch
  // [end]
}

[[maybe_unused]] void spilling(Agent& agent) {
  // [tools.spill]
  auto spill = wright::spill_output({.folder = "/var/lib/app/outputs"});
  if (spill) agent.spill = *spill;
  // [end]
}

[[maybe_unused]] void checked(Agent& agent) {
  // [typed_answers.check]
  agent.check_answer = [](std::string_view sql) -> wright::Result<void> {
    if (!parses(sql)) return wright::fail(wright::ErrorCode::invalid_argument, "That is no SQL.");
    return {};
  };
  // [end]
}

}  // namespace

namespace wright::tools {
Tool count_words_tool();
}

// [contributing.tool]
namespace wright::tools {

struct CountWordsArguments {
  std::string text;
};
WRIGHT_DESCRIBE(CountWordsArguments, WRIGHT_FIELD(text, "What is counted").max_length(100'000))

Tool count_words_tool() {
  return tool("count_words", "How many words a text has",
              [](const CountWordsArguments& arguments) {
                std::istringstream words(arguments.text);
                return std::distance(std::istream_iterator<std::string>(words), {});
              },
              {.effect = Effect::read});
}

}  // namespace wright::tools
// [end]

namespace wright::tools {
namespace {

// [contributing.test]
TEST(CountWords, counts_what_blanks_divide) {
  const auto count =
      testing::answer_of(count_words_tool(), JsonObject{{"text", "one  two\nthree"}});
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(*count, Json(3));
}

TEST(CountWords, a_text_that_is_too_long_is_refused) {
  const auto refused =
      testing::answer_of(count_words_tool(), JsonObject{{"text", std::string(100'001, 'x')}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
}
// [end]

}  // namespace
}  // namespace wright::tools

// [typed_answers.types]
enum class Mood { pleased, neutral, angry };
WRIGHT_ENUM(Mood, pleased, neutral, angry)

struct Item {
  std::string product;
  std::optional<int> quantity;
};
struct Ticket {
  std::string customer;
  Mood mood = Mood::neutral;
  std::vector<Item> items;
};
// [end]

// [typed_answers.describe]
WRIGHT_DESCRIBE(Item, WRIGHT_FIELD(product, "As the catalogue calls it").min_length(1),
                WRIGHT_FIELD(quantity, "How many, where the mail says so").at_least(1))
// [end]

wright::Result<Ticket> read_mail(const wright::Agent& clerk, std::string_view mail);
wright::Result<Ticket> read_mail(const wright::Agent& clerk, std::string_view mail) {
  // [typed_answers.types]

  wright::Result<Ticket> ticket = wright::run_as<Ticket>(clerk, mail);
  // [end]
  return ticket;
}
