// The name under which this folder knows open files of the system.
#pragma once

#include "core/file_descriptor.h"

namespace wright::tools {

using wright::FileDescriptor;

}  // namespace wright::tools
