// Reads a small text file that a person or a project wrote for agents.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "wright/error.h"

namespace wright::project {

// A regular file of UTF-8 text below `inside`, wherever links lead; empty: anywhere. Refused when
// it is larger than `most_bytes`, is not text, or lies elsewhere; ErrorCode::not_found when it is
// not there. Never blocks.
Result<std::string> read_text(const std::filesystem::path& file, std::size_t most_bytes,
                              const std::filesystem::path& inside = {});

// The same for a file of any kind.
Result<std::string> read_bytes(const std::filesystem::path& file, std::size_t most_bytes,
                               const std::filesystem::path& inside = {});

// Whether `path` is `folder` or below it, when all links are followed.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace wright::project
