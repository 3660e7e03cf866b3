// expect: the third argument must be a function or a lambda with named parameter types
#include "wright/wright.h"

wright::Tool made() {
  return wright::tool("weather", "Weather in a city", [](const auto& p) { return p.city; });
}
