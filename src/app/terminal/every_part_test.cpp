// Every part of a message, and every field of each, through every place that keeps or carries
// messages: JSON, a run's JSON, both stores, a fork, an export, a cassette, and a replay.
//
// Nobody lists the fields here: they are found by the compiler and filled with values that no field
// has by itself, so that a new one is in the test the day it is written. A new Part has no place in
// the conversation below, and does not compile before it has one.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/terminal/transcript.h"
#include "core/enum_names.h"
#include "wright/detail/plain_struct.h"
#include "wright/message.h"
#include "wright/replay.h"
#include "wright/run.h"
#include "wright/store.h"

namespace wright::app {
namespace {

// --- a value for every field
// -----------------------------------------------------------------------

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class Enum, std::size_t count = 0>
constexpr std::size_t enumerators() {
  if constexpr (has_enumerator<static_cast<Enum>(count)>()) {
    return enumerators<Enum, count + 1>();
  } else {
    return count;
  }
}

// Each value is another one, and none is the field's default.
class Filler {
 public:
  template <class T>
  void fill(T& value) {
    ++filled_;
    if constexpr (std::same_as<T, std::string>) {
      value = "\xc3\xa9\n\"\\{" + std::to_string(filled_);
    } else if constexpr (std::same_as<T, bool>) {
      value = true;
    } else if constexpr (std::unsigned_integral<T>) {
      value = static_cast<T>(~T{0} - filled_);
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(filled_);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(enumerators<T>() - 1);
    } else if constexpr (IsList<T>::value) {
      value.resize(2);
      for (auto& each : value) fill(each);
    } else if constexpr (IsOptional<T>::value) {
      fill(value.emplace());
    } else if constexpr (std::same_as<T, Json>) {
      value = JsonObject{{"filled", filled_}};
    } else {
      static_assert(detail::is_plain_struct<T>(),
                    "say here what a field of this type is filled with");
      std::apply([&](auto&... member) { (fill(member), ...); }, detail::members_of(value));
    }
  }

 private:
  std::uint64_t filled_ = 0;
};

template <class T>
void expect_no_default_in(const T& value) {
  const T usual{};
  const auto compare = [](const auto& filled, const auto& untouched) {
    EXPECT_NE(filled, untouched);
  };
  const auto members = detail::members_of(value);
  const auto defaults = detail::members_of(usual);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (compare(std::get<I>(members), std::get<I>(defaults)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(members)>>());
}

// --- a conversation with every part
// ------------------------------------------------------------------

struct Conversation {
  Message user{Role::user, {}};
  Message assistant{Role::assistant, {}};
  Message tool{Role::tool, {}};

  // Where each part may stand. A part of a new kind needs a line here.
  void place(Text part) {
    user.parts.emplace_back(part);
    assistant.parts.emplace_back(std::move(part));
  }
  void place(Image part) { user.parts.emplace_back(std::move(part)); }
  void place(Reasoning part) { assistant.parts.emplace_back(std::move(part)); }
  void place(ToolCall part) { assistant.parts.emplace_back(std::move(part)); }
  void place(ToolResult part) { tool.parts.emplace_back(std::move(part)); }
  void place(Notice part) {
    for (std::size_t kind = 0; kind < enumerators<Notice::Kind>(); ++kind) {
      part.kind = static_cast<Notice::Kind>(kind);
      user.parts.emplace_back(part);
    }
  }
};

template <std::size_t... I>
Conversation conversation_of(std::index_sequence<I...>) {
  Conversation made;
  Filler filler;
  const auto add = [&]<class T>(T part) {
    filler.fill(part);
    expect_no_default_in(part);
    made.place(std::move(part));
  };
  (add(std::variant_alternative_t<I, Part>{}), ...);
  return made;
}

std::vector<Message> every_part() {
  Conversation made = conversation_of(std::make_index_sequence<std::variant_size_v<Part>>());
  // What is JSON elsewhere is so here, or a replay would not get far.
  for (Part& part : made.assistant.parts) {
    if (auto* call = std::get_if<ToolCall>(&part)) call->arguments = R"({"é":[1,"\\{"]})";
    if (auto* thought = std::get_if<Reasoning>(&part)) thought->opaque = R"({"é":"\\{"})";
  }
  const ToolCall call = made.assistant.tool_calls().at(0);
  auto& result = std::get<ToolResult>(made.tool.parts.at(0));
  result.call_id = call.id;
  result.name = call.name;
  return {made.user, made.assistant, made.tool, Message::assistant("Done.")};
}

// --- the ways
// ----------------------------------------------------------------------------------------

class EveryPart : public ::testing::Test {
 protected:
  EveryPart() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wright_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
  }
  ~EveryPart() override { std::filesystem::remove_all(folder_); }

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
  }

  const std::vector<Message> messages_ = every_part();
  std::filesystem::path folder_;
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
