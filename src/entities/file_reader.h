// Reads files of a code base and finds out what is in them. Touches no database; may be used from
// several threads at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "entities/code_entity.h"
#include "entities/ctags.h"
#include "tools/workspace/workspace.h"

namespace wright::entities {

// A file to look at, and the hash of its content when it was last read (empty: never). One that is
// too large to be parsed is not read: what stands for its hash tells its size and its times.
struct FileToRead {
  std::string path;
  std::int64_t size = 0;
  std::string known_hash;
};

struct FileRead {
  enum class Outcome : std::uint8_t {
    changed,
    same,        // `file` has no entities: they are known
    gone,        // it is gone; `file` has its path only
    unreadable,  // likewise
  };
  Outcome outcome = Outcome::gone;
  CodeFile file;
};

class FileReader {
 public:
  // Refers to both.
  FileReader(const tools::Workspace& workspace, const Ctags& ctags)
      : workspace_(workspace), ctags_(ctags) {}

  Result<std::vector<FileRead>> read(std::span<const FileToRead> files,
                                     const std::stop_token& stop) const;

 private:
  struct Loaded {
    FileRead read;
    std::string content;  // UTF-8; empty when there is nothing to parse
    Letters letters = Letters::utf8;
  };
  // Breaks off when it is stopped.
  Loaded load(const FileToRead& wanted, const std::stop_token& stop) const;

  const tools::Workspace& workspace_;
  const Ctags& ctags_;
};

}  // namespace wright::entities
