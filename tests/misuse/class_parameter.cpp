// expect: wright::tool: the function's parameter must be a plain struct
#include <string>

#include "wright/wright.h"

class Place {
 public:
  const std::string& city() const { return city_; }

 private:
  std::string city_;
};

wright::Tool made() {
  return wright::tool("weather", "Weather in a city", [](const Place& p) { return p.city(); });
}
