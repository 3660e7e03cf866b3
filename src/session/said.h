// What a user says to a session while it works. It is stored before anybody acts on it, as a record
// that the batch removes which puts it into the conversation: it is in one of the two places,
// always.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wright/message.h"
#include "wright/store_writes.h"

namespace wright::session {

struct Said {
  std::string key = {};  // of its record
  Message message = {};
};

// Several as one message, the oldest first: words are apart by a blank line.
inline Message joined(const std::vector<Said>& said) {
  Message all{Role::user, {}};
  for (const Said& each : said) {
    bool is_apart = all.text().empty();
    for (const Part& part : each.message.parts) {
      const auto* text = std::get_if<Text>(&part);
      if (text != nullptr && !std::exchange(is_apart, true)) {
        all.parts.emplace_back(Text{"\n\n" + text->text});
      } else {
        all.parts.push_back(part);
      }
    }
  }
  return all;
}

}  // namespace wright::session
