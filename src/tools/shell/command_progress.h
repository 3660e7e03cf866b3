// Tells whoever looks on what a command prints while it runs: whole lines of valid UTF-8, and not
// more of them than somebody could want to follow. Keeps nothing for the model.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "wright/sandbox.h"

namespace wright::tools {

class CommandProgress {
 public:
  // `tell` may be empty: then nothing is told.
  explicit CommandProgress(std::function<void(std::string_view text)> tell)
      : tell_(std::move(tell)) {}

  void add(OutputStream stream, std::string_view piece);
  // No more comes: what is left of lines without an end.
  void finish();

 private:
  void say(std::string_view text);

  std::function<void(std::string_view text)> tell_;
  std::array<std::string, 2> unfinished_;  // a line of each stream
  std::size_t told_bytes_ = 0;
};

}  // namespace wright::tools
