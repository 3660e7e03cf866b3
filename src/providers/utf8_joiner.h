// Joins text that arrives in pieces which may split a character: between the bytes of UTF-8, or
// between the halves of a surrogate pair, each written as three bytes. The output is valid UTF-8 in
// whole characters; what can never become a character is U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace wright::providers {

class Utf8Joiner {
 public:
  // Appends to `text` all of `piece` that is certain by now.
  void append(std::string& text, std::string_view piece);

  // The end: what is still held back was broken.
  void finish(std::string& text);

 private:
  std::string held_;  // the beginning of a character
};

}  // namespace wright::providers
