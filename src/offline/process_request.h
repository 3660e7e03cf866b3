// What a wish for a process says already: its parts, found by ordinary English words. Looks at
// nothing but the text; never fails.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wright/requirements.h"

namespace wright::offline {

struct ProcessRequest {
  bool is_wish = false;     // something is to be built, or to happen by itself
  bool is_foreign = false;  // in words that are not recognised: perhaps another language
  std::string thing = {};   // what is to be built: "website"; empty for a process
  std::string goal = {};
  std::string trigger = {};  // "every morning", "when an order arrives"
  std::string outcome = {};  // "send a summary to the sales team"
  std::vector<std::string> actors = {};
  std::vector<DataSource> sources = {};  // what is read
  std::vector<DataSource> targets = {};  // what is written
  std::vector<std::string> steps = {};
  std::vector<std::string> examples = {};

  // What happens, with what, and when or what for: enough to be built from.
  bool is_clear() const;
};

ProcessRequest understand_process(std::string_view text);

// Without passwords, keys and tokens that somebody put into it.
std::string without_credentials(std::string_view text);

}  // namespace wright::offline
