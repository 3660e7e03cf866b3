// Finds where definitions end in languages for which ctags does not say so. It reads brackets (or,
// in Lua, keywords) and knows strings, comments and the like of each language; it does not parse.
#pragma once

#include <memory>
#include <string_view>

#include "entities/source_lines.h"

namespace wright::entities {

class BlockEnds {
 public:
  // Whether the blocks of the language can be read at all.
  static bool knows(std::string_view language);

  // Reads the whole text once. Refers to both.
  BlockEnds(std::string_view text, const SourceLines& lines, std::string_view language);
  ~BlockEnds();
  BlockEnds(BlockEnds&&) noexcept;
  BlockEnds& operator=(BlockEnds&&) = delete;

  // The last line of what is called `name` and starts on `line`. `next_line` is where the next
  // definition starts (or one past the text): a block that only opens there belongs to that.
  // Without a block, the line on which the statement ends.
  int end_of(std::string_view name, int line, int next_line) const;

 private:
  struct Blocks;
  bool is_whole(int line) const;

  std::string_view text_;
  const SourceLines* lines_;
  bool ends_with_lines_ = false;
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace wright::entities
