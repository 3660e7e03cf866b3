// Stands for a test: it copies strings as well, and its own copying is watched by no sanitizer.
// With an argument it meets the bug of the stack.
#include "sanitizers/planted.h"

int main(int count, char** /*arguments*/) {
  if (count > 1) {
    wright::sanitizers::keep_what_goes();
    return *wright::sanitizers::kept() == 'g' ? 0 : 2;
  }
  const std::vector<std::string> list{"the only one"};
  const std::string copy = list.front();
  return copy == wright::sanitizers::at(list, list.size()) ? 0 : 2;
}
