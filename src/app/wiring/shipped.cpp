#include "app/wiring/shipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "app/wiring/bash_settings.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/project_files.h"
#include "app/wiring/session_search.h"
#include "app/wiring/store_identity.h"
#include "app/wiring/web_settings.h"
#include "core/nearest.h"
#include "core/sha256.h"
#include "core/try.h"
#include "tools/undo/recording.h"
#include "wright/agents.h"
#include "wright/people.h"
#include "wright/tools.h"

namespace wright::app {

FileAccess file_access(const Settings& settings) {
  FileAccess access{.base = settings.base_path(),
                    .readable = settings.readable(),
                    .writable = settings.writable(),
                    .hidden = settings.flags().hidden};
  GuardedFiles guarded = guarded_files(settings);
  access.unreadable = std::move(guarded.unreadable);
  access.protected_paths = std::move(guarded.protected_paths);
  // Output that was too long lies outside of the base, and is there to be paged.
  std::error_code ignored;
  const auto output = output_of_project(settings);
  if (std::filesystem::is_directory(output, ignored)) access.readable.push_back(output);
  return access;
}

namespace {

struct AgentEntry {
  std::string_view name;
  Result<ShippedAgent> (*make)(const Settings& settings, Model model, const IndexWiring& index);
};

constexpr std::string_view kCodebaseAnalysis = "codebase-analysis";
constexpr std::string_view kSqliteAnalysis = "sqlite-analysis";
constexpr std::string_view kRequirementsGathering = "requirements-gathering";

SqliteReaderOptions reader_options(const Settings& settings) {
  SqliteReaderOptions options;
  if (const auto path = settings.database(); !path.empty()) options.databases = {{.path = path}};
  return options;
}

CodeIndexOptions index_options(const Settings& settings, const IndexWiring& index) {
  CodeIndexOptions options;
  options.base = settings.base_path();
  options.folder = settings.entity_folder();
  options.policy.environment = settings.command_environment();
  options.policy.temporary_root = settings.temporary_folder();
  options.policy.unreadable = guarded_files(settings).unreadable;
  for (const auto& path : settings.flags().hidden) {
    options.policy.unreadable.push_back(path.string());
  }
  options.on_progress = index.on_index;
  const std::string model = settings.text(keys::kEmbeddingModel);
  if (!model.empty() && index.models != nullptr) {
    options.embeddings.model = index.models->embeddings(model);
    options.embeddings.time_at_a_question = settings.duration(keys::kEmbeddingTime);
  }
  return options;
}

Result<ShippedAgent> make_coding(const Settings& settings, Model model, const IndexWiring& index) {
  std::optional<CodeIndexOptions> indexed;
  if (!settings.entity_folder().empty()) indexed = index_options(settings, index);
  const auto skills = skills_for(settings);
  FileAccess access = file_access(settings);
  for (const project::Skill& skill : skills.skills) {
    if (skill.is_trusted) access.readable.push_back(skill.folder);
  }
  auto setup = TRY(coding_setup(settings, std::move(access), std::move(indexed)));
  ShippedAgent shipped = TRY(coding_agent(setup.options, std::move(model)));
  shipped.specialists = {std::string(kCodebaseAnalysis)};
  shipped.notes = std::move(setup.notes);
  std::ranges::move(add_skills(shipped.agent, skills), std::back_inserter(shipped.notes));
  return shipped;
}

constexpr std::array kAgents{
    AgentEntry{kCodebaseAnalysis,
               [](const Settings& settings, Model model,
                  const IndexWiring& index) -> Result<ShippedAgent> {
                 const FileAccess access = file_access(settings);
                 if (settings.entity_folder().empty()) {
                   return codebase_analysis_agent(access, std::move(model));
                 }
                 return codebase_analysis_agent(access, index_options(settings, index),
                                                std::move(model));
               }},
    AgentEntry{
        kSqliteAnalysis,
        [](const Settings& settings, Model model, const IndexWiring&) -> Result<ShippedAgent> {
          return sqlite_analysis_agent(reader_options(settings), std::move(model));
        }},
    AgentEntry{kRequirementsGathering,
               [](const Settings&, Model model, const IndexWiring&) -> Result<ShippedAgent> {
                 return requirements_gathering_agent(std::move(model));
               }},
    AgentEntry{kCodingAgent, make_coding},
};

// --- tools ---------------------------------------------------------------------------------------

using Tools = Result<std::vector<Tool>>;

Tools only(Result<Tool> tool) {
  if (!tool) return std::unexpected(std::move(tool).error());
  return std::vector<Tool>{std::move(*tool)};
}

// Where what tools change is kept, so that it can be taken back; null where it is not.
tools::SharedChangeLog change_log(const Settings& settings) {
  const auto folder = changes_folder(settings);
  if (folder.empty()) return nullptr;
  // The tools of a session write to one log.
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::weak_ptr<tools::ChangeLog>> logs;
  const std::lock_guard lock(mutex);
  auto log = logs[folder].lock();
  if (log == nullptr) {
    log = std::make_shared<tools::ChangeLog>(
        tools::ChangeLogOptions{.folder = folder, .name_store = identity_of_store(settings)});
    logs[folder] = log;
  }
  return log;
}

struct ToolEntry {
  std::span<const std::string_view> names;
  // Those of them that the settings turn on.
  Tools (*make)(const Settings& settings, const IndexWiring& index);
};

constexpr auto kFileTools = std::to_array<std::string_view>({"list_files", "read_file", "grep"});
constexpr auto kEditingTools = std::to_array<std::string_view>({"write_file", "apply_patch"});
constexpr auto kBashTool = std::to_array<std::string_view>({"bash"});
constexpr auto kReaderTool = std::to_array<std::string_view>({"sqlite_reader"});
constexpr auto kWebTools = std::to_array<std::string_view>({"fetch_url", "web_search"});
constexpr auto kAskTool = std::to_array<std::string_view>({"ask_user"});
constexpr auto kSessionTool = std::to_array<std::string_view>({"search_session"});
constexpr auto kIndexTools = std::to_array<std::string_view>(
    {"query_entities", "number_range_search", "datetime_range_search", "text_pattern_search",
     "enum_filter_search", "aggregate_entities", "get_schema", "describe_entity",
     "explore_relationships", "semantic_search"});

constexpr std::array kTools{
    ToolEntry{kFileTools, [](const Settings& settings,
                             const IndexWiring&) { return file_tools(file_access(settings)); }},
    ToolEntry{kEditingTools,
              [](const Settings& settings, const IndexWiring&) -> Tools {
                const FileAccess access = file_access(settings);
                if (access.writable.empty()) return std::vector<Tool>{};
                const auto log = change_log(settings);
                return log ? tools::recorded_editing_tools(access, log) : editing_tools(access);
              }},
    ToolEntry{kBashTool,
              [](const Settings& settings, const IndexWiring&) -> Tools {
                auto options = TRY(bash_options(settings));
                auto bash = TRY(bash_tool(std::move(options)));
                const FileAccess access = file_access(settings);
                const auto log = access.writable.empty() ? nullptr : change_log(settings);
                if (!log) return std::vector<Tool>{std::move(bash)};
                return only(tools::recorded_bash(std::move(bash), access, log));
              }},
    ToolEntry{kReaderTool,
              [](const Settings& settings, const IndexWiring&) {
                return only(sqlite_reader_tool(reader_options(settings)));
              }},
    ToolEntry{kWebTools,
              [](const Settings& settings, const IndexWiring&) { return web_tools(settings); }},
    ToolEntry{kAskTool,
              [](const Settings&, const IndexWiring&) -> Tools {
                return std::vector<Tool>{ask_user_tool()};
              }},
    ToolEntry{kSessionTool,
              [](const Settings& settings, const IndexWiring&) -> Tools {
                return std::vector<Tool>{stored_session_tool(settings)};
              }},
    ToolEntry{kIndexTools,
              [](const Settings& settings, const IndexWiring& index) -> Tools {
                if (settings.entity_folder().empty()) return std::vector<Tool>{};
                return code_entity_tools(index_options(settings, index));
              }},
};

constexpr auto kFetchTool = std::to_array<std::string_view>({"fetch_url"});
constexpr auto kSearchTool = std::to_array<std::string_view>({"web_search"});

constexpr std::array kSwitches{
    ToolSwitch{kFetchTool, "web.fetch", "true", "[web]\nfetch = true",
               "It is off. `fetch = true` below [web] in the configuration, or --set "
               "web.fetch=true, turns it on.",
               [](const Settings& settings) { return settings.flag(keys::kWebFetch); }},
    ToolSwitch{kSearchTool, "web.search", "the address of a search engine",
               "[web]\nsearch = \"https://search.example/search\"",
               "It is off, because nothing says where to search. `search = \"https://…\"` below "
               "[web] in the configuration, or --set web.search=…, names an endpoint that answers "
               "as SearXNG does.",
               [](const Settings& settings) { return !settings.text(keys::kWebSearch).empty(); }},
    ToolSwitch{
        kSessionTool, "sessions.search", "on", "[sessions]\nsearch = \"on\"",
        "`search = \"on\"` below [sessions] in the configuration, or --set "
        "sessions.search=on, gives it to every agent.",
        [](const Settings& settings) { return settings.text(keys::kSessionSearch) == "on"; }},
    ToolSwitch{kEditingTools, "agent.writable", "the folders that may be written",
               "[agent]\nwritable = [\".\"]",
               "It is off, because nothing may be written. `writable = [\".\"]` below [agent] in "
               "the configuration, or --set agent.writable=., allows it.",
               [](const Settings& settings) { return !settings.writable().empty(); }},
    ToolSwitch{kIndexTools, "entities.index", "true", "[entities]\nindex = true",
               "It is off with the index. `index = true` below [entities] in the configuration, or "
               "--set entities.index=true, turns it on.",
               [](const Settings& settings) { return !settings.entity_folder().empty(); }},
};

}  // namespace

std::vector<std::string_view> agent_names() {
  std::vector<std::string_view> names;
  for (const AgentEntry& entry : kAgents) names.push_back(entry.name);
  return names;
}

Result<void> check_needs(std::string_view name, const Settings& settings) {
  if (canonical_agent_name(name) != kSqliteAnalysis) return {};
  const auto path = settings.database();
  if (path.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        "sqlite-analysis needs a database: name it with --database FILE, WRIGHT_DATABASE or "
        "agent.database");
  }
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) return {};
  return fail(ErrorCode::not_found,
              to_valid_utf8(fmt::format("there is no database file {}", path.string())));
}

Result<ShippedAgent> make_agent(std::string_view name, const Settings& settings, Model model,
                                const IndexWiring& index) {
  const std::string wanted = canonical_agent_name(name);
  const auto entry = std::ranges::find(kAgents, std::string_view(wanted), &AgentEntry::name);
  if (entry == kAgents.end()) {
    const auto names = agent_names();
    std::string suggestion = did_you_mean(name, names);
    if (suggestion.empty()) suggestion = fmt::format("; there is {}", fmt::join(names, ", "));
    return fail(ErrorCode::not_found, fmt::format("unknown agent '{}'{}", name, suggestion));
  }
  auto shipped = TRY(entry->make(settings, std::move(model), index));
  Agent& agent = shipped.agent;
  auto web = TRY(web_tools(settings));
  std::ranges::move(web, std::back_inserter(agent.tools));
  agent.limits = settings.limits(agent.limits);
  if (const auto limit = settings.max_tokens()) agent.sampling.max_tokens = *limit;
  agent.context_tokens = settings.context_tokens();
  if (const auto effort = settings.reasoning()) agent.sampling.reasoning = effort;
  for (const std::string& name : settings.list(keys::kVendorTools)) {
    shipped.agent.sampling.vendor_tools.emplace_back(name);
  }
  add_session_search(shipped.agent, settings);
  return shipped;
}

void make_output_folder(const Settings& settings) {
  if (settings.output_folder().empty()) return;
  // What other projects have left there goes with its age.
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(settings.output_folder(), error)) {
    std::error_code ignored;
    if (!entry.is_symlink(ignored) && entry.is_directory(ignored)) {
      (void)spill_output({.folder = entry.path()});
    }
  }
  (void)spill_output({.folder = settings.output_folder()});
  (void)spill_output({.folder = output_of_project(settings)});
}

std::filesystem::path output_of_project(const Settings& settings) {
  if (settings.output_folder().empty()) return {};
  std::error_code error;
  const auto base = std::filesystem::weakly_canonical(settings.base_path(), error);
  const std::string place = (error ? settings.base_path() : base).string();
  return settings.output_folder() / sha256_hex(place).substr(0, 16);
}

std::vector<std::string> tool_names() {
  std::vector<std::string> names;
  for (const ToolEntry& entry : kTools) {
    names.insert(names.end(), entry.names.begin(), entry.names.end());
  }
  return names;
}

Result<std::vector<Tool>> make_tools(const Settings& settings, const IndexWiring& index) {
  std::vector<Tool> tools;
  for (const ToolEntry& entry : kTools) {
    auto made = TRY(entry.make(settings, index));
    std::ranges::move(made, std::back_inserter(tools));
  }
  return tools;
}

bool is_index_tool(std::string_view tool) {
  return std::ranges::find(kIndexTools, tool) != kIndexTools.end();
}

const ToolSwitch* find_switch(std::string_view tool) {
  const auto found = std::ranges::find_if(kSwitches, [&](const ToolSwitch& each) {
    return std::ranges::find(each.tools, tool) != each.tools.end();
  });
  return found == kSwitches.end() ? nullptr : &*found;
}

}  // namespace wright::app
