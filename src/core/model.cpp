#include "wright/model.h"

#include <array>
#include <bit>
#include <cstring>

namespace wright {
namespace {

class FunctionBackend : public ModelBackend {
 public:
  using Function = std::function<Result<Response>(const Request&, const ModelCall&)>;

  explicit FunctionBackend(Function function) : function_(std::move(function)) {}

  // Whoever writes such a function passes text on, whether anybody listens or not.
  Result<Response> complete(const Request& request, const ModelCall& call) override {
    if (call.on_text) return function_(request, call);
    ModelCall unheard = call;
    unheard.on_text = [](const TextPiece&) {};
    return function_(request, unheard);
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

// Of four streams of words side by side, since each step of one waits for the step before it: requests
// are long, and this stands before each of them.
std::uint64_t request_fingerprint(std::string_view body) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const auto word_at = [&](std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, body.data() + at, kWord);
    return std::endian::native == std::endian::big ? __builtin_bswap64(word) : word;
  };
  const auto mix = [](std::uint64_t& hash, std::uint64_t word) {
    hash = (hash ^ word) * 0xff51'afd7'ed55'8ccdULL;
    hash ^= hash >> 32U;
  };
  std::array<std::uint64_t, 4> streams{1, 2, 3, 4};
  std::size_t at = 0;
  for (; body.size() - at >= streams.size() * kWord; at += streams.size() * kWord) {
    for (std::size_t i = 0; i < streams.size(); ++i) mix(streams[i], word_at(at + i * kWord));
  }
  std::uint64_t hash = 0x9e37'79b9'7f4a'7c15ULL ^ body.size();
  for (const std::uint64_t stream : streams) mix(hash, stream);
  for (; body.size() - at >= kWord; at += kWord) mix(hash, word_at(at));
  for (; at < body.size(); ++at) mix(hash, static_cast<unsigned char>(body[at]));
  return hash == 0 ? 1 : hash;
}

std::optional<double> ModelBackend::cost_usd(std::int64_t, std::int64_t) const {
  return 0;
}

std::optional<double> Model::cost_usd(std::int64_t input_tokens,
                                      std::int64_t output_tokens) const {
  return backend_ == nullptr ? std::optional(0.0) : backend_->cost_usd(input_tokens, output_tokens);
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
