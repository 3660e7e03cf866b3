// What tests of the run machine share.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "core/run_invariants.h"
#include "wright/run.h"

namespace wright {

inline void expect_accepts(Run& run, Outcome outcome) {
  const auto accepted = accept(run, std::move(outcome));
  ASSERT_TRUE(accepted) << accepted.error().message;
  const auto valid = check_invariants(run);
  ASSERT_TRUE(valid) << valid.error().message;
}

}  // namespace wright
