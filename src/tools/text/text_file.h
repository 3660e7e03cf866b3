// Reading bytes, and telling text from everything else. Never blocks on what is no regular file;
// opening is not done here (workspace.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

namespace wright::tools {

// How much of a file's start decides what it is.
inline constexpr std::size_t kSniffedBytes = 8 * 1024;

// Read into `space`: what comes next, or as much as there is. Zero at the end of the file. Fail
// with an errno.
std::expected<std::size_t, int> read_some(int descriptor, std::span<char> space);
std::expected<std::size_t, int> read_fully(int descriptor, std::span<char> space);

// How many NUL bytes come next that the disk does not hold, and moves on behind them. Zero where
// there are none, or where the file system does not tell.
std::int64_t skip_hole(int descriptor);

// Whether a file that starts like this is no text: it has a NUL byte early on.
bool is_binary(std::string_view start);

// Byte order marks, which some editors put before a text.
inline constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
bool has_utf16_mark(std::string_view start);

}  // namespace wright::tools
