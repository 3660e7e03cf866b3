#include "store/unfinished_copy.h"

#include <fmt/format.h>

namespace wright::store {

Error unfinished_copy(std::string_view place) {
  return {
      ErrorCode::unsupported,
      fmt::format("{} is the copy of another store, and not finished: it may lack sessions, and "
                  "those that it has still belong to the other one. Run the same `wright migrate` "
                  "again to finish it",
                  place)};
}

Result<void> check_version_of_copy(std::string_view place, int version, int wanted) {
  if (version == wanted) return {};
  return fail(
      ErrorCode::unsupported,
      fmt::format("{} is a copy that another version of Wright has begun (its tables have "
                  "version {}, those of this Wright {}). Finish it with that one, or remove "
                  "it and begin again",
                  place, version, wanted));
}

}  // namespace wright::store
