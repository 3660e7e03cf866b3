// Which members of an object, or items of an array, have been evaluated by some schema.
#pragma once

#include <cstdint>
#include <vector>

namespace wright::json_schema {

// The first 64 cost no allocation.
class Evaluated {
 public:
  void mark(std::size_t index) {
    if (index < 64) {
      first_ |= std::uint64_t{1} << index;
      return;
    }
    if (rest_.size() <= index - 64) rest_.resize(index - 63);
    rest_[index - 64] = true;
  }
  void mark_all() { is_all_ = true; }

  bool has(std::size_t index) const {
    if (is_all_) return true;
    if (index < 64) return (first_ >> index & 1) != 0;
    return index - 64 < rest_.size() && rest_[index - 64];
  }

  void merge(const Evaluated& other) {
    first_ |= other.first_;
    is_all_ = is_all_ || other.is_all_;
    for (std::size_t i = 0; i < other.rest_.size(); ++i) {
      if (other.rest_[i]) mark(i + 64);
    }
  }

 private:
  std::uint64_t first_ = 0;
  bool is_all_ = false;
  std::vector<bool> rest_;
};

}  // namespace wright::json_schema
