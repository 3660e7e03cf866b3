// The program of first_process.cpp as a file that can be executed and that nobody can change.
#pragma once

#include "core/file_descriptor.h"
#include "wright/error.h"

namespace wright::sandbox {

Result<FileDescriptor> first_process_file();

}  // namespace wright::sandbox
