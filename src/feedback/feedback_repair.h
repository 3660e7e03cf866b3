// Feedback in the shapes that models give it, brought into the one it should have: a text instead
// of an object, one thing instead of a list, "95 %" instead of 95, a JSON schema instead of names.
// What is still wrong afterwards is dropped by whoever reads it.
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
