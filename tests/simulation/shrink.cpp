#include "simulation/shrink.h"

#include <utility>

namespace wright::simulation {
namespace {

class Shrinking {
 public:
  Shrinking(Options options, Report report, int most)
      : best_{.options = std::move(options), .report = std::move(report)}, most_(most) {}

  Shrunk run() {
    // Until nothing more can be left out.
    for (bool is_smaller = true; is_smaller && best_.tried < most_;) {
      is_smaller = fewer_features();
      is_smaller |= fewest(&Options::sessions);
      is_smaller |= fewest(&Options::processes);
      is_smaller |= shorter();
    }
    return std::move(best_);
  }

 private:
  bool fails(const Options& options) {
    if (best_.tried >= most_) return false;
    ++best_.tried;
    Report report = simulate(options);
    if (!report.violation || report.violation->rule != best_.report.violation->rule) return false;
    best_.options = options;
    best_.report = std::move(report);
    return true;
  }

  bool fewer_features() {
    bool is_smaller = false;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      const auto feature = static_cast<Feature>(i);
      if (best_.options.weight(feature) == 0 || feature == Feature::writes) continue;
      Options fewer = best_.options;
      fewer.remove(feature);
      is_smaller |= fails(fewer);
    }
    return is_smaller;
  }

  bool fewest(int Options::*number) {
    bool is_smaller = false;
    for (int wanted = 1; wanted < best_.options.*number; ++wanted) {
      Options fewer = best_.options;
      fewer.*number = wanted;
      if (!fails(fewer)) continue;
      is_smaller = true;
      break;
    }
    return is_smaller;
  }

  bool shorter() {
    bool is_smaller = false;
    while (best_.options.length_ms > 1'000) {
      Options less = best_.options;
      less.length_ms = less.length_ms * 3 / 4;
      if (!fails(less)) break;
      is_smaller = true;
    }
    return is_smaller;
  }

  Shrunk best_;
  const int most_;
};

}  // namespace

Shrunk shrink(const Options& options, Report report, int most) {
  return Shrinking(options, std::move(report), most).run();
}

}  // namespace wright::simulation
