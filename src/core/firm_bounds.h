// Bounds of numbers that hold however strictly arguments are checked. For the tools that ship: a
// model must not have them count past the end of a type, or without end. Knows nothing about what
// the numbers mean.
#pragma once

#include "wright/tool.h"

namespace wright {

// `tool`, which is one over a C++ type, and refuses numbers beyond the bounds in its schema in any
// case: where nothing is checked (Strictness::off), too. Comes first of what is put around a tool.
Tool with_firm_bounds(Tool tool);

}  // namespace wright
