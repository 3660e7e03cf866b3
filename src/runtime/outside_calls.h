// Calls of tools that somebody outside asked for, as a client over MCP does. No agent made them: no
// session machine drives them, and no lease says who executes them. Beside each that has not ended
// lies a note in the store: which runner executes it, or until when it waits for its person. So
// whoever comes next can tell what a process that is gone has left, and of many who go on with a
// call that waited, one does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wright/store.h"

namespace wright::runtime {

// A call in the store. It travels with whoever asked for it, from one round to the next.
struct OutsideCall {
  SessionId session = 0;
  CallId row = 0;         // 0: nothing is stored
  std::string id = {};    // by which the tool and its result know it
  std::int64_t note = 0;  // the version of its note; 0: there is none yet

  bool operator==(const OutsideCall&) const = default;
};

Json to_json(const OutsideCall& call);
std::optional<OutsideCall> outside_call_from(const Json& json);

// Each belongs to the batch that writes what it says. A note is replaced only by whoever knows the
// last one (ErrorCode::unavailable); from then on `call.note` is one more.
PutRecord note_of_executing(const OutsideCall& call, RunnerId runner);
// What a call that waits for its person has done.
enum class Done : std::uint8_t { nothing, perhaps_something };
PutRecord note_of_waiting(const OutsideCall& call, std::int64_t until_ms, Done done);
RemoveRecords no_note_of(const OutsideCall& call);

// Ends calls that nobody will: executed by runners that are not alive any more (nobody knows what
// came of those), or waiting for longer than their person had time (nor of those that had begun).
// Says how many.
Result<int> settle_outside_calls(Store& store);

}  // namespace wright::runtime
