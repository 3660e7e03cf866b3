#include "tools/text_replacement.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tools/nearest_lines.h"

namespace wright::tools {
namespace {

std::int64_t line_at(std::string_view text, std::size_t position) {
  return 1 + std::ranges::count(text.substr(0, position), '\n');
}

// With all of them replaced, occurrences do not overlap; for one to be the only one, no other may
// overlap it.
std::vector<std::size_t> positions_of(std::string_view text, std::string_view search,
                                      Occurrences occurrences) {
  const std::size_t step = occurrences == Occurrences::all ? search.size() : 1;
  std::vector<std::size_t> found;
  for (std::size_t at = text.find(search); at != std::string_view::npos;
       at = text.find(search, at + step)) {
    found.push_back(at);
  }
  return found;
}

std::unexpected<Error> ambiguous(std::string_view text, const std::vector<std::size_t>& found) {
  constexpr std::size_t kShown = 10;
  std::vector<std::int64_t> lines;
  for (const std::size_t at : found) {
    if (lines.size() < kShown) lines.push_back(line_at(text, at));
  }
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("The searched text is there {} times (lines {}{}): add lines around it "
                  "until it is unique, or set replace_all",
                  found.size(), fmt::join(lines, ", "), found.size() > kShown ? ", …" : ""));
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
  const std::string made = is_dos ? with_dos_lines(replacement) : std::string(replacement);
  const auto found = positions_of(text, wanted, occurrences);
  if (found.empty()) {
    return fail(ErrorCode::not_found,
                "The searched text is not in the file. " + nearest_lines(text, search));
  }
  if (occurrences == Occurrences::only_one && found.size() > 1) return ambiguous(text, found);
  Replaced replaced;
  std::size_t copied = 0;
  for (const std::size_t at : found) {
    replaced.text += text.substr(copied, at - copied);
    replaced.text += made;
    copied = at + wanted.size();
  }
  replaced.text += text.substr(copied);
  replaced.count = static_cast<std::int64_t>(found.size());
  return replaced;
}

}  // namespace wright::tools
