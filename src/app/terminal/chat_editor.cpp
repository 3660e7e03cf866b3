#include "app/terminal/chat_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "app/terminal/chat_history.h"
#include "app/terminal/screen_text.h"
#include "wright/json.h"

namespace wright::app {
namespace {

// What is larger is shown by a note in its place.
constexpr std::size_t kMostShownLines = 5;
constexpr std::size_t kMostShownCharacters = 400;

// Control characters, of ASCII and beyond, are of no use to anybody who reads the message.
std::string pasted_text(std::string_view bytes) {
  const std::string valid = to_valid_utf8(std::string(bytes));
  std::string text;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    const auto next = i + 1 < valid.size() ? static_cast<unsigned char>(valid[i + 1]) : 0;
    if (byte == 0xC2 && next < 0xA0) {
      ++i;
    } else if (byte == '\t') {
      text += ' ';
    } else if ((byte >= 0x20 && byte != 0x7F) || byte == '\n') {
      text += valid[i];
    }
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Line breaks as blanks.
std::string sanitised_line(std::string_view text) {
  std::string line = sanitised(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

}  // namespace

ChatEditor::ChatEditor(const PersonTerminal& where, std::vector<std::string> history,
                       Complete complete)
    : where_(where),
      complete_(std::move(complete)),
      kept_(where.input),
      history_(std::move(history)) {
  where_.reads_keys_when_plain = true;
}

std::expected<std::string, NoLine> ChatEditor::next_line(std::string_view prompt,
                                                         std::stop_token stop) {
  line_.clear();
  new_line_.clear();
  search_.reset();
  blocks_.clear();
  has_paste_ = front_is_typed_ = has_unseen_ = false;
  place_ = history_.size();
  where_.stop = std::move(stop);
  below_ = status_ ? status_() : std::string();
  TerminalDialogue dialogue(where_, kept_);
  const auto say = [&] { return said(prompt); };
  const auto leave = [&] {
    search_.reset();
    if (where_.screen.is_plain) return dialogue.leave_line(say);
    dialogue.print(painted(prompt, Colour::bold, where_.screen) + sanitised(line_.text()) + "\n");
  };
  while (true) {
    const auto key =
        dialogue.next_key([&](ScreenSize size) { return rendered(prompt, size); }, say);
    if (!key) {
      leave();
      return std::unexpected(key.error() == GaveUp::stopped ? NoLine::stopped : NoLine::ended);
    }
    if (key->kind == KeyKind::interrupt) {
      leave();
      return std::unexpected(NoLine::interrupted);
    }
    if (key->kind == KeyKind::end_of_input && line_.is_empty() && !search_) {
      leave();
      return std::unexpected(NoLine::ended);
    }
    if (key->kind == KeyKind::enter) {
      leave();
      return with_blocks();
    }
    if (!search_ || !applies_to_search(*key)) apply(*key, dialogue);
  }
}

std::string ChatEditor::lead_of(std::string_view prompt, std::size_t columns) const {
  if (!search_) return std::string(prompt);
  const bool is_found = search_->at < history_.size();
  return fmt::format("{} {}: ", is_found ? "search" : "not found",
                     shortened(sanitised(search_->wanted), columns / 2));
}

PlainText ChatEditor::said(std::string_view prompt) const {
  const std::string_view before = line_.before_cursor();
  return {lead_of(prompt, where_.screen.columns), sanitised_line(before),
          sanitised_line(std::string_view(line_.text()).substr(before.size()))};
}

LiveLines ChatEditor::rendered(std::string_view prompt, ScreenSize size) const {
  const std::string lead = lead_of(prompt, size.columns);
  VisibleRows shown = line_.rows(size.columns, columns_of(lead));
  // In a window that is too low, those around the cursor.
  const std::size_t most = size.rows - 1;
  const std::size_t first = shown.cursor_row < most ? 0 : shown.cursor_row + 1 - most;
  LiveLines live{{}, shown.cursor_row - first, shown.cursor_column};
  for (std::size_t i = first; i < std::min(shown.rows.size(), first + most); ++i) {
    live.lines.push_back({std::move(shown.rows[i])});
  }
  if (first == 0) live.lines.front().lead = lead;
  if (!below_.empty() && live.lines.size() < most) {
    live.lines.push_back({shortened(below_, size.columns - 1), Colour::dim});
  }
  return live;
}

void ChatEditor::apply(const Key& key, TerminalDialogue& dialogue) {
  const std::string before = line_.text();
  const bool was_at_front = line_.before_cursor().empty();
  apply_key(key, dialogue);
  if (key.kind == KeyKind::up || key.kind == KeyKind::down) {
    front_is_typed_ = place_ < history_.size();
  }
  const std::string& now = line_.text();
  if (now == before || key.kind == KeyKind::up || key.kind == KeyKind::down) return;
  const bool has_grown = now.size() > before.size();
  if (has_grown && key.kind != KeyKind::text) {
    has_ever_pasted_ = has_ever_pasted_ || key.kind == KeyKind::paste;
    has_paste_ = has_paste_ || has_ever_pasted_;
  }
  if (has_grown && was_at_front) front_is_typed_ = key.kind == KeyKind::text;
  // What came to the front by erasing may have been anything.
  if (!has_grown && line_.before_cursor().empty()) front_is_typed_ = false;
}

void ChatEditor::apply_key(const Key& key, TerminalDialogue& dialogue) {
  switch (key.kind) {
    case KeyKind::up: return move_in_history(-1);
    case KeyKind::down: return move_in_history(1);
    case KeyKind::paste: return paste(key.text);
    case KeyKind::paste_image: return paste_image(dialogue);
    case KeyKind::complete: return complete(dialogue);
    case KeyKind::search: return begin_search();
    case KeyKind::redraw: return dialogue.clear_screen();
    case KeyKind::end_of_input: return line_.apply({KeyKind::erase});
    case KeyKind::text: return line_.apply({KeyKind::text, to_valid_utf8(key.text)});
    default: return line_.apply(key);
  }
}

// --- what was typed before -----------------------------------------------------------------------

void ChatEditor::remember(std::string_view entry) {
  if (!history_.empty() && history_.back() == entry) return;
  history_.emplace_back(entry);
  if (history_.size() > ChatHistory::kMostEntries) history_.erase(history_.begin());
}

void ChatEditor::move_in_history(int step) {
  if (step < 0 ? place_ == 0 : place_ == history_.size()) return;
  if (place_ == history_.size()) new_line_ = line_.text();
  place_ = step < 0 ? place_ - 1 : place_ + 1;
  line_.replace(place_ == history_.size() ? new_line_ : history_[place_]);
}

void ChatEditor::begin_search() {
  search_ = Search{.at = history_.size(), .typed = line_.text()};
}

// The newest entry with the text in it, from the one before `newest` on.
void ChatEditor::look_from(std::size_t newest) {
  for (std::size_t i = newest; i-- > 0;) {
    if (history_[i].find(search_->wanted) == std::string::npos) continue;
    search_->at = place_ = i;
    front_is_typed_ = true;
    return line_.replace(history_[i]);
  }
  search_->at = history_.size();
}

bool ChatEditor::applies_to_search(const Key& key) {
  std::string& wanted = search_->wanted;
  switch (key.kind) {
    case KeyKind::text:
      wanted += to_valid_utf8(key.text);
      look_from(history_.size());
      return true;
    case KeyKind::backspace:
      if (!wanted.empty()) wanted.pop_back();
      while (!is_valid_utf8(wanted)) wanted.pop_back();
      look_from(history_.size());
      return true;
    case KeyKind::search:
      if (search_->at < history_.size()) look_from(search_->at);
      return true;
    case KeyKind::cancel:
    case KeyKind::end_of_input:
      line_.replace(search_->typed);
      place_ = history_.size();
      front_is_typed_ = false;
      search_.reset();
      return true;
    default:
      // What was found is edited.
      search_.reset();
      return false;
  }
}

// --- blocks and commands -------------------------------------------------------------------------

void ChatEditor::paste(std::string_view bytes) {
  std::string text = pasted_text(bytes);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  if (lines > kMostShownLines || text.size() > kMostShownCharacters) {
    blocks_.push_back(
        {fmt::format("[pasted {}: {} lines]", blocks_.size() + 1, lines), std::move(text)});
    text = blocks_.back().note;
  }
  line_.apply({KeyKind::paste, std::move(text)});
}

void ChatEditor::paste_image(TerminalDialogue& dialogue) {
  if (!image_) return;
  const auto image = image_();
  if (image) return line_.apply({KeyKind::paste, fmt::format("'{}' ", *image)});
  dialogue.print(indented(fitted_prose(sanitised(image.error().message), 2, where_.screen), 2) +
                 "\n");
}

// Places are found before any is filled: what was pasted may itself look like a note.
std::string ChatEditor::with_blocks() {
  std::string text = line_.text();
  std::map<std::size_t, const Block*, std::greater<>> places;
  for (const Block& block : blocks_) {
    const std::size_t at = text.find(block.note);
    if (at != std::string::npos) places.emplace(at, &block);
  }
  has_unseen_ = !places.empty();
  for (const auto& [at, block] : places) text.replace(at, block->note.size(), block->text);
  return text;
}

void ChatEditor::complete(TerminalDialogue& dialogue) {
  const std::string typed(line_.before_cursor());
  const auto words = complete_ ? complete_(typed) : std::vector<std::string>();
  if (words.empty()) return;
  std::string common = words.front();
  for (const std::string& word : words) {
    common.erase(std::ranges::mismatch(common, word).in1, common.end());
  }
  if (words.size() == 1) common += ' ';
  if (common.size() > typed.size()) {
    return line_.apply({KeyKind::text, common.substr(typed.size())});
  }
  if (words.size() == 1) return;
  const std::size_t columns = std::max<std::size_t>(where_.screen.columns, 3) - 2;
  dialogue.print(indented(wrapped(fmt::format("{}", fmt::join(words, " ")), columns), 2) + "\n");
}

}  // namespace wright::app
