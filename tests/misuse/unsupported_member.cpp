// expect: wright: this type has no JSON form
#include <chrono>

#include "wright/wright.h"

struct Alarm {
  std::chrono::seconds delay;
};
WRIGHT_DESCRIBE(Alarm, WRIGHT_FIELD(delay, "When to ring"))

wright::Tool made() {
  return wright::tool("ring", "Rings after a while", [](const Alarm&) { return true; });
}
