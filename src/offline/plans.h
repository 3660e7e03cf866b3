// The plans, one for each topic. A plan returns the final answer; or, while the investigation is
// waiting for results, a few words about what it is doing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "offline/investigation.h"
#include "offline/parsed_prompt.h"

namespace wright::offline {

// plan_entities.cpp. Nothing when the question is not about a set.
std::optional<std::string> plan_set(const ParsedPrompt& question, Investigation& look);

// plan_names.cpp
std::string plan_definition(const ParsedPrompt& question, Investigation& look);
// Nothing has the name: what comes near it, and which lines have it.
std::string without_definition(const ParsedPrompt& question, Investigation& look);

// plan_members.cpp
std::string plan_members(const ParsedPrompt& question, Investigation& look);
std::string plan_subclasses(const ParsedPrompt& question, Investigation& look);

// plan_search.cpp
std::string plan_usage(const ParsedPrompt& question, Investigation& look);
std::string plan_search(const ParsedPrompt& question, Investigation& look);  // lines or files
std::string plan_unknown(const ParsedPrompt& question, Investigation& look);

// plan_files.cpp
std::string plan_file(const ParsedPrompt& question, Investigation& look);
std::string plan_folder(const ParsedPrompt& question, Investigation& look);
// The folders that end in `name`, as the paths of what is inside of them tell.
std::vector<std::string> folders_named(const Listing& inside, const std::string& name);
std::string plan_find_files(const ParsedPrompt& question, Investigation& look);

// plan_project.cpp
std::string plan_project(const ParsedPrompt& question, Investigation& look);
std::string plan_how_to(const ParsedPrompt& question, Investigation& look);
std::string plan_manifests(const ParsedPrompt& question, Investigation& look);  // what they list
std::string plan_entry_points(const ParsedPrompt& question, Investigation& look);
std::string plan_flags(const ParsedPrompt& question, Investigation& look);
std::string plan_todos(const ParsedPrompt& question, Investigation& look);
std::string plan_licence(const ParsedPrompt& question, Investigation& look);

// plan_other_tools.cpp: empty when no offered tool fits the prompt.
std::string plan_other_tools(const ParsedPrompt& question, Investigation& look);
bool mentions_other_tool(const ParsedPrompt& question, const Investigation& look);

// plan_changes.cpp: with the tools of an agent that changes code. Nothing when the prompt asks for
// no change that this planner can make.
bool changes_code(const Investigation& look);
std::optional<std::string> plan_change(const std::string& prompt, Investigation& look);

// plan_database.cpp: with the tool sqlite_reader, whole prompts instead of single questions.
bool is_about_database(std::string_view prompt, const Investigation& look);
std::string plan_database(const std::string& prompt, Investigation& look);

// plan_requirements.cpp: with the tool ask_user alone, whole conversations.
bool gathers_requirements(const Investigation& look);
std::string plan_requirements(const Request& request, const Transcript& transcript,
                              Investigation& look);

// plan_capabilities.cpp: what this is, what it can do, and how to get more.
std::string plan_capabilities(const ParsedPrompt& question, Investigation& look);
std::string cannot_answer(const ParsedPrompt& question, const Investigation& look);
std::string how_to_ask();

}  // namespace wright::offline
