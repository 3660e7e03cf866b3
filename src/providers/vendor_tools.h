// Tools that run at the vendor (Sampling::vendor_tools): from their common names to what each
// protocol calls them, and from what they did to words.
#pragma once

#include <string>

#include "wright/json.h"
#include "wright/provider.h"

namespace wright::providers {

// As this protocol writes them, for the list of tools. None while no tool may be called. Fails
// where the vendor has no such tool, or where a tool of the agent's own has the same name.
Result<JsonArray> vendor_tools(const Endpoint& endpoint, const Request& request);

// What such a tool was asked for or gave, for people: an item of OpenAI's responses, a block of
// Anthropic's, a part of Gemini's. Empty where nothing can be said.
std::string words_of_vendors_tool(const Json& block);

// What Gemini searched for and found, where it tells it beside its text; empty where it did not
// search.
std::string words_of_grounding(const Json* metadata);

// Whether an item of OpenAI's responses tells of a tool that ran there ("web_search_call").
bool is_item_of_vendors_tool(std::string_view type);
// Whether a part of Gemini's does ("executableCode").
bool is_part_of_vendors_tool(const Json& part);

}  // namespace wright::providers
