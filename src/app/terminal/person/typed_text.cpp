#include "app/terminal/person/typed_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/screen_text.h"
#include "core/try.h"

namespace wright::app {
namespace {

LiveLines rendered(const TextPrompt& prompt, const LineEditor& line, ScreenSize size) {
  // A prompt leaves at least half of a line to the answer.
  const std::string before = shortened(prompt.before, size.columns / 2);
  const std::size_t taken = columns_of(before);
  VisibleLine visible;
  if (prompt.echo == Echo::on) visible = line.visible(size.columns - 1 - taken);
  LiveLines live{{{before + visible.text}}, 0, taken + visible.cursor};
  if (!prompt.below.empty()) live.lines.push_back({prompt.below, Colour::dim});
  return live;
}

}  // namespace

std::expected<std::string, GaveUp> ask_for_text(TerminalDialogue& dialogue,
                                                const TextPrompt& prompt, LineEditor& line) {
  if (!dialogue.reads_keys()) {
    const std::string hint = prompt.below.empty() ? "" : fmt::format("({}) ", prompt.below);
    return dialogue.next_line(hint + prompt.before, prompt.echo);
  }
  while (true) {
    const auto key =
        TRY(dialogue.next_key([&](ScreenSize size) { return rendered(prompt, line, size); }));
    if (key.kind == KeyKind::interrupt) return std::unexpected(GaveUp::by_choice);
    if (key.kind == KeyKind::end_of_input) {
      if (line.is_empty()) return std::unexpected(GaveUp::by_choice);
      line.apply({KeyKind::erase});
    } else if (key.kind == KeyKind::enter) {
      std::string text = line.text();
      // What is pasted often ends with a line break that nobody meant.
      while (text.ends_with('\n')) text.pop_back();
      return text;
    } else {
      line.apply(key);
    }
  }
}

}  // namespace wright::app
