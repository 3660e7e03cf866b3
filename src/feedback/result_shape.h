// The shape of a tool's result, found in bounded time: whether it is empty, whether it is
// incomplete, and which fields allow comparisons.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright::feedback {

struct ResultShape {
  bool is_empty = false;      // it says that nothing was found
  bool is_truncated = false;  // there is more than was returned
  bool says_failure = false;  // {"success": false}, or a command that did not exit with 0
  bool has_records = false;   // lists or objects, as opposed to plain text
  std::optional<std::size_t> items = {};        // of its lists, where there are any
  std::vector<std::string> number_fields = {};  // names of fields of records, without repetition
  std::vector<std::string> date_fields = {};
};

ResultShape shape_of(const Json& result);

// Of the text that the model read, where the result itself is no longer available.
ResultShape shape_of_text(std::string_view content);

// Whether a text was cut on its way to the model.
bool is_cut_text(std::string_view content);

}  // namespace wright::feedback
