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
  struct Once {
    explicit Once(ModelDone told) : done(std::move(told)) {}
    std::atomic<bool> is_done = false;
    const ModelDone done;
  };
  const auto kept = std::make_shared<Once>(std::move(done));
  const auto once = [kept](Result<Response> response) {
    if (!kept->is_done.exchange(true)) kept->done(std::move(response));
  };
  try {
    model.start(request, std::move(call), once);
  } catch (...) {
    once(std::unexpected(thrown_error(std::current_exception())));
  }
}

}  // namespace wright::runtime
