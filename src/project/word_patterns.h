// The files that a word with `*`, `?`, `[` or braces stands for. Who wrote the word, and what lies
// in the folders, may want this never to end: all of it is paid for from an allowance.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/allowance.h"

namespace wright::project {

// The words that a shell makes of one with braces; of `{1..9}` one with a `*` in its place. Nothing
// when they are too many.
std::optional<std::vector<std::string>> without_braces(const std::string& word,
                                                       Allowance& allowance);

// Of a word without braces, below `place`: what is there of a pattern, or else the word itself,
// whether that is there or not. Nothing when there is too much to look at.
std::optional<std::vector<std::filesystem::path>> paths_like(const std::filesystem::path& place,
                                                             const std::string& word,
                                                             Allowance& allowance);

}  // namespace wright::project
