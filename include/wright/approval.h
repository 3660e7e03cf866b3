// What people answer to calls that wait for them, and what a run remembers of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "wright/error.h"
#include "wright/json.h"

namespace wright {

// A person's word on whether a call may run.
enum class Decision : std::uint8_t {
  once,     // this call, with these arguments
  session,  // also further ones of its kind in this session
  refuse,   // not this call
  never,    // none of its kind in this session
};
std::string_view to_string(Decision decision);
Result<Decision> decision_from(std::string_view name);

struct Approval {
  Decision decision = Decision::refuse;
  std::string reason = {};
  bool operator==(const Approval&) const = default;
};

// What a call that waited has got since.
struct WaitAnswers {
  std::optional<Approval> approval = {};
  std::optional<Json> answer = {};  // a person's answers, a specialist's, or a result from outside
  bool operator==(const WaitAnswers&) const = default;
};

// What is remembered from call to call of one run: counts by name, and approvals that hold for the
// session, by kind of call. Thread-safe.
class RunMemory {
 public:
  int add_one(std::string_view name);  // how many there are now
  void forget(std::string_view name);

  void decide(std::string_view kind, Decision decision);
  std::optional<Decision> decided(std::string_view kind) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int, std::less<>> counts_;
  std::map<std::string, Decision, std::less<>> decisions_;
};

}  // namespace wright
