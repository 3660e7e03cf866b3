#include "tools/output/long_text.h"

#include <fmt/format.h>

#include "core/cut_text.h"
#include "tools/output/output_budget.h"

namespace wright::tools {

ShownText shown_within(std::string text, std::size_t budget, const Context& context) {
  if (json_size(text) <= budget) return {.text = std::move(text)};
  ShownText shown{.is_cut = true};
  if (context.spill) {
    if (auto path = context.spill(text)) shown.file = std::move(*path);
  }
  // Line breaks and control characters take several bytes each.
  for (std::size_t kept = budget; kept > 0; kept = kept * 2 / 3) {
    if (shown.file.empty()) {
      const std::string_view head = utf8_prefix(text, kept);
      shown.text =
          fmt::format("{}\n[Cut here: the first {} of {} bytes]", head, head.size(), text.size());
    } else {
      shown.text = head_and_tail(text, kept, shown.file);
    }
    if (json_size(shown.text) <= budget) break;
  }
  return shown;
}

}  // namespace wright::tools
