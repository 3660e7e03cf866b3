// What was typed into chats before, in a file: one JSON string a line, oldest first, so that a
// message of several lines is one entry and several chats may add to the file at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright::app {

class ChatHistory {
 public:
  static constexpr std::size_t kMostEntries = 1000;

  // An empty path keeps nothing.
  explicit ChatHistory(std::filesystem::path file) : file_(std::move(file)) {}

  // The newest kMostEntries; a file that has grown far beyond them is cut to them. Lines that are
  // no entries are left out.
  Result<std::vector<std::string>> load() const;

  static constexpr std::size_t kLongestEntry = std::size_t{64} * 1024;

  // Makes the file, for its owner only, when it is not there. Longer entries are not kept.
  Result<void> add(std::string_view entry) const;

 private:
  std::filesystem::path file_;
};

}  // namespace wright::app
