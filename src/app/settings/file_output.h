// Writes a file whole or not at all, and to descriptors.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "core/file_descriptor.h"
#include "wright/error.h"

namespace wright::app {

// Replaces what is there, and only when all of `text` has reached the disk. Devices and pipes are
// written to as they are.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);

// Makes a new file that only its owner may read, and the folders to it. Never overwrites; nobody
// sees it before all of `text` is in it.
Result<void> create_private_file(const std::filesystem::path& path, std::string_view text);

// Waits until nobody else holds the folder of this file, which is made where it is missing: for
// those who read a file, change it and write it. Held as long as the descriptor is open.
Result<FileDescriptor> turn_to_change(const std::filesystem::path& path);

// Writes everything to whatever it is, or says why not: 0, or an errno.
int write_all(int descriptor, std::string_view text);

}  // namespace wright::app
