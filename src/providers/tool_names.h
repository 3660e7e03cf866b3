// Tool names on the wire. Vendors allow fewer characters than people use ("files.read",
// "server:tool"); a request's names are mapped to what is allowed, and the response's names back.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/message.h"

namespace wright::providers {

// The names that a protocol allows: these characters in addition to letters and digits, and a
// length.
struct ToolNameRule {
  std::string_view punctuation = "_-";
  std::size_t longest = 64;
  bool starts_with_letter = false;  // or an underscore
};

// Whether it stays as it is on the wire.
bool is_allowed_tool_name(std::string_view name, const ToolNameRule& rule);

class ToolNames {
 public:
  // Knows the names of the request's tools, of its tool choice and of the calls in its messages.
  // The same request always gives the same names, so that prompt caches hit.
  ToolNames(const Request& request, ToolNameRule rule);

  // Those of calls in further messages.
  void add(std::span<const Message> messages);

  std::string_view on_wire(std::string_view name) const;
  // A name that was never sent is returned unchanged: the run tells the model that there is no such
  // tool.
  std::string_view from_wire(std::string_view name) const;

 private:
  void add(std::string_view name);

  bool is_known(std::string_view name) const;
  bool is_taken(std::string_view wire) const;

  ToolNameRule rule_;
  std::vector<std::string>
      unchanged_;  // the usual case, sorted: a session keeps them while it waits
  std::map<std::string, std::string, std::less<>> to_wire_;  // the others
  std::map<std::string, std::string, std::less<>> from_wire_;
};

}  // namespace wright::providers
