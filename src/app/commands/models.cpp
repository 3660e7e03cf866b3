// `wright models`: which vendors and models there are, what they cost, and which have a key.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/commands/commands.h"
#include "app/commands/model_differences.h"
#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/model_wiring.h"
#include "core/nearest.h"

namespace wright::app {
namespace {

enum class KeyState : std::uint8_t { set, missing, not_needed, of_cloud, of_command };

std::string_view to_string(KeyState state) {
  switch (state) {
    case KeyState::set: return "set";
    case KeyState::missing: return "missing";
    case KeyState::of_cloud: return "cloud credentials";
    case KeyState::of_command: return "command";
    case KeyState::not_needed: break;
  }
  return "not needed";
}

struct Row {
  const VendorInfo& vendor;
  KeyState key;
  std::vector<const ModelInfo*> models;
};

std::string context_text(std::optional<std::int64_t> tokens) {
  if (!tokens) return {};
  if (*tokens >= 1'000'000) {
    return fmt::format("{:.3g}M context", static_cast<double>(*tokens) / 1e6);
  }
  return fmt::format("{}k context", *tokens / 1000);
}

std::string price_text(const std::optional<Price>& price) {
  if (!price) return {};
  if (price->input == 0 && price->output == 0) return "free";
  return fmt::format("${:g} in, ${:g} out", price->input, price->output);
}

std::string key_text(const Row& row) {
  if (row.key == KeyState::set) return "key set";
  if (row.key == KeyState::of_cloud) return "the credentials of its own tools";
  if (row.key == KeyState::of_command) return "key from a command";
  if (row.key == KeyState::not_needed) return fmt::format("no key needed, {}", row.vendor.base_url);
  if (row.vendor.key_variables.empty()) return "no key";
  return fmt::format("no key: set {}", row.vendor.key_variables.front());
}

std::string text_of(const std::vector<Row>& rows, const Terminal& terminal) {
  std::string text;
  for (const Row& row : rows) {
    std::size_t width = 0;
    for (const ModelInfo* model : row.models) width = std::max(width, columns_of(model->name));
    const Colour colour = row.key == KeyState::missing ? Colour::dim : Colour::green;
    if (!text.empty()) text += '\n';
    text += fmt::format("{}  {} · {}\n", painted(row.vendor.name, Colour::bold, terminal),
                        on_one_line(row.vendor.title),
                        painted(on_one_line(key_text(row)), colour, terminal));
    for (const ModelInfo* model : row.models) {
      const std::string context = context_text(model->context_tokens);
      std::string line = fmt::format("  {}  {}  {}", padded(on_one_line(model->name), width),
                                     padded(context, 14), price_text(model->price));
      while (line.ends_with(' ')) line.pop_back();
      text += line + "\n";
    }
    if (row.models.empty()) {
      text += painted(fmt::format("  any model it has: {}:NAME\n", row.vendor.name), Colour::dim,
                      terminal);
    }
  }
  return text + painted(
                    "\nPrices are dollars for a million tokens. Any other model of a vendor "
                    "works by its name, too.\n",
                    Colour::dim, terminal);
}

Json price_json(const std::optional<Price>& price) {
  if (!price) return nullptr;
  JsonObject json{{"input", price->input}, {"output", price->output}};
  if (price->cached_input) json["cached_input"] = *price->cached_input;
  if (price->cache_write) json["cache_write"] = *price->cache_write;
  return json;
}

Json json_of(const std::vector<Row>& rows) {
  JsonArray vendors;
  for (const Row& row : rows) {
    JsonArray models;
    for (const ModelInfo* model : row.models) {
      const auto known = [](std::optional<std::int64_t> count) {
        return count ? Json(*count) : Json(nullptr);
      };
      models.push_back(
          {{"id", row.vendor.name + ":" + model->name},
           {"protocol", wright::to_string(model->protocol.value_or(row.vendor.protocol))},
           {"context_tokens", known(model->context_tokens)},
           {"max_output_tokens", known(model->max_output_tokens)},
           {"price_usd_per_million_tokens", price_json(model->price)}});
    }
    vendors.push_back({{"vendor", row.vendor.name},
                       {"title", row.vendor.title},
                       {"base_url", row.vendor.base_url},
                       {"protocol", wright::to_string(row.vendor.protocol)},
                       {"key", to_string(row.key)},
                       {"models", std::move(models)}});
  }
  return vendors;
}

KeyState key_state(const VendorInfo& vendor, bool has_key) {
  if (!vendor.key_command.empty()) return KeyState::of_command;
  if (has_key) return KeyState::set;
  if (vendor.needs_key) return KeyState::missing;
  const bool has_own = vendor.platform == Platform::aws || vendor.platform == Platform::google;
  return has_own ? KeyState::of_cloud : KeyState::not_needed;
}

// Whether to ask a vendor when none is named: one that has a key and may be reached.
bool is_worth_asking(const Row& row) {
  return row.key == KeyState::set || row.key == KeyState::of_command;
}

}  // namespace

ExitCode execute(const ListModelsCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto catalogue = make_catalogue(*settings);
  if (!catalogue) {
    context.console.complain(catalogue.error().message, "See `wright help models`.");
    return ExitCode::usage;
  }
  const VendorInfo* wanted = nullptr;
  if (command.vendor) {
    wanted = catalogue->find_vendor(*command.vendor);
    if (wanted == nullptr) {
      std::vector<std::string_view> names;
      for (const VendorInfo& vendor : catalogue->vendors()) names.push_back(vendor.name);
      context.console.complain(fmt::format("unknown vendor '{}'{}", *command.vendor,
                                           did_you_mean(*command.vendor, names)),
                               "`wright models` lists the vendors.");
      return ExitCode::usage;
    }
  }
  std::vector<Row> rows;
  for (const VendorInfo& vendor : catalogue->vendors()) {
    if (wanted != nullptr && wanted->name != vendor.name) continue;
    const bool has_key = !key_for(vendor, *settings, context.environment).value.empty();
    Row row{vendor, key_state(vendor, has_key), {}};
    for (const ModelInfo& model : catalogue->models()) {
      if (model.vendor == vendor.name) row.models.push_back(&model);
    }
    rows.push_back(std::move(row));
  }
  if (command.what == ListModelsCommand::What::differences) {
    std::vector<std::string> vendors;
    for (const Row& row : rows) {
      if (wanted != nullptr || is_worth_asking(row)) vendors.push_back(row.vendor.name);
    }
    return compare_models(*settings, vendors, command.output, context);
  }
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(json_of(rows)) + "\n");
    return ExitCode::ok;
  }
  if (wanted == nullptr) {
    context.console.print(painted("offline", Colour::bold, context.console.output()) +
                          "  no key, no network, no language model\n\n");
  }
  context.console.print_fitted(text_of(rows, context.console.output()));
  return ExitCode::ok;
}

}  // namespace wright::app
