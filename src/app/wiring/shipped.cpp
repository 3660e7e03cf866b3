#include "app/wiring/shipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "app/wiring/bash_settings.h"
#include "app/wiring/web_settings.h"
#include "core/nearest.h"
#include "wright/agents.h"
#include "wright/ask_user.h"
#include "wright/entities.h"
#include "wright/sqlite_reader.h"
#include "wright/tools.h"

namespace wright::app {
namespace {

struct AgentEntry {
  std::string_view name;
  Result<Agent> (*make)(const Settings& settings, Model model, const IndexWiring& index);
};

// Output that was too long lies outside of the base, and is there to be paged.
FileAccess file_access(const Settings& settings) {
  FileAccess access{.base = settings.base_path(),
                    .readable = settings.readable(),
                    .writable = settings.writable()};
  std::error_code ignored;
  if (std::filesystem::is_directory(settings.output_folder(), ignored)) {
    access.readable.push_back(settings.output_folder());
  }
  return access;
}

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
  options.on_progress = index.on_index;
  const std::string model = settings.text(keys::kEmbeddingModel);
  if (!model.empty() && index.models != nullptr) {
    options.embeddings.model = index.models->embeddings(model);
    options.embeddings.time_at_a_question = settings.duration(keys::kEmbeddingTime);
  }
  return options;
}

constexpr std::array kIndexTools{
    "query_entities",      "number_range_search", "datetime_range_search",
    "text_pattern_search", "enum_filter_search",  "aggregate_entities",
    "get_schema",          "describe_entity",     "explore_relationships",
    "semantic_search"};

constexpr std::array kAgents{
    AgentEntry{"codebase-analysis",
               [](const Settings& settings, Model model, const IndexWiring& index) {
                 const FileAccess access = file_access(settings);
                 if (settings.entity_folder().empty()) {
                   return codebase_analysis_agent(access, std::move(model));
                 }
                 return codebase_analysis_agent(access, index_options(settings, index),
                                                std::move(model));
               }},
    AgentEntry{kSqliteAnalysis,
               [](const Settings& settings, Model model, const IndexWiring&) {
                 return sqlite_analysis_agent(reader_options(settings), std::move(model));
               }},
    AgentEntry{kRequirementsGathering,
               [](const Settings&, Model model, const IndexWiring&) -> Result<Agent> {
                 return requirements_gathering_agent(std::move(model));
               }},
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

Result<Agent> make_agent(std::string_view name, const Settings& settings, Model model,
                         const IndexWiring& index) {
  const std::string wanted = canonical_agent_name(name);
  const auto entry = std::ranges::find(kAgents, std::string_view(wanted), &AgentEntry::name);
  if (entry == kAgents.end()) {
    const auto names = agent_names();
    std::string suggestion = did_you_mean(name, names);
    if (suggestion.empty()) suggestion = fmt::format("; there is {}", fmt::join(names, ", "));
    return fail(ErrorCode::not_found, fmt::format("unknown agent '{}'{}", name, suggestion));
  }
  auto agent = entry->make(settings, std::move(model), index);
  if (!agent) return agent;
  auto web = web_tools(settings);
  if (!web) return std::unexpected(std::move(web).error());
  std::ranges::move(*web, std::back_inserter(agent->tools));
  agent->limits = settings.limits(agent->limits);
  if (const auto limit = settings.max_tokens()) agent->sampling.max_tokens = *limit;
  agent->context_tokens = settings.context_tokens();
  if (const auto effort = settings.reasoning()) agent->sampling.reasoning = *effort;
  return agent;
}

void make_output_folder(const Settings& settings) {
  if (settings.output_folder().empty()) return;
  (void)spill_output({.folder = settings.output_folder()});
}

std::vector<std::string> tool_names() {
  std::vector<std::string> names{"list_files",  "read_file", "grep",          "write_file",
                                 "apply_patch", "bash",      "sqlite_reader", "fetch_url",
                                 "web_search",  "ask_user"};
  names.insert(names.end(), kIndexTools.begin(), kIndexTools.end());
  return names;
}

Result<std::vector<Tool>> make_tools(const Settings& settings, const IndexWiring& index) {
  const FileAccess access = file_access(settings);
  auto tools = file_tools(access);
  if (!tools) return tools;
  if (!access.writable.empty()) {
    auto editing = editing_tools(access);
    if (!editing) return editing;
    std::ranges::move(*editing, std::back_inserter(*tools));
  }
  auto options = bash_options(settings);
  if (!options) return std::unexpected(std::move(options).error());
  auto bash = bash_tool(std::move(*options));
  if (!bash) return std::unexpected(std::move(bash).error());
  tools->push_back(std::move(*bash));
  auto reader = sqlite_reader_tool(reader_options(settings));
  if (!reader) return std::unexpected(std::move(reader).error());
  tools->push_back(std::move(*reader));
  auto web = web_tools(settings);
  if (!web) return std::unexpected(std::move(web).error());
  std::ranges::move(*web, std::back_inserter(*tools));
  tools->push_back(ask_user_tool());
  if (!settings.entity_folder().empty()) {
    auto entities = code_entity_tools(index_options(settings, index));
    if (!entities) return entities;
    std::ranges::move(*entities, std::back_inserter(*tools));
  }
  return tools;
}

bool is_index_tool(std::string_view tool) {
  return std::ranges::find(kIndexTools, tool) != kIndexTools.end();
}

std::string_view how_to_turn_on(std::string_view tool) {
  if (tool == "fetch_url") {
    return "It is off. `fetch = true` below [web] in the configuration, or --set web.fetch=true, "
           "turns it on.";
  }
  if (tool == "web_search") {
    return "It is off, because nothing says where to search. `search = \"https://…\"` below [web] "
           "in the configuration, or --set web.search=…, names an endpoint that answers as SearXNG "
           "does.";
  }
  if (tool == "write_file" || tool == "apply_patch") {
    return "It is off, because nothing may be written. `writable = [\".\"]` below [agent] in the "
           "configuration, or --set agent.writable=., allows it.";
  }
  if (is_index_tool(tool)) {
    return "It is off with the index. `index = true` below [entities] in the configuration, or "
           "--set entities.index=true, turns it on.";
  }
  return {};
}

}  // namespace wright::app
