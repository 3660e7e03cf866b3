// How many sessions may wait in the queue, for those who put some into it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "wright/store_writes.h"

namespace wright::store {

struct QueueLimits {
  std::optional<std::size_t> most = {};          // absent: any number
  std::optional<std::size_t> most_of_each = {};  // tenant

  // Behind what queues a session of `tenant`, in the same batch.
  void add_to(std::vector<Write>& writes, const std::string& tenant) const {
    if (most) writes.emplace_back(LimitQueue{.most = *most});
    if (most_of_each) writes.emplace_back(LimitQueue{.most = *most_of_each, .tenant = tenant});
  }
};

}  // namespace wright::store
