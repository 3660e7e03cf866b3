#include "wright/driver.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::detail {

Error waits_for_person(const RunResult& answer) {
  JsonArray waits;
  for (const PersonWait& wait : answer.waits) {
    waits.push_back({{"wait_id", wait.wait_id},
                     {"session_id", wait.session_id},
                     {"tool", wait.call.name},
                     {"kind", to_string(wait.kind)}});
  }
  return {ErrorCode::unavailable,
          fmt::format("The run waits for a person, in {} of its calls. Answer them with "
                      "answer_wait(), and go on with resume_as()",
                      answer.waits.size()),
          JsonObject{{"session_id", answer.session_id}, {"waits", std::move(waits)}}};
}

Error refused_answer(Error error, std::string_view text) {
  error.code = ErrorCode::answer_refused;
  if (!error.detail.is_object()) error.detail = JsonObject{};
  error.detail.get_object()["answer"] = text;
  return error;
}

}  // namespace wright::detail
