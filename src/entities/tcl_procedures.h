// The procedures of Tcl. ctags takes an escaped brace for a brace, and what follows it for one long
// procedure; here the lines are read by Tcl's own rule.
#pragma once

#include <vector>

#include "entities/code_entity.h"
#include "entities/source_lines.h"

namespace wright::entities {

// Corrects the ends of what ctags found in a file of Tcl, and adds the procedures that it missed.
void correct_tcl_procedures(std::vector<CodeEntity>& entities, const SourceLines& lines);

}  // namespace wright::entities
