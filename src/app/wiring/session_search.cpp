#include "app/wiring/session_search.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "app/wiring/session_store.h"
#include "core/try.h"
#include "runtime/session_search.h"

namespace wright::app {
namespace {

// Beyond this a cut is rare, and the tool would cost some 150 tokens of every request for nothing.
constexpr std::int64_t kSmallWindow = 100'000;

class StoreOfSettings {
 public:
  explicit StoreOfSettings(const Settings& settings) : settings_(settings) {}

  Result<Store*> get() {
    const std::lock_guard lock(mutex_);
    if (store_ == nullptr) store_ = TRY(open_existing_store(settings_));
    if (store_ != nullptr) return store_.get();
    return fail(ErrorCode::unavailable, "There are no stored sessions to search");
  }

 private:
  const Settings settings_;
  std::mutex mutex_;
  std::unique_ptr<Store> store_;
};

bool is_soon_cut(const Agent& agent) {
  const auto reads = agent.context_tokens ? agent.context_tokens : agent.model.context_tokens();
  return reads && *reads > 0 && *reads < kSmallWindow;
}

}  // namespace

Tool stored_session_tool(const Settings& settings) {
  const auto store = std::make_shared<StoreOfSettings>(settings);
  return search_session_tool([store] { return store->get(); });
}

void add_session_search(Agent& agent, const Settings& settings) {
  const std::string wanted = settings.text(keys::kSessionSearch);
  if (wanted == "off" || (wanted == "auto" && !is_soon_cut(agent))) return;
  if (settings.keeps_sessions_in_memory()) return;
  Tool tool = stored_session_tool(settings);
  const bool has_it = std::ranges::any_of(
      agent.tools, [&](const Tool& each) { return each.spec.name == tool.spec.name; });
  if (!has_it) agent.tools.push_back(std::move(tool));
}

}  // namespace wright::app
