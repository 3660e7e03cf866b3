// Every part of a message, and every field of each, through every place that carries messages:
// JSON, a run's JSON, a fork, an export, a cassette, and a replay. store_messages_test.cpp has all
// stores.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "app/terminal/transcript.h"
#include "core/every_part_testing.h"
#include "core/temporary_folder_testing.h"
#include "wright/message.h"
#include "wright/replay.h"
#include "wright/run.h"
#include "wright/store.h"

namespace wright::app {
namespace {

class EveryPart : public ::testing::Test {
 protected:
  const ToolResult& result() const { return std::get<ToolResult>(messages_.at(2).parts.at(0)); }

  SessionId keep(Store& store) const {
    const auto id = store.create_session(
        {.agent_name = "all", .provider = "p", .model = "m", .user_prompt = "?"});
    if (!id) return ADD_FAILURE() << id.error().message, 0;
    for (const Message& message : messages_) {
      if (message.role == Role::tool) finish_call(store, *id);
      const auto kept = store.apply_one(AppendMessage{.session_id = *id, .message = message});
      EXPECT_TRUE(kept) << (kept ? "" : kept.error().message);
    }
    EXPECT_TRUE(store.complete_session(*id, "Done."));
    return *id;
  }

  void finish_call(Store& store, SessionId id) const {
    const CallId call = store.get_tool_calls(id)->at(0).id;
    EXPECT_TRUE(store.start_tool_call(call));
    EXPECT_TRUE(store.apply_one(
        UpdateCall{.call_id = call, .status = CallStatus::completed, .result = result()}));
  }

  void expect_all(Store& store, SessionId id) const {
    const auto kept = store.get_messages(id);
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_EQ(kept->size(), messages_.size());
    for (std::size_t i = 0; i < messages_.size(); ++i) EXPECT_EQ(kept->at(i).message, messages_[i]);
    EXPECT_EQ(store.get_tool_calls(id)->at(0).result, result());
  }

  void expect_all_from(Store& store, SessionId id) const {
    expect_all(store, id);
    const auto fork = store.fork_session(id, store.get_messages(id)->back().id);
    ASSERT_TRUE(fork) << fork.error().message;
    expect_all(store, *fork);
    expect_exported(store, *fork);
    expect_recorded(store, *fork);
  }

  void expect_exported(Store& store, SessionId id) const {
    const auto transcript = load_transcript(store, id);
    ASSERT_TRUE(transcript) << transcript.error().message;
    const auto read = parse_json(to_text(transcript_json(*transcript)));
    ASSERT_TRUE(read) << read.error().message;
    const JsonArray& exported = read->as_object().at("messages").as_array();
    ASSERT_EQ(exported.size(), messages_.size());
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      JsonObject form = exported[i].as_object();
      EXPECT_EQ(message_from_json(form), messages_[i]);
    }
  }

  void expect_recorded(Store& store, SessionId id) const {
    const auto recorded = load_recording(store, id);
    ASSERT_TRUE(recorded) << recorded.error().message;
    const auto read = cassette_from(cassette_text(*recorded, Redactor()));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->messages.size(), messages_.size());
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      // A cassette keeps what a model thought and cited, not what only its vendor can read.
      Message expected = messages_[i];
      for (Part& part : expected.parts) {
        if (auto* thought = std::get_if<Reasoning>(&part)) thought->opaque.clear();
        if (auto* text = std::get_if<Text>(&part)) {
          for (Citation& cited : text->citations) cited.opaque.clear();
        }
      }
      EXPECT_EQ(read->messages[i], expected) << to_text(to_json(read->messages[i])) << "\n"
                                             << to_text(to_json(expected));
    }
    EXPECT_EQ(read->calls.at(0).result, result());
    expect_replayed(as_run_again(*recorded));
    expect_replayed(as_run_again(*read));
  }

  // A failed call of a replay has words alone, and a tool needs a name.
  static RecordedSession as_run_again(RecordedSession recorded) {
    const auto succeed = [](ToolResult& result) {
      result.name = "act";
      result.is_error = false;
      result.origin = ToolResult::Origin::tool;
    };
    for (Message& message : recorded.messages) {
      for (Part& part : message.parts) {
        if (auto* result = std::get_if<ToolResult>(&part)) succeed(*result);
        if (auto* call = std::get_if<ToolCall>(&part)) call->name = "act";
      }
    }
    for (RecordedCall& call : recorded.calls) succeed(*call.result);
    return recorded;
  }

  // What comes of it now is what is recorded.
  static void expect_replayed(const RecordedSession& recorded) {
    const auto report = replay(recorded_agent(recorded), recorded);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->is_complete);
    for (const Difference& each : report->differences) {
      ADD_FAILURE() << each.what << "\n" << each.recorded << "\n" << each.now;
    }
    ASSERT_EQ(report->session.messages.size(), recorded.messages.size());
    for (std::size_t i = 0; i < recorded.messages.size(); ++i) {
      EXPECT_EQ(report->session.messages[i], recorded.messages[i])
          << to_text(to_json(report->session.messages[i])) << "\n"
          << to_text(to_json(recorded.messages[i]));
    }
  }

  const std::vector<Message> messages_ = testing::every_part();
  const TemporaryFolder folder_;
};

TEST_F(EveryPart, goes_through_json) {
  for (const Message& message : messages_) {
    const auto text = parse_json(to_text(to_json(message)));
    ASSERT_TRUE(text);
    EXPECT_EQ(message_from_json(*text), message);
  }
}

TEST_F(EveryPart, goes_through_the_json_of_a_run) {
  wright::Run stored;
  stored.agent = "all";
  stored.messages = messages_;
  const auto run = restored(std::move(stored));
  ASSERT_TRUE(run) << run.error().message;
  const auto text = parse_json(to_text(to_json(*run)));
  ASSERT_TRUE(text);
  EXPECT_EQ(run_from_json(*text), *run);
}

TEST_F(EveryPart, goes_through_a_store_in_memory) {
  const auto store = open_memory_store();
  expect_all_from(*store, keep(*store));
}

TEST_F(EveryPart, goes_through_a_file_that_is_opened_again) {
  const auto file = folder_ / "sessions.db";
  SessionId id = 0;
  {
    const auto store = open_sqlite_store(file);
    ASSERT_TRUE(store) << store.error().message;
    id = keep(**store);
  }
  const auto store = open_sqlite_store(file);
  ASSERT_TRUE(store) << store.error().message;
  expect_all_from(**store, id);
}

}  // namespace
}  // namespace wright::app
