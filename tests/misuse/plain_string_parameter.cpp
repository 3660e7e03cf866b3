// expect: wright::tool: the function's parameter must be a plain struct
#include <string>

#include "wright/wright.h"

wright::Tool made() {
  return wright::tool("weather", "Weather in a city", [](const std::string& city) { return city; });
}
