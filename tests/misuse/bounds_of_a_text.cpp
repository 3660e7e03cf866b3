// expect: wright: at_least() and at_most() are for numbers
#include <string>

#include "wright/wright.h"

struct Place {
  std::string city;
};
WRIGHT_DESCRIBE(Place, WRIGHT_FIELD(city, "Name of the city").at_least(1))

wright::Json made() {
  return wright::schema_of<Place>();
}
