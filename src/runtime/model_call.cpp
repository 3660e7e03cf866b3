#include "runtime/model_call.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

namespace wright::runtime {
namespace {

Error thrown_error(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const std::exception& error) {
    return {ErrorCode::internal, fmt::format("The model threw: {}", error.what()), {}};
  } catch (...) {
    return {ErrorCode::internal, "The model threw something that is not a std::exception", {}};
  }
}

}  // namespace

Result<Response> complete_safely(const Model& model, const Request& request,
                                 const ModelCall& call) {
  try {
    return model.complete(request, call);
  } catch (...) {
    return std::unexpected(thrown_error(std::current_exception()));
  }
}

void start_safely(const Model& model, const Request& request, ModelCall call, ModelDone done) {
  // A start() that throws may have called `done` before.
  const auto is_done = std::make_shared<std::atomic<bool>>(false);
  const auto once = [is_done, done = std::move(done)](Result<Response> response) {
    if (!is_done->exchange(true)) done(std::move(response));
  };
  try {
    model.start(request, std::move(call), once);
  } catch (...) {
    once(std::unexpected(thrown_error(std::current_exception())));
  }
}

}  // namespace wright::runtime
