// expect: wright: this type has no JSON form
#include <chrono>

#include "wright/wright.h"

struct Meeting {
  std::chrono::system_clock::time_point begin;
};

bool made(const wright::Agent& agent) {
  return wright::run_as<Meeting>(agent, "When?").has_value();
}
