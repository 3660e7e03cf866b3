// Globs as a model or a person writes them for list_files and grep.
//
//   *.cpp          no slash: the name of a file, at any depth
//   src/**/*.h     with a slash: the path below the folder that is searched
//   {a,b}*.[ch]    alternatives, which may nest; sets; ? is one character; \ takes away meaning
//   v{1..3}        a range of numbers or of letters, as shells have it: {08..12}, {a..e..2}
//
// * stays within one name. ** between slashes stands for any folders, at the end for all that is
// below (src/** does not match src itself), and within a name for no more than *. All this as
// ripgrep and git have it, but for ranges, which they do not know.
#pragma once

#include <string_view>
#include <vector>

#include "tools/files/wildcard.h"

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
