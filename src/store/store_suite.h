// The fixture of what every store promises. Each file of the suite runs on each of the stores.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "store/testing.h"
#include "wright/store.h"

namespace wright::store {

inline constexpr std::array kSessionStatuses{SessionStatus::running,   SessionStatus::completed,
                                             SessionStatus::failed,    SessionStatus::waiting,
                                             SessionStatus::cancelled, SessionStatus::queued};
inline constexpr std::array kCallStatuses{
    CallStatus::pending, CallStatus::executing, CallStatus::completed, CallStatus::failed,
    CallStatus::waiting, CallStatus::cancelled, CallStatus::unknown};

enum class StoreKind : std::uint8_t { memory, sqlite_file, sqlite_memory };

inline std::string name_of_kind(const ::testing::TestParamInfo<StoreKind>& info) {
  switch (info.param) {
    case StoreKind::memory: return "memory";
    case StoreKind::sqlite_file: return "sqlite_file";
    case StoreKind::sqlite_memory: return "sqlite_memory";
  }
  return "unknown";
}

inline const auto kEveryStore =
    ::testing::Values(StoreKind::memory, StoreKind::sqlite_file, StoreKind::sqlite_memory);

class StoreSuite : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    store_ = open();
    ASSERT_NE(store_, nullptr);
  }

  // A store of this kind that has nothing to do with the fixture's own.
  std::unique_ptr<Store> open(std::string_view file = "store.db") {
    return open_with([this] { return now_; }, file);
  }
  std::unique_ptr<Store> open_with(const Clocks& clocks, std::string_view file) {
    if (GetParam() == StoreKind::memory) return open_memory_store(clocks);
    const auto path = GetParam() == StoreKind::sqlite_file ? folder_ / file : ":memory:";
    return value_of(open_sqlite_store(path, {.clock = clocks}));
  }

  Store& store() { return *store_; }
  SessionId new_session() { return value_of(store().create_session(session_named("tester"))); }
  SessionId new_child(SessionId parent) {
    NewSession child = session_named("child");
    child.parent_session_id = parent;
    return value_of(store().create_session(child));
  }
  void set_status(SessionId session, SessionStatus status) {
    value_of(store().apply_one(UpdateSession{.session_id = session, .status = status}));
  }
  RunnerId new_runner(std::string name, std::chrono::milliseconds time = std::chrono::hours(1)) {
    return value_of(store().register_runner(std::move(name), time));
  }
  CallId new_call(SessionId session, std::string arguments = "{}") {
    return value_of(
        store().create_tool_call(session, std::nullopt, {"id", "tool", std::move(arguments)}));
  }
  StoredCall call_of(SessionId session, CallId id) {
    for (auto& call : value_of(store().get_tool_calls(session))) {
      if (call.id == id) return call;
    }
    ADD_FAILURE() << "no call " << id;
    return {};
  }
  // Walks a new call to `status` by legal moves.
  CallId call_in(SessionId session, CallStatus status) {
    const CallId id = new_call(session);
    if (status == CallStatus::pending) return id;
    if (status == CallStatus::completed || status == CallStatus::unknown) {
      expect_ok(store().start_tool_call(id));
    }
    value_of(apply_one(store(), UpdateCall{.call_id = id, .status = status}));
    return id;
  }

  TemporaryFolder folder_;
  std::int64_t now_ = 1'700'000'000'123;
  std::unique_ptr<Store> store_;
};

}  // namespace wright::store
