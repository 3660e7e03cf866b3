// What people answer to calls that wait for them, and what a run remembers of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
Json to_json(const Approval& approval);  // as answer_wait() takes it

// Something that a run cannot go on without: a person's answers or approval, or a result from
// outside. It is answered once.
enum class WaitKind : std::uint8_t { question, approval, result };
std::string_view to_string(WaitKind kind);
Result<WaitKind> wait_kind_from(std::string_view name);

// A call cannot go on before somebody has answered.
struct Waiting {
  WaitKind kind = WaitKind::question;
  Json shown = {};                                   // to whoever is to answer
  std::optional<std::chrono::seconds> timeout = {};  // absent: it waits for ever
  // WaitKind::approval: the kinds of calls that an approval for the session holds for.
  std::vector<std::string> covers = {};
  bool operator==(const Waiting&) const = default;
};

// What came of the run of a specialist: its text, or why it failed.
struct SpecialistResult {
  std::string text = {};
  std::optional<std::string> error = {};
  double duration_ms = 0;
  bool operator==(const SpecialistResult&) const = default;
};

// What a call that waited has got since.
struct WaitAnswers {
  std::optional<Approval> approval = {};
  std::optional<Json> answer = {};  // a person's answers, or a result from outside
  std::optional<SpecialistResult> specialist = {};
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
