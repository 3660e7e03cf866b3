#include "core/unknown_outcome.h"

#include <boost/json/object.hpp>

#include <utility>

namespace wright {
namespace {

constexpr std::string_view kOutcomeKey = "outcome";
constexpr std::string_view kUnknownWord = "unknown";

}  // namespace

Error unknown_outcome(ErrorCode code, std::string message) {
  return {code, std::move(message), JsonObject{{kOutcomeKey, kUnknownWord}}};
}

bool is_unknown(const ToolOutcome& outcome) {
  if (!outcome.error) return false;
  const Json* word = outcome.error->find(kOutcomeKey);
  return word != nullptr && word->is_string() && word->get_string() == kUnknownWord;
}

}  // namespace wright
