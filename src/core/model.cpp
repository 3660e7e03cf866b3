#include "wright/model.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wright {
namespace {

class FunctionBackend : public ModelBackend {
 public:
  using Function = std::function<Result<Response>(const Request&, const ModelCall&)>;

  explicit FunctionBackend(Function function) : function_(std::move(function)) {}

  Result<Response> complete(const Request& request, const ModelCall& call) override {
    return function_(request, call);
  }

 private:
  Function function_;
};

Error no_model() {
  return {ErrorCode::invalid_argument,
          "The agent has no model. Set one, for example wright::offline_model()",
          {}};
}

}  // namespace

void ModelBackend::start(const Request& request, ModelCall call, ModelDone done) {
  done(complete(request, call));
}

Result<std::vector<HttpRequest>> ModelBackend::preview(const Request&) const {
  return fail(ErrorCode::unsupported, "This model is not asked over HTTP: nothing was sent");
}

Result<std::vector<HttpRequest>> Model::preview(const Request& request) const {
  if (backend_ == nullptr) return std::unexpected(no_model());
  return backend_->preview(request);
}

// Eight bytes at a time: requests are long, and this stands before each of them.
std::uint64_t request_fingerprint(std::string_view body) {
  constexpr std::uint64_t kFactor = 0xff51'afd7'ed55'8ccdULL;
  std::uint64_t hash = 0x9e37'79b9'7f4a'7c15ULL ^ body.size();
  while (!body.empty()) {
    std::uint64_t piece = 0;
    const std::size_t size = std::min(sizeof(piece), body.size());
    std::memcpy(&piece, body.data(), size);
    if constexpr (std::endian::native == std::endian::big) piece = __builtin_bswap64(piece);
    hash = (hash ^ piece) * kFactor;
    hash ^= hash >> 32U;
    body.remove_prefix(size);
  }
  return hash == 0 ? 1 : hash;
}

double ModelBackend::cost_usd(std::int64_t, std::int64_t) const {
  return 0;
}

double Model::cost_usd(std::int64_t input_tokens, std::int64_t output_tokens) const {
  return backend_ == nullptr ? 0 : backend_->cost_usd(input_tokens, output_tokens);
}

Result<Response> Model::complete(const Request& request, const ModelCall& call) const {
  if (backend_ == nullptr) return std::unexpected(no_model());
  return backend_->complete(request, call);
}

void Model::start(const Request& request, ModelCall call, ModelDone done) const {
  if (backend_ == nullptr) {
    done(std::unexpected(no_model()));
  } else {
    backend_->start(request, std::move(call), std::move(done));
  }
}

Model model_from(std::string provider, std::string name,
                 std::function<Result<Response>(const Request&, const ModelCall&)> complete) {
  return {std::move(provider), std::move(name),
          std::make_shared<FunctionBackend>(std::move(complete))};
}

}  // namespace wright
