// expect: wright: min_length() and max_length() are for texts
#include <optional>

#include "wright/wright.h"

struct Stay {
  std::optional<int> days;
};
WRIGHT_DESCRIBE(Stay, WRIGHT_FIELD(days, "How long").max_length(3))

wright::Json made() {
  return wright::schema_of<Stay>();
}
