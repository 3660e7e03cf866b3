// How much may still be looked at where somebody else decides how much there is to see.
#pragma once

#include <cstddef>

namespace wright {

class Allowance {
 public:
  explicit Allowance(std::size_t bytes) : left_(bytes) {}

  // Whether there was enough left for one more name of that length. Once there was not, there never
  // is again.
  [[nodiscard]] bool covers(std::size_t bytes) {
    constexpr std::size_t kEach = 32;  // what looking costs, however short the name is
    const std::size_t cost = bytes + kEach;
    if (cost > left_) left_ = 0;
    if (left_ == 0) return false;
    left_ -= cost;
    return true;
  }

 private:
  std::size_t left_;
};

}  // namespace wright
