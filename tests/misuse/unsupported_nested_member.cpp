// expect: wright: this type has no JSON form
#include <memory>
#include <string>
#include <vector>

#include "wright/wright.h"

struct Owner {
  std::string name;
  std::unique_ptr<int> age;
};
struct House {
  std::vector<Owner> owners;
};

wright::Tool made() {
  return wright::tool("sell", "Sells a house", [](const House&) { return true; });
}
