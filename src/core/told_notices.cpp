#include "core/told_notices.h"

#include <fmt/format.h>

#include "core/fingerprint.h"

namespace wright {

bool is_new_to(RunMemory& memory, const Notice& told) {
  const std::string kind = fmt::format("told {}", to_string(told.kind));
  const bool is_first =
      memory.add_one(fmt::format("{} {:016x}", kind, fingerprint_of(told.text))) == 1;
  return is_first && memory.add_one(kind) <= kMostTold;
}

}  // namespace wright
