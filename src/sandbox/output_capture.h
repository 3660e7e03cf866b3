// Keeps the start and the end of what a program writes, in bounded memory.
#pragma once

#include <string>
#include <string_view>

#include "wright/sandbox.h"

namespace wright::sandbox {

class OutputCapture {
 public:
  explicit OutputCapture(std::size_t kept_bytes) : half_(kept_bytes / 2) {}

  void add(std::string_view piece);
  // `tail` is empty when everything was kept.
  CapturedOutput finish() &&;

 private:
  std::size_t half_;
  std::string head_;
  std::string ring_;        // the last bytes after the head, in a circle once it is full
  std::size_t oldest_ = 0;  // where the circle starts
  std::uint64_t total_ = 0;
};

}  // namespace wright::sandbox
