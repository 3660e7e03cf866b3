// Which mode an editor has chosen for a session: Code, or Plan, which changes nothing. It holds at
// once, for calls of a prompt that runs as well, and is kept in the session's config, so that it is
// copied and deleted with it.
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
  void use(std::string_view name) { is_plan_->store(name == kPlanMode); }

  // Around all calls of the agent, outermost and innermost: while the mode is Plan, only what reads
  // runs. Innermost, because hooks outside of it may change what a command is.
  void guard(Agent& agent) const;

 private:
  std::shared_ptr<std::atomic<bool>> is_plan_ = std::make_shared<std::atomic<bool>>(false);
};

Result<void> check_mode(std::string_view name);
// As the config of a session says.
std::string_view mode_in(const Json& config);
Json with_mode(Json config, std::string_view mode);

// By which editors know a session: the id that one of them was given, or its number.
std::string editor_id_of(const Session& session);
// The config of a session that is known by its number from now on.
Json without_editor(Json config);
Json with_editor(Json config, std::string_view id);

}  // namespace wright::app
