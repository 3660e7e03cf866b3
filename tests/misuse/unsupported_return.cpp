// expect: wright::tool: the function must return something with a JSON form
#include <chrono>

#include "wright/wright.h"

wright::Tool made() {
  return wright::tool("uptime", "How long this runs", [] { return std::chrono::seconds(1); });
}
