#include "tools/edit/preview.h"

#include <fmt/format.h>

#include "tools/edit/line_diff.h"
#include "tools/output/output_budget.h"

namespace wright::tools {
namespace {

JsonObject problem(std::string_view what) {
  return JsonObject{{"problem", to_valid_utf8(std::string(what))}};
}

}  // namespace

Json preview_of_change(const Result<std::string>& diff) {
  if (!diff) return preview_problem(diff.error());
  if (diff->empty()) return problem("It would change nothing");
  return JsonObject{{"diff", bounded_diff(*diff, kOutputBudget)}};
}

Json preview_problem(const Error& error) {
  return problem(fmt::format("It would fail: {}", error.message));
}

}  // namespace wright::tools
