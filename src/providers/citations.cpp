#include "providers/citations.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "providers/opaque_block.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

std::string first_of(const Json& json, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const std::string_view text = text_field(&json, name); !text.empty()) {
      return valid_text(text);
    }
  }
  return {};
}

bool is_same_place(const Citation& one, const Citation& other) {
  return one.url == other.url && one.title == other.title;
}

}  // namespace

Citation citation_in(const Json& json) {
  for (const std::string_view inner : {"url_citation", "web", "retrievedContext", "maps"}) {
    const Json* found = field(&json, inner);
    if (object_in(found) != nullptr) return citation_in(*found);
  }
  Citation citation{.url = first_of(json, {"url", "uri"}),
                    .title = first_of(json, {"title", "document_title", "filename"}),
                    .quote = first_of(json, {"cited_text"})};
  // Of a document, or of what a search of one's own has found.
  if (citation.url.empty() && citation.title.empty()) {
    citation.title = first_of(json, {"source", "file_id"});
  }
  if (const Json* web = field(field(&json, "location"), "web")) {
    citation.url = first_of(*web, {"url"});
  }
  return citation;
}

std::vector<Citation> citations_in(const Json* list) {
  constexpr std::size_t kMost = 1'000;
  std::vector<Citation> citations;
  const JsonArray* array = array_in(list);
  for (std::size_t i = 0; array != nullptr && i < array->size() && citations.size() < kMost; ++i) {
    const Json& each = (*array)[i];
    Citation citation =
        each.is_string() ? Citation{.url = valid_text(text_in(&each))} : citation_in(each);
    if (citation == Citation{}) continue;
    const bool is_known = std::ranges::any_of(
        citations, [&](const Citation& known) { return is_same_place(known, citation); });
    if (!is_known) citations.push_back(std::move(citation));
  }
  return citations;
}

Citation returned_citation(const Json& json, const Endpoint& endpoint) {
  Citation citation = citation_in(json);
  if (!json.is_object()) return citation;
  JsonObject returned;
  for (const auto& [key, value] : json.get_object()) {
    if (key != "file_id" || text_field(&json, "type").ends_with("file_citation")) {
      returned[key] = value;  // Anthropic names the file, and does not take its name back
    }
  }
  citation.opaque = opaque_text(endpoint.protocol(), endpoint.model.name, returned);
  return citation;
}

JsonArray returned_citations(const Text& text, const Endpoint& endpoint) {
  JsonArray written;
  for (const Citation& each : text.citations) {
    const auto block =
        opaque_block(Reasoning{{}, each.opaque}, endpoint.protocol(), endpoint.model.name);
    if (block) written.push_back(*block);
  }
  return written;
}

}  // namespace wright::providers
