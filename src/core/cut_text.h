// Texts that are too long for a model or for a person, cut between characters.
#pragma once

#include <string>
#include <string_view>

#include "wright/tool.h"

namespace wright {

// A name that a model or another program has given, as people are shown it: its first 200 bytes.
std::string short_name(std::string_view name);

// The first `limit` bytes, and how many there were.
std::string head_of(std::string_view text, std::size_t limit);

// The beginning and the end of `text`, together about `limit` bytes, and between them where the
// whole text is.
std::string head_and_tail(std::string_view text, std::size_t limit, std::string_view path);

}  // namespace wright
