#include "tools/edit/preview.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/sha256.h"
#include "tools/edit/line_diff.h"
#include "tools/output/output_budget.h"

namespace wright::tools {
namespace {

JsonObject problem(std::string_view what) {
  return JsonObject{{"problem", to_valid_utf8(std::string(what))}};
}

JsonObject change_in(const Result<std::string>& diff) {
  if (!diff) return problem(fmt::format("It would fail: {}", diff.error().message));
  if (diff->empty()) return problem("It would change nothing");
  const std::string shown = bounded_diff(*diff, kOutputBudget);
  JsonObject seen;
  // What lies behind the cut counts, too, when it is asked whether this was approved.
  if (shown != *diff) seen["whole_diff"] = sha256_hex(*diff);
  seen["diff"] = shown;
  return seen;
}

}  // namespace

Json preview_of_change(const Result<std::string>& diff, std::string_view folder) {
  JsonObject seen = change_in(diff);
  seen["folder"] = real_folder(folder);
  return seen;
}

std::string real_folder(std::string_view folder) {
  std::error_code error;
  const auto real = std::filesystem::canonical(folder, error);
  return to_valid_utf8(error ? std::string(folder) : real.string());
}

Json preview_problem(const Error& error) {
  return problem(fmt::format("It would fail: {}", error.message));
}

}  // namespace wright::tools
