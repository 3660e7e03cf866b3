// Randomness for the waits between attempts, so that many clients do not retry at the same moment.
#pragma once

#include <random>

namespace wright::models {

// Between 0 and 1.
inline double chance() {
  thread_local std::minstd_rand generator(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace wright::models
