#include "telemetry/session_spans.h"
#include "core/hex.h"

#include <gtest/gtest.h>

#include <set>

#include "telemetry/content.h"
#include "telemetry/observed_model.h"

namespace wright::telemetry {
namespace {

const TraceContext kAsked{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=b"};

class SessionSpansTest : public ::testing::Test {
 protected:
  void make(TelemetrySettings settings = {}) {
    spans_ = std::make_unique<SessionSpans>(
        settings, [this](Span span) { told_.push_back(std::move(span)); });
  }
  void SetUp() override { make(); }

  void tell(const Event& event, std::int64_t session = 1, std::int64_t parent = 0) {
    spans_->observe(event, {.session_id = session,
                            .parent_session_id = parent == 0 ? std::nullopt : std::optional(parent),
                            .depth = parent == 0 ? 0 : 1,
                            .agent = session == 1 ? "chief" : "helper"});
  }
  void answer(std::int64_t session = 1, std::int64_t parent = 0) {
    tell(ModelStarted{1, "openai", "gpt"}, session, parent);
    tell(ModelEnded{response_, 5}, session, parent);
  }
  void end(std::int64_t session = 1, std::int64_t parent = 0) {
    tell(RunEnded{Phase::done, "fine", nullptr}, session, parent);
  }
  const Span& named(std::string_view name) {
    for (const Span& span : told_) {
      if (span.name == name) return span;
    }
    ADD_FAILURE() << "no span " << name;
    static const Span none;
    return none;
  }
  template <class Value>
  static std::optional<Value> attribute(const Span& span, std::string_view name) {
    for (const Attribute& each : span.attributes) {
      if (each.name == name) return std::get<Value>(each.value);
    }
    return std::nullopt;
  }

  Response response_{.content = {Text{.text = "hello"}},
                     .usage = {.input_tokens = 10, .output_tokens = 3, .cached_tokens = 4},
                     .model = "gpt-2026"};
  ToolCall call_{"c1", "helper", R"({"message":"secret question"})"};
  std::unique_ptr<SessionSpans> spans_;
  std::vector<Span> told_;
};

TEST_F(SessionSpansTest, form_a_tree_across_specialists) {
  tell(SessionStarted{1});
  answer();
  tell(ToolStarted{call_});
  tell(ChildStarted{call_, "helper", 2});
  tell(SessionStarted{2}, 2, 1);
  answer(2, 1);
  end(2, 1);
  const ToolOutcome outcome{.result = {.call_id = "c1", .name = "helper", .content = "answer"}};
  tell(ToolEnded{call_, outcome});
  answer();
  end();

  ASSERT_EQ(told_.size(), 6U);
  const Span& root = named("invoke_agent chief");
  const Span& tool = named("execute_tool helper");
  const Span& child = named("invoke_agent helper");
  EXPECT_EQ(root.parent, SpanId{});
  EXPECT_EQ(tool.parent, root.id);
  EXPECT_EQ(child.parent, tool.id);
  std::set<SpanId> ids;
  for (const Span& span : told_) {
    EXPECT_EQ(span.trace, root.trace);
    EXPECT_LE(span.began_ns, span.ended_ns);
    EXPECT_GE(span.began_ns, root.began_ns);
    EXPECT_LE(span.ended_ns, root.ended_ns);
    ids.insert(span.id);
    if (!span.name.starts_with("chat")) continue;
    EXPECT_EQ(span.kind, SpanKind::client);
    EXPECT_EQ(span.parent,
              *attribute<std::string>(span, "gen_ai.agent.name") == "chief" ? root.id : child.id);
  }
  EXPECT_EQ(ids.size(), told_.size());
  EXPECT_EQ(attribute<std::int64_t>(root, "gen_ai.usage.input_tokens"), 20);
  EXPECT_EQ(attribute<std::string>(root, "gen_ai.conversation.id"), "1");
  const Span& chat = named("chat gpt");
  EXPECT_EQ(attribute<std::string>(chat, "gen_ai.provider.name"), "openai");
  EXPECT_EQ(attribute<std::string>(chat, "gen_ai.response.model"), "gpt-2026");
  EXPECT_EQ(attribute<std::int64_t>(chat, "gen_ai.usage.cache_read.input_tokens"), 4);
  EXPECT_EQ(attribute<std::string>(tool, "gen_ai.tool.call.id"), "c1");
}

TEST_F(SessionSpansTest, hold_no_content_unless_that_is_wanted) {
  const auto all_texts = [&] {
    std::string texts;
    for (const Span& span : told_) {
      texts += span.name + span.error;
      for (const Attribute& each : span.attributes) {
        if (const auto* text = std::get_if<std::string>(&each.value)) texts += *text;
      }
    }
    return texts;
  };
  const auto run = [&] {
    tell(SessionStarted{1});
    answer();
    tell(ToolStarted{call_});
    ToolOutcome outcome{.result = {.call_id = "c1", .content = "secret answer", .is_error = true},
                        .error = Error{ErrorCode::tool_failed, "secret trouble", {}}};
    tell(ToolEnded{call_, outcome});
    end();
  };
  run();
  EXPECT_EQ(all_texts().find("secret"), std::string::npos);
  EXPECT_EQ(all_texts().find("hello"), std::string::npos);
  EXPECT_EQ(attribute<std::string>(named("execute_tool helper"), "error.type"), "tool_failed");
  told_.clear();
  make({.has_content = true});
  run();
  for (const char* said : {"secret question", "secret answer", "secret trouble", "hello"}) {
    EXPECT_NE(all_texts().find(said), std::string::npos) << said;
  }
}

TEST_F(SessionSpansTest, tell_what_the_model_reads_only_where_content_is_wanted) {
  const std::vector<Message> messages{
      Message::user("secret question"),
      {Role::assistant, {Text{.text = "I look"}, ToolCall{"c1", "look", R"({"at":"it"})"}}},
      Message::tool(ToolResult{"c1", "look", "found"})};
  const auto look = wright::tool("look", "Looks", [] { return 1; });
  const Request request{.messages = messages, .system = "Be kind", .tools = {&look, 1}};
  const auto run = [&] {
    tell(SessionStarted{1});
    const Model model = observed_model(
        model_from("openai", "gpt",
                   [&](const Request& asked, const ModelCall&) -> Result<Response> {
                     EXPECT_EQ(asked.system, "Be kind");
                     return response_;
                   }),
        [&](const Request& asked, const TraceContext& at) { spans_->asked(asked, at); });
    tell(ModelStarted{1, "openai", "gpt"});
    EXPECT_TRUE(model.complete(request, {.trace = spans_->trace_of(1, "")}));
    tell(ModelEnded{response_, 5});
    end();
  };
  run();
  EXPECT_FALSE(attribute<std::string>(named("chat gpt"), "gen_ai.input.messages"));
  EXPECT_FALSE(attribute<std::string>(named("chat gpt"), "gen_ai.system_instructions"));
  EXPECT_FALSE(attribute<std::string>(named("chat gpt"), "gen_ai.tool.definitions"));
  told_.clear();
  make({.has_content = true});
  run();
  const Span& chat = named("chat gpt");
  EXPECT_EQ(attribute<std::string>(chat, "gen_ai.input.messages"),
            R"([{"role":"user","parts":[{"type":"text","content":"secret question"}]},)"
            R"({"role":"assistant","parts":[{"type":"text","content":"I look"},)"
            R"({"type":"tool_call","id":"c1","name":"look","arguments":{"at":"it"}}]},)"
            R"({"role":"tool","parts":[{"type":"tool_call_response","id":"c1",)"
            R"("response":"found"}]}])");
  EXPECT_EQ(attribute<std::string>(chat, "gen_ai.system_instructions"),
            R"([{"type":"text","content":"Be kind"}])");
  const auto definitions =
      parse_json(attribute<std::string>(chat, "gen_ai.tool.definitions").value_or(""));
  ASSERT_TRUE(definitions);
  EXPECT_EQ(definitions->at(0).at("type"), Json("function"));
  EXPECT_EQ(definitions->at(0).at("name"), Json("look"));
  EXPECT_EQ(definitions->at(0).at("description"), Json("Looks"));
  EXPECT_TRUE(definitions->at(0).at("parameters").is_object());
}

TEST(TelemetryContent, is_json_however_long_the_conversation_is) {
  std::vector<Message> messages;
  for (int i = 0; i < 500; ++i) messages.push_back(Message::user(std::string(1'000, 'x')));
  messages.push_back(Message::user(std::string(100'000, 'y') + "end"));
  messages.push_back(Message::user("the newest"));
  const std::string text = input_messages({.messages = messages});
  EXPECT_LE(text.size(), kMostContent);
  EXPECT_GT(text.size(), kMostContent / 2);
  const auto json = parse_json(text);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->as_array().back().at("parts").at(0).at("content"), Json("the newest"));
}

TEST_F(SessionSpansTest, tell_of_errors_where_they_were) {
  tell(SessionStarted{1});
  tell(ModelStarted{1, "openai", "gpt"});
  const Error error{ErrorCode::rate_limited, "too many requests", {}};
  tell(ModelRetried{{error, "openai:gpt", std::chrono::milliseconds(1)}});
  tell(RunEnded{Phase::failed, "", &error});
  const Span& chat = named("chat gpt");
  EXPECT_TRUE(chat.has_failed);
  EXPECT_EQ(attribute<std::string>(chat, "error.type"), "rate_limited");
  EXPECT_EQ(attribute<std::int64_t>(chat, "wright.retries"), 1);
  EXPECT_TRUE(named("invoke_agent chief").has_failed);
  EXPECT_EQ(named("invoke_agent chief").error, "too many requests");
}

TEST_F(SessionSpansTest, stand_below_whoever_asked) {
  spans_->adopt(1, kAsked);
  tell(SessionStarted{1});
  tell(ModelStarted{1, "openai", "gpt"});
  const TraceContext passed = spans_->trace_of(1, "");
  EXPECT_EQ(passed.trace_id(), kAsked.trace_id());
  EXPECT_EQ(passed.state, "a=b");
  tell(ModelEnded{response_, 1});
  tell(ToolStarted{call_});
  const TraceContext to_tool = spans_->trace_of(1, "c1");
  tell(ToolEnded{call_, {}});
  end();
  EXPECT_EQ(hex_of(named("invoke_agent chief").parent), kAsked.span_id());
  EXPECT_EQ(hex_of(named("chat gpt").id), passed.span_id());
  EXPECT_EQ(hex_of(named("execute_tool helper").id), to_tool.span_id());
  EXPECT_FALSE(spans_->trace_of(1, "").is_set());
}

TEST_F(SessionSpansTest, go_on_in_the_same_trace_after_a_wait) {
  tell(SessionStarted{1});
  answer();
  tell(ToolStarted{call_});
  ToolOutcome outcome;
  outcome.waiting = Waiting{.kind = WaitKind::approval};
  tell(ToolEnded{call_, outcome});
  tell(RunWaiting{});
  const Span first = named("invoke_agent chief");
  EXPECT_EQ(attribute<std::string>(first, "wright.phase"), "waiting");
  EXPECT_EQ(attribute<std::string>(named("execute_tool helper"), "wright.waits_for"), "approval");
  told_.clear();
  tell(SessionStarted{1});
  end();
  EXPECT_EQ(named("invoke_agent chief").trace, first.trace);
  EXPECT_EQ(named("invoke_agent chief").parent, first.id);
}

TEST_F(SessionSpansTest, are_chosen_by_the_sampler) {
  make({.sampler = {.asks_parent = true, .ratio = 0}});
  tell(SessionStarted{1});
  EXPECT_TRUE(spans_->trace_of(1, "").parent.ends_with("-00"));
  end();
  EXPECT_TRUE(told_.empty());
  spans_->adopt(1, kAsked);  // it is recorded by whoever asked
  tell(SessionStarted{1});
  end();
  EXPECT_EQ(told_.size(), 1U);
  TraceContext unrecorded = kAsked;
  unrecorded.parent.back() = '0';
  make();
  spans_->adopt(1, unrecorded);
  tell(SessionStarted{1});
  end();
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(SessionSpansTest, are_not_confused_by_what_comes_out_of_order) {
  tell(ModelEnded{response_, 1});
  tell(ToolEnded{call_, {}});
  end();
  EXPECT_TRUE(told_.empty());
  tell(SessionStarted{2}, 2, 77);  // the session above is another process's
  tell(ToolEnded{call_, {}}, 2, 77);
  tell(ModelStarted{1}, 2, 77);
  tell(ModelStarted{1}, 2, 77);
  end(2, 77);
  end(2, 77);
  EXPECT_EQ(told_.size(), 3U);
  tell(SessionStarted{0}, 0);
  EXPECT_FALSE(spans_->trace_of(0, "").is_set());
}

}  // namespace
}  // namespace wright::telemetry
