// How much of the repositories of a folder is looked at: whoever made one may have named in its
// settings and its index as much as a file can hold.
#pragma once

#include <cstddef>

#include "core/allowance.h"

namespace wright::sandbox {

class GitAllowance {
 public:
  // Each repository has a share, so that one of them leaves something for the others.
  void begin_repository() {
    own_names_ = Allowance(kNamesOfOne);
    own_bytes_ = Allowance(kBytesOfOne);
  }
  // One more word of settings, or path.
  [[nodiscard]] bool covers_name(std::size_t length) {
    return own_names_.covers(length) && names_.covers(length);
  }
  // So much more of a file.
  [[nodiscard]] bool covers_bytes(std::size_t count) {
    return own_bytes_.covers(count) && bytes_.covers(count);
  }

 private:
  static constexpr std::size_t kNamesOfOne = 256U << 10;
  static constexpr std::size_t kNames = 16U << 20;
  static constexpr std::size_t kBytesOfOne = 512U << 20;
  static constexpr std::size_t kBytes = std::size_t{2} << 30;

  Allowance own_names_{kNamesOfOne};
  Allowance names_{kNames};
  Allowance own_bytes_{kBytesOfOne};
  Allowance bytes_{kBytes};
};

}  // namespace wright::sandbox
