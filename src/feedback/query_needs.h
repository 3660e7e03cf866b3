// What a prompt, in English, needs from the tools: recognised by its words, not understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "feedback/capabilities.h"

namespace wright::feedback {

enum class Certainty : std::uint8_t {
  sure,   // "more than 200 lines"
  maybe,  // "larger classes": only where the data has numbers
};

struct Need {
  Capability capability = Capability::compare_numbers;
  Certainty certainty = Certainty::sure;
  std::string words = {};    // of the query, in lower case
  std::string measure = {};  // what is counted or compared, "lines"; empty when it is not said

  bool operator==(const Need&) const = default;
};

// At most one of each capability. Only the beginning of a long text is examined.
std::vector<Need> needs_of(std::string_view query);

// Files, where the query names files, folders or a kind of them ("*.cpp").
Subject subject_of(std::string_view query);

// "Find authentication functions": a search by topic.
bool looks_for_things(std::string_view query);

// The field that would hold a measure: "line_count" for "lines"; empty for none.
std::string field_for(std::string_view measure);

}  // namespace wright::feedback
