// What vendors say that an answer is from: one kind of value for all of their forms.
#pragma once

#include <vector>

#include "providers/event_decoder.h"
#include "wright/json.h"
#include "wright/message.h"

namespace wright::providers {

// From an object with an address and a title under one of their usual names, or with one that has
// them ("web", "url_citation"). Empty where there is neither.
Citation citation_in(const Json& json);
// Those of a list that are not empty, each address once. A text in it is an address.
std::vector<Citation> citations_in(const Json* list);

// With the vendor's own form of it, which goes back to the same model.
Citation returned_citation(const Json& json, const Endpoint& endpoint);
// Those forms, for a request to this model.
JsonArray returned_citations(const Text& text, const Endpoint& endpoint);

}  // namespace wright::providers
