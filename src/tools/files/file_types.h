// Names for kinds of source files, as grep's `type` takes them: cpp, py, rust, cmake, …
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/files/wildcard.h"

namespace wright::tools {

class FileType {
 public:
  // A name that is not known means the files with that extension.
  explicit FileType(std::string_view name);

  bool is_known() const { return !globs_.empty(); }
  // `path` may have folders in it; only its last component counts. Case matters, except for
  // extensions of several letters.
  bool matches(std::string_view path) const;

 private:
  std::vector<Wildcard> globs_;
  std::string own_extension_;
};

// All known names, separated by commas.
std::string known_file_types();

}  // namespace wright::tools
