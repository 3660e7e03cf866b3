#include "runtime/run_result.h"

#include <fmt/format.h>

#include <utility>

namespace wright::runtime {

Result<RunResult> answer_of(session::Ending ending) {
  using Kind = session::Ending::Kind;
  switch (ending.kind) {
    case Kind::failed:
    case Kind::cancelled:
    case Kind::lost: return std::unexpected(std::move(ending.error));
    case Kind::suspended:
      return fail(ErrorCode::unavailable,
                  fmt::format("Session {} was suspended and can be resumed", ending.session_id));
    case Kind::completed:
    case Kind::waiting: break;
  }
  return RunResult{.status = ending.kind == Kind::waiting ? RunResult::Status::waiting
                                                          : RunResult::Status::completed,
                   .text = std::move(ending.text),
                   .waits = std::move(ending.waits),
                   .session_id = ending.session_id,
                   .iterations = ending.iterations,
                   .usage = ending.usage,
                   .feedback = std::move(ending.feedback)};
}

}  // namespace wright::runtime
