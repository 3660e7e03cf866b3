// A request of a conversation that goes on has the same bytes as one that is made anew.
#include "providers/sent_history.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "providers/opaque_block.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

constexpr std::array kProtocols{Protocol::openai_chat,        Protocol::openai_responses,
                                Protocol::anthropic_messages, Protocol::gemini_generate,
                                Protocol::ollama_chat,        Protocol::bedrock_converse};

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  bool one_in(int many) { return below(many) == 0; }
  template <class List>
  auto& one_of(List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
  }

 private:
  std::mt19937 random_;
};

Endpoint any_endpoint(Protocol protocol, Chance& chance) {
  Endpoint endpoint;
  endpoint.vendor.name = "v";
  endpoint.vendor.protocol = protocol;
  endpoint.vendor.base_url = "http://localhost/v1";
  const std::array<std::string, 3> names{"m", "anthropic.claude-x", "amazon.nova-x"};
  endpoint.model.name = chance.one_of(names);
  Quirks& quirks = endpoint.model.quirks;
  quirks.strict_schemas = chance.one_in(2);
  quirks.supports_images = !chance.one_in(4);
  endpoint.model.is_listed = false;
  quirks.supports_user_after_tool = chance.one_in(2);
  quirks.supports_response_schema = chance.one_in(2);
  quirks.return_reasoning = static_cast<Quirks::ReturnReasoning>(chance.below(4));
  if (chance.one_in(4)) quirks.call_ids = Quirks::CallIds::nine_alphanumeric;
  if (chance.one_in(4)) quirks.tool_choice = Quirks::ToolChoiceSupport::automatic_only;
  const std::array<std::string, 4> caches{"", "", "1h", "off"};
  quirks.prompt_cache = chance.one_of(caches);
  const std::array<std::string, 4> ways{"", "thinking", "effort", "level"};
  quirks.reasoning_request = chance.one_of(ways);
  return endpoint;
}

std::vector<Tool> any_tools(Chance& chance) {
  std::vector<Tool> tools;
  const std::array<const char*, 4> names{"read", "a.b", "a_b", "überlang name"};
  for (const char* name : names) {
    if (chance.one_in(3)) continue;
    tools.push_back(
        Tool{{.name = name,
              .description = "It does.",
              .parameters = {{"type", "object"}, {"properties", {{"x", {{"type", "integer"}}}}}}},
             {}});
  }
  return tools;
}

const Image kPicture{"image/png", "aGk="};

// Mostly what a run makes, and now and then what it would not.
class Talk {
 public:
  Talk(const Endpoint& endpoint, Chance& chance) : endpoint_(endpoint), chance_(chance) {}

  std::vector<Message> messages{Message::user("Begin")};

  void go_on() {
    switch (chance_.below(12)) {
      case 0: messages.push_back(Message::user(chance_.one_in(3) ? " \n" : "And then?")); break;
      case 1: messages.push_back({Role::user, {Text{"Look"}, kPicture}}); break;
      case 2:
        messages.push_back(Message::notice(static_cast<Notice::Kind>(chance_.below(5))));
        break;
      case 3:
        if (chance_.one_in(4)) messages.push_back(Message::system("Be brief."));
        break;
      case 4: messages.push_back(Message::assistant(chance_.one_in(3) ? "" : "Done. ")); break;
      default: call_tools(); break;
    }
  }

 private:
  Reasoning thought() {
    if (chance_.one_in(3)) return {"Hm.", ""};
    const std::array<Json, 4> blocks{
        Json{{"type", "thinking"}, {"thinking", "Hm."}, {"signature", "s"}},
        Json{{"type", "server_tool_use"}, {"id", "s1"}, {"name", "web"}},
        Json{{"thoughtSignature", "sig"}, {"encrypted_content", "e"}, {"type", "reasoning"}},
        Json{{"type", "container"}, {"id", "c1"}}};
    const std::size_t last = chance_.one_in(6) ? 4 : 1;
    const Json& block = blocks[static_cast<std::size_t>(chance_.below(static_cast<int>(last)))];
    return {"Hm.", opaque_text(endpoint_.protocol(), endpoint_.model.name, block)};
  }

  void call_tools() {
    Message said{Role::assistant, {}};
    if (chance_.one_in(3)) said.parts.emplace_back(thought());
    if (chance_.one_in(3)) said.parts.emplace_back(Text{"I look."});
    const std::array<std::string, 5> names{"read", "a.b", "a_b", "gone", "a b"};
    const std::array<std::string, 4> arguments{"{}", "{\"x\": 1}", "broken", ""};
    const int calls = 1 + chance_.below(3);
    std::vector<Part> results;
    for (int i = 0; i < calls; ++i) {
      const std::string id = chance_.one_in(8) ? "same" : "call:" + std::to_string(++last_);
      const std::string& name = chance_.one_of(names);
      said.parts.emplace_back(ToolCall{id, name, chance_.one_of(arguments)});
      ToolResult result{.call_id = chance_.one_in(12) ? "stray" : id,
                        .name = name,
                        .content = "found \xFF it",
                        .is_error = chance_.one_in(5)};
      if (chance_.one_in(6)) result.images.push_back(kPicture);
      if (chance_.one_in(6)) result.notices.push_back(notice(Notice::Kind::same_result));
      if (!chance_.one_in(10)) results.emplace_back(std::move(result));
    }
    messages.push_back(std::move(said));
    for (Part& result : results) messages.push_back({Role::tool, {std::move(result)}});
  }

  const Endpoint& endpoint_;
  Chance& chance_;
  int last_ = 0;
};

std::string said(const Result<HttpRequest>& request) {
  return request ? request->url + "\n" + request->body : "error: " + request.error().message;
}

// Whether something was kept.
bool has_kept(RequestMemory& memory) {
  auto kept = memory.take();
  const bool is_kept = kept != nullptr;
  memory.keep(std::move(kept));
  return is_kept;
}

TEST(SentHistory, changes_no_byte_whatever_the_conversation_is) {
  int kept = 0;
  int requests = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Chance chance(seed);
    const Protocol protocol = kProtocols[seed % kProtocols.size()];
    Endpoint endpoint = any_endpoint(protocol, chance);
    std::vector<Tool> tools = any_tools(chance);
    Talk talk(endpoint, chance);
    RequestMemory memory;
    Sampling sampling;
    if (chance.one_in(4)) sampling.reasoning = ReasoningEffort::low;
    if (chance.one_in(6)) sampling.tool_choice = ToolChoice::one("a.b");
    if (chance.one_in(6)) sampling.response_format.kind = ResponseFormat::Kind::json_object;
    // Half of the conversations have an owner who knows when they go on, and mostly says so.
    const bool is_owned = chance.one_in(2);
    bool goes_on = false;
    for (int turn = 0; turn < 12; ++turn) {
      Request request{.messages = talk.messages,
                      .system = "S",
                      .tools = tools,
                      .sampling = &sampling,
                      .has_called = turn > 2};
      const Delivery delivery = chance.one_in(2) ? Delivery::whole : Delivery::streamed;
      const std::string anew = said(encode(endpoint, request, delivery));
      request.memory = &memory;
      if (goes_on && !chance.one_in(4)) KeptHistory::continue_with(memory, request);
      kept += has_kept(memory) ? 1 : 0;
      ++requests;
      ASSERT_EQ(said(encode(endpoint, request, delivery)), anew) << "seed " << seed;
      if (chance.one_in(5)) {  // once more
        ASSERT_EQ(said(encode(endpoint, request, delivery)), anew) << "seed " << seed;
      }
      talk.go_on();
      // What may happen to a conversation between two requests.
      std::vector<Message>& messages = talk.messages;
      const std::vector<Message> before = messages;
      if (chance.one_in(12)) messages.resize(1 + messages.size() / 2, Message::user("x"));
      if (chance.one_in(12)) messages.erase(messages.begin());
      if (messages.empty() || chance.one_in(15))
        messages.insert(messages.begin(), Message::user("y"));
      if (chance.one_in(15)) messages.front() = Message::user("Summary");
      const bool has_other_tools = chance.one_in(15);
      if (has_other_tools) tools = any_tools(chance);
      goes_on = is_owned && !has_other_tools && messages == before;
      if (is_owned && !goes_on) memory.take();
      if (chance.one_in(20)) sampling.tool_choice = ToolChoice::none();
      if (chance.one_in(20)) endpoint = any_endpoint(protocol, chance);
    }
  }
  EXPECT_GT(kept, requests / 5);
}

// So that the test above can fail.
TEST(SentHistory, is_used_where_a_run_goes_on) {
  const std::vector<Tool> tools{Tool{{.name = "read", .description = "Reads."}, {}}};
  const Sampling sampling;
  for (const Protocol protocol : kProtocols) {
    Endpoint endpoint;
    endpoint.vendor.protocol = protocol;
    endpoint.model.name = "m";
    RequestMemory memory;
    std::vector<Message> messages{Message::user("Begin")};
    for (int turn = 0; turn < 4; ++turn) {
      const Request request{
          .messages = messages, .tools = tools, .sampling = &sampling, .memory = &memory};
      auto history = SentHistory::recalled(endpoint, request);
      EXPECT_EQ(history->new_messages(request).size(), turn == 0 ? 1U : 2U) << to_string(protocol);
      memory.keep(std::move(history));
      ASSERT_TRUE(encode(endpoint, request, Delivery::whole));
      const std::string id = std::to_string(turn);
      messages.push_back({Role::assistant, {ToolCall{id, "read", "{}"}}});
      messages.push_back(Message::tool({.call_id = id, .name = "read", .content = "It."}));
    }
  }
}

// Its owner's word is taken: nothing of what is written is read again.
TEST(SentHistory, that_goes_on_is_used_without_a_look_at_what_is_written) {
  const std::vector<Tool> tools{Tool{{.name = "read", .description = "Reads."}, {}}};
  const Sampling sampling;
  const Endpoint endpoint;
  RequestMemory memory;
  const Message called{Role::assistant, {ToolCall{"1", "read", "{}"}}};
  const Message result = Message::tool({.call_id = "1", .name = "read", .content = "It."});
  const auto request_of = [&](const std::vector<Message>& messages) {
    return Request{.messages = messages, .tools = tools, .sampling = &sampling, .memory = &memory};
  };
  const auto body = [&](const Request& request) {
    return said(encode(endpoint, request, Delivery::whole));
  };
  const std::vector<Message> begun{Message::user("Begin")};
  const std::vector<Message> another{Message::user("Another"), called, result};
  const std::vector<Message> longer{Message::user("Another"), called, result, called, result};
  EXPECT_TRUE(body(request_of(begun)).contains("Begin"));
  KeptHistory::continue_with(memory, request_of(another));
  EXPECT_TRUE(body(request_of(another)).contains("Begin"));
  EXPECT_TRUE(body(request_of(longer)).contains("Another")) << "it holds for one request";
}

// Somebody between the owner and the vendor may send other messages with the owner's memory.
TEST(SentHistory, that_goes_on_does_so_for_the_request_that_was_named) {
  const std::vector<Tool> tools{Tool{{.name = "read", .description = "Reads."}, {}}};
  const std::vector<Tool> others{Tool{{.name = "write", .description = "Writes."}, {}}};
  const Sampling sampling;
  const Endpoint endpoint;
  RequestMemory memory;
  const Message called{Role::assistant, {ToolCall{"1", "read", "{}"}}};
  const Message result = Message::tool({.call_id = "1", .name = "read", .content = "It."});
  const std::vector<Message> begun{Message::user("The password is xyzzy")};
  const std::vector<Message> own{begun.front(), called, result};
  const std::vector<Message> changed{Message::user("The password is ***"), called, result};
  const auto body = [&](std::span<const Message> messages, std::span<const Tool> offered) {
    const Request request{
        .messages = messages, .tools = offered, .sampling = &sampling, .memory = &memory};
    return said(encode(endpoint, request, Delivery::whole));
  };
  EXPECT_TRUE(body(begun, tools).contains("xyzzy"));
  KeptHistory::continue_with(memory, {.messages = own, .tools = tools});
  EXPECT_FALSE(body(changed, tools).contains("xyzzy"));
  EXPECT_TRUE(body(own, tools).contains("xyzzy"));
  KeptHistory::continue_with(memory, {.messages = own, .tools = tools});
  EXPECT_TRUE(body(own, others).contains("Writes."));
}

TEST(SharedTexts, are_there_once_as_long_as_somebody_has_them) {
  SharedTexts texts;
  auto one = texts.share("tools");
  EXPECT_EQ(texts.share("tools"), one);
  EXPECT_NE(texts.share("others"), one);
  const std::weak_ptr<const std::string> gone = one;
  one.reset();
  EXPECT_TRUE(gone.expired());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(*texts.share(std::to_string(i)), std::to_string(i));
}

TEST(SentHistory, is_given_to_one_at_a_time) {
  RequestMemory memory;
  memory.keep(std::make_unique<SentHistory>());
  EXPECT_NE(memory.take(), nullptr);
  EXPECT_EQ(memory.take(), nullptr);
}

}  // namespace
}  // namespace wright::providers
