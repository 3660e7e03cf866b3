#include "telemetry/session_spans.h"
#include "core/hex.h"

#include <fmt/format.h>
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
  ObserveRequest watch() {
    return [this](const AskedModel& asked) { spans_->asked(asked); };
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
        watch());
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

// A model behind an address.
class AddressedModel : public ModelBackend {
 public:
  explicit AddressedModel(Response response) : response_(std::move(response)) {}
  Result<Response> complete(const Request&, const ModelCall&) override { return response_; }
  Result<std::vector<HttpRequest>> preview(const Request&) const override {
    return std::vector<HttpRequest>{{.url = "https://api.example.com:8443/v1/chat?key=secret"}};
  }

 private:
  const Response response_;
};

TEST_F(SessionSpansTest, tell_how_a_model_was_asked_and_which_tools_it_called) {
  response_.id = "resp_7";
  response_.content.push_back(call_);
  response_.stop_reason = StopReason::tool_use;
  spans_->describe("chief", "Leads the others");
  const auto helper = wright::tool("helper", "Helps with secret things", [] { return 1; });
  const Sampling sampling{.max_tokens = 321,
                          .temperature = 0.5,
                          .top_p = 0.25,
                          .stop_sequences = {"END"},
                          .response_format = {.kind = ResponseFormat::Kind::json_object}};
  const Request request{.tools = {&helper, 1}, .sampling = &sampling};
  const Model model = observed_model(
      Model("mistral", "large", std::make_shared<AddressedModel>(response_)), watch());
  tell(SessionStarted{1});
  tell(ModelStarted{1, model.provider(), model.name()});
  model.start(request, {.on_text = [](TextPiece) {}, .trace = spans_->trace_of(1, "")},
              [&](const Result<Response>& response) { ASSERT_TRUE(response); });
  tell(ModelEnded{response_, 5});
  tell(ToolStarted{call_});
  tell(ToolEnded{call_, {}});
  end();

  const Span& chat = named("chat large");
  EXPECT_EQ(attribute<std::string>(chat, "gen_ai.provider.name"), "mistral_ai");
  EXPECT_EQ(attribute<std::string>(chat, "gen_ai.response.id"), "resp_7");
  EXPECT_EQ(attribute<std::vector<std::string>>(chat, "gen_ai.response.finish_reasons"),
            std::vector<std::string>{"tool_call"});
  EXPECT_EQ(attribute<std::int64_t>(chat, "gen_ai.request.max_tokens"), 321);
  EXPECT_EQ(attribute<double>(chat, "gen_ai.request.temperature"), 0.5);
  EXPECT_EQ(attribute<double>(chat, "gen_ai.request.top_p"), 0.25);
  EXPECT_EQ(attribute<std::vector<std::string>>(chat, "gen_ai.request.stop_sequences"),
            std::vector<std::string>{"END"});
  EXPECT_EQ(attribute<bool>(chat, "gen_ai.request.stream"), true);
  EXPECT_EQ(attribute<std::string>(chat, "gen_ai.output.type"), "json");
  EXPECT_EQ(attribute<std::string>(chat, "server.address"), "api.example.com");
  EXPECT_EQ(attribute<std::int64_t>(chat, "server.port"), 8443);
  const Span& tool = named("execute_tool helper");
  EXPECT_EQ(tool.kind, SpanKind::internal);
  EXPECT_EQ(attribute<std::string>(tool, "gen_ai.operation.name"), "execute_tool");
  EXPECT_EQ(attribute<std::string>(tool, "gen_ai.tool.type"), "function");
  EXPECT_EQ(attribute<std::string>(tool, "gen_ai.tool.description"), "Helps with secret things");
  const Span& agent = named("invoke_agent chief");
  EXPECT_EQ(agent.kind, SpanKind::internal);
  EXPECT_EQ(attribute<std::string>(agent, "gen_ai.agent.description"), "Leads the others");
  EXPECT_EQ(attribute<std::string>(agent, "gen_ai.provider.name"), "mistral_ai");
}

TEST_F(SessionSpansTest, say_nothing_that_was_not_asked_for) {
  const Sampling sampling;
  const Request request{.sampling = &sampling};
  tell(SessionStarted{1});
  tell(ModelStarted{1, "openai", "gpt"});
  spans_->asked({.request = request, .server = {}, .at = spans_->trace_of(1, "")});
  tell(ModelEnded{response_, 5});
  end();
  std::set<std::string_view> names;
  for (const Attribute& each : named("chat gpt").attributes) names.insert(each.name);
  for (const char* absent : {"gen_ai.request.temperature", "gen_ai.request.top_p",
                             "gen_ai.request.stop_sequences", "gen_ai.request.stream",
                             "gen_ai.output.type", "gen_ai.response.id", "server.address",
                             "server.port", "error.type", "gen_ai.usage.reasoning.output_tokens"}) {
    EXPECT_FALSE(names.contains(absent)) << absent;
  }
  EXPECT_EQ(names.size(), named("chat gpt").attributes.size()) << "none stands there twice";
}

TEST(ObservedModel, is_asked_for_what_would_be_sent_as_before) {
  const Model model = observed_model(Model("x", "y", std::make_shared<AddressedModel>(Response())),
                                     [](const AskedModel&) {});
  const auto preview = model.preview({});
  ASSERT_TRUE(preview) << preview.error().message;
  EXPECT_EQ(preview->size(), 1U);
}

TEST(ObservedModel, reads_addresses) {
  const auto read = [](std::string_view url) {
    const ServerAddress address = address_in(url);
    return fmt::format("{} {}", address.host, address.port);
  };
  EXPECT_EQ(read("https://api.example.com/v1"), "api.example.com 443");
  EXPECT_EQ(read("http://user:word@localhost:11434?x"), "localhost 11434");
  EXPECT_EQ(read("http://[::1]"), "::1 80");
  EXPECT_EQ(read("http://[::1]:8080/"), "::1 8080");
  EXPECT_EQ(read("unix:/x"), " 0");
  EXPECT_EQ(read(""), " 0");
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
