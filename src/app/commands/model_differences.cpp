#include "app/commands/model_differences.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/model_wiring.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostNames = 12;  // a vendor may have hundreds of models without a row

struct VendorComparison {
  std::string vendor;
  std::size_t listed = 0;
  Result<ModelComparison> comparison;
};

std::string amount_text(std::optional<double> value) {
  return value ? fmt::format("{:.10g}", *value) : "nothing";
}

std::string names_text(std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text = fmt::format("  {}:", what);
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : ",", on_one_line(names[i]));
  }
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text + "\n";
}

std::string text_of(const VendorComparison& one, const Terminal& terminal) {
  std::string text = painted(one.vendor, Colour::bold, terminal);
  if (!one.comparison) {
    return text + fmt::format("  {}\n", painted(on_one_line(one.comparison.error().message),
                                                Colour::red, terminal));
  }
  const ModelComparison& found = *one.comparison;
  text += fmt::format(
      "  lists {}, {}\n", show_counted(static_cast<std::int64_t>(one.listed), "model"),
      found.different.empty() ? "and no row differs"
                              : show_counted(std::ssize(found.different), "difference"));
  for (const ModelDifference& difference : found.different) {
    text +=
        fmt::format("  {}  {}: here {}, there {}\n", on_one_line(difference.model),
                    difference.field, amount_text(difference.ours), amount_text(difference.theirs));
  }
  return text + names_text("not listed there", found.not_listed) +
         names_text("without a row here", found.without_row);
}

Json names_json(const std::vector<std::string>& names) {
  JsonArray array;
  for (const std::string& name : names) array.push_back(Json(name));
  return array;
}

Json json_of(const VendorComparison& one) {
  JsonObject json{{"vendor", one.vendor}};
  if (!one.comparison) {
    json["error"] = one.comparison.error().message;
    return json;
  }
  JsonArray different;
  for (const ModelDifference& difference : one.comparison->different) {
    different.push_back({{"model", difference.model},
                         {"field", difference.field},
                         {"here", difference.ours ? Json(*difference.ours) : Json(nullptr)},
                         {"there", difference.theirs}});
  }
  json["listed"] = one.listed;
  json["different"] = std::move(different);
  json["not_listed"] = names_json(one.comparison->not_listed);
  json["without_row"] = names_json(one.comparison->without_row);
  return json;
}

VendorComparison compare_one(const Models& models, const std::string& vendor) {
  auto listed = models.list(vendor);
  if (!listed) return {vendor, 0, std::unexpected(std::move(listed).error())};
  const Catalogue& catalogue = models.catalogue();
  return {vendor, listed->size(), compare(catalogue, *catalogue.find_vendor(vendor), *listed)};
}

}  // namespace

ExitCode compare_models(const Settings& settings, const std::vector<std::string>& vendors,
                        OutputFormat output, CommandContext context) {
  const auto models = make_models(settings, {}, context.environment);
  if (!models) {
    context.console.complain(models.error().message, "See `wright help models`.");
    return ExitCode::usage;
  }
  if (vendors.empty()) {
    context.console.complain("no vendor has a key, so there is none to ask",
                             "`wright models` says which variables hold the keys.");
    return ExitCode::failed;
  }
  std::vector<VendorComparison> comparisons;
  for (const std::string& vendor : vendors) comparisons.push_back(compare_one(*models, vendor));
  if (output == OutputFormat::json) {
    JsonArray array;
    for (const VendorComparison& one : comparisons) array.push_back(json_of(one));
    context.console.print_json(to_pretty_text(array) + "\n");
  } else {
    std::string text;
    for (const VendorComparison& one : comparisons) {
      if (!text.empty()) text += '\n';
      text += text_of(one, context.console.output());
    }
    context.console.print_fitted(text);
  }
  const bool has_failed =
      std::ranges::any_of(comparisons, [](const VendorComparison& one) { return !one.comparison; });
  return has_failed ? ExitCode::failed : ExitCode::ok;
}

}  // namespace wright::app
