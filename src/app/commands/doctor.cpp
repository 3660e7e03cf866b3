// `wright doctor`: what works on this machine, what does not, and what to do about it.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/machine.h"
#include "app/settings/agent_files.h"
#include "app/settings/paths.h"
#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/bash_settings.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/rule_names.h"
#include "app/wiring/shipped.h"
#include "core/enum_names.h"
#include "postgres/figures.h"
#include "postgres/place.h"
#include "server/tokens.h"
#include "wright/detail/version.h"
#include "wright/model.h"

namespace wright::app {
namespace {

constexpr int kTokensOfSmallAnswer = 64;  // some models refuse less than 16

enum class Health : std::uint8_t { ok, warn, fail };
WRIGHT_ENUM(Health, ok, warn, fail)

struct Check {
  std::string name;
  Health health = Health::ok;
  std::string found = {};
  std::string advice = {};  // what to do, when there is something to do
};

class Examination {
 public:
  Examination(const DoctorCommand& command, CommandContext context)
      : command_(command), context_(context) {}

  std::vector<Check> examine() && {
    add({"version", Health::ok, "wright " WRIGHT_VERSION});
    const Settings settings = check_config();
    if (settings.store().is_postgres()) {
      check_postgres(settings);
    } else {
      check_database(settings);
    }
    check_tokens();
    check_base_path(settings.base_path());
    check_agents(settings);
    check_model();
    check_providers(settings);
    check_system();
    check_sandbox(settings);
    check_entity_index(settings);
    check_terminal();
    return std::move(checks_);
  }

 private:
  void add(Check check) { checks_.push_back(std::move(check)); }

  std::string shown(const std::filesystem::path& path) const {
    return shorten_home(path, context_.environment);
  }

  // With a configuration that cannot be used, the rest is examined with the defaults.
  Settings check_config() {
    auto settings = load_settings(command_.settings, context_.environment);
    if (!settings) {
      add({"configuration", Health::fail, settings.error().message,
           "Correct it, or see `wright help config`."});
      return settings_without_file();
    }
    const auto& file = settings->file();
    if (!file) {
      add({"configuration", Health::ok,
           "no file; defaults hold (`wright config init` writes one)"});
    } else if (file->holds_secrets() && is_readable_by_others(file->path)) {
      add({"configuration", Health::warn,
           fmt::format("{} holds keys and others may read it", shown(file->path)),
           fmt::format("chmod 600 '{}'", file->path.string())});
    } else {
      add({"configuration", Health::ok, shown(file->path)});
    }
    return std::move(*settings);
  }

  // What flags and environment say; when those are wrong as well, nothing but defaults.
  Settings settings_without_file() const {
    SettingFlags flags = command_.settings;
    flags.config = "/dev/null";
    if (auto settings = load_settings(flags, context_.environment)) return std::move(*settings);
    SettingFlags no_flags;
    no_flags.config = "/dev/null";
    const auto home = context_.environment.find("HOME");
    return load_settings(no_flags, Environment(Environment::Variables{{"HOME", home.value_or("")}}))
        .value();
  }

  void check_database(const Settings& settings) {
    if (settings.database_path().empty()) {
      return add({"database", Health::fail, "there is no home folder to keep sessions in",
                  "Set HOME, or agent.database_path."});
    }
    if (settings.keeps_sessions_in_memory()) {
      return add({"database", Health::ok, "in memory: sessions are gone with each process"});
    }
    const std::filesystem::path path = settings.database_path();
    check_schema(path);
    auto folder = path.parent_path().empty() ? std::filesystem::path(".") : path.parent_path();
    const auto existing = nearest_existing_folder(folder);
    if (!std::filesystem::is_directory(existing) || !may_write_to(existing)) {
      return add({"database folder", Health::fail,
                  fmt::format("cannot write to {}", shown(existing)),
                  "Give yourself the right to, or set agent.database_path to another place."});
    }
    std::error_code error;
    const bool is_there = std::filesystem::equivalent(existing, folder, error);
    add({"database folder", Health::ok,
         is_there ? shown(folder) : fmt::format("{} (made on first use)", shown(folder))});
    check_sqlite(existing);
  }

  void check_postgres(const Settings& settings) {
    const StorePlace& place = settings.store();
    const auto figures = postgres::read_figures(place.uri, place.schema);
    if (!figures) {
      return add({"database", Health::fail, figures.error().message,
                  "Check sessions.store (--store, WRIGHT_STORE); `psql` takes the same URI."});
    }
    const std::string shown_uri = postgres::shown_place(place.uri);
    if (figures->schema_version == 0) {
      return add({"database", Health::ok,
                  fmt::format("{}, PostgreSQL {}, without Wright's tables yet", shown_uri,
                              figures->server)});
    }
    add({"database", Health::ok,
         fmt::format("{}, PostgreSQL {}, schema {} {}", shown_uri, figures->server, place.schema,
                     figures->schema_version)});
    check_queue(*figures);
    check_vacuum(*figures);
  }

  void check_queue(const postgres::Figures& figures) {
    constexpr std::int64_t kLongMs = 60'000;
    const std::int64_t oldest = figures.oldest_ready_ms.value_or(0);
    Check check{"queue", Health::ok,
                fmt::format("{} queued, {} running", figures.queued, figures.running)};
    if (figures.oldest_ready_ms) {
      check.found +=
          fmt::format(", the oldest ready for {}", show_duration(static_cast<double>(oldest)));
    }
    if (oldest > kLongMs) {
      check.health = Health::warn;
      check.advice = "Start more workers (`wright worker`), or give them more --concurrency.";
    }
    add(std::move(check));
  }

  // A queue dies of rows that are dead and cannot go, because somebody still might see them.
  void check_vacuum(const postgres::Figures& figures) {
    constexpr std::int64_t kLongMs = 5 * 60'000;
    const std::int64_t snapshot = figures.oldest_snapshot_ms.value_or(0);
    Check check{
        "vacuum", Health::ok,
        fmt::format("{} dead rows beside {}, the oldest snapshot is {} old", figures.dead_rows,
                    figures.live_rows, show_duration(static_cast<double>(snapshot)))};
    if (figures.unseen > 0) {
      check.found +=
          fmt::format(", of {} nobody here may see it", show_counted(figures.unseen, "connection"));
      check.advice = "To see those of others, too: GRANT pg_read_all_stats TO the role.";
    }
    if (snapshot > kLongMs) {
      check.health = Health::warn;
      check.advice =
          "End the long transaction: pg_stat_activity has it, by xact_start, or pg_prepared_xacts.";
    } else if (figures.dead_rows > 10'000 && figures.dead_rows > figures.live_rows) {
      check.health = Health::warn;
      check.advice = "Autovacuum does not keep up: see its settings, or run VACUUM.";
    }
    add(std::move(check));
  }

  void check_schema(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      return add({"database", Health::ok, fmt::format("{} (made on first use)", shown(path))});
    }
    const auto version = schema_version_of(path);
    if (!version) {
      add({"database", Health::fail, version.error().message,
           "Move the file away, or set agent.database_path to another one."});
    } else if (!*version) {
      add({"database", Health::ok, fmt::format("{}, without Wright's tables yet", shown(path))});
    } else {
      add({"database", Health::ok, fmt::format("{}, schema {}", shown(path), **version)});
    }
  }

  void check_sqlite(const std::filesystem::path& folder) {
    const auto log = try_write_ahead_log(folder);
    if (log) {
      return add({"sqlite", Health::ok, sqlite_version() + ", write-ahead log works"});
    }
    add({"sqlite", Health::fail,
         fmt::format("{}, no write-ahead log: {}", sqlite_version(), log.error().message),
         "Set agent.database_path to a folder on a local disk."});
  }

  // Few have a server: only what is wrong is told.
  void check_tokens() {
    const auto file = tokens_file(context_.environment);
    std::error_code error;
    if (file.empty() || !std::filesystem::exists(file, error)) return;
    const auto listed = server::Tokens(file).list();
    if (listed) return;
    add({"tokens", Health::fail, listed.error().message,
         "Look at the file: until then `wright serve` knows nobody."});
  }

  void check_base_path(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      add({"base path", Health::fail, fmt::format("{} is no folder", shown(path)),
           "Set --base-path, WRIGHT_BASE_PATH or agent.base_path."});
    } else if (!may_read_from(path)) {
      add({"base path", Health::fail, fmt::format("{} cannot be read", shown(path)),
           "Give yourself the right to, or choose another folder."});
    } else {
      add({"base path", Health::ok, shown(std::filesystem::weakly_canonical(path, error))});
    }
  }

  void check_agents(const Settings& settings) {
    RuleNames names;
    for (const std::string_view name : agent_names()) {
      const auto agent = make_agent(name, settings, offline_model());
      Check check{fmt::format("agent {}", name)};
      if (agent) {
        names.add(agent->agent.tools);
        check.found = show_counted(std::ssize(agent->agent.tools), "tool");
      } else {
        check.health = Health::fail;
        check.found = agent.error().message;
      }
      add(std::move(check));
    }
    check_permissions(settings, std::move(names));
  }

  // Only what is wrong is told.
  void check_permissions(const Settings& settings, RuleNames names) {
    for (const AgentFile& file :
         find_agent_files(settings, context_.environment, tool_names(), agent_names())) {
      names.add_agent(file.name);
    }
    for (const std::string& note : names.notes_about(settings.permissions())) {
      add({"permissions", Health::warn, note, "Correct it below [permissions], or remove it."});
    }
  }

  void check_model() {
    if (const auto answer = small_answer(offline_model())) {
      add({"offline model", Health::ok, "answers; needs no key and no network"});
    } else {
      add({"offline model", Health::fail, answer.error().message});
    }
  }

  static Result<Response> small_answer(const Model& model) {
    const std::vector<Message> messages{Message::user("Answer with the word ok.")};
    const Sampling sampling{.max_tokens = kTokensOfSmallAnswer};
    return model.complete({.messages = messages, .sampling = &sampling});
  }

  void check_providers(const Settings& settings) {
    const auto models = make_models(settings, {}, context_.environment);
    if (!models) {
      return add({"models", Health::fail, models.error().message, "See `wright help models`."});
    }
    const std::string chosen = settings.model();
    if (chosen != "offline") check_chosen(*models, chosen);
    std::vector<std::string> configured;
    for (const VendorInfo& vendor : models->catalogue().vendors()) {
      if (key_for(vendor, settings, context_.environment).value.empty()) continue;
      configured.push_back(vendor.title);
      if (command_.reach == Reach::network && !chosen.starts_with(vendor.name + ":")) {
        check_vendor(*models, vendor);
      }
    }
    if (command_.reach == Reach::network) return;
    add({"keys", Health::ok,
         configured.empty()
             ? "none; `wright models` names the vendors"
             : fmt::format("{}; `wright doctor --online` asks each", fmt::join(configured, ", "))});
  }

  void check_chosen(const Models& models, const std::string& id) {
    const auto endpoint = models.endpoint(id);
    if (!endpoint) {
      return add({"chosen model", Health::fail, fmt::format("{}: {}", id, endpoint.error().message),
                  "`wright models` lists what there is."});
    }
    if (command_.reach == Reach::network) return check_answer(id, models.get(id));
    add({"chosen model", Health::ok, fmt::format("{} at {}", id, endpoint->vendor.base_url)});
  }

  // With the cheapest model that is known of the vendor.
  void check_vendor(const Models& models, const VendorInfo& vendor) {
    const ModelInfo* cheapest = nullptr;
    for (const ModelInfo& model : models.catalogue().models()) {
      const auto price = [](const ModelInfo& of) { return of.price ? of.price->output : 0; };
      if (model.vendor != vendor.name || !model.price) continue;
      if (cheapest == nullptr || price(model) < price(*cheapest)) cheapest = &model;
    }
    if (cheapest == nullptr) {
      return add({vendor.name, Health::warn, "has a key, but no model of it is known to ask",
                  fmt::format("Choose one: --model {}:NAME.", vendor.name)});
    }
    const std::string id = fmt::format("{}:{}", vendor.name, cheapest->name);
    check_answer(id, models.get(id));
  }

  void check_answer(const std::string& id, const Model& model) {
    const auto began = std::chrono::steady_clock::now();
    const auto answer = small_answer(model);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    if (answer) {
      add({id, Health::ok, fmt::format("answers within {}", show_duration(took.count()))});
    } else {
      add({id, Health::fail, answer.error().message});
    }
  }

  void check_system() {
    const std::string kernel = kernel_release();
    if (has_openat2()) {
      add({"path confinement", Health::ok, kernel + ", openat2 works"});
    } else {
      add({"path confinement", Health::warn, kernel + ", no openat2",
           "Paths are checked a step at a time instead; Linux 5.6 or newer is faster."});
    }
  }

  // Layer by layer, with the settings that the tool bash has.
  void check_sandbox(const Settings& settings) {
    auto options = bash_options(settings);
    if (!options) {
      return add({"sandbox", Health::fail, options.error().message, "Correct the configuration."});
    }
    const bool is_required = options->policy.mode == SandboxMode::required;
    options->policy.mode = is_required ? SandboxMode::best_effort : options->policy.mode;
    const auto sandbox = Sandbox::prepare(std::move(options->policy));
    if (!sandbox) return add({"sandbox", Health::fail, sandbox.error().message});
    for (const SandboxLayer& layer : sandbox->report().layers) {
      Check check{"sandbox: " + layer.name};
      check.found = fmt::format("{}: {}", to_string(layer.state), layer.detail);
      if (layer.state == SandboxLayer::State::missing) {
        check.health = is_required ? Health::fail : Health::warn;
        check.advice = is_required
                           ? "bash.sandbox is \"required\": the tool bash runs nothing here."
                           : "The tool bash runs without it here; see docs/sandbox.md.";
      }
      add(std::move(check));
    }
  }

  void check_entity_index(const Settings& settings) {
    const auto folder = settings.entity_folder();
    if (folder.empty()) {
      return add({"entity index", Health::ok, "switched off, or there is no folder to keep it in"});
    }
    const std::string version = ctags_version(settings.command_environment());
    if (version.empty()) {
      return add({"entity index", Health::warn, "universal-ctags is missing",
                  "apt-get install universal-ctags, or set entities.index = false."});
    }
    add({"entity index", Health::ok, fmt::format("{}, kept in {}", version, shown(folder))});
    check_embeddings(settings);
  }

  void check_embeddings(const Settings& settings) {
    const std::string model = settings.text(keys::kEmbeddingModel);
    if (model.empty()) return;
    const auto models = make_models(settings, {}, context_.environment);
    if (!models) return;  // told by check_providers()
    if (const auto endpoint = models->endpoint(model); !endpoint) {
      return add({"embeddings", Health::warn, endpoint.error().message,
                  "semantic_search goes by words alone until then."});
    }
    if (command_.reach != Reach::network) {
      return add({"embeddings", Health::ok, fmt::format("{}, not asked", model)});
    }
    const std::vector<std::string> texts{"ok"};
    const auto vectors = models->embeddings(model).embed(texts, {});
    if (!vectors) {
      return add({"embeddings", Health::warn, vectors.error().message,
                  "semantic_search goes by words alone until then."});
    }
    add({"embeddings", Health::ok,
         fmt::format("{}, {} dimensions", model, vectors->front().size())});
  }

  void check_terminal() {
    const Terminal& terminal = context_.console.output();
    if (!terminal.is_terminal) {
      return add({"terminal", Health::ok, "standard output is no terminal: plain text"});
    }
    add({"terminal", Health::ok,
         fmt::format("{} columns, {}", terminal.columns,
                     terminal.has_colour ? "colour" : "no colour")});
  }

  const DoctorCommand& command_;
  CommandContext context_;
  std::vector<Check> checks_;
};

std::string text_of(const std::vector<Check>& checks, const Terminal& terminal) {
  std::size_t width = 0;
  for (const Check& check : checks) width = std::max(width, columns_of(check.name));
  std::string text;
  for (const Check& check : checks) {
    const Colour colour = check.health == Health::ok     ? Colour::green
                          : check.health == Health::warn ? Colour::yellow
                                                         : Colour::red;
    // What was found may have several lines: all stand in the last column.
    const std::string found = indented(sanitised(check.found), width + 8).substr(width + 8);
    text +=
        fmt::format("{}  {}  {}\n", painted(padded(enum_name(check.health), 4), colour, terminal),
                    padded(check.name, width), found);
    if (!check.advice.empty()) {
      text += painted(indented("→ " + sanitised(check.advice), width + 8), Colour::dim, terminal);
      text += '\n';
    }
  }
  return text;
}

Json json_of(const std::vector<Check>& checks, std::string_view verdict) {
  JsonArray array;
  for (const Check& check : checks) {
    array.push_back({{"name", check.name},
                     {"status", enum_name(check.health)},
                     {"found", check.found},
                     {"advice", check.advice.empty() ? Json(nullptr) : Json(check.advice)}});
  }
  return {{"status", verdict}, {"checks", std::move(array)}};
}

}  // namespace

ExitCode execute(const DoctorCommand& command, CommandContext context) {
  const std::vector<Check> checks = Examination(command, context).examine();
  const auto worst = std::ranges::max(checks, {}, &Check::health).health;
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(json_of(checks, enum_name(worst))) + "\n");
  } else {
    context.console.print_fitted(text_of(checks, context.console.output()));
  }
  return worst == Health::fail ? ExitCode::failed : ExitCode::ok;
}

}  // namespace wright::app
