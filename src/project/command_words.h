// The words of a line for bash that may name files, as far as that can be told without running it.
// Rather too many than too few: one that names nothing does no harm. Looks at no file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace wright::project {

// All that a shell may take for a word, in the order in which they stand there, in each way to read
// the command, with an empty one in between; `folder` is where the command runs.
std::vector<std::string> words_in(std::string command, const std::filesystem::path& folder);

// What a word may be the name of. Where a shell puts something in front that is not known here (a
// variable, what a command prints, the home folder), or where it did before the word was cut out
// there, what follows each slash may be a name in any folder that the command leads to.
std::vector<std::string> names_in(const std::string& word);

}  // namespace wright::project
