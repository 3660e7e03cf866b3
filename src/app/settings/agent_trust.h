// Which agents of projects a person has agreed to. A project comes from elsewhere: its agents say
// what a model is told and which tools it gets, so none of them runs before somebody has looked at
// it. Agreed to is the exact content, of which the record holds the SHA-256; a file that changes
// has to be agreed to again.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::app {

class TrustedAgents {
 public:
  // A record that is not there trusts nobody; one that cannot be read is an error.
  static Result<TrustedAgents> load(const std::filesystem::path& record);

  bool holds(const std::filesystem::path& agent, std::string_view content) const;

  // Remembers it in the record, which only its owner may read, beside what others have added
  // meanwhile.
  Result<void> add(const std::filesystem::path& agent, std::string_view content);

 private:
  std::filesystem::path record_;
  std::map<std::string, std::string> digests_;  // by absolute path
};

}  // namespace wright::app
