// The fields of Python's classes that ctags leaves out: `sku: str`, which has no value, and
// `self.total = …` in a method.
#pragma once

#include <vector>

#include "entities/code_entity.h"
#include "entities/source_lines.h"

namespace wright::entities {

// Adds them. Names that the class has already are left alone.
void add_python_fields(std::vector<CodeEntity>& entities, const SourceLines& lines);

}  // namespace wright::entities
