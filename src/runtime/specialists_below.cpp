#include "runtime/specialists_below.h"

#include <algorithm>
#include <utility>

namespace wright::runtime {

void SpecialistsBelow::expect(const std::string& call_id) {
  by_call_[call_id] = {.state = State::expected};
}

void SpecialistsBelow::expect_no_more() {
  std::erase_if(by_call_, [](const auto& each) { return each.second.state == State::expected; });
}

void SpecialistsBelow::begins(const std::string& call_id, Driver driver) {
  by_call_[call_id] = {.state = State::at_work, .driver = std::move(driver)};
}

void SpecialistsBelow::parks(const std::string& call_id, std::vector<PersonWait> waits) {
  Specialist& specialist = by_call_[call_id];
  specialist.state = State::parked;
  specialist.waits = std::move(waits);
}

void SpecialistsBelow::ends(const std::string& call_id) {
  by_call_.erase(call_id);
}

SpecialistsBelow::Driver SpecialistsBelow::unpark(const std::string& call_id) {
  const auto found = by_call_.find(call_id);
  if (found == by_call_.end() || found->second.state != State::parked) return nullptr;
  found->second.state = State::at_work;
  found->second.waits.clear();
  return found->second.driver;
}

bool SpecialistsBelow::is_any_under_way() const {
  return std::ranges::any_of(by_call_,
                             [](const auto& each) { return each.second.state != State::parked; });
}

std::vector<SpecialistsBelow::Driver> SpecialistsBelow::at_work() const {
  std::vector<Driver> drivers;
  for (const auto& [call_id, specialist] : by_call_) {
    if (specialist.state == State::at_work) drivers.push_back(specialist.driver);
  }
  return drivers;
}

std::vector<std::string> SpecialistsBelow::parked() const {
  std::vector<std::string> calls;
  for (const auto& [call_id, specialist] : by_call_) {
    if (specialist.state == State::parked) calls.push_back(call_id);
  }
  return calls;
}

const std::vector<PersonWait>* SpecialistsBelow::waits_of(const std::string& call_id) const {
  const auto found = by_call_.find(call_id);
  if (found == by_call_.end() || found->second.state != State::parked) return nullptr;
  return &found->second.waits;
}

}  // namespace wright::runtime
