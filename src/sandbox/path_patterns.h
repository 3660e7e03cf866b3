// Patterns for what is unreadable, as the settings have them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wright::sandbox {

// Whether a path below a folder matches: a leading `**/` stands for any folders, * and ? for
// characters within a name. A pattern without a slash means a name anywhere.
bool is_meant(std::string_view pattern, const std::string& path);

// Whether one of these is about the path, or about a folder that it lies in.
bool is_meant_by_any(std::span<const std::string> patterns, std::string_view path);

}  // namespace wright::sandbox
