// The AGENTS.md of folders below the base: what one says reaches the model with the result of the
// first call that reads or changes a file there, once in a session. Changes no call.
#pragma once

#include "wright/tool.h"
#include "wright/tools.h"

namespace wright::project {

// Around read_file, write_file and apply_patch. The files that count are those of read_notes();
// what the tools may not read is not told either.
Interceptor folder_notes(const FileAccess& access);

}  // namespace wright::project
