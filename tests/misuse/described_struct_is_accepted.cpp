// expect: success
#include <string>

#include "wright/wright.h"

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city").min_length(1))

wright::Tool made() {
  return wright::tool("weather", "Weather in a city",
                      [](const Place& p) { return "sunny in " + p.city; });
}
