// Globs as a model or a person writes them for list_files and grep.
//
//   *.cpp          no slash: the name of a file, at any depth
//   src/**/*.h     with a slash: the path below the folder that is searched
//   {a,b}*.[ch]    alternatives, which may nest; sets; ? is one character; \ takes away meaning
//
// * stays within one name, ** crosses slashes.
#pragma once

#include <string_view>
#include <vector>

#include "tools/wildcard.h"

namespace wright::tools {

class Glob {
 public:
  // The error says what is malformed.
  static Result<Glob> parse(std::string_view pattern);

  // `path` is relative to the folder that is searched.
  bool matches(std::string_view path) const;

 private:
  struct Alternative {
    Wildcard wildcard;
    bool is_name_only;  // looks at the last component
  };
  std::vector<Alternative> alternatives_;
};

}  // namespace wright::tools
