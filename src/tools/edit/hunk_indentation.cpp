#include "tools/edit/hunk_indentation.h"

#include <algorithm>
#include <optional>

namespace wright::tools {
namespace {

std::string_view blanks_before(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool is_empty(std::string_view line) {
  return blanks_before(line).size() == line.size();
}

bool is_all(std::string_view blanks, char blank) {
  return blanks.find_first_not_of(blank) == std::string_view::npos;
}

}  // namespace

HunkIndentation HunkIndentation::between(std::string_view hunk, std::string_view text) {
  HunkIndentation found;
  if (text.size() >= hunk.size() && text.ends_with(hunk)) {
    found.kind_ = Kind::longer;
    found.blanks_ = text.substr(0, text.size() - hunk.size());
  } else if (hunk.ends_with(text)) {
    found.kind_ = Kind::shorter;
    found.blanks_ = hunk.substr(0, hunk.size() - text.size());
  } else {
    found.kind_ = Kind::uneven;
  }
  return found;
}

// Tabs on one side, and as many times so many spaces on the other.
HunkIndentation HunkIndentation::by_units(std::span<const Pair> lines) {
  std::optional<HunkIndentation> all;
  HunkIndentation uneven;
  uneven.kind_ = Kind::uneven;
  for (const Pair& line : lines) {
    const std::string_view here = blanks_before(line.hunk);
    const std::string_view there = blanks_before(line.text);
    if (is_empty(line.hunk) || (here.empty() && there.empty())) continue;
    if (here.empty() || there.empty()) return uneven;
    const bool has_tabs = is_all(there, '\t');
    const auto& [tabs, spaces] = has_tabs ? std::pair(there, here) : std::pair(here, there);
    if (!is_all(tabs, '\t') || !is_all(spaces, ' ') || spaces.size() % tabs.size() != 0) {
      return uneven;
    }
    HunkIndentation found;
    found.kind_ = has_tabs ? Kind::tabs_in_text : Kind::spaces_in_text;
    found.spaces_ = spaces.size() / tabs.size();
    if (all && *all != found) return uneven;
    all = found;
  }
  return all.value_or(uneven);
}

HunkIndentation::HunkIndentation(std::span<const Pair> lines) {
  std::optional<HunkIndentation> all;
  for (const Pair& line : lines) {
    if (is_empty(line.hunk)) continue;  // it says nothing
    const auto found = between(blanks_before(line.hunk), blanks_before(line.text));
    if (found.is_uneven() || (all && *all != found)) {
      *this = by_units(lines);
      return;
    }
    all = found;
  }
  if (all && !all->blanks_.empty()) *this = *all;
}

std::string HunkIndentation::fitted(std::string_view added) const {
  const std::string_view blanks = blanks_before(added);
  const std::string_view words = added.substr(blanks.size());
  switch (kind_) {
    case Kind::same:
    case Kind::uneven: break;
    case Kind::longer:
      if (words.empty()) break;
      return std::string(blanks_).append(added);
    case Kind::shorter:
      if (!added.starts_with(blanks_)) break;
      return std::string(added.substr(blanks_.size()));
    case Kind::tabs_in_text:
      if (words.empty() || !is_all(blanks, ' ')) break;
      return std::string(blanks.size() / spaces_, '\t')
          .append(blanks.size() % spaces_, ' ')
          .append(words);
    case Kind::spaces_in_text:
      if (words.empty() || !is_all(blanks, '\t')) break;
      return std::string(blanks.size() * spaces_, ' ').append(words);
  }
  return std::string(added);
}

}  // namespace wright::tools
