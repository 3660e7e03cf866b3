#include "wright/tool.h"

namespace wright {

std::string_view to_string(Effect effect) {
  switch (effect) {
    case Effect::read: return "read";
    case Effect::idempotent: return "idempotent";
    case Effect::write: return "write";
  }
  return "write";
}

std::unexpected<Error> wait_for_person(const Json& shown) {
  return fail(ErrorCode::waiting, "A person has to answer first", to_text(shown));
}

}  // namespace wright
