// Keeps outputs that are too long for a model as files that read_file can page, and removes them
// again by age and size. Touches no other files than its own.
#pragma once

#include <string>
#include <string_view>

#include "core/file_descriptor.h"
#include "wright/tools.h"

namespace wright::tools {

class OutputSpill {
 public:
  // Makes the folder when it is missing; nobody else may look into it then.
  static Result<OutputSpill> open(SpillOptions options);

  // The absolute path of a new file with `text` in it. Thread-safe.
  Result<std::string> keep(std::string_view text);

 private:
  OutputSpill(SpillOptions options, std::string path, FileDescriptor folder)
      : options_(std::move(options)), path_(std::move(path)), folder_(std::move(folder)) {}

  // Removes what is too old, and the oldest until `needed` more bytes fit.
  void make_room(std::uint64_t needed);

  SpillOptions options_;
  std::string path_;
  FileDescriptor folder_;
};

}  // namespace wright::tools
