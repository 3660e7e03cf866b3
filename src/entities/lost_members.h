// What ctags loses in some languages: the members of a TypeScript class after a line that it cannot
// read (`users = new Map<string, User>()`), Java's records, and Rust's constants. Found by the look
// of their lines, outside of strings and comments.
#pragma once

#include <string_view>
#include <vector>

#include "entities/code_entity.h"
#include "entities/source_lines.h"

namespace wright::entities {

// Adds them. Names that a class has already are left alone.
void add_lost_members(std::vector<CodeEntity>& entities, std::string_view language,
                      std::string_view text, const SourceLines& lines);

}  // namespace wright::entities
