// Asks universal-ctags what is in files, as a confined child process. Its answers are material from
// outside: whatever it prints, nothing here fails for it but the file in question.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "entities/code_entity.h"
#include "wright/sandbox.h"

namespace wright::entities {

// What ctags said about one file. `entities` have the fields that ctags knows; an end_line of 0 is
// not known.
struct FileTags {
  std::string language = {};
  std::vector<CodeEntity> entities = {};
};

using TagsByPath = std::map<std::string, FileTags>;

// How the letters of a file are written. What is not UTF-8 is read as Latin-1, in which every byte
// is a letter; names come as UTF-8 from either.
enum class Letters : std::uint8_t { utf8, latin_1 };
std::string from_latin_1(std::string_view bytes);

struct FileToParse {
  std::string path;
  Letters letters = Letters::utf8;
};

class Ctags {
 public:
  // `sandbox` may read the folder `base`, and outlives this.
  Ctags(const Sandbox& sandbox, std::filesystem::path base);

  // Of files below the base. A file that ctags cannot read, or that makes it crash or hang, has no
  // tags. Fails when ctags is missing, when it is stopped, and when nothing can be run at all.
  // May be called from several threads at once.
  Result<TagsByPath> tags_of(std::span<const FileToParse> files, const std::stop_token& stop) const;

 private:
  Result<TagsByPath> read(std::span<const std::string> paths, Letters letters,
                          std::chrono::seconds patience, const std::stop_token& stop) const;

  const Sandbox& sandbox_;
  std::filesystem::path base_;
};

// The error of a machine without ctags.
Error ctags_is_missing();

}  // namespace wright::entities
