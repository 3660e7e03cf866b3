// What runs of the program leave behind, read and changed by tests.
#pragma once

#include <filesystem>
#include <string>

namespace wright::cli {

std::string content_of(const std::filesystem::path& path);
// Runs SQL in a database that no process has open; what fails, fails the test.
void change(const std::filesystem::path& database, const char* sql);

}  // namespace wright::cli
