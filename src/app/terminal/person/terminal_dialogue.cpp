#include "app/terminal/person/terminal_dialogue.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "app/settings/file_output.h"
#include "app/terminal/console.h"
#include "app/terminal/screen_text.h"
#include "core/try.h"

namespace wright::app {
namespace {

constexpr std::size_t kNarrowestWindow = 8;
constexpr std::size_t kLowest = 4;
// More of a line is read, and not kept.
constexpr std::size_t kMostOfLine = std::size_t{1024} * 1024;

winsize window_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

// Rows above the cursor, in a window that broke lines which had become too long for it.
std::size_t rows_above_cursor(const LiveLines& live, std::size_t columns) {
  std::size_t rows = live.cursor_column / columns;
  for (std::size_t i = 0; i < live.cursor_row; ++i) {
    const std::size_t width = columns_of(live.lines[i].lead) + columns_of(live.lines[i].text);
    rows += std::max<std::size_t>(1, (width + columns - 1) / columns);
  }
  return rows;
}

}  // namespace

TerminalDialogue::TerminalDialogue(const PersonTerminal& where, std::unique_ptr<Kept> own,
                                   Kept* shared)
    : where_(where),
      signals_(where.stop),
      own_(std::move(own)),
      kept_(own_ != nullptr ? *own_ : *shared),
      reads_keys_(
          kept_.mode.is_terminal() && where.screen.is_terminal &&
          (where.screen.has_cursor || (where.reads_keys_when_plain && where.screen.gives_keys))),
      window_columns_(window_of(where.output).ws_col) {
  where_.screen.columns = columns_now(where_.screen);  // it may be another since the program began
  if (!reads_keys_) return;
  kept_.mode.read_keys();
  write_all(where_.output, kAskForPasteMarks);
}

TerminalDialogue::TerminalDialogue(const PersonTerminal& where, Kept& kept)
    : TerminalDialogue(where, nullptr, &kept) {}

TerminalDialogue::TerminalDialogue(const PersonTerminal& where)
    : TerminalDialogue(where, std::make_unique<Kept>(where.input), nullptr) {}

TerminalDialogue::~TerminalDialogue() {
  erase_live();
  if (reads_keys_) write_all(where_.output, kNoMorePasteMarks);
  if (own_ != nullptr || is_told_to_end_) {
    kept_.mode.restore();
  } else {
    kept_.mode.keep_unseen();
  }
}

ScreenSize TerminalDialogue::measure() {
  const winsize window = window_of(where_.output);
  // COLUMNS may have said something else; what changes since then is taken from the window.
  if (window.ws_col != window_columns_ && window.ws_col > 0) where_.screen.columns = window.ws_col;
  window_columns_ = window.ws_col;
  return {std::max(where_.screen.columns, kNarrowestWindow),
          window.ws_row == 0 ? ScreenSize{}.rows : std::max<std::size_t>(window.ws_row, kLowest)};
}

void TerminalDialogue::print(std::string_view text) {
  erase_live();
  write_all(where_.output, guarded_screen(text));
}

void TerminalDialogue::erase_live() {
  write_all(where_.output, plain_.end());
  if (live_.lines.empty()) return;
  const std::size_t up = rows_above_cursor(live_, measure().columns);
  std::string text = "\r";
  if (up > 0) text += fmt::format("\x1b[{}A", up);
  text += "\x1b[J";
  live_ = {};
  write_all(where_.output, text);
}

void TerminalDialogue::draw(const LiveLines& live, ScreenSize size) {
  erase_live();
  std::string text;
  for (const LiveLine& line : live.lines) {
    if (&line != &live.lines.front()) text += '\n';
    const std::string lead = sanitised(line.lead);
    const std::size_t taken = std::min(columns_of(lead), size.columns - 1);
    text += painted(lead, Colour::bold, where_.screen);
    text += painted(shortened(sanitised(line.text), size.columns - 1 - taken), line.colour,
                    where_.screen);
  }
  const std::size_t up = live.lines.size() - 1 - live.cursor_row;
  if (up > 0) text += fmt::format("\x1b[{}A", up);
  text += '\r';
  if (live.cursor_column > 0) text += fmt::format("\x1b[{}C", live.cursor_column);
  live_ = live;
  write_all(where_.output, text);
}

void TerminalDialogue::suspend() {
  erase_live();
  if (reads_keys_) write_all(where_.output, kNoMorePasteMarks);
  kept_.mode.restore();
  signals_.suspend();
  kept_.mode.renew();
  if (reads_keys_) write_all(where_.output, kAskForPasteMarks);
}

std::expected<TerminalDialogue::Ready, GaveUp> TerminalDialogue::wait() {
  while (true) {
    std::array<pollfd, 2> waits{pollfd{signals_.descriptor(), POLLIN, 0},
                                pollfd{where_.input, POLLIN, 0}};
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
      return std::unexpected(GaveUp::input_ended);
    }
    if (const auto event = signals_.take()) {
      switch (*event) {
        case TerminalEvent::ended: is_told_to_end_ = true; return std::unexpected(GaveUp::stopped);
        case TerminalEvent::stopped: suspend(); return Ready::redraw;
        case TerminalEvent::continued: kept_.mode.renew(); return Ready::redraw;
        case TerminalEvent::resized: return Ready::redraw;
      }
    }
    if (waits[1].revents != 0) return Ready::input;
  }
}

void TerminalDialogue::leave_line(const Say& say) {
  write_all(where_.output, plain_.now(say(), measure().columns));
  write_all(where_.output, plain_.end());
}

std::expected<Key, GaveUp> TerminalDialogue::next_key(const Render& render, const Say& say) {
  while (true) {
    if (auto key = kept_.typed.next()) {
      if (key->kind == KeyKind::suspend) {
        suspend();
        continue;
      }
      return *key;
    }
    const ScreenSize size = measure();
    if (where_.screen.is_plain) {
      write_all(where_.output, plain_.now(say(), size.columns));
    } else {
      draw(render(size), size);
    }
    const auto ready = TRY(wait());
    if (ready == Ready::redraw) continue;
    std::array<char, 4096> bytes{};
    const ssize_t count = read(where_.input, bytes.data(), bytes.size());
    if (count > 0) {
      kept_.typed.feed({bytes.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      return std::unexpected(GaveUp::input_ended);
    }
  }
}

std::expected<std::string, GaveUp> TerminalDialogue::next_line(std::string_view prompt, Echo echo) {
  kept_.mode.read_lines(echo);
  // What was typed too early has been seen already: it is no secret any more.
  if (echo == Echo::off) kept_.mode.discard_typed();
  print(prompt);
  std::string line;
  // Where typed lines are not shown by the terminal, the next prompt needs a line of its own.
  const bool is_shown = kept_.mode.is_terminal() && echo == Echo::on;
  const auto give_up = [&](GaveUp why) {
    print("\n");
    return std::unexpected(why);
  };
  while (true) {
    const auto ready = wait();
    if (!ready) return give_up(ready.error());
    if (*ready == Ready::redraw) continue;
    // Of a pipe, not a byte more than the line: what follows may be for somebody else.
    std::array<char, 4096> bytes{};
    const ssize_t count =
        read(where_.input, bytes.data(), kept_.mode.is_terminal() ? bytes.size() : 1);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {
      // A last line may end without its line feed.
      if (count == 0 && !line.empty() && !kept_.mode.is_terminal()) break;
      const bool is_control_d = count == 0 && kept_.mode.is_terminal();
      return give_up(is_control_d ? GaveUp::by_choice : GaveUp::input_ended);
    }
    const std::string_view come(bytes.data(), static_cast<std::size_t>(count));
    if (kept_.mode.is_terminal() && come.back() == kInterruptByte)
      return give_up(GaveUp::by_choice);
    if (kept_.mode.is_terminal() && come.back() == kSuspendByte) {
      suspend();
      print(fmt::format("\n{}", prompt));
      line.clear();
      continue;
    }
    if (line.size() < kMostOfLine) line += come;
    if (come.back() == '\n') break;
  }
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  if (!is_shown) print("\n");
  return line;
}

void TerminalDialogue::clear_screen() {
  if (where_.screen.is_plain) return erase_live();
  live_ = {};
  write_all(where_.output, "\x1b[H\x1b[2J");
}

void TerminalDialogue::discard_typed() {
  kept_.mode.discard_typed();
  kept_.typed = {};
}

}  // namespace wright::app
