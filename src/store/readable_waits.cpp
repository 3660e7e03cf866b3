#include "store/readable_waits.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/try.h"

namespace wright::store {
namespace {

// Nothing for one that is on no such page, as a server might say: there is no way around it.
std::optional<DamagedWait> damage_in(const Error& error, const Page& page) {
  const Json* wait = error.find("wait_id");
  const Json* session = error.find("session_id");
  const bool is_damage = error.code == ErrorCode::storage && wait != nullptr && wait->is_int64() &&
                         session != nullptr && session->is_int64();
  if (!is_damage) return std::nullopt;
  const bool is_there = (!page.after || wait->get_int64() > *page.after) &&
                        (!page.before || wait->get_int64() < *page.before);
  if (!is_there) return std::nullopt;
  return DamagedWait{wait->get_int64(), session->get_int64(), error};
}

// Goes on behind what is damaged, and in front of it.
class Reading {
 public:
  Reading(Store& store, const WaitFilter& filter) : store_(store), filter_(filter) {}

  Result<void> read(const Page& page) {
    WaitFilter part = filter_;
    part.page = page;
    part.page.limit = filter_.page.limit - found_.waits.size();
    if (part.page.limit == 0) return {};
    auto waits = store_.get_waits(part);
    if (waits) {
      std::ranges::move(*waits, std::back_inserter(found_.waits));
      return {};
    }
    auto damaged = damage_in(waits.error(), page);
    if (!damaged) return std::unexpected(std::move(waits).error());
    Page before = page;
    before.before = damaged->id;
    Page after = page;
    after.after = damaged->id;
    found_.damaged.push_back(std::move(*damaged));
    if (filter_.id) return {};
    const bool is_first = page.keep == Page::Keep::first;
    TRY(read(is_first ? before : after));
    return read(is_first ? after : before);
  }

  ReadableWaits take() && {
    std::ranges::sort(found_.waits, {}, &StoredWait::id);
    std::ranges::sort(found_.damaged, {}, &DamagedWait::id);
    return std::move(found_);
  }

 private:
  Store& store_;
  const WaitFilter& filter_;
  ReadableWaits found_;
};

}  // namespace

Result<ReadableWaits> readable_waits(Store& store, const WaitFilter& filter) {
  Reading reading(store, filter);
  TRY(reading.read(filter.page));
  return std::move(reading).take();
}

}  // namespace wright::store
