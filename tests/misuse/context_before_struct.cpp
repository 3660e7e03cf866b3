// expect: wright::Context& may follow it
#include <string>

#include "wright/wright.h"

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city"))

wright::Tool made() {
  return wright::tool("weather", "Weather in a city",
                      [](const wright::Context&, const Place& p) { return p.city; });
}
