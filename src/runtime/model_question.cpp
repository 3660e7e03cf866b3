#include "runtime/model_question.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/model_call.h"

namespace wright::runtime {
namespace {

// What a model says in this time after it was to stop still counts.
constexpr std::chrono::milliseconds kGrace{500};

class ModelQuestion : public std::enable_shared_from_this<ModelQuestion> {
 public:
  ModelQuestion(const Model& model, const Request& request, ModelCall call, ModelDone done)
      : model_(model),
        messages_(request.messages.begin(), request.messages.end()),
        system_(request.system),
        name_(request.model),
        sampling_(request.sampling != nullptr ? *request.sampling : Sampling{}),
        request_(request),
        call_(std::move(call)),
        done_(std::move(done)) {
    request_.messages = messages_;
    request_.system = system_;
    request_.model = name_;
    request_.memory = nullptr;  // it may be gone before the model is done
    if (request.sampling != nullptr) request_.sampling = &sampling_;
  }

  void start(Host& host) {
    {
      const std::lock_guard lock(mutex_);
      ticket_ = host.run_blocking([self = shared_from_this()] { self->ask(); }, {});
    }
    // The host outlasts every question that has not been answered.
    on_stop_.emplace(call_.stop, [weak = weak_from_this(), &host] {
      host.run_at(host.now() + kGrace, [weak, &host] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        if (self->answer(
                fail(ErrorCode::cancelled, "The model did not stop when it was asked to"))) {
          host.give_up(self->ticket());
        }
      });
    });
  }

 private:
  void ask() {
    ModelCall call{.stop = call_.stop, .trace = call_.trace};
    if (call_.on_text) {
      call.on_text = [this](TextPiece piece) {
        const std::lock_guard lock(mutex_);
        if (!is_answered_) call_.on_text(piece);
      };
    }
    if (call_.on_retry) {
      call.on_retry = [this](const ModelRetry& retry) {
        const std::lock_guard lock(mutex_);
        if (!is_answered_) call_.on_retry(retry);
      };
    }
    answer(complete_safely(model_, request_, call));
  }

  // Whether this is the first answer, which counts.
  bool answer(Result<Response> response) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(is_answered_, true)) return false;
    }
    done_(std::move(response));
    return true;
  }

  Host::Ticket ticket() {
    const std::lock_guard lock(mutex_);
    return ticket_;
  }

  const Model model_;
  const std::vector<Message> messages_;
  const std::string system_;
  const std::string name_;
  const Sampling sampling_;
  Request request_;
  const ModelCall call_;
  const ModelDone done_;

  std::mutex mutex_;  // held while it tells
  bool is_answered_ = false;
  Host::Ticket ticket_ = 0;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace

void ask_blocking(Host& host, const Model& model, const Request& request, ModelCall call,
                  ModelDone done) {
  std::make_shared<ModelQuestion>(model, request, std::move(call), std::move(done))->start(host);
}

}  // namespace wright::runtime
