#include "mcp_client/live_tools.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>

#include "core/try.h"

namespace wright::mcp_client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kListingTime{10};  // beside a call, or in the background
constexpr std::chrono::seconds kShortestHold{1};  // below which nobody asks again by the clock
constexpr std::chrono::seconds kPauseAfterError{5};
constexpr std::size_t kMostGone = 10'000;  // names that are remembered
constexpr std::string_view kTools = "tools/list";

const std::string& name_of(const Tool& tool) {
  return tool.spec.name;
}

}  // namespace

class LiveTools::State : public std::enable_shared_from_this<LiveTools::State> {
 public:
  State(std::shared_ptr<Connection> connection, ServerToolsOptions options)
      : connection_(std::move(connection)),
        options_(std::move(options)),
        calls_(std::make_shared<RemoteCalls>(connection_, options_.models)) {}

  const std::string& server() const { return options_.name; }
  bool was_always_there(std::string_view tool) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(first_, tool) != first_.end();
  }

  Result<ServerTools> open(const std::stop_token& stop) {
    const std::lock_guard one(listing_);
    const auto server = TRY(connection_->open(stop));
    if (!server.has("tools") && !server.has("resources")) return ServerTools{};
    connection_->on_change([weak = weak_from_this()](mcp::Change change) {
      const auto state = weak.lock();
      if (state && change == mcp::Change::tools) state->wake();
    });
    auto made = TRY(list(stop, options_.timeout));
    const std::lock_guard lock(mutex_);
    for (const Tool& tool : made.tools) first_.push_back(tool.spec.name);
    tools_ = std::make_shared<const std::vector<Tool>>(made.tools);
    listed_ = newest_;
    return made;
  }

  // Lists them again where something says that they are not the same.
  void refresh(const std::stop_token& stop) {
    const std::lock_guard one(listing_);
    if (!tools()) return;  // it was never opened
    if (!is_stale() && !is_over()) return;
    auto made = list(stop, std::min<std::chrono::milliseconds>(options_.timeout, kListingTime));
    if (!made) {
      not_before_ = Clock::now() + kPauseAfterError;
      return;  // a call will say what is wrong
    }
    const std::lock_guard lock(mutex_);
    for (const Tool& tool : *tools_) {
      const bool is_there =
          std::ranges::find(made->tools, tool.spec.name, name_of) != made->tools.end();
      if (is_there || gone_.size() >= kMostGone) continue;
      gone_.insert(tool.spec.name);
      std::erase(first_, tool.spec.name);
    }
    for (const Tool& tool : made->tools) gone_.erase(tool.spec.name);
    listed_ = newest_;
    const auto definition_of = [](const Tool& tool) -> const auto& {
      return tool.spec.definition;
    };
    if (std::ranges::equal(*tools_, made->tools, {}, definition_of, definition_of)) return;
    tools_ = std::make_shared<const std::vector<Tool>>(std::move(made->tools));
    has_changed_ = true;
  }

  // Until they are listed, which another thread may be about.
  bool is_stale() const {
    return connection_->changes(mcp::Change::tools) != listed_ &&
           Clock::now() >= not_before_.load();
  }

  std::shared_ptr<const std::vector<Tool>> now() {
    if (is_over()) wake();
    const std::lock_guard lock(mutex_);
    return has_changed_ ? tools_ : nullptr;
  }
  bool has_gone(std::string_view tool) const {
    const std::lock_guard lock(mutex_);
    return gone_.contains(tool);
  }

  // What has changed in the background is known when a call begins, and when its answer is there.
  Result<ToolReply> around(const ToolSpec& spec, const Context& context,
                           const std::function<Result<ToolReply>(const MayBegin&)>& run) {
    // One that was begun before goes on, whatever has become of the tool by now.
    auto reply = run([&]() -> Result<void> {
      if (is_stale()) refresh(context.stop);
      return check(spec);
    });
    if (is_stale()) refresh(context.stop);
    return reply;
  }

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return is_woken_; })) {
      is_woken_ = false;
      lock.unlock();
      refresh(stop);
      lock.lock();
    }
  }
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      is_woken_ = true;
    }
    wake_.notify_all();
  }
  void leave() { connection_->on_change({}); }

 private:
  std::shared_ptr<const std::vector<Tool>> tools() const {
    const std::lock_guard lock(mutex_);
    return tools_;
  }

  // What it says of how long they hold, where that is long enough to be meant.
  bool is_over() {
    const auto now = Clock::now();
    if (now < not_before_.load()) return false;
    const auto until = connection_->holds_until(kTools);
    return until && now >= *until && *until - listed_at_.load() >= kShortestHold;
  }

  Result<ServerTools> list(const std::stop_token& stop, std::chrono::milliseconds timeout) {
    const WaitOptions wait{.stop = stop, .timeout = timeout};
    // Before they are listed, so that no change is missed. One who cannot be heard is asked anyway.
    (void)connection_->watch_lists(wait);
    const std::uint64_t version = connection_->changes(mcp::Change::tools);
    listed_at_ = Clock::now();
    const auto server = TRY(connection_->open(stop));
    JsonArray listed;
    if (server.has("tools")) listed = TRY(connection_->list(kTools, "tools", wait));
    const auto before = tools();
    const AroundCall around = [weak = weak_from_this()](const ToolSpec& spec,
                                                        const Context& context, const auto& run) {
      const auto state = weak.lock();
      return state ? state->around(spec, context, run) : run({});
    };
    auto made = tools_in(listed, calls_, options_, around,
                         before ? std::span(*before) : std::span<const Tool>());
    add_resource_tool(server, calls_, options_, made);
    newest_ = version;
    return made;
  }

  Result<void> check(const ToolSpec& spec) const {
    const auto now = tools();
    if (!now) return {};
    const auto found = std::ranges::find(*now, spec.name, name_of);
    if (found == now->end()) {
      return fail(ErrorCode::not_found,
                  fmt::format("The MCP server {} no longer has {}: nothing was done. Use the tools "
                              "that are offered now",
                              options_.name, spec.name));
    }
    if (found->spec.definition == spec.definition) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("The MCP server {} has changed {} since it was offered: nothing was "
                            "done. See what it is now, and call it anew if you still want it",
                            options_.name, spec.name));
  }

  const std::shared_ptr<Connection> connection_;
  const ServerToolsOptions options_;
  const std::shared_ptr<RemoteCalls> calls_;
  std::mutex listing_;                     // one thread lists
  std::uint64_t newest_ = 0;               // as listed_, of the list that was made last
  std::atomic<std::uint64_t> listed_ = 0;  // the number of changes that the list is younger than
  std::atomic<Clock::time_point> listed_at_{};
  std::atomic<Clock::time_point> not_before_{};
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  bool is_woken_ = false;
  bool has_changed_ = false;
  std::shared_ptr<const std::vector<Tool>> tools_;
  std::vector<std::string> first_;  // of open(), without those that have been gone since
  std::set<std::string, std::less<>> gone_;
};

LiveTools::LiveTools(std::shared_ptr<Connection> connection, ServerToolsOptions options)
    : state_(std::make_shared<State>(std::move(connection), std::move(options))) {}

LiveTools::~LiveTools() {
  state_->leave();
}

Result<ServerTools> LiveTools::open(const std::stop_token& stop) {
  auto opened = TRY(state_->open(stop));
  if (!worker_.joinable()) {
    worker_ = std::jthread([state = state_](const std::stop_token& ended) { state->work(ended); });
  }
  return opened;
}

std::shared_ptr<const std::vector<Tool>> LiveTools::now() {
  return state_->now();
}

bool LiveTools::has_gone(std::string_view tool) const {
  return state_->has_gone(tool);
}

const std::string& LiveTools::server() const {
  return state_->server();
}

bool LiveTools::was_always_there(std::string_view tool) const {
  return state_->was_always_there(tool);
}

std::optional<std::vector<Tool>> tools_of_now(std::span<const Tool> had,
                                              std::span<const std::shared_ptr<LiveTools>> servers) {
  std::optional<std::vector<Tool>> changed;
  for (const auto& server : servers) {
    const auto now = server->now();
    if (!now) continue;
    std::vector<Tool> tools = changed ? *changed : std::vector<Tool>(had.begin(), had.end());
    const std::string own = fmt::format("mcp:{}:", server->server());
    bool is_other = false;
    const auto has_left = [&](Tool& tool) {
      if (!tool.spec.definition.starts_with(own)) return false;
      const auto found = std::ranges::find(*now, tool.spec.name, name_of);
      if (found == now->end()) return is_other = true;
      if (found->spec.definition != tool.spec.definition) {
        // Whoever was asked about it is asked about what has become of it.
        const bool was_asked = tool.spec.options.needs_approval;
        tool = *found;
        tool.spec.options.needs_approval = was_asked || tool.spec.options.needs_approval;
        is_other = true;
      }
      return false;
    };
    std::erase_if(tools, has_left);
    for (const Tool& tool : *now) {
      const bool is_there = find_tool(tools, tool.spec.name) != nullptr;
      // Somebody has taken it away from this session.
      const bool is_left_out = server->was_always_there(tool.spec.name);
      if (is_there || is_left_out) continue;
      tools.push_back(tool);
      is_other = true;
    }
    if (is_other) changed = std::move(tools);
  }
  return changed;
}

Interceptor telling_what_has_gone(std::vector<std::shared_ptr<LiveTools>> servers) {
  return [servers = std::move(servers)](const Invocation& invocation, const Context& context,
                                        const Next& next) -> Result<ToolReply> {
    const std::string& name = invocation.call.name;
    const bool is_unknown =
        invocation.unusable != nullptr && invocation.unusable->code == ErrorCode::not_found;
    for (const auto& server : servers) {
      if (!is_unknown || !server->has_gone(name)) continue;
      return fail(ErrorCode::not_found,
                  fmt::format("The MCP server {} no longer has {}. {}", server->server(), name,
                              invocation.unusable->message));
    }
    return next(invocation, context);
  };
}

}  // namespace wright::mcp_client
