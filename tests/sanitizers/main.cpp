// Stands for a test: it copies strings as well, and its own copying is watched by no sanitizer.
#include "sanitizers/planted.h"

int main() {
  const std::vector<std::string> list{"the only one"};
  const std::string copy = list.front();
  return copy == wright::sanitizers::at(list, list.size()) ? 0 : 2;
}
