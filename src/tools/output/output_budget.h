// Keeps what a tool answers within what a model gets to read, so that nobody has to cut JSON in
// the middle. Counts bytes; decides nothing about what is left out.
#pragma once

#include <cstddef>
#include <string_view>

namespace wright::tools {

// Less than ToolOptions::output_limit, with room for the fields around a list or a text.
inline constexpr std::size_t kOutputBudget = 60 * 1024;

// The bytes that `text` takes as a JSON string, with its quotes.
std::size_t json_size(std::string_view text);

class OutputBudget {
 public:
  explicit OutputBudget(std::size_t bytes = kOutputBudget) : left_(bytes) {}

  // Whether `bytes` more still fit; they are taken when they do. After the first refusal nothing
  // fits any more, so that a list is cut at one place.
  bool take(std::size_t bytes) {
    is_spent_ = is_spent_ || bytes > left_;
    if (is_spent_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::size_t left_;
  bool is_spent_ = false;
};

}  // namespace wright::tools
