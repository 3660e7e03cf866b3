// Normalises the shapes in which models write feedback: a text instead
// of an object, one thing instead of a list, "95 %" instead of 95, a JSON schema instead of names.
// Whatever is still wrong afterwards is dropped when it is read.
#pragma once

#include <string>
#include <vector>

#include "wright/json.h"

namespace wright::feedback {

struct RepairedFeedback {
  Json json;
  std::vector<std::string> notes;  // where a meaning had to be guessed
};

RepairedFeedback repaired(Json feedback);

}  // namespace wright::feedback
