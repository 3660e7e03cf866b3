// The program of first_process.cpp as an executable file that nobody can change.
#pragma once

#include "core/file_descriptor.h"
#include "wright/error.h"

namespace wright::sandbox {

Result<FileDescriptor> first_process_file();

}  // namespace wright::sandbox
