// From a model's id to a Model.
#include <fmt/format.h>

#include "offline/offline_model.h"
#include "wright/model.h"

namespace wright {
namespace {

// Building an agent never fails; asking a model that is not there does, and says what to do.
Model missing_model(std::string vendor, std::string name, std::string reason) {
  return model_from(
      std::move(vendor), std::move(name),
      [reason = std::move(reason)](const Request&, const ModelCall&) -> Result<Response> {
        return fail(ErrorCode::unsupported, reason);
      });
}

}  // namespace

Model model(std::string_view id) {
  if (id == "offline" || id == "offline:planner") return offline_model();
  const std::size_t colon = id.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == id.size()) {
    return missing_model("unknown", std::string(id),
                         fmt::format("'{}' is not a model. Use \"offline\", or \"vendor:name\" as "
                                     "in \"openai:gpt-5-mini\"",
                                     id));
  }
  const std::string_view vendor = id.substr(0, colon);
  return missing_model(std::string(vendor), std::string(id.substr(colon + 1)),
                       fmt::format("The provider '{}' is not available in this version of Wright. "
                                   "Use the model \"offline\", which needs no key and no network",
                                   vendor));
}

}  // namespace wright
