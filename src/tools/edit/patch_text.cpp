#include "tools/edit/patch_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "core/try.h"
#include "tools/edit/hunk_indentation.h"
#include "tools/edit/nearest_lines.h"
#include "tools/text/text_file.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

struct TextLine {
  std::string_view text;
  std::string_view ending;  // "\n", "\r\n", "\r", or "" of a last line without one
};

// A text in which no line ends in anything but CR is one of an old system.
bool has_lines_of_old_systems(std::string_view text) {
  return text.contains('\r') && !text.contains('\n');
}

std::vector<TextLine> patched_lines_of(std::string_view text) {
  std::vector<TextLine> lines;
  const char line_end = has_lines_of_old_systems(text) ? '\r' : '\n';
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(line_end), text.size());
    std::string_view line = text.substr(0, end);
    std::string_view ending = text.substr(end, 1);
    if (ending == "\n" && line.ends_with('\r')) {
      ending = text.substr(end - 1, 2);
      line.remove_suffix(1);
    }
    lines.push_back({line, ending});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// How two lines may differ and still count as the same, the strictest first.
enum class Likeness : std::uint8_t { exact, end_blanks, outer_blanks, punctuation };
constexpr std::array kLikenesses{Likeness::exact, Likeness::end_blanks, Likeness::outer_blanks,
                                 Likeness::punctuation};

struct Typographic {
  std::string_view character;
  char plain;
};
constexpr std::array kTypographic{
    Typographic{"\u2010", '-'},  Typographic{"\u2011", '-'},  Typographic{"\u2012", '-'},
    Typographic{"\u2013", '-'},  Typographic{"\u2014", '-'},  Typographic{"\u2015", '-'},
    Typographic{"\u2212", '-'},  Typographic{"\u2018", '\''}, Typographic{"\u2019", '\''},
    Typographic{"\u201A", '\''}, Typographic{"\u201B", '\''}, Typographic{"\u201C", '"'},
    Typographic{"\u201D", '"'},  Typographic{"\u201E", '"'},  Typographic{"\u201F", '"'},
    Typographic{"\u00A0", ' '},  Typographic{"\u2002", ' '},  Typographic{"\u2003", ' '},
    Typographic{"\u2004", ' '},  Typographic{"\u2005", ' '},  Typographic{"\u2006", ' '},
    Typographic{"\u2007", ' '},  Typographic{"\u2008", ' '},  Typographic{"\u2009", ' '},
    Typographic{"\u200A", ' '},  Typographic{"\u202F", ' '},  Typographic{"\u205F", ' '},
    Typographic{"\u3000", ' '},
};

std::string_view without_blanks(std::string_view line, Likeness likeness) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  if (likeness == Likeness::exact) return line;
  line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
  if (likeness == Likeness::end_blanks) return line;
  return line.substr(std::min(line.find_first_not_of(kBlanks), line.size()));
}

std::string plain(std::string_view line) {
  std::string made;
  made.reserve(line.size());
  while (!line.empty()) {
    const auto found = std::ranges::find_if(
        kTypographic, [&](const Typographic& each) { return line.starts_with(each.character); });
    if (found == kTypographic.end()) {
      made += line.front();
      line.remove_prefix(1);
    } else {
      made += found->plain;
      line.remove_prefix(found->character.size());
    }
  }
  return made;
}

// What two lines have in common that count as the same.
std::string key_text(std::string_view line, Likeness likeness) {
  if (likeness != Likeness::punctuation) return std::string(without_blanks(line, likeness));
  return std::string(without_blanks(plain(line), likeness));
}

using Keys = std::vector<std::size_t>;

std::size_t key_of(std::string_view line, Likeness likeness) {
  if (likeness == Likeness::punctuation) {
    return std::hash<std::string>{}(key_text(line, likeness));
  }
  return std::hash<std::string_view>{}(without_blanks(line, likeness));
}

// Where lines were found, and how much alike they are there.
struct HunkPlace {
  std::size_t at = 0;
  Likeness likeness = Likeness::exact;
};

// Finds runs of lines in a text, in time proportional to both, whatever they look like.
class LineFinder {
 public:
  explicit LineFinder(const std::vector<TextLine>& lines) : lines_(lines) {}

  // The first place at or after `from`, with the strictest likeness that has one.
  std::optional<HunkPlace> find(const std::vector<std::string_view>& wanted, std::size_t from) {
    for (const Likeness likeness : kLikenesses) {
      if (const auto found = find(wanted, from, likeness)) return HunkPlace{*found, likeness};
    }
    return std::nullopt;
  }

  // The next place behind this one that is as much like it.
  std::optional<std::size_t> find_another(const std::vector<std::string_view>& wanted,
                                          const HunkPlace& place) {
    return find(wanted, place.at + wanted.size(), place.likeness);
  }

  // The first line at or after `from` that begins like this, apart from blanks before it.
  std::optional<std::size_t> find_beginning(std::string_view wanted, std::size_t from) const {
    wanted = without_blanks(wanted, Likeness::outer_blanks);
    for (std::size_t i = from; i < lines_.size(); ++i) {
      const auto line = without_blanks(lines_[i].text, Likeness::outer_blanks);
      if (!wanted.empty() && line.starts_with(wanted)) return i;
    }
    return std::nullopt;
  }

  // This place, where they stand there.
  std::optional<HunkPlace> at(const std::vector<std::string_view>& wanted, std::size_t at) const {
    if (at + wanted.size() > lines_.size()) return std::nullopt;
    const auto found = std::ranges::find_if(
        kLikenesses, [&](Likeness likeness) { return is_at(wanted, at, likeness); });
    if (found == kLikenesses.end()) return std::nullopt;
    return HunkPlace{at, *found};
  }

 private:
  bool is_at(const std::vector<std::string_view>& wanted, std::size_t at, Likeness likeness) const {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (key_text(wanted[i], likeness) != key_text(lines_[at + i].text, likeness)) return false;
    }
    return true;
  }

  std::optional<std::size_t> find(const std::vector<std::string_view>& wanted, std::size_t from,
                                  Likeness likeness) {
    if (from > lines_.size() || wanted.size() > lines_.size() - from) return std::nullopt;
    const Keys& keys = keys_for(likeness);
    Keys pattern;
    for (const std::string_view line : wanted) pattern.push_back(key_of(line, likeness));
    // Knuth, Morris and Pratt: how much of the pattern's start also ends at each place of it.
    std::vector<std::size_t> borders(pattern.size(), 0);
    for (std::size_t i = 1, length = 0; i < pattern.size(); ++i) {
      while (length > 0 && pattern[i] != pattern[length]) length = borders[length - 1];
      if (pattern[i] == pattern[length]) ++length;
      borders[i] = length;
    }
    std::size_t length = 0;
    for (std::size_t i = from; i < keys.size(); ++i) {
      while (length > 0 && keys[i] != pattern[length]) length = borders[length - 1];
      if (keys[i] == pattern[length]) ++length;
      if (length < pattern.size()) continue;
      const std::size_t start = i + 1 - length;
      if (is_at(wanted, start, likeness)) return start;
      length = borders[length - 1];
    }
    return std::nullopt;
  }

  const Keys& keys_for(Likeness likeness) {
    Keys& keys = keys_[static_cast<std::size_t>(likeness)];
    if (keys.empty()) {
      keys.reserve(lines_.size());
      for (const TextLine& line : lines_) keys.push_back(key_of(line.text, likeness));
    }
    return keys;
  }

  const std::vector<TextLine>& lines_;
  std::array<Keys, kLikenesses.size()> keys_;
};

class HunkApplication {
 public:
  explicit HunkApplication(std::string_view text)
      : mark_(text.starts_with(kUtf8Mark) ? kUtf8Mark : std::string_view()),
        text_(text.substr(mark_.size())),
        line_end_(has_lines_of_old_systems(text_) ? '\r' : '\n'),
        lines_(patched_lines_of(text_)),
        finder_(lines_) {}

  Result<PatchedText> apply(std::span<const Hunk> hunks) {
    for (std::size_t i = 0; i < hunks.size(); ++i) {
      TRY(apply(hunks[i], hunks.subspan(i + 1)));
    }
    copy_to(lines_.size());
    for (const HunkLine* line : appended_) add(*line, {});
    return PatchedText{std::string(mark_) + result_, std::move(notes_)};
  }

 private:
  using Lines = std::vector<std::string_view>;

  static Lines old_lines(std::span<const HunkLine> lines) {
    Lines old;
    for (const HunkLine& line : lines) {
      if (line.kind != HunkLine::Kind::added) old.push_back(line.text);
    }
    return old;
  }

  Result<void> apply(const Hunk& hunk, std::span<const Hunk> later) {
    std::optional<std::size_t> anchored;
    for (const std::string& anchor : hunk.anchors) {
      const std::size_t from = anchored ? *anchored + 1 : next_;
      const auto found = finder_.find({anchor}, from);
      anchored = found ? std::optional(found->at) : std::nullopt;
      if (!anchored) anchored = finder_.find_beginning(anchor, from);
      if (!anchored) return misfit(hunk, from, "its anchor was", {anchor});
    }
    const auto fitted = fitted_in(hunk, anchored);
    if (!fitted) {
      return misfit(hunk, anchored ? *anchored + 1 : next_, "its lines were",
                    old_lines(hunk.lines));
    }
    if (old_lines(fitted->lines).empty() && (!anchored || hunk.is_at_end_of_file)) {
      for (const HunkLine& line : fitted->lines) appended_.push_back(&line);
      return {};
    }
    if (!anchored && !hunk.is_at_end_of_file) TRY(check_it_is_the_place(hunk, *fitted, later));
    const HunkIndentation indentation = indentation_of(*fitted);
    const bool has_added = std::ranges::any_of(
        fitted->lines, [](const HunkLine& line) { return line.kind == HunkLine::Kind::added; });
    if (indentation.is_uneven() && has_added) {
      notes_.push_back(fmt::format(
          "The lines of the hunk in line {} of the patch have other blanks before them than those "
          "of the file, and not the same others everywhere: what it added stands as it was "
          "written. See whether its indentation is right.",
          hunk.patch_line));
    }
    copy_to(fitted->place.at);
    for (const HunkLine& line : fitted->lines) {
      switch (line.kind) {
        case HunkLine::Kind::context: copy_to(next_ + 1); break;
        case HunkLine::Kind::removed: ++next_; break;
        case HunkLine::Kind::added: add(line, indentation); break;
      }
    }
    return {};
  }

  static constexpr std::size_t kMostForgiven = 3;  // empty lines on either side of a hunk

  // A hunk where it fits.
  struct Fitted {
    std::span<const HunkLine> lines;
    HunkPlace place;
  };

  HunkIndentation indentation_of(const Fitted& fitted) const {
    if (fitted.place.likeness < Likeness::outer_blanks) return {};
    std::vector<HunkIndentation::Pair> pairs;
    std::size_t at = fitted.place.at;
    for (const std::string_view line : old_lines(fitted.lines)) {
      pairs.push_back({line, lines_[at++].text});
    }
    return HunkIndentation(pairs);
  }

  static constexpr int kMostDoubted = 200;          // hunks: each may look through the whole text
  static constexpr std::size_t kLaterLookedAt = 8;  // hunks

  // A hunk without an anchor that fits in several places may mean any of them, unless a later one
  // has the same lines: then each has a place of its own.
  Result<void> check_it_is_the_place(const Hunk& hunk, const Fitted& fitted,
                                     std::span<const Hunk> later) {
    const Lines old = old_lines(fitted.lines);
    if (old.empty() || ++doubted_ > kMostDoubted) return {};
    const auto next = later.first(std::min(later.size(), kLaterLookedAt));
    if (std::ranges::any_of(next,
                            [&](const Hunk& other) { return old_lines(other.lines) == old; })) {
      return {};
    }
    const auto another = finder_.find_another(old, fitted.place);
    if (!another) return {};
    if (fitted.place.likeness >= Likeness::outer_blanks) {
      return fail(
          ErrorCode::not_found,
          fmt::format("The hunk in line {} of the patch fits nowhere to the letter, and apart "
                      "from blanks both in line {} and in line {}: write its lines as they are "
                      "in the file, or an @@ line with what stands above them",
                      hunk.patch_line, fitted.place.at + 1, *another + 1));
    }
    notes_.push_back(fmt::format(
        "The lines of the hunk in line {} of the patch stand in line {} and again in line {}: the "
        "first was changed. An @@ line with what stands above them says which is meant.",
        hunk.patch_line, fitted.place.at + 1, *another + 1));
    return {};
  }

  // An empty line at the end is often only the end of the hunk, and one at the start comes from the
  // line that begins it: without some of those it may fit, too.
  std::optional<Fitted> fitted_in(const Hunk& hunk, std::optional<std::size_t> anchored) {
    const std::span<const HunkLine> all = hunk.lines;
    const auto empty_lines = [](const auto& lines) {
      const auto stop =
          std::ranges::find_if(lines, [](const HunkLine& line) { return line != HunkLine{}; });
      return std::min(static_cast<std::size_t>(stop - lines.begin()), kMostForgiven);
    };
    const std::size_t before = empty_lines(all);
    const std::size_t behind = empty_lines(std::views::reverse(all));
    for (std::size_t first = 0; first <= before; ++first) {
      for (std::size_t last = 0; last <= behind && first + last <= all.size(); ++last) {
        const auto lines = all.subspan(first, all.size() - first - last);
        if (const auto place = place_of(hunk, old_lines(lines), anchored)) {
          return Fitted{lines, *place};
        }
      }
    }
    return std::nullopt;
  }

  std::optional<HunkPlace> place_of(const Hunk& hunk, const Lines& old,
                                    std::optional<std::size_t> anchored) {
    const std::size_t from = anchored ? *anchored + 1 : next_;
    if (old.empty()) return HunkPlace{from};
    if (hunk.is_at_end_of_file) {
      std::size_t end = lines_.size();
      while (end >= from + old.size()) {
        if (const auto place = finder_.at(old, end - old.size())) return place;
        if (!without_blanks(lines_[end - 1].text, Likeness::outer_blanks).empty()) break;
        --end;  // the file ends in empty lines that nobody mentions
      }
      return std::nullopt;
    }
    const auto found = finder_.find(old, from);
    // The anchor may be repeated as the first line of the hunk.
    return !found && anchored ? finder_.at(old, *anchored) : found;
  }

  // Lines of the text that stay as they are.
  void copy_to(std::size_t end) {
    for (; next_ < end; ++next_) {
      end_last_line();
      result_ += lines_[next_].text;
      result_ += lines_[next_].ending;
    }
  }

  void add(const HunkLine& line, const HunkIndentation& indentation) {
    end_last_line();
    result_ += indentation.fitted(line.text);
    if (line.has_line_break) result_ += neighbouring_ending();
  }

  void end_last_line() {
    if (!result_.empty() && !result_.ends_with(line_end_)) result_ += neighbouring_ending();
  }

  std::string_view neighbouring_ending() const {
    for (const std::size_t i : {next_ - 1, next_, std::size_t{0}}) {
      if (i < lines_.size() && !lines_[i].ending.empty()) return lines_[i].ending;
    }
    return "\n";
  }

  // `from` is the first line where they could have been.
  std::unexpected<Error> misfit(const Hunk& hunk, std::size_t from, std::string_view what,
                                const Lines& wanted) {
    constexpr std::size_t kShown = 600;
    const std::string joined = fmt::format("{}", fmt::join(wanted, "\n"));
    const std::string valid = to_valid_utf8(joined);
    const std::string_view shown = utf8_prefix(valid, kShown);
    std::string where;
    if (hunk.is_at_end_of_file) {
      where = " at the end of the file";
    } else if (from > 0) {
      where = fmt::format(" after line {}", from);
    }
    std::string hint;
    if (const auto earlier = finder_.find(wanted, 0); earlier && !wanted.empty()) {
      hint = hunk.is_at_end_of_file
                 ? fmt::format("They stand in line {}, which is not the end.", earlier->at + 1)
                 : fmt::format(
                       "They stand in line {}, above the hunk or anchor before: write "
                       "hunks in the order of the file.",
                       earlier->at + 1);
    } else {
      hint = nearest_lines(text_, joined);
    }
    return fail(ErrorCode::not_found,
                fmt::format("The hunk in line {} of the patch does not fit: {} not found{}:\n{}{}\n"
                            "{}",
                            hunk.patch_line, what, where, shown,
                            shown.size() < valid.size() ? "…" : "", hint));
  }

  std::string_view mark_;  // a byte order mark stays where it is, and is no part of the first line
  std::string_view text_;
  char line_end_;
  std::vector<TextLine> lines_;
  LineFinder finder_;
  std::size_t next_ = 0;                   // the first line that is not dealt with yet
  std::vector<const HunkLine*> appended_;  // of hunks that say no more than what is added
  std::string result_;
  std::vector<std::string> notes_;
  int doubted_ = 0;
};

}  // namespace

Result<PatchedText> apply_hunks(std::string_view text, std::span<const Hunk> hunks) {
  return HunkApplication(text).apply(hunks);
}

}  // namespace wright::tools
