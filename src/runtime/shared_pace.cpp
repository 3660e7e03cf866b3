// The paces of models, kept by all processes of a store together: a thread that takes permits from
// the store for requests that wait, and none while nothing waits. The decisions are PermitBook's.
#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/try.h"
#include "runtime/permit_book.h"
#include "runtime/runner_registration.h"
#include "wright/models.h"
#include "wright/runtime.h"

namespace wright {
namespace runtime {
namespace {

bool is_limited(const Pace& pace) {
  return pace != Pace{};
}

class SharedPace final : public PaceKeeper {
 public:
  SharedPace(Store& store, std::unique_ptr<RunnerRegistration> runner)
      : store_(store), runner_(std::move(runner)), thread_([this] { work(); }) {}
  ~SharedPace() override {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  SharedPace(const SharedPace&) = delete;
  SharedPace& operator=(const SharedPace&) = delete;

  Entry enter(const Endpoint& endpoint, std::int64_t tokens, std::function<void()> go) override {
    std::vector<PermitBook::Need> needs;
    const std::string& vendor = endpoint.vendor.name;
    if (is_limited(endpoint.vendor.pace)) needs.push_back({vendor, endpoint.vendor.pace});
    if (is_limited(endpoint.model.pace)) {
      needs.push_back({vendor + ":" + endpoint.model.name, endpoint.model.pace});
    }
    if (needs.empty()) {
      go();
      return 0;
    }
    Entry entry = 0;
    {
      const std::lock_guard lock(mutex_);
      entry = book_.enter(needs, tokens);
      waiting_.emplace(entry, std::move(go));
    }
    let_go();
    return entry;
  }

  void leave(Entry entry, const Left& left) override {
    if (entry == 0) return;
    {
      std::unique_lock lock(mutex_);
      waiting_.erase(entry);
      book_.leave(entry, left);
      changed_.wait(lock, [&] { return !going_.contains(entry); });
    }
    let_go();
  }

  std::vector<std::string> waited_for() const override {
    const std::lock_guard lock(mutex_);
    return book_.waited_for();
  }

 private:
  // Whoever may go, goes, in this thread; the other one finds out what to ask for.
  void let_go() {
    std::map<Entry, std::function<void()>> going;
    {
      const std::lock_guard lock(mutex_);
      if (!runner_->is_certain(answered_since_)) book_.forget_slots();
      for (const Entry entry : book_.admit(boot_clock_ms())) {
        if (auto found = waiting_.extract(entry)) going.insert(std::move(found));
        going_.insert(entry);
      }
    }
    changed_.notify_all();
    for (const auto& [entry, go] : going) {
      go();
      const std::lock_guard lock(mutex_);
      going_.erase(entry);
    }
    if (!going.empty()) changed_.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!is_ending_) {
      const std::int64_t now = boot_clock_ms();
      std::vector<TakePermits> asked = book_.questions(now);
      if (asked.empty()) {
        const auto next = book_.next_look(now);
        if (next) {
          changed_.wait_for(lock,
                            std::chrono::milliseconds(std::max<std::int64_t>(1, *next - now)));
        } else {
          changed_.wait(lock);
        }
        continue;
      }
      lock.unlock();
      std::vector<Write> writes;
      for (TakePermits& take : asked) {
        take.runner_id = runner_->id();
        writes.emplace_back(take);
      }
      const auto answer = store_.apply(writes);
      lock.lock();
      if (answer) {
        book_.answered(asked, answer->permits, boot_clock_ms());
        answered_since_ = now;
      } else {
        book_.failed(boot_clock_ms());
      }
      lock.unlock();
      let_go();
      lock.lock();
    }
  }

  Store& store_;
  const std::unique_ptr<RunnerRegistration> runner_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  PermitBook book_;
  std::map<Entry, std::function<void()>> waiting_;
  std::set<Entry> going_;                          // those that are being told
  std::int64_t answered_since_ = boot_clock_ms();  // the store gave what the book has, or later
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace
}  // namespace runtime

Result<std::shared_ptr<PaceKeeper>> make_shared_pace(Store& store) {
  auto runner = TRY(runtime::RunnerRegistration::open(store));
  return std::make_shared<runtime::SharedPace>(store, std::move(runner));
}

}  // namespace wright
