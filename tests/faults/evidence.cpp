#include "faults/evidence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace wright::faults {
namespace {

template <class T>
T value_of(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return T{};
  }
  return std::move(*result);
}

bool has_ended(CallStatus status) {
  return status == CallStatus::completed || status == CallStatus::failed ||
         status == CallStatus::cancelled || status == CallStatus::unknown;
}

const StoredCall* find_call(const Evidence& evidence, CallId id) {
  for (const auto& [session, one] : evidence.sessions) {
    for (const StoredCall& call : one.calls) {
      if (call.id == id) return &call;
    }
  }
  return nullptr;
}

std::vector<Message> transcript(const Evidence::One& one) {
  std::vector<Message> messages;
  for (const StoredMessage& stored : one.messages) messages.push_back(stored.message);
  return messages;
}

std::string result_told(const Evidence::One& one, const std::string& call_id) {
  for (const StoredMessage& stored : one.messages) {
    for (const Part& part : stored.message.parts) {
      const auto* result = std::get_if<ToolResult>(&part);
      if (result != nullptr && result->call_id == call_id) return result->content;
    }
  }
  return "";
}

// How often each line is in the ledger.
std::map<std::string, int> counted(const Ledger& ledger) {
  std::map<std::string, int> counts;
  for (const std::string& line : ledger.lines()) ++counts[line];
  return counts;
}

}  // namespace

Evidence collect(Store& store) {
  Evidence evidence;
  for (Session& session : value_of(store.list_sessions({.limit = kNoLimit}))) {
    const SessionId id = session.id;
    evidence.sessions[id] = {std::move(session), value_of(store.get_messages(id)),
                             value_of(store.get_tool_calls(id))};
  }
  evidence.runners = value_of(store.get_runners()).size();
  return evidence;
}

Evidence collect(const std::string& place) {
  const auto store = value_of(open_place(place));
  return store ? collect(*store) : Evidence();
}

void expect_kept(const Evidence& before, const Evidence& after) {
  for (const auto& [id, was] : before.sessions) {
    const auto found = after.sessions.find(id);
    ASSERT_NE(found, after.sessions.end()) << "session " << id << " is gone";
    const Evidence::One& is = found->second;
    ASSERT_GE(is.messages.size(), was.messages.size());
    for (std::size_t i = 0; i < was.messages.size(); ++i) {
      EXPECT_EQ(is.messages[i].id, was.messages[i].id);
      EXPECT_EQ(is.messages[i].message, was.messages[i].message);
    }
    EXPECT_GE(is.session.iterations, was.messages.size() > 1 ? 1 : 0);
    for (const StoredCall& call : was.calls) {
      const StoredCall* now = find_call(after, call.id);
      ASSERT_NE(now, nullptr) << "call " << call.id << " is gone";
      EXPECT_EQ(now->tool_call_id, call.tool_call_id);
      if (!has_ended(call.status)) continue;
      EXPECT_EQ(now->status, call.status);
      EXPECT_EQ(now->response, call.response);
      EXPECT_EQ(now->completed_at, call.completed_at);
      // A specialist that failed is not asked again, and so is told no more.
      if (!call.result || is.session.status != SessionStatus::completed) continue;
      EXPECT_EQ(result_told(is, call.tool_call_id), call.result->content);
    }
  }
}

void expect_done(const Evidence& evidence, const Ledger& ledger,
                 const std::vector<Evidence>& interrupted) {
  EXPECT_EQ(evidence.sessions.size(), kSessions);
  EXPECT_EQ(evidence.runners, 0U);
  const auto counts = counted(ledger);
  const auto times = [&](const std::string& line) {
    const auto found = counts.find(line);
    return found == counts.end() ? 0 : found->second;
  };
  std::set<std::string> known_lines;
  std::size_t writes = 0;
  for (const auto& [id, one] : evidence.sessions) {
    EXPECT_EQ(one.session.status, SessionStatus::completed) << one.session.error.value_or("");
    EXPECT_EQ(flaw_of(transcript(one)), "");
    for (const StoredCall& call : one.calls) {
      const std::string key = fmt::format("{}:{}", id, call.tool_call_id);
      const std::string done = fmt::format("{} {}", call.tool_name, key);
      const int begun = times(fmt::format("{} begins {}", call.tool_name, key));
      const int did = times(fmt::format("{} did {}", call.tool_name, key));
      known_lines.insert(fmt::format("{} begins {}", call.tool_name, key));
      known_lines.insert(fmt::format("{} did {}", call.tool_name, key));
      SCOPED_TRACE(done);
      if (call.tool_name == "pay") {
        ++writes;
        EXPECT_LE(begun, 1) << "a write was repeated";
        EXPECT_LE(did, 1) << "a write was repeated";
        if (call.status == CallStatus::unknown) {
          EXPECT_EQ(result_told(one, call.tool_call_id), kOutcomeUnknown);
          EXPECT_TRUE(std::ranges::any_of(interrupted, [&](const Evidence& then) {
            const StoredCall* was = find_call(then, call.id);
            return was != nullptr && was->status == CallStatus::executing;
          })) << "it was not under way when the process ended";
          continue;
        }
        EXPECT_EQ(did, 1) << "it is said to be done";
      }
      EXPECT_EQ(call.status, CallStatus::completed);
      if (call.tool_name == "look" || call.tool_name == "put" || call.tool_name == "pay") {
        EXPECT_EQ(result_told(one, call.tool_call_id), done);
        EXPECT_GE(did, 1);
      } else {
        EXPECT_FALSE(result_told(one, call.tool_call_id).empty());
      }
    }
  }
  EXPECT_EQ(writes, kWrites);
  for (const auto& [line, count] : counts) {
    EXPECT_TRUE(known_lines.contains(line)) << "nobody asked for this: " << line;
  }
}

void expect_honest(const Evidence& evidence, const Ledger& ledger) {
  const auto counts = counted(ledger);
  for (const auto& [line, count] : counts) {
    if (!line.starts_with("pay ")) continue;
    EXPECT_EQ(count, 1) << line;
  }
  for (const auto& [id, one] : evidence.sessions) {
    for (const StoredCall& call : one.calls) {
      if (call.tool_name != "pay" || call.status != CallStatus::completed) continue;
      EXPECT_TRUE(counts.contains(fmt::format("pay did {}:{}", id, call.tool_call_id)));
    }
  }
}

}  // namespace wright::faults
