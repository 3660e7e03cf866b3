// Where a request goes: a provider over HTTP, the offline planner, a script in a test, a
// recording. One seam for all four.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "wright/request.h"

namespace wright {

// What one call to a model may use beside its request.
struct ModelCall {
  std::stop_token stop = {};                           // asked to end early
  std::function<void(std::string_view)> on_text = {};  // text as it comes; may be empty
  // The answer begins again: the text so far came from an attempt that failed.
  std::function<void()> on_restart = {};
};

// The interface behind a Model. complete() blocks; it may be called from several threads at once.
class ModelBackend {
 public:
  virtual ~ModelBackend() = default;
  virtual Result<Response> complete(const Request& request, const ModelCall& call) = 0;
};

// A value, cheap to copy. A default Model answers every request with an error that says so.
class Model {
 public:
  Model() = default;
  Model(std::string provider, std::string name, std::shared_ptr<ModelBackend> backend)
      : provider_(std::move(provider)), name_(std::move(name)), backend_(std::move(backend)) {}

  const std::string& provider() const { return provider_; }
  const std::string& name() const { return name_; }
  bool is_set() const { return backend_ != nullptr; }

  Result<Response> complete(const Request& request, const ModelCall& call = {}) const;

 private:
  std::string provider_;
  std::string name_;
  std::shared_ptr<ModelBackend> backend_;
};

// A model from any callable.
Model model_from(std::string provider, std::string name,
                 std::function<Result<Response>(const Request&, const ModelCall&)> complete);

// "offline" is the embedded planner: deterministic, no key, no network, no language model.
// "vendor:name" names a provider's model. What is not there gives a Model whose calls fail and
// say what to do, so that building an agent never fails.
Model model(std::string_view id);

}  // namespace wright
