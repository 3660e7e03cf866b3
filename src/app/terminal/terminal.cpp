#include "app/terminal/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "app/terminal/screen_text.h"

namespace wright::app {
namespace {

constexpr std::size_t kNarrowest = 20;
constexpr std::size_t kWidest = 1000;

// 0: nobody says.
std::size_t columns_said_by(const Environment& environment) {
  std::size_t columns = 0;
  if (const auto given = environment.find_non_empty("COLUMNS")) {
    std::from_chars(given->data(), given->data() + given->size(), columns);
  }
  return columns;
}

std::size_t columns_of_window(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t usable(std::size_t columns) {
  return columns == 0 ? 80 : std::clamp(columns, kNarrowest, kWidest);
}

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none: return "0";
    case Colour::bold: return "1";
    case Colour::dim: return "2";
    case Colour::red: return "31";
    case Colour::green: return "32";
    case Colour::yellow: return "33";
    case Colour::cyan: return "36";
  }
  return "0";
}

}  // namespace

Terminal inspect_terminal(int descriptor, const Environment& environment) {
  Terminal terminal;
  terminal.is_terminal = isatty(descriptor) == 1;
  if (!terminal.is_terminal) return terminal;
  const auto kind = environment.find_non_empty("TERM");
  const bool is_capable = kind && *kind != "dumb";
  terminal.gives_keys = is_capable;
  terminal.is_plain = !is_capable;
  terminal.has_cursor = is_capable;
  terminal.has_colour = is_capable && !environment.find_non_empty("NO_COLOR");
  const std::size_t said = columns_said_by(environment);
  if (said == 0) terminal.descriptor = descriptor;
  terminal.columns = usable(said != 0 ? said : columns_of_window(descriptor));
  return terminal;
}

Terminal plain(Terminal terminal) {
  terminal.is_plain = terminal.is_terminal;
  terminal.has_cursor = false;
  terminal.has_colour = false;
  return terminal;
}

std::string_view mark(std::string_view symbol, const Terminal& terminal) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kWords{{
      {"✓", "Done:"},
      {"✗", "Failed:"},
      {"…", "Waiting:"},
      {"→", "Calling:"},
      {"·", "Note:"},
      {"›", "You:"},
      {"↻", "Again:"},
      {"⤷", "Specialist:"},
      {"⤳", "Handed over:"},
      {"☑", "Done:"},
      {"▸", "Now:"},
      {"☐", "To do:"},
  }};
  if (!terminal.is_plain) return symbol;
  const auto* const found =
      std::ranges::find(kWords, symbol, [](const auto& each) { return each.first; });
  return found == kWords.end() ? symbol : found->second;
}

std::size_t columns_now(const Terminal& terminal) {
  const std::size_t columns = terminal.descriptor < 0 ? 0 : columns_of_window(terminal.descriptor);
  return columns == 0 ? terminal.columns : usable(columns);
}

std::string fitted_prose(std::string_view text, std::size_t margin, const Terminal& terminal) {
  if (!terminal.is_terminal) return std::string(text);
  return wrapped(text, terminal.columns - std::min(terminal.columns - 1, margin));
}

std::string painted(std::string_view text, Colour colour, const Terminal& terminal) {
  if (!terminal.has_colour || colour == Colour::none || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(colour), text);
}

}  // namespace wright::app
