// expect: wright: min_items() and max_items() are for lists and maps
#include <string>

#include "wright/wright.h"

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city").min_items(1))

wright::Json made() {
  return wright::schema_of<Place>();
}
