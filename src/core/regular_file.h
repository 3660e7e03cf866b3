// Reads from files that somebody else may have put where a small text is expected: a pipe nobody
// writes to, a device without an end, a file larger than the memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/file_descriptor.h"

namespace wright {

// Through links. Closed where there is no regular file, or it cannot be read. Never waits.
FileDescriptor open_regular_file(const std::filesystem::path& file);

// At most `most_bytes` from the start of a regular file, through links. Empty where there is no
// such file, or it cannot be read. Never waits.
std::string start_of_regular_file(const std::filesystem::path& file, std::size_t most_bytes);

}  // namespace wright
