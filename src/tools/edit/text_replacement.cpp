#include "tools/edit/text_replacement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tools/edit/nearest_lines.h"

namespace wright::tools {
namespace {

std::int64_t line_at(std::string_view text, std::size_t position) {
  return 1 + std::ranges::count(text.substr(0, position), '\n');
}

struct Place {
  std::size_t start;
  std::size_t end;
};

// Where `search` ends that begins at `start`, with a line break of either kind for every LF in it;
// nothing when it is not there.
std::optional<std::size_t> end_of_match(std::string_view text, std::size_t start,
                                        std::string_view search) {
  std::size_t at = start;
  for (const char c : search) {
    if (c == '\n' && text.substr(at).starts_with("\r\n")) ++at;
    if (at == text.size() || text[at] != c) return std::nullopt;
    ++at;
  }
  return at;
}

// With all of them replaced, occurrences do not overlap; for one to be the only one, no other may
// overlap it.
std::vector<Place> places_of(std::string_view text, std::string_view search,
                             Occurrences occurrences) {
  const std::size_t step = occurrences == Occurrences::all ? search.size() : 1;
  std::vector<Place> found;
  for (std::size_t at = text.find(search); at != std::string_view::npos;
       at = text.find(search, at + step)) {
    found.push_back({at, at + search.size()});
  }
  return found;
}

// The same, whichever line breaks the text has where `search` has its own.
std::vector<Place> places_apart_from_breaks(std::string_view text, std::string_view search,
                                            Occurrences occurrences) {
  const std::string_view first_line = search.substr(0, search.find('\n'));
  std::vector<Place> found;
  std::size_t at = text.find(first_line);
  while (at != std::string_view::npos && at < text.size()) {
    const auto end = end_of_match(text, at, search);
    if (end) found.push_back({at, *end});
    at = text.find(first_line, end && occurrences == Occurrences::all ? *end : at + 1);
  }
  return found;
}

std::unexpected<Error> ambiguous(std::string_view text, const std::vector<Place>& found) {
  constexpr std::size_t kShown = 10;
  std::vector<std::int64_t> lines;
  for (const Place& place : found) {
    if (lines.size() < kShown) lines.push_back(line_at(text, place.start));
  }
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("The searched text is there {} times (lines {}{}): add lines around it "
                  "until it is unique, or set replace_all",
                  found.size(), fmt::join(lines, ", "), found.size() > kShown ? ", …" : ""));
}

std::string without_dos_lines(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!text.substr(i).starts_with("\r\n")) made += text[i];
  }
  return made;
}

}  // namespace

bool has_dos_lines(std::string_view text) {
  const auto breaks = std::ranges::count(text, '\n');
  std::int64_t dos_breaks = 0;
  for (std::size_t at = text.find("\r\n"); at != std::string_view::npos;
       at = text.find("\r\n", at + 2)) {
    ++dos_breaks;
  }
  return breaks > 0 && breaks == dos_breaks;
}

std::string with_dos_lines(std::string_view text) {
  std::string made;
  made.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    if (c == '\n' && !made.ends_with('\r')) made += '\r';
    made += c;
  }
  return made;
}

Result<Replaced> replace_text(std::string_view text, std::string_view search,
                              std::string_view replacement, Occurrences occurrences) {
  if (search.empty()) {
    return fail(ErrorCode::invalid_argument,
                "The searched text is empty; content writes a whole file");
  }
  const bool is_dos = has_dos_lines(text);
  const std::string wanted = is_dos ? with_dos_lines(search) : std::string(search);
  std::string made = is_dos ? with_dos_lines(replacement) : std::string(replacement);
  auto found = places_of(text, wanted, occurrences);
  if (found.empty() && search.find('\n') != std::string_view::npos &&
      text.find("\r\n") != std::string_view::npos) {
    found = places_apart_from_breaks(text, without_dos_lines(search), occurrences);
    // The first line break that goes decides how the new ones look.
    const std::size_t first = found.empty() ? 0 : text.find('\n', found.front().start);
    made = first > 0 && text[first - 1] == '\r' ? with_dos_lines(replacement)
                                                : without_dos_lines(replacement);
  }
  if (found.empty()) {
    return fail(ErrorCode::not_found,
                "The searched text is not in the file. " + nearest_lines(text, search));
  }
  if (occurrences == Occurrences::only_one && found.size() > 1) return ambiguous(text, found);
  Replaced replaced;
  std::size_t copied = 0;
  for (const Place& place : found) {
    replaced.text += text.substr(copied, place.start - copied);
    replaced.text += made;
    copied = place.end;
  }
  replaced.text += text.substr(copied);
  replaced.count = static_cast<std::int64_t>(found.size());
  return replaced;
}

}  // namespace wright::tools
