// expect: with_default() needs a struct that can be made without arguments
#include "wright/wright.h"

struct Level {
  explicit Level(int start) : value(start) {}
  int value = 1;
};
WRIGHT_DESCRIBE(Level, WRIGHT_FIELD(value, "The level").with_default())

wright::Json schema() {
  return wright::schema_of<Level>();
}
