// A line that is typed on a terminal which is read aloud: what is added at its end is written
// there, and whatever else changes is said on a line of its own. Nothing moves the cursor but
// Backspace, as terminals themselves do it. Writes nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace wright::app {

// Harmless text, without line breaks.
struct PlainText {
  std::string lead = {};
  std::string before = {};  // the cursor
  std::string after = {};
};

class PlainLine {
 public:
  // What is to be written so that the person knows the line as it is now.
  std::string now(const PlainText& text, std::size_t columns);
  // The line break that is due behind it, if any. The next line begins anew.
  std::string end();

 private:
  std::optional<PlainText> said_;
};

}  // namespace wright::app
