// The fixture of what every store promises. Each file of the suite runs on each of the stores.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/store_testing.h"
#include "wright/store.h"

namespace wright::store {

inline constexpr std::array kSessionStatuses{SessionStatus::running,   SessionStatus::completed,
                                             SessionStatus::failed,    SessionStatus::waiting,
                                             SessionStatus::cancelled, SessionStatus::queued};
inline constexpr std::array kCallStatuses{
    CallStatus::pending, CallStatus::executing, CallStatus::completed, CallStatus::failed,
    CallStatus::waiting, CallStatus::cancelled, CallStatus::unknown};

// Which store a test of the suite runs on. Each program that has the suite says which it knows.
enum class StoreKind : std::uint8_t {
  memory,
  sqlite_file,
  sqlite_memory,
  postgres,
  postgres_step_by_step,  // as it writes what was refused at first
};

inline std::string name_of_kind(const ::testing::TestParamInfo<StoreKind>& info) {
  switch (info.param) {
    case StoreKind::memory: return "memory";
    case StoreKind::sqlite_file: return "sqlite_file";
    case StoreKind::sqlite_memory: return "sqlite_memory";
    case StoreKind::postgres: return "postgres";
    case StoreKind::postgres_step_by_step: return "postgres_step_by_step";
  }
  return "unknown";
}

// Others can open the same store.
inline bool is_shared(StoreKind kind) {
  return kind != StoreKind::memory && kind != StoreKind::sqlite_memory;
}

// Defined once in each program.
std::vector<StoreKind> kinds_of_this_program();
// `place` is a path that no other test has; the same place is the same store, where it is shared.
Result<std::unique_ptr<Store>> open_store_of(StoreKind kind, const std::filesystem::path& place,
                                             const Clocks& clocks);

// From now on no number is left out that a refused batch had taken, so that stores can be compared
// number by number. For stores that nobody else uses meanwhile.
void number_without_gaps(StoreKind kind, const std::filesystem::path& place);

inline const auto kEveryStore = ::testing::ValuesIn(kinds_of_this_program());

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
    return value_of(open_store_of(GetParam(), folder_ / file, clocks));
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
