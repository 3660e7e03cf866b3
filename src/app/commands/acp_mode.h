// Which mode an editor has chosen for a session: Code, or Plan, which changes nothing. It holds at
// once, for calls of a prompt that runs as well, and is kept with the session.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "wright/agent.h"
#include "wright/store.h"

namespace wright::app {

inline constexpr std::string_view kCodeMode = "code";
inline constexpr std::string_view kPlanMode = "plan";

// May be used from several threads at once.
class AcpMode {
 public:
  bool is_plan() const { return is_plan_->load(); }
  std::string_view name() const { return is_plan() ? kPlanMode : kCodeMode; }

  // Refused for a mode that is none. What was chosen is stored first, then it holds.
  Result<void> use(std::string_view name, Store& store, const std::string& session);
  // As it was left; Plan where the record cannot be read.
  void recall(Store& store, const std::string& session);

  // Around all calls of the agent, outermost and innermost: while the mode is Plan, only what reads
  // runs. Innermost, because hooks outside of it may change what a command is.
  void guard(Agent& agent) const;

 private:
  std::shared_ptr<std::atomic<bool>> is_plan_ = std::make_shared<std::atomic<bool>>(false);
};

// By which editors know a session: the id that one of them was given, or its number.
std::string editor_id_of(const Session& session);

// What is kept beside a session that was deleted: its mode, and what was said to it and not taken.
void forget_records_of(Store& store, const Session& session);

}  // namespace wright::app
