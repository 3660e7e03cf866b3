// Feedback that a model wrote as XML, as the JSON that it should have been.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright::feedback {

struct XmlFeedback {
  Json json;
  std::vector<std::string> notes;  // tags that were not closed, and the like
};

// `text` begins with a tag. Lists take the elements inside them, whatever those are called;
// `success` becomes a boolean and percentages become numbers where they are written as such.
// Attributes count as elements. Nesting is bounded; what is deeper is left out.
XmlFeedback feedback_from_xml(std::string_view text);

}  // namespace wright::feedback
