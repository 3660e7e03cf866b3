// `wright config get`, `wright config set` and `wright init`.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "agents/toml_file.h"
#include "app/commands/commands.h"
#include "app/settings/config_edit.h"
#include "app/settings/file_output.h"
#include "app/terminal/figures.h"
#include "app/terminal/person/terminal_dialogue.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/model_wiring.h"
#include "core/try.h"
#include "wright/json.h"

namespace wright::app {
namespace {

// Nobody else reads the file from now on, nor what replaces it.
Result<void> hide_from_others(const std::filesystem::path& file) {
  using enum std::filesystem::perms;
  std::error_code failed;
  std::filesystem::permissions(file, owner_read | owner_write, failed);
  if (!failed) return {};
  return fail(ErrorCode::storage, fmt::format("{} cannot be hidden from others, so no key is "
                                              "written into it: {}",
                                              file.string(), failed.message()));
}

// Writes the file with that value, if it can then be read.
Result<std::filesystem::path> write_setting(const std::string& name, const std::string& text,
                                            const SettingFlags& flags,
                                            const Environment& environment) {
  const ConfigKey* key = TRY(config_key_named(name));
  const auto value = TRY(toml_value(*key, text));
  const ConfigLocation location = locate_config(flags, environment);
  if (location.path.empty()) {
    return fail(ErrorCode::not_found, "there is no home folder: set HOME, or pass --config FILE");
  }
  const auto turn = TRY(turn_to_change(location.path));
  std::error_code ignored;
  const bool exists = std::filesystem::exists(location.path, ignored);
  std::string old;
  if (exists) old = TRY(read_toml_file(location.path, "the configuration"));
  const auto changed = TRY(with_value(old, *key, value));
  TRY(parse_config(changed, location.path, environment));
  if (exists && key->type == KeyType::secret) TRY(hide_from_others(location.path));
  TRY(exists ? write_file(location.path, changed) : create_private_file(location.path, changed));
  return location.path;
}

ExitCode complaint(const Error& error, Console& console) {
  console.complain(error.message);
  return error.code == ErrorCode::storage ? ExitCode::failed : ExitCode::usage;
}

// Every command would refuse a model that there cannot be. Where the configuration is broken, what
// is written may be what mends it.
Result<void> check_model(const SetConfigCommand& command, const Environment& environment) {
  if (command.key != "agent.model" || command.value == "offline") return {};
  const auto settings = load_settings(command.settings, environment);
  if (!settings) return {};
  const auto models = make_models(*settings, command.settings, environment);
  if (!models) return {};
  TRY(models->catalogue().find(command.value));
  return {};
}

// A model that a person may choose, and what they should know of it.
struct Offered {
  std::string id;
  std::string beside = {};
};

std::string still_needed(const VendorInfo& vendor, const Settings& settings,
                         const Environment& environment) {
  if (!key_for(vendor, settings, environment).value.empty() || !vendor.key_command.empty()) {
    return {};
  }
  if (vendor.platform != Platform::direct || vendor.key_variables.empty()) {
    return fmt::format("needs the credentials of {}", vendor.title);
  }
  return fmt::format("needs a key ({})", vendor.key_variables.front());
}

// The best model of each vendor, which is its first; those that need nothing more come first.
std::vector<Offered> best_models(const Models& models, const Settings& settings,
                                 const Environment& environment) {
  std::vector<Offered> found;
  for (const VendorInfo& vendor : models.catalogue().vendors()) {
    if (!vendor.needs_key && vendor.platform == Platform::direct) continue;
    const auto& rows = models.catalogue().models();
    const auto best = std::ranges::find(rows, vendor.name, &ModelInfo::vendor);
    if (best == rows.end()) continue;
    found.push_back({fmt::format("{}:{}", vendor.name, best->name),
                     still_needed(vendor, settings, environment)});
  }
  std::ranges::stable_partition(found, [](const Offered& each) { return each.beside.empty(); });
  return found;
}

bool is_of_this_machine(const VendorInfo& vendor) {
  return !vendor.needs_key && (vendor.base_url.starts_with("http://localhost") ||
                               vendor.base_url.starts_with("http://127.0.0.1"));
}

// What servers on this machine offer, at their usual ports; those that do not answer at once are
// not there.
std::vector<std::string> local_models(const Models& models) {
  constexpr std::chrono::milliseconds kPatience{1500};
  constexpr std::size_t kMostOfOne = 5;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable changed;
  auto left = std::ranges::count_if(models.catalogue().vendors(), is_of_this_machine);
  std::vector<std::string> found;
  {
    std::vector<std::jthread> asking;
    for (const VendorInfo& vendor : models.catalogue().vendors()) {
      if (!is_of_this_machine(vendor)) continue;
      asking.emplace_back([&, name = vendor.name, token = stop.get_token()] {
        const auto listed = models.list(name, token);
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; listed && i < std::min(listed->size(), kMostOfOne); ++i) {
          found.push_back(fmt::format("{}:{}", name, (*listed)[i].name));
        }
        --left;
        changed.notify_all();
      });
    }
    std::unique_lock lock(mutex);
    changed.wait_for(lock, kPatience, [&] { return left == 0; });
    lock.unlock();
    stop.request_stop();
  }
  std::ranges::sort(found);
  return found;
}

std::string asked_model(const std::vector<Offered>& offered, Console& console) {
  std::size_t width = 0;
  for (const Offered& each : offered) width = std::max(width, columns_of(on_one_line(each.id)));
  console.note("Which model shall agents ask?\n");
  for (std::size_t i = 0; i < offered.size(); ++i) {
    std::string line = fmt::format("{:>4}  {}", i + 1, on_one_line(offered[i].id));
    if (!offered[i].beside.empty()) {
      line = fmt::format("{:>4}  {}  {}", i + 1, padded(on_one_line(offered[i].id), width),
                         painted(on_one_line(offered[i].beside), Colour::dim, console.error()));
    }
    console.note(line + "\n");
  }
  console.note("A number, or vendor:name (`wright models` lists them)  ");
  const std::string typed = on_one_line(read_line().value_or(""));
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (typed == std::to_string(i + 1)) return offered[i].id;
  }
  return typed;
}

// The vendor of a model that cannot be asked without a key, where there is none and a setting can
// hold it.
const VendorInfo* vendor_without_key(const Models& models, std::string_view id,
                                     const Settings& settings, const Environment& environment) {
  const std::string_view name = id.substr(0, id.find(':'));
  for (const VendorInfo& vendor : models.catalogue().vendors()) {
    const bool is_meant =
        vendor.name == name || std::ranges::find(vendor.aliases, name) != vendor.aliases.end();
    if (!is_meant) continue;
    const bool can_be_told = vendor.needs_key && vendor.key_command.empty() &&
                             !vendor.key_setting.empty() && !vendor.key_variables.empty();
    return can_be_told && key_for(vendor, settings, environment).value.empty() ? &vendor : nullptr;
  }
  return nullptr;
}

// Unseen while it is typed. Empty: none.
std::string asked_key(const VendorInfo& vendor, Console& console) {
  TerminalDialogue dialogue(
      {.input = STDIN_FILENO, .output = STDERR_FILENO, .screen = console.error()});
  if (!vendor.key_page.empty()) {
    console.note(fmt::format("Keys are made at {}\n", on_one_line(vendor.key_page)));
  }
  const auto typed = dialogue.next_line(
      fmt::format("Key for {} (not shown, Enter: none)  ", on_one_line(vendor.title)), Echo::off);
  return typed ? on_one_line(*typed) : std::string();
}

}  // namespace

ExitCode execute(const GetConfigCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto key = config_key_named(command.key);
  if (!key) return complaint(key.error(), context.console);
  const SettingValue& value = settings->get(**key).value;
  std::string text;
  if (const auto* words = std::get_if<std::string>(&value)) {
    text = (*key)->type == KeyType::secret ? masked(*words) : *words;
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    text = *flag ? "true" : "false";
  } else if (const auto* count = std::get_if<std::int64_t>(&value)) {
    text = std::to_string(*count);
  } else {
    context.console.note(fmt::format("{} is not set\n", command.key));
    return ExitCode::failed;
  }
  context.console.print_foreign(text + "\n");
  return ExitCode::ok;
}

ExitCode execute(const SetConfigCommand& command, CommandContext context) {
  if (const auto fits = check_model(command, context.environment); !fits) {
    return complaint(fits.error(), context.console);
  }
  const auto written =
      write_setting(command.key, command.value, command.settings, context.environment);
  if (!written) return complaint(written.error(), context.console);
  context.console.note(
      fmt::format("Wrote {} to {}\n", command.key, on_one_line(written->string())));
  return ExitCode::ok;
}

ExitCode execute(const InitCommand& command, CommandContext context) {
  Console& console = context.console;
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto models = make_models(*settings, command.settings, context.environment);
  if (!models) return complaint(models.error(), console);
  std::string id = command.settings.model.value_or("");
  if (id.empty()) {
    if (!standard_input_is_terminal()) {
      console.complain("nobody is here to choose a model", "Name it: wright init --model MODEL.");
      return ExitCode::usage;
    }
    std::vector<Offered> offered;
    for (std::string& local : local_models(*models)) {
      offered.push_back({std::move(local), "on this machine"});
    }
    std::ranges::move(best_models(*models, *settings, context.environment),
                      std::back_inserter(offered));
    offered.push_back({"offline", "no language model"});
    id = asked_model(offered, console);
    if (id.empty()) return ExitCode::failed;
  }
  Environment environment = context.environment;
  std::string key;
  const VendorInfo* vendor = vendor_without_key(*models, id, *settings, environment);
  if (vendor != nullptr && standard_input_is_terminal()) {
    key = asked_key(*vendor, console);
    auto variables = environment.all();
    if (!key.empty()) variables[vendor->key_variables.front()] = key;
    environment = Environment(std::move(variables));
  }
  // With the key, whether or not it will be written.
  const auto keyed_settings = load_settings(command.settings, environment);
  if (!keyed_settings) return complaint(keyed_settings.error(), console);
  const auto keyed = make_models(*keyed_settings, command.settings, environment);
  if (!keyed) return complaint(keyed.error(), console);
  console.note(fmt::format("Asking {} …\n", on_one_line(id)));
  const auto began = std::chrono::steady_clock::now();
  const std::vector<Message> messages{Message::user("Answer with the word ok.")};
  const Sampling sampling{.max_tokens = 2000};
  const auto answer = keyed->get(id).complete({.messages = messages, .sampling = &sampling});
  if (!answer) {
    console.complain(answer.error().message,
                     "Nothing was written. Keys stand in the environment (wright models names the "
                     "variable) or below [api_keys] in the configuration.");
    return ExitCode::failed;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  const auto written = write_setting("agent.model", id, command.settings, context.environment);
  if (!written) return complaint(written.error(), console);
  if (!key.empty()) {
    const auto kept = write_setting("api_keys." + vendor->key_setting, key, command.settings,
                                    context.environment);
    if (!kept) return complaint(kept.error(), console);
  }
  console.note(fmt::format("It answered within {}. Wrote agent.model to {}\n",
                           show_duration(took.count()), on_one_line(written->string())));
  return ExitCode::ok;
}

}  // namespace wright::app
