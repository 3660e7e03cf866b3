// expect: wright: a struct that is read from JSON must be one that can be made without arguments
#include "wright/wright.h"

struct Level {
  explicit Level(int start) : value(start) {}
  int value = 1;
};
WRIGHT_DESCRIBE(Level, WRIGHT_FIELD(value, "The level").with_default())

bool made(const wright::Json& json) {
  return wright::decode<Level>(json).has_value();
}
