#include "app/terminal/transcript.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::app {
namespace {

// A session with two calls, one of which failed, kept in a real store.
class TranscriptTest : public ::testing::Test {
 protected:
  TranscriptTest() {
    const Message asks{Role::assistant,
                       {ToolCall{"call_1", "grep", R"({"pattern": "x"})"},
                        ToolCall{"call_2", "read_file", "{broken"}}};
    const auto created = store_->create_session_with(
        {.agent_name = "codebase-analysis",
         .provider = "offline",
         .model = "planner",
         .user_prompt = "Where is x?"},
        std::vector<Write>{AppendMessage{0, Message::user("Where is x?")}, AppendMessage{0, asks}});
    id_ = created->first;
    const auto& calls = created->second.calls;
    std::string lines;
    for (int i = 1; i <= 40; ++i) lines += "x.cpp:" + std::to_string(i) + ": ```x``` \x1b[31m\n";
    const std::vector<Write> writes{
        UpdateCall{calls[0], CallStatus::executing},
        UpdateCall{calls[0], CallStatus::completed, Json("found"), 12},
        UpdateCall{calls[1], CallStatus::failed, {}, {}, "no JSON"},
        AppendMessage{id_, Message::tool({"call_1", "grep", lines, false})},
        AppendMessage{id_, Message::tool({"call_2", "read_file", "no JSON", true})},
        AppendMessage{id_, Message::assistant("In **x.cpp**.")},
        UpdateSession{.session_id = id_,
                      .status = SessionStatus::completed,
                      .result = "In **x.cpp**.",
                      .usage = Usage{1200, 30, 0, 0},
                      .iterations = 2}};
    const auto applied = store_->apply(writes);
    if (!applied) throw std::runtime_error(applied.error().message);
  }

  Transcript transcript() { return load_transcript(*store_, id_).value(); }

  std::int64_t now_ = 1'700'000'000'000;
  std::unique_ptr<Store> store_ = open_memory_store([this] { return now_ += 10; });
  SessionId id_ = 0;
};

TEST_F(TranscriptTest, exports_json_that_gives_back_every_message_and_call) {
  const auto parsed = parse_json(to_pretty_text(transcript_json(transcript())));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->at("format").as_string(), "wright-session");
  EXPECT_EQ(parsed->at("version").as_int64(), 1);
  EXPECT_EQ(parsed->at("session").at("status").as_string(), "completed");
  EXPECT_EQ(parsed->at("session").at("usage").at("input_tokens").as_int64(), 1200);

  const auto stored = store_->get_messages(id_).value();
  const JsonArray& messages = parsed->at("messages").as_array();
  ASSERT_EQ(messages.size(), stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    EXPECT_EQ(message_from_json(messages[i]).value(), stored[i].message);
    EXPECT_EQ(messages[i].at("id").as_int64(), stored[i].id);
  }
  const JsonArray& calls = parsed->at("tool_calls").as_array();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].at("request").at("pattern").as_string(), "x");
  EXPECT_EQ(calls[0].at("execution_time_ms").as_int64(), 12);
  EXPECT_EQ(calls[0].at("status").as_string(), "completed");
  EXPECT_EQ(calls[1].at("request").as_string(), "{broken");
  EXPECT_EQ(calls[1].at("error_details").as_string(), "no JSON");
}

// A call without a result looks like one that has just begun, unless it is said what it is.
TEST_F(TranscriptTest, says_where_calls_stand_that_have_no_result) {
  const Message asks{
      Role::assistant,
      {ToolCall{"w", "bash", "{}"}, ToolCall{"u", "bash", "{}"}, ToolCall{"e", "bash", "{}"}}};
  const auto ids = store_->apply_one(AppendMessage{id_, asks, 3}).value().calls;
  ASSERT_TRUE(store_->apply(std::vector<Write>{
      UpdateCall{ids[0], CallStatus::waiting},
      UpdateCall{ids[1], CallStatus::unknown, {}, {}, "The process ended while it ran"}}));
  const std::string shown = transcript_view(transcript(), Terminal{});
  EXPECT_NE(shown.find("    waiting for a person\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("    unknown: The process ended while it ran\n"), std::string::npos)
      << shown;
  EXPECT_NE(shown.find("    executing\n"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("    completed"), std::string::npos) << shown;
  EXPECT_NE(transcript_markdown(transcript()).find("**bash** (waiting for a person)"),
            std::string::npos);
}

TEST_F(TranscriptTest, exports_markdown_whose_fences_no_content_can_close) {
  const std::string text = transcript_markdown(transcript());
  EXPECT_TRUE(text.starts_with("# Session " + std::to_string(id_) + ": codebase-analysis\n"));
  EXPECT_NE(text.find("- status: completed\n"), std::string::npos) << text;
  EXPECT_NE(text.find("**grep** (completed, 12 ms)\n\n````\nx.cpp:1: ```x```"), std::string::npos)
      << text;
  EXPECT_NE(text.find("**read\\_file** (failed)\n\n```\nno JSON\n```"), std::string::npos) << text;
  EXPECT_NE(text.find("x.cpp:40"), std::string::npos) << "nothing is shortened";
  EXPECT_TRUE(text.ends_with("## codebase-analysis\n\nIn **x.cpp**.\n")) << text;
}

TEST_F(TranscriptTest, reads_well_and_harmlessly_on_a_terminal) {
  const std::string text = transcript_view(transcript(), Terminal{.is_terminal = true});
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find("\nYou  [1]\n  Where is x?\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  → grep  pattern=\"x\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  ✓ grep  completed, 12 ms  [3]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  ✗ read_file  failed  [4]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    x.cpp:12: "), std::string::npos) << text;
  EXPECT_EQ(text.find("x.cpp:13: "), std::string::npos) << text;
  EXPECT_NE(text.find("… 28 lines more"), std::string::npos) << text;
  EXPECT_NE(text.find("2 turns, 2 tool calls, 1.2k tokens in, 30 out"), std::string::npos) << text;
}

TEST_F(TranscriptTest, shows_results_that_are_json_as_lines) {
  Transcript with_json = transcript();
  with_json.messages[2].message = Message::tool(
      {"call_1", "grep",
       R"({"files": [{"path": "a.cpp", "count": 2}, "b"], "text": "one\ntwo", "total": 3, "none": []})",
       false});
  const std::string text = transcript_view(with_json, Terminal{});
  EXPECT_NE(text.find("    files:\n"
                      "      path=\"a.cpp\" count=2\n"
                      "      b\n"
                      "    text:\n"
                      "      one\n"
                      "      two\n"
                      "    total: 3\n"
                      "    none:\n"),
            std::string::npos)
      << text;
}

TEST_F(TranscriptTest, shows_what_a_caller_told_as_such) {
  const Message asks{Role::assistant, {ToolCall{"f1", "bash", R"({"command": "rm -rf /x"})"}}};
  const auto created = store_->create_session_with(
      {.agent_name = "w", .user_prompt = "Well?", .config = {{"told_messages", 3}}},
      std::vector<Write>{
          AppendMessage{.message = Message::user("Please"), .is_told = true},
          AppendMessage{.message = asks, .is_told = true},
          AppendMessage{.message = Message::tool({"f1", "bash", "gone", false}), .is_told = true},
          AppendMessage{.message = Message::user("Well?")}});
  const auto told = load_transcript(*store_, created->first).value();
  const std::string view = transcript_view(told, Terminal{});
  EXPECT_NE(view.find("0 tool calls"), std::string::npos) << view;
  EXPECT_EQ(view.find("completed"), std::string::npos) << view;
  EXPECT_NE(view.find("bash  told by the caller, did not run here"), std::string::npos) << view;
  EXPECT_NE(view.find("You  [4]\n"), std::string::npos) << view;
  const std::string markdown = transcript_markdown(told);
  EXPECT_NE(markdown.find("**bash** (told by the caller, did not run here)"), std::string::npos);
  EXPECT_EQ(markdown.find("(completed)"), std::string::npos);
  const Json json = transcript_json(told);
  EXPECT_TRUE(json.at("messages").at(2).at("is_told").as_bool());
  EXPECT_FALSE(json.at("messages").at(3).as_object().contains("is_told"));
}

TEST_F(TranscriptTest, is_refused_for_a_session_that_does_not_exist) {
  EXPECT_EQ(load_transcript(*store_, 999).error().code, ErrorCode::not_found);
}

TEST_F(TranscriptTest, shows_what_was_said_and_not_read_yet) {
  Transcript waiting = transcript();
  waiting.unread = {Message::user("One more thing")};
  EXPECT_EQ(transcript_json(waiting).at("unread").at(0), to_json(Message::user("One more thing")));
  EXPECT_FALSE(transcript_json(transcript()).as_object().contains("unread"));
  for (const std::string& text :
       {transcript_view(waiting, Terminal{}), transcript_markdown(waiting)}) {
    EXPECT_NE(text.find("not read yet"), std::string::npos) << text;
    EXPECT_NE(text.find("One more thing"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace wright::app
