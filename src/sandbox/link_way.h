// Where links lead, and what a pattern for unreadable files means of them. Reads folders and links,
// and opens no file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wright::sandbox {

struct LinkWay {
  std::string real;                // the end, without links; or the first part that is missing
  std::vector<std::string> links;  // on the way, each by its path without links before it
  enum class End : std::uint8_t {
    there,
    missing,  // the last part, and no other
    missing_on_the_way,
    nowhere,  // too many links
  } end = End::there;
};

// The way of an absolute path as the kernel goes it.
LinkWay way_of(const std::string& path);

// What a pattern means of a link and of what lies behind it. `below` is the path of the link below
// the folder that the pattern is about. The link itself, or paths through it; the link alone where
// those are too many. Empty where the pattern is about something else.
std::vector<std::string> meant_behind(std::string_view pattern, const std::string& link,
                                      std::string_view below);

// Whether a pattern means the link, or something that may lie behind it.
bool leads_on(std::string_view pattern, std::string_view below);

}  // namespace wright::sandbox
