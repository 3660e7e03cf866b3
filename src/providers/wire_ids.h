// Ids of calls on the wire. A conversation may hold ids of any vendor; Anthropic accepts only
// letters, digits, '_' and '-', and no id twice. The same request always gives the same ids.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace wright::providers {

class WireIds {
 public:
  // No id becomes longer than `longest`.
  explicit WireIds(std::size_t longest = 256) : longest_(longest) {}

  // A new id for a call, not used before.
  const std::string& of_call(std::string_view id);
  // The id of the last call that had this one.
  std::string of_result(std::string_view id) const;

 private:
  std::string allowed_id(std::string_view id) const;

  std::size_t longest_;
  std::set<std::string, std::less<>> used_;
  std::map<std::string, std::string, std::less<>> to_wire_;
};

}  // namespace wright::providers
