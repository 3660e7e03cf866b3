// The rules of one .gitignore file, with the meaning that git gives them. Reads no files itself
// and knows nothing of the rules around it (ignore_scopes.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/files/wildcard.h"
#include "tools/workspace/workspace.h"

namespace wright::tools {

class IgnoreFile {
 public:
  enum class Verdict : std::uint8_t { none, ignored, kept };

  // Every text is a legal .gitignore: what means nothing to git is left out.
  static IgnoreFile parse(std::string_view text);

  // What the last rule that matches says. `path` is relative to the folder of the file.
  Verdict judge(std::string_view path, EntryKind kind) const;

 private:
  struct Rule {
    Wildcard wildcard;
    bool is_negated;
    bool is_for_folders;
    bool is_name_only;  // looks at the last component
  };
  void add(std::string_view line);

  std::vector<Rule> rules_;
};

}  // namespace wright::tools
