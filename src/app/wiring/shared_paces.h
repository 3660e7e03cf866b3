// The paces of models that the processes of a store keep to together: one keeper for each store
// that this process uses, made when a model with a pace is first wanted.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "wright/models.h"

namespace wright::app {

class SharedPaces {
 public:
  // Null where no vendor and no model of the catalogue has a pace.
  Result<std::shared_ptr<PaceKeeper>> at(const Settings& settings, const Catalogue& catalogue);

  // See PaceKeeper::waited_for().
  std::vector<std::string> waited_for() const;

 private:
  struct Kept;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Kept>> kept_;  // by store
};

}  // namespace wright::app
