// Names for kinds of source files, as grep's `type` takes them: cpp, py, rust, cmake, …
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wright::tools {

class FileType {
 public:
  // A name that is not known means the files with that extension.
  explicit FileType(std::string_view name);

  bool is_known() const { return is_known_; }
  // `path` may have folders in it; only its last component counts. Case matters in known names,
  // except for extensions.
  bool matches(std::string_view path) const;

 private:
  std::vector<std::string_view> extensions_;
  std::vector<std::string_view> names_;
  std::string own_extension_;
  bool is_known_ = false;
};

// All known names, separated by commas.
std::string known_file_types();

}  // namespace wright::tools
