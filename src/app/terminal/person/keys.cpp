#include "app/terminal/person/keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "wright/json.h"

namespace wright::app {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kPasteBegins = "\x1b[200~";
constexpr std::string_view kPasteEnds = "\x1b[201~";
// No real sequence is longer; what is, is noise.
constexpr std::size_t kLongestSequence = 32;
// A block that never ends is taken in parts.
constexpr std::size_t kLargestPaste = std::size_t{16} * 1024 * 1024;

KeyKind control_key(char byte) {
  switch (byte) {
    case '\r':
    case '\n': return KeyKind::enter;
    case '\x01': return KeyKind::home;
    case '\x02': return KeyKind::left;
    case '\x03': return KeyKind::interrupt;
    case '\x04': return KeyKind::end_of_input;
    case '\x05': return KeyKind::end;
    case '\x06': return KeyKind::right;
    case '\x07': return KeyKind::cancel;
    case '\x08':
    case '\x7f': return KeyKind::backspace;
    case '\x09': return KeyKind::complete;
    case '\x0b': return KeyKind::erase_rest;
    case '\x0c': return KeyKind::redraw;
    case '\x0e': return KeyKind::down;
    case '\x10': return KeyKind::up;
    case '\x12': return KeyKind::search;
    case '\x15': return KeyKind::erase_line;
    case '\x16': return KeyKind::paste_image;
    case '\x17': return KeyKind::erase_word;
    case '\x19': return KeyKind::put_back;
    case '\x1a': return KeyKind::suspend;
    default: return KeyKind::other;
  }
}

// What stands behind ESC [ or ESC O, up to its last byte.
KeyKind sequence_key(std::string_view sequence) {
  constexpr auto kKeys = std::to_array<std::pair<std::string_view, KeyKind>>({
      {"A", KeyKind::up},
      {"B", KeyKind::down},
      {"C", KeyKind::right},
      {"D", KeyKind::left},
      {"H", KeyKind::home},
      {"F", KeyKind::end},
      {"1~", KeyKind::home},
      {"7~", KeyKind::home},
      {"4~", KeyKind::end},
      {"8~", KeyKind::end},
      {"3~", KeyKind::erase},
      {"c", KeyKind::word_right},
      {"d", KeyKind::word_left},
      {"5C", KeyKind::word_right},
      {"5D", KeyKind::word_left},
  });
  // Held with Shift, Alt or Ctrl: "1;5C".
  if (const std::size_t held = sequence.find(';'); held == 1) {
    const std::string_view key = sequence.substr(std::min(sequence.size(), held + 2));
    if (sequence.front() == '3' && key == "~") return KeyKind::erase_next_word;
    if (sequence.front() != '1') return KeyKind::other;
    if (key == "C") return KeyKind::word_right;
    if (key == "D") return KeyKind::word_left;
    if (key == "H") return KeyKind::home;
    return key == "F" ? KeyKind::end : KeyKind::other;
  }
  const auto found = std::ranges::find(kKeys, sequence, &decltype(kKeys)::value_type::first);
  return found == kKeys.end() ? KeyKind::other : found->second;
}

KeyKind alt_key(char byte) {
  switch (byte) {
    case 'b': return KeyKind::word_left;
    case 'f': return KeyKind::word_right;
    case 'd': return KeyKind::erase_next_word;
    case '\x08':
    case '\x7f': return KeyKind::erase_word;
    default: return KeyKind::other;
  }
}

bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 || byte == '\x7f';
}

// How long the character is that begins with this byte; 1 for a byte that begins none.
std::size_t announced_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xC2 && byte < 0xE0) return 2;
  if (byte >= 0xE0 && byte < 0xF0) return 3;
  if (byte >= 0xF0 && byte < 0xF5) return 4;
  return 1;
}

}  // namespace

Key KeyDecoder::take(std::size_t length, KeyKind kind) {
  Key key{kind, kind == KeyKind::text ? pending_.substr(0, length) : std::string()};
  pending_.erase(0, length);
  return key;
}

std::optional<Key> KeyDecoder::next() {
  if (is_pasting_) return next_paste();
  if (pending_.empty()) return std::nullopt;
  if (pending_.front() == kEscape) return next_escape();
  if (is_control(pending_.front())) return take(1, control_key(pending_.front()));
  return next_character();
}

std::optional<Key> KeyDecoder::next_character() {
  const std::size_t length = announced_length(pending_.front());
  std::size_t whole = 1;
  while (whole < length && whole < pending_.size() && is_continuation(pending_[whole])) ++whole;
  if (whole < length && whole == pending_.size()) return std::nullopt;  // the rest is on its way
  return take(whole == length ? length : 1, KeyKind::text);
}

std::optional<Key> KeyDecoder::next_escape() {
  if (pending_.size() < 2) return std::nullopt;
  const char second = pending_[1];
  if (second == kEscape) return take(1, KeyKind::other);
  if (second == '\r' || second == '\n') return take(2, KeyKind::new_line);
  if (second == 'O') {
    if (pending_.size() < 3) return std::nullopt;
    return take(3, sequence_key(std::string_view(pending_).substr(2, 1)));
  }
  // Alt and a key; what ends a question ends it with Alt, too.
  if (second != '[') {
    const KeyKind kind = alt_key(second);
    return take(is_control(second) && kind == KeyKind::other ? 1 : 2, kind);
  }
  // The function keys of the Linux console.
  if (pending_.size() > 2 && pending_[2] == '[') {
    if (pending_.size() < 4) return std::nullopt;
    return take(is_control(pending_[3]) ? 3 : 4, KeyKind::other);
  }
  std::size_t end = 2;
  while (end < pending_.size() && pending_[end] >= 0x20 && pending_[end] < 0x40) ++end;
  if (end - 2 > kLongestSequence) return take(end, KeyKind::other);
  if (end == pending_.size()) return std::nullopt;
  if (is_control(pending_[end])) return take(end, KeyKind::other);
  if (pending_.starts_with(kPasteBegins)) {
    pending_.erase(0, kPasteBegins.size());
    is_pasting_ = true;
    return next_paste();
  }
  return take(end + 1, sequence_key(std::string_view(pending_).substr(2, end - 1)));
}

std::optional<Key> KeyDecoder::next_paste() {
  const std::size_t found = pending_.find(kPasteEnds);
  if (found == std::string::npos && pending_.size() < kLargestPaste) return std::nullopt;
  const std::size_t end = std::min(found, pending_.size());
  Key key{KeyKind::paste, {}};
  // Terminals send carriage returns for the line feeds of what is pasted.
  for (std::size_t i = 0; i < end; ++i) {
    const char byte = pending_[i];
    if (byte == '\r') {
      key.text += '\n';
      if (i + 1 < end && pending_[i + 1] == '\n') ++i;
    } else {
      key.text += byte;
    }
  }
  is_pasting_ = found == std::string::npos;
  pending_.erase(0, is_pasting_ ? end : end + kPasteEnds.size());
  return key;
}

}  // namespace wright::app
