// Runs every scenario file on every driver and every store there is.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/scenario.h"
#include "scenarios/stage.h"

namespace wright::scenarios {
namespace {

struct Case {
  std::filesystem::path file;
  DriverKind driver;
  StoreKind store;

  friend void PrintTo(const Case& shown, std::ostream* out) { *out << shown.file.filename(); }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& entry : std::filesystem::directory_iterator(WRIGHT_SCENARIOS)) {
    if (entry.path().extension() != ".txt" || entry.path().stem() == "CMakeLists") continue;
    const auto scenario = load(entry.path());
    if (!scenario || !scenario->needs_driver()) {
      cases.push_back({entry.path(), DriverKind::own_loop, StoreKind::none});
    }
    // Where nothing is stored there is nobody to wait for; src/runtime/run_options_test.cpp says
    // what becomes of a question there.
    const bool waits = scenario && std::ranges::any_of(scenario->expected, [](const auto& line) {
                         return line.starts_with("wait ");
                       });
    for (const StoreKind store :
         {StoreKind::none, StoreKind::memory, StoreKind::sqlite, StoreKind::postgres}) {
      if (waits && store == StoreKind::none) continue;
      cases.push_back({entry.path(), DriverKind::blocking, store});
    }
    for (const StoreKind store : {StoreKind::memory, StoreKind::sqlite, StoreKind::postgres}) {
      cases.push_back({entry.path(), DriverKind::concurrent, store});
    }
  }
  std::ranges::sort(cases, {}, &Case::file);
  return cases;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  static constexpr const char* kStores[] = {"no_store", "memory", "sqlite", "postgres"};
  static constexpr const char* kDrivers[] = {"own_loop", "blocking", "concurrent"};
  return info.param.file.stem().string() + "_" + kDrivers[static_cast<int>(info.param.driver)] +
         "_" + kStores[static_cast<int>(info.param.store)];
}

// The lines before the model's last turn: all that a driver without a store can show of a run that
// did not complete.
std::vector<std::string> without_last_turn(const std::vector<std::string>& lines) {
  const auto is_turn = [](const std::string& line) { return line.starts_with("model"); };
  const auto last = std::find_if(lines.rbegin(), lines.rend(), is_turn).base() - 1;
  std::vector<std::string> kept(lines.begin(), last);
  if (last->starts_with("model-error")) kept.push_back(*last);
  for (auto line = last; line != lines.end(); ++line) {
    const bool is_end =
        line->starts_with("wait") || line->starts_with("status") || line->starts_with("error");
    if (is_end) kept.push_back(*line);
  }
  return kept;
}

// What comes before people reply: all that can be played where nothing is stored.
std::vector<std::string> first_part(std::vector<std::string> lines) {
  const auto status = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with("status "); });
  const auto end = std::find_if(status, lines.end(), [](const std::string& line) {
    return line.starts_with("reply ") || line.starts_with("user ");
  });
  lines.erase(end, lines.end());
  return lines;
}

bool has_answer(const std::vector<std::string>& lines) {
  return std::ranges::any_of(lines,
                             [](const std::string& line) { return line.starts_with("answer"); });
}

class ScenarioTest : public ::testing::TestWithParam<Case> {};

TEST_P(ScenarioTest, comes_out_as_written) {
  const Case& param = GetParam();
  const auto scenario = load(param.file);
  ASSERT_TRUE(scenario) << scenario.error().message;
  Stage stage(*scenario, param.store);
  const bool is_own_loop = param.driver == DriverKind::own_loop;
  const auto lines = is_own_loop                            ? stage.play_own_loop()
                     : param.driver == DriverKind::blocking ? stage.play_blocking()
                                                            : stage.play_concurrent();
  std::vector<std::string> expected = scenario->expected;
  if (!is_own_loop && param.store == StoreKind::none) {
    expected = first_part(std::move(expected));
    if (!has_answer(expected)) expected = without_last_turn(expected);
  }
  EXPECT_EQ(lines, expected);
  if (param.store == StoreKind::none) return;
  EXPECT_EQ(stage.child_sessions(), scenario->expected_below);
  stage.expect_replay();
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ScenarioTest, ::testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace wright::scenarios
