// A failing history made smaller: fewer sessions, fewer processes, fewer kinds of trouble, shorter.
#pragma once

#include "simulation/options.h"
#include "simulation/world.h"

namespace wright::simulation {

struct Shrunk {
  Options options = {};
  Report report = {};
  int tried = 0;
};

// The smallest history that breaks the same promise; at most `most` are tried.
Shrunk shrink(const Options& options, Report report, int most = 400);

}  // namespace wright::simulation
