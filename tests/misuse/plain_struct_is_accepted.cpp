// expect: success
#include <optional>
#include <string>
#include <vector>

#include "wright/wright.h"

struct Stop {
  std::string city;
  std::optional<int> days;
};
struct Trip {
  std::vector<Stop> stops;
};

wright::Tool made() {
  return wright::tool("plan", "Plans a trip", [](const Trip& trip) { return trip.stops.size(); });
}
wright::Result<Trip> asked(const wright::Agent& agent) {
  return wright::run_as<Trip>(agent, "Where to?");
}
