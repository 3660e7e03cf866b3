#include "app/wiring/answers_without_keys.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>
#include <variant>

#include "models/secret_filter.h"
#include "store/forwarding_store.h"

namespace wright::app {
namespace {

class AnswersWithoutKeys final : public store::ForwardingStore {
 public:
  AnswersWithoutKeys(std::unique_ptr<Store> inner, std::vector<std::string> keys)
      : ForwardingStore(*inner), inner_(std::move(inner)), filter_(std::move(keys)) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    if (std::ranges::none_of(batches, has_answer)) return ForwardingStore::apply_all(batches);
    std::vector<Batch> clean(batches.begin(), batches.end());
    for (Batch& batch : clean) {
      for (Write& write : batch.writes) {
        if (auto* answer = std::get_if<AnswerWait>(&write)) hide_keys(answer->answer);
      }
    }
    return ForwardingStore::apply_all(clean);
  }

 private:
  static bool has_answer(const Batch& batch) {
    return std::ranges::any_of(
        batch.writes, [](const Write& write) { return std::holds_alternative<AnswerWait>(write); });
  }

  // Names of members are ids of questions, which the person did not write.
  void hide_keys(Json& value) const {
    if (JsonObject* object = value.if_object()) {
      for (auto& member : *object) hide_keys(member.value());
    } else if (JsonArray* array = value.if_array()) {
      for (Json& element : *array) hide_keys(element);
    } else if (value.is_string()) {
      std::string text(value.get_string());
      filter_.clean(text);
      value = text;
    }
  }

  const std::unique_ptr<Store> inner_;
  const models::SecretFilter filter_;
};

}  // namespace

std::unique_ptr<Store> answers_without_keys(std::unique_ptr<Store> store,
                                            std::vector<std::string> keys) {
  if (store == nullptr) return nullptr;
  return std::make_unique<AnswersWithoutKeys>(std::move(store), std::move(keys));
}

}  // namespace wright::app
