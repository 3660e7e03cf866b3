// `wright config`: the effective settings, the file's path, and a file to start from.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/commands/commands.h"
#include "app/settings/file_output.h"
#include "app/settings/paths.h"
#include "app/settings/url_password.h"
#include "app/terminal/screen_text.h"
#include "core/permission_names.h"
#include "postgres/place.h"
#include "wright/json.h"

namespace wright::app {
namespace {

Json shown_value(const Setting& setting) {
  if (const auto* text = std::get_if<std::string>(&setting.value)) {
    if (setting.key->full_name() == keys::kStore.full_name()) {
      return Json(postgres::shown_place(*text));
    }
    return Json(setting.key->type == KeyType::secret ? masked(*text) : without_password(*text));
  }
  if (const auto* flag = std::get_if<bool>(&setting.value)) return *flag;
  if (const auto* count = std::get_if<std::int64_t>(&setting.value)) return *count;
  return nullptr;
}

std::string shown_text(const Setting& setting) {
  const Json value = shown_value(setting);
  if (value.is_null()) {
    return setting.key->name == keys::kMaxIterations.name ? "each agent's own" : "not set";
  }
  return value.is_string() ? on_one_line(std::string_view(value.get_string())) : to_text(value);
}

std::string_view name_of(Source source) {
  switch (source) {
    case Source::flag: return "flag";
    case Source::environment: return "environment";
    case Source::file: return "file";
    case Source::fallback: break;
  }
  return "default";
}

Json permissions_json(const Settings& settings) {
  JsonArray rules;
  for (const intercept::PermissionRule& rule : settings.permissions()) {
    rules.push_back({{"tool", rule.tool}, {"permission", enum_name(rule.permission)}});
  }
  return rules;
}

Json command_rules_json(const Settings& settings) {
  JsonArray rules;
  for (const CommandRule& rule : settings.command_rules()) {
    rules.push_back({{"command", rule.pattern}, {"permission", enum_name(rule.permission)}});
  }
  return rules;
}

struct ShownRule {
  std::string pattern;
  std::string_view permission;
};

// In the order of the file: the first rule that fits counts.
std::string rules_text(std::string_view section, const std::vector<ShownRule>& rules,
                       const Terminal& terminal) {
  if (rules.empty()) return "";
  std::size_t width = 0;
  for (const ShownRule& rule : rules) width = std::max(width, columns_of(rule.pattern));
  std::string text =
      fmt::format("\n{}\n", painted(fmt::format("[{}]", section), Colour::bold, terminal));
  for (const ShownRule& rule : rules) {
    text += fmt::format("  {}  {}\n", padded(rule.pattern, width), rule.permission);
  }
  return text;
}

Json setting_json(std::string_view name, const Setting& setting) {
  return {{"key", name},
          {"value", shown_value(setting)},
          {"source", name_of(setting.origin.source)},
          {"place", setting.origin.place}};
}

std::string section_of(const AgentSetting& own) {
  return fmt::format("{}.{}.{}", kAgentSections, own.agent, own.setting.key->section);
}

std::string permissions_text(const Settings& settings, const Terminal& terminal) {
  std::vector<ShownRule> tools;
  for (const auto& rule : settings.permissions()) {
    tools.push_back({on_one_line(rule.tool), enum_name(rule.permission)});
  }
  std::vector<ShownRule> commands;
  for (const auto& rule : settings.command_rules()) {
    commands.push_back({on_one_line(rule.pattern), enum_name(rule.permission)});
  }
  return rules_text("permissions", tools, terminal) + rules_text("bash.rules", commands, terminal);
}

Json settings_json(const Settings& settings, const ConfigLocation& location) {
  JsonArray values;
  for (const Setting& setting : settings.all()) {
    values.push_back(setting_json(setting.key->full_name(), setting));
  }
  for (const AgentSetting& own : settings.of_agents()) {
    values.push_back(
        setting_json(fmt::format("{}.{}", section_of(own), own.setting.key->name), own.setting));
  }
  return {{"config_file", location.path.string()},
          {"config_file_read", settings.file().has_value()},
          {"values", std::move(values)},
          {"permissions", permissions_json(settings)},
          {"bash_rules", command_rules_json(settings)}};
}

std::string settings_text(const Settings& settings, const ConfigLocation& location,
                          const Environment& environment, const Terminal& terminal) {
  const std::string path = on_one_line(shorten_home(location.path, environment));
  std::string text = settings.file()
                         ? fmt::format("{}\n", path)
                         : fmt::format("{} {}\n", path,
                                       painted("(no such file; `wright config init` writes one)",
                                               Colour::dim, terminal));
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const Setting& setting : settings.all()) {
    name_width = std::max(name_width, setting.key->name.size());
    value_width = std::max(value_width, columns_of(shown_text(setting)));
  }
  // The place where a value comes from stands in a column of its own, where there is room for it.
  constexpr std::size_t kPlaceWidth = 24;
  const std::size_t taken = name_width + kPlaceWidth + 6;
  value_width = std::min<std::size_t>(value_width, 48);
  if (terminal.is_terminal) {
    value_width = std::min(value_width, terminal.columns - std::min(terminal.columns, taken));
  }
  std::string current;
  const auto add = [&](const std::string& section, const Setting& setting) {
    if (section != current) {
      current = section;
      text += fmt::format(
          "\n{}\n", painted(fmt::format("[{}]", on_one_line(section)), Colour::bold, terminal));
    }
    const bool is_unset = std::holds_alternative<std::monostate>(setting.value);
    std::string origin = is_unset ? "" : setting.origin.text();
    if (setting.origin.source == Source::file) origin = shorten_home(origin, environment);
    std::string line = fmt::format("  {}  {}  {}", padded(setting.key->name, name_width),
                                   painted(padded(shown_text(setting), value_width),
                                           is_unset ? Colour::dim : Colour::none, terminal),
                                   painted(on_one_line(origin), Colour::dim, terminal));
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  };
  for (const Setting& setting : settings.all()) add(std::string(setting.key->section), setting);
  for (const AgentSetting& own : settings.of_agents()) add(section_of(own), own.setting);
  return text + permissions_text(settings, terminal);
}

}  // namespace

ExitCode execute(const ShowConfigCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const ConfigLocation location = locate_config(command.settings, context.environment);
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(settings_json(*settings, location)) + "\n");
  } else {
    context.console.print_fitted(
        settings_text(*settings, location, context.environment, context.console.output()));
  }
  return ExitCode::ok;
}

ExitCode execute(const ConfigPathCommand& command, CommandContext context) {
  const ConfigLocation location = locate_config(command.settings, context.environment);
  if (location.path.empty()) {
    context.console.complain("there is no home folder", "Set HOME, or WRIGHT_CONFIG.");
    return ExitCode::failed;
  }
  context.console.print_foreign(location.path.string() + "\n");
  return ExitCode::ok;
}

ExitCode execute(const InitConfigCommand& command, CommandContext context) {
  const ConfigLocation location = locate_config(command.settings, context.environment);
  if (location.path.empty()) {
    context.console.complain("there is no home folder", "Set HOME, or pass --config FILE.");
    return ExitCode::failed;
  }
  const auto created = create_private_file(location.path, config_template());
  if (!created) {
    const bool exists = created.error().code == ErrorCode::already_exists;
    context.console.complain(created.error().message,
                             exists ? "It was left as it is. Edit it, or move it away first." : "");
    return ExitCode::failed;
  }
  context.console.note(fmt::format("Wrote {}\n", on_one_line(location.path.string())));
  return ExitCode::ok;
}

}  // namespace wright::app
