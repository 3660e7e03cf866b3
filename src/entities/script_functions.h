// The functions of JavaScript and TypeScript. ctags calls `const f = () => 1` a constant, and after
// some lines that it cannot read takes a function for a method of the class before.
#pragma once

#include <vector>

#include "entities/code_entity.h"
#include "entities/source_lines.h"

namespace wright::entities {

// Corrects what ctags found in a file of a language of scripts; leaves other languages alone.
void correct_script_functions(std::vector<CodeEntity>& entities, const SourceLines& lines);

}  // namespace wright::entities
