#include "core/failed_usage.h"

#include <boost/json/object.hpp>

#include "wright/json.h"

namespace wright {
namespace {

constexpr const char* kUsage = "usage";

}  // namespace

Error with_usage(Error error, const Usage& usage) {
  if (usage == Usage{}) return error;
  if (!error.detail.is_object()) error.detail = JsonObject();
  error.detail.get_object()[kUsage] = to_json(usage);
  return error;
}

Usage usage_in(const Error& error) {
  const Json* told = error.find(kUsage);
  if (told == nullptr) return {};
  auto usage = usage_from_json(*told);
  return usage ? *usage : Usage();
}

}  // namespace wright
