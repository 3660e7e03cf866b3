// Feeds apply_patch's parser with a patch, a NUL and a text. Whatever they are: no crash, no hang,
// a message with every refusal, and a hunk that was applied leaves all lines that it does not name.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/edit/line_diff.h"
#include "tools/edit/patch_format.h"
#include "tools/edit/patch_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wright::tools;
  const std::string_view input(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const std::size_t end = std::min(input.find('\0'), input.size());
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  const auto files = parse_patch(input.substr(0, end));
  if (!files) {
    if (files.error().message.empty()) std::abort();
    return 0;
  }
  for (const FilePatch& file : *files) {
    if (file.path.empty()) std::abort();
    std::int64_t added = 0;
    std::int64_t removed = 0;
    for (const Hunk& hunk : file.hunks) {
      for (const HunkLine& line : hunk.lines) {
        added += line.kind == HunkLine::Kind::added ? 1 : 0;
        removed += line.kind == HunkLine::Kind::removed ? 1 : 0;
      }
    }
    const auto applied = apply_hunks(text, file.hunks);
    if (!applied) {
      if (applied.error().message.empty()) std::abort();
      continue;
    }
    // A last line that gets a line break counts as changed.
    const UnifiedDiff diff = unified_diff({"a", "a"}, text, applied->text);
    if (diff.additions > added + 1 || diff.deletions > removed + 1) std::abort();
  }
  return 0;
}
