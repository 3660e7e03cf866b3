// How two texts differ, line by line, in the unified format that `patch` and `git apply` read.
// Time and memory are bounded: texts with very many differences are shown as one large change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wright::tools {

struct DiffNames {
  std::string_view before;  // empty: there was no such file
  std::string_view after;   // empty: there is none any more
};

struct UnifiedDiff {
  std::string text;  // empty when nothing differs
  std::int64_t additions = 0;
  std::int64_t deletions = 0;
};

UnifiedDiff unified_diff(DiffNames names, std::string_view before, std::string_view after);

// As much of a diff as fits into so many bytes of JSON, valid UTF-8, cut between lines.
std::string bounded_diff(std::string_view diff, std::size_t json_bytes);

}  // namespace wright::tools
