// Counts heap allocations of the whole program; linked into benchmarks that report them.
#pragma once

#include <cstdint>

namespace wright::bench {

std::uint64_t allocations();

}  // namespace wright::bench
