#include "app/wiring/shared_paces.h"

#include <algorithm>
#include <iterator>

#include "app/wiring/session_store.h"
#include "core/try.h"
#include "wright/runtime.h"

namespace wright::app {

// The keeper uses the store.
struct SharedPaces::Kept {
  std::unique_ptr<Store> store;
  std::shared_ptr<PaceKeeper> keeper;
};

Result<std::shared_ptr<PaceKeeper>> SharedPaces::at(const Settings& settings,
                                                    const Catalogue& catalogue) {
  const auto has_pace = [](const auto& row) { return row.pace != Pace{}; };
  if (std::ranges::none_of(catalogue.vendors(), has_pace) &&
      std::ranges::none_of(catalogue.models(), has_pace)) {
    return nullptr;
  }
  const StorePlace& place = settings.store();
  const std::lock_guard lock(mutex_);
  auto& kept = kept_[place.is_postgres() ? place.uri + " " + place.schema : place.file.string()];
  if (kept == nullptr) {
    auto store = TRY(open_store(settings));
    auto keeper = TRY(make_shared_pace(*store));
    kept = std::make_shared<Kept>(Kept{std::move(store), std::move(keeper)});
  }
  return std::shared_ptr<PaceKeeper>(kept, kept->keeper.get());
}

std::vector<std::string> SharedPaces::waited_for() const {
  std::vector<std::string> names;
  const std::lock_guard lock(mutex_);
  for (const auto& [place, kept] : kept_) {
    if (kept != nullptr) std::ranges::move(kept->keeper->waited_for(), std::back_inserter(names));
  }
  return names;
}

}  // namespace wright::app
