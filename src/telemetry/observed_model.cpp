#include "telemetry/observed_model.h"

#include <memory>
#include <utility>

namespace wright::telemetry {
namespace {

class ObservedModel final : public ModelBackend {
 public:
  ObservedModel(Model model, ObserveRequest tell)
      : model_(std::move(model)), observe_(std::move(tell)) {}

  Result<Response> complete(const Request& request, const ModelCall& call) override {
    observe_(request, call.trace);
    return model_.complete(request, call);
  }
  void start(const Request& request, ModelCall call, ModelDone done) override {
    observe_(request, call.trace);
    model_.start(request, std::move(call), std::move(done));
  }
  bool blocks() const override { return model_.blocks(); }
  double cost_usd(std::int64_t input_tokens, std::int64_t output_tokens) const override {
    return model_.cost_usd(input_tokens, output_tokens);
  }
  std::optional<std::int64_t> context_tokens() const override { return model_.context_tokens(); }
  bool guesses_context() const override { return model_.guesses_context(); }

 private:
  const Model model_;
  const ObserveRequest observe_;
};

}  // namespace

Model observed_model(Model model, ObserveRequest tell) {
  if (!model.is_set()) return model;
  std::string provider = model.provider();
  std::string name = model.name();
  return Model(std::move(provider), std::move(name),
               std::make_shared<ObservedModel>(std::move(model), std::move(tell)));
}

}  // namespace wright::telemetry
