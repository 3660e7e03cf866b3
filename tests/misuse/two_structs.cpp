// expect: wright::tool: the function takes one struct
#include <string>

#include "wright/wright.h"

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city"))

wright::Tool made() {
  return wright::tool("distance", "Distance between two cities",
                      [](const Place& from, const Place& to) { return from.city + to.city; });
}
