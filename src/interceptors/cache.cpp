// Caches the results of tools that only read; evicts the least recently used.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "interceptors/clocks.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

// The same text for the same arguments, whatever their order.
void append_canonical(std::string& out, const Json& value) {
  if (const JsonArray* array = value.if_array()) {
    out += '[';
    for (const Json& item : *array) {
      append_canonical(out, item);
      out += ',';
    }
    out += ']';
  } else if (const JsonObject* object = value.if_object()) {
    std::vector<std::string_view> names;
    for (const auto& member : *object) names.emplace_back(member.key());
    std::ranges::sort(names);
    out += '{';
    for (const std::string_view name : names) {
      out += to_text(Json(name));
      out += ':';
      append_canonical(out, object->at(name));
      out += ',';
    }
    out += '}';
  } else {
    out += to_text(value);
  }
}

class Cache {
 public:
  explicit Cache(CacheOptions options)
      : options_(std::move(options)), state_(std::make_shared<State>()) {
    options_.clock = or_real(std::move(options_.clock));
  }

  Result<ToolReply> operator()(const Invocation& invocation, const Context& context,
                               const Next& next) const {
    const bool is_read = invocation.tool.spec.options.effect == Effect::read;
    if (!is_read || invocation.unusable != nullptr || options_.max_entries == 0)
      return next(invocation, context);
    std::string key = invocation.call.name + '\n' + std::string(context.agent_name) + '\n';
    append_canonical(key, invocation.arguments);
    if (auto found = find(key)) return std::move(*found);
    Result<ToolReply> reply = next(invocation, context);
    if (const Output* output = output_of(reply)) remember(std::move(key), *output);
    return reply;
  }

 private:
  struct Entry {
    std::string key;
    Output output;
    std::chrono::steady_clock::time_point kept_since;
  };
  struct State {
    std::mutex mutex;
    std::list<Entry> entries;  // the most recently used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key;
  };

  std::optional<Output> find(const std::string& key) const {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->by_key.find(key);
    if (found == state_->by_key.end()) return std::nullopt;
    const auto entry = found->second;
    if (options_.max_age && options_.clock() - entry->kept_since >= *options_.max_age) {
      forget(entry);
      return std::nullopt;
    }
    state_->entries.splice(state_->entries.begin(), state_->entries, entry);
    return entry->output;
  }

  void remember(std::string key, const Output& output) const {
    const std::lock_guard lock(state_->mutex);
    // Another thread may have made the same call in the meantime.
    if (const auto found = state_->by_key.find(key); found != state_->by_key.end()) {
      forget(found->second);
    }
    state_->entries.push_front({std::move(key), output, options_.clock()});
    state_->by_key[state_->entries.front().key] = state_->entries.begin();
    while (state_->entries.size() > options_.max_entries) {
      forget(std::prev(state_->entries.end()));
    }
  }

  void forget(std::list<Entry>::iterator entry) const {
    state_->by_key.erase(entry->key);
    state_->entries.erase(entry);
  }

  CacheOptions options_;
  std::shared_ptr<State> state_;
};

}  // namespace

Interceptor cache(CacheOptions options) {
  return Cache(std::move(options));
}

}  // namespace wright::intercept
