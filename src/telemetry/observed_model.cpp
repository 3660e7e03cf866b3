#include "telemetry/observed_model.h"

#include <charconv>
#include <memory>
#include <mutex>
#include <utility>

#include "wright/message.h"

namespace wright::telemetry {
namespace {

class ObservedModel final : public ModelBackend {
 public:
  ObservedModel(Model model, ObserveRequest tell)
      : model_(std::move(model)), observe_(std::move(tell)) {}

  Result<Response> complete(const Request& request, const ModelCall& call) override {
    tell(request, call);
    return model_.complete(request, call);
  }
  void start(const Request& request, ModelCall call, ModelDone done) override {
    tell(request, call);
    model_.start(request, std::move(call), std::move(done));
  }
  bool blocks() const override { return model_.blocks(); }
  std::optional<double> cost_usd(std::int64_t input_tokens,
                                 std::int64_t output_tokens) const override {
    return model_.cost_usd(input_tokens, output_tokens);
  }
  std::optional<std::int64_t> context_tokens() const override { return model_.context_tokens(); }
  bool guesses_context() const override { return model_.guesses_context(); }
  Result<std::vector<HttpRequest>> preview(const Request& request) const override {
    return model_.preview(request);
  }

 private:
  void tell(const Request& request, const ModelCall& call) {
    std::call_once(is_server_known_, [this] { server_ = find_server(); });
    observe_({.request = request,
              .server = server_,
              .is_streamed = static_cast<bool>(call.on_text),
              .at = call.trace});
  }

  // By what would be sent for next to nothing.
  ServerAddress find_server() const {
    const Sampling sampling;
    const Message hello = Message::user("Hello");
    const auto requests =
        model_.preview({.messages = {&hello, 1}, .model = model_.name(), .sampling = &sampling});
    if (!requests || requests->empty()) return {};
    return address_in(requests->front().url);
  }

  const Model model_;
  const ObserveRequest observe_;
  std::once_flag is_server_known_;
  ServerAddress server_;
};

}  // namespace

ServerAddress address_in(std::string_view url) {
  const bool is_encrypted = url.starts_with("https://");
  if (!is_encrypted && !url.starts_with("http://")) return {};
  std::string_view rest = url.substr(url.find("//") + 2);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
  ServerAddress address{.port = is_encrypted ? 443 : 80};
  const auto bracket = rest.rfind(']');
  const auto colon = rest.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (has_port) {
    const std::string_view digits = rest.substr(colon + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    rest = rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  address.host = rest;
  return address;
}

Model observed_model(Model model, ObserveRequest tell) {
  if (!model.is_set()) return model;
  std::string provider = model.provider();
  std::string name = model.name();
  return Model(std::move(provider), std::move(name),
               std::make_shared<ObservedModel>(std::move(model), std::move(tell)));
}

}  // namespace wright::telemetry
