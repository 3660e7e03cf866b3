#include "app/terminal/person/plain_line.h"

#include <fmt/format.h>

#include <utility>

#include "app/terminal/screen_text.h"

namespace wright::app {

std::string PlainLine::now(const PlainText& text, std::size_t columns) {
  const std::string whole = text.lead + text.before + text.after;
  if (!said_) {
    said_ = text;
    return whole;
  }
  const PlainText last = std::exchange(*said_, text);
  const std::string before = last.lead + last.before + last.after;
  const bool is_at_end = text.after.empty() && last.after.empty();
  if (whole == before) {
    if (last.before == text.before) return {};
    // What comes next is what is read.
    return fmt::format("\n{}", text.after.empty() ? whole : fmt::format("at: {}", text.after));
  }
  if (is_at_end && whole.starts_with(before)) return whole.substr(before.size());
  // Within one row; above it, a terminal does not go back.
  if (is_at_end && before.starts_with(whole) && columns_of(before) < columns) {
    std::string back;
    for (std::size_t i = columns_of(before) - columns_of(whole); i > 0; --i) back += "\b \b";
    return back;
  }
  return fmt::format("\n{}", whole);
}

std::string PlainLine::end() {
  if (!std::exchange(said_, std::nullopt)) return {};
  return "\n";
}

}  // namespace wright::app
