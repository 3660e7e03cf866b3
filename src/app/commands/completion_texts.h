// The files in completions/, which the build embeds in the program.
#pragma once

#include <string_view>

namespace wright::app {

extern const std::string_view kBashCompletions;
extern const std::string_view kZshCompletions;
extern const std::string_view kFishCompletions;

}  // namespace wright::app
