// Names with letters beyond ASCII. For some languages ctags cuts them there: of "Größe" it tells
// "e". What the line says is the whole name.
#pragma once

#include <string_view>
#include <vector>

#include "entities/code_entity.h"
#include "entities/source_lines.h"

namespace wright::entities {

// Puts cut names right, and with them the names of those that stand inside. `lines` are UTF-8.
void make_names_whole(std::vector<CodeEntity>& entities, const SourceLines& lines);

}  // namespace wright::entities
