// Finds where a name is defined: asks for lines that look like definitions, reads around the best
// of them, and ranks what is left.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "offline/definitions.h"
#include "offline/investigation.h"
#include "offline/question.h"
#include "offline/source_text.h"

namespace wright::offline {

struct Definition {
  std::string path;
  int line = 0;
  std::string text;  // the line
  Verdict verdict;
  bool has_owner = true;  // false when nothing shows that it belongs to the owner asked for
  int rank = 0;           // the verdict's score, better or worse for where the line stands
  std::unique_ptr<FileText> file;  // what was read around it; null when nothing was
  Window window;                   // views into `file`
  std::size_t index = 0;           // of the line in the window
};

struct Definitions {
  std::vector<Definition> found;  // best first
  std::int64_t mentions = 0;      // lines that mention the name
  std::int64_t mentioning_files = 0;
  std::vector<FileCount> files;  // those that mention it, as far as they were listed
  bool is_complete = true;       // false when a search was cut off
};

// The last part of "Owner::name", "owner.name", and what stands before it.
struct QualifiedName {
  std::string owner;
  std::string name;
};
QualifiedName split_qualified(std::string_view name);

// Nothing while the investigation is waiting.
std::optional<Definitions> locate(const Question& question, Investigation& look,
                                  LetterCase letters = LetterCase::exact);

// A window over the text that was read.
Window window_of(const FileText& file);

}  // namespace wright::offline
