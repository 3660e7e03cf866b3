// What this machine offers: facts for `wright doctor`. Changes nothing but temporary files, which
// it removes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "wright/error.h"
#include "wright/sandbox.h"

namespace wright::app {

std::string kernel_release();
bool has_openat2();

std::string sqlite_version();
// Whether SQLite can keep a write-ahead log in that folder; tried with a database of its own.
Result<void> try_write_ahead_log(const std::filesystem::path& folder);
// The version of Wright's tables in that file; absent when they are not there yet.
Result<std::optional<int>> schema_version_of(const std::filesystem::path& database);

// "Universal Ctags 5.9.0"; empty when there is no ctags of that kind.
std::string ctags_version(const Variables& environment);

// The folder itself, or the nearest one above it that exists.
std::filesystem::path nearest_existing_folder(const std::filesystem::path& folder);
bool may_write_to(const std::filesystem::path& folder);
bool may_read_from(const std::filesystem::path& folder);

// Whether anybody but its owner may read the file.
bool is_readable_by_others(const std::filesystem::path& file);

}  // namespace wright::app
