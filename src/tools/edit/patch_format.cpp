#include "tools/edit/patch_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "core/try.h"
#include "tools/workspace/workspace.h"

namespace wright::tools {
namespace {

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";
constexpr std::string_view kAdd = "*** Add File:";
constexpr std::string_view kUpdate = "*** Update File:";
constexpr std::string_view kDelete = "*** Delete File:";
constexpr std::string_view kMove = "*** Move to:";
constexpr std::string_view kEndOfFile = "*** End of File";
constexpr std::string_view kNoLineBreak = "\\ No newline at end of file";
constexpr std::string_view kBlanks = " \t\r";

std::string_view without_end_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// What follows a marker: "" for a marker alone, nothing for another line.
std::optional<std::string_view> after(std::string_view line, std::string_view marker) {
  if (!line.starts_with(marker)) return std::nullopt;
  return trimmed(line.substr(marker.size()));
}

// Texts of old systems end their lines in CR alone.
char line_end_of(std::string_view text) {
  return text.contains('\n') || !text.contains('\r') ? '\n' : '\r';
}

// "-12,7 +12,9 @@ …", as it stands behind the @@ of unified diffs.
bool is_line_range(std::string_view text) {
  const auto take = [&](std::string_view characters) {
    const std::size_t end = std::min(text.find_first_not_of(characters), text.size());
    const bool has_taken = end > 0;
    text.remove_prefix(end);
    return has_taken;
  };
  constexpr std::string_view kNumbers = "0123456789,";
  return text.starts_with('-') && take("-") && take(kNumbers) && take(" ") && take("+") &&
         take(kNumbers) && take(" ") && text.starts_with("@@");
}

// The line that a hunk names after @@, if it names one.
std::string_view anchor_in(std::string_view text) {
  text = without_end_blanks(text);
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (is_line_range(text)) return {};
  if (text == "@@" || text.ends_with(" @@")) text.remove_suffix(2);
  text = without_end_blanks(text);
  return text == "..." ? std::string_view() : text;
}

class Parser {
 public:
  explicit Parser(std::string_view text) {
    const char line_end = line_end_of(text);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(line_end), text.size());
      std::string_view line = text.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines_.push_back(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Result<std::vector<FilePatch>> parse() {
    TRY(begin());
    find_last_marker();
    while (true) {
      if (at_ == lines_.size()) {
        return malformed("the patch ends without '*** End Patch', so it may be cut off");
      }
      if (trimmed(here()) == kEnd) break;
      if (trimmed(here()).empty()) {
        ++at_;
        continue;
      }
      auto file = TRY(file_patch());
      files_.push_back(std::move(file));
    }
    ++at_;
    while (at_ < lines_.size()) {
      if (!is_wrapping(here())) return malformed("nothing may follow '*** End Patch'");
      ++at_;
    }
    if (files_.empty()) {
      return fail(ErrorCode::invalid_argument, "The patch is empty: it names no file");
    }
    return std::move(files_);
  }

 private:
  std::string_view here() const { return lines_[at_]; }

  std::unexpected<Error> malformed(std::string_view what) const {
    const std::string found =
        at_ < lines_.size() ? fmt::format(", but the line is {}", shown_path(here())) : "";
    return fail(ErrorCode::invalid_argument,
                fmt::format("Line {} of the patch is malformed: {}{}", at_ + 1, what, found));
  }

  // What models put around a patch.
  bool is_wrapping(std::string_view line) const {
    line = trimmed(line);
    return line.empty() || line.starts_with("```") || line.starts_with("<<") || line == "EOF" ||
           line == "PATCH" || line.starts_with("apply_patch") || line == here_document_end_;
  }

  // The word after <<, which ends a here-document.
  static std::string_view here_document_end(std::string_view line) {
    const std::size_t start = line.find("<<");
    if (start == std::string_view::npos) return {};
    constexpr std::string_view kAround = "-'\"\\ \t\r";
    line.remove_prefix(std::min(line.find_first_not_of(kAround, start + 2), line.size()));
    return line.substr(0, line.find_first_of(kAround));
  }

  Result<void> begin() {
    while (at_ < lines_.size() && trimmed(here()) != kBegin && is_wrapping(here())) {
      if (const auto end = here_document_end(here()); !end.empty()) here_document_end_ = end;
      ++at_;
    }
    if (at_ == lines_.size() || trimmed(here()) != kBegin) {
      return malformed("a patch begins with '*** Begin Patch'");
    }
    ++at_;
    return {};
  }

  // The line that ends the patch counts as that however far it is indented, also where a line of
  // context could stand.
  void find_last_marker() {
    last_ = lines_.size();
    while (last_ > at_ && is_wrapping(lines_[last_ - 1])) --last_;
    last_ = last_ > at_ && trimmed(lines_[last_ - 1]) == kEnd ? last_ - 1 : lines_.size();
  }

  Result<FilePatch> file_patch() {
    FilePatch file;
    const std::string_view header = trimmed(here());
    const auto added = after(header, kAdd);
    const auto removed = after(header, kDelete);
    const auto updated = after(header, kUpdate);
    if (!added && !removed && !updated) {
      return malformed(
          "'*** Add File: path', '*** Update File: path', '*** Delete File: path' or "
          "'*** End Patch' is expected");
    }
    file.operation = added     ? FilePatch::Operation::add
                     : removed ? FilePatch::Operation::remove
                               : FilePatch::Operation::update;
    file.path = added.value_or(removed.value_or(updated.value_or("")));
    if (file.path.empty()) return malformed("the path is missing");
    ++at_;
    switch (file.operation) {
      case FilePatch::Operation::add: read_content(file); break;
      case FilePatch::Operation::remove: break;
      case FilePatch::Operation::update: TRY(read_update(file)); break;
    }
    return file;
  }

  void read_content(FilePatch& file) {
    while (true) {
      const std::size_t blank_lines = blank_lines_before_more_content();
      file.content.append(blank_lines, '\n');
      at_ += blank_lines;
      if (at_ == lines_.size() || !here().starts_with('+')) break;
      file.content += here().substr(1);
      file.content += '\n';
      ++at_;
    }
    if (at_ < lines_.size() && without_end_blanks(here()) == kNoLineBreak) {
      if (!file.content.empty()) file.content.pop_back();
      ++at_;
    }
  }

  // Empty lines that have lost their +, between others that have theirs.
  std::size_t blank_lines_before_more_content() const {
    const std::size_t end = at_ + blank_lines_here();
    return end < lines_.size() && lines_[end].starts_with('+') ? end - at_ : 0;
  }

  Result<void> read_update(FilePatch& file) {
    const std::size_t first = at_ + blank_lines_here();
    if (const auto moved = first < lines_.size() ? after(trimmed(lines_[first]), kMove)
                                                 : std::optional<std::string_view>()) {
      at_ = first;
      if (moved->empty()) return malformed("the path to move to is missing");
      file.new_path = *moved;
      ++at_;
    }
    skip_unified_names();
    while (at_ < lines_.size() && !is_file_header_here()) {
      auto hunk = TRY(read_hunk());
      if (hunk.lines.empty() && hunk.anchors.empty()) continue;  // blank lines at the end
      file.hunks.push_back(std::move(hunk));
    }
    if (file.hunks.empty() && file.new_path.empty()) {
      return malformed(fmt::format("the update of {} has no lines", shown_path(file.path)));
    }
    return {};
  }

  // "--- a/path" and "+++ b/path" above the first hunk.
  void skip_unified_names() {
    if (at_ + 2 < lines_.size() && here().starts_with("--- ") &&
        lines_[at_ + 1].starts_with("+++ ") && lines_[at_ + 2].starts_with("@@")) {
      at_ += 2;
    }
  }

  bool is_file_header_here() const {
    const std::string_view line = without_end_blanks(here());
    return at_ == last_ || line == kEnd || after(line, kAdd) || after(line, kUpdate) ||
           after(line, kDelete);
  }

  Result<Hunk> read_hunk() {
    Hunk hunk{.patch_line = at_ + 1};
    const bool has_marker = here().starts_with("@@");
    while (at_ < lines_.size() && here().starts_with("@@")) {
      if (const auto anchor = anchor_in(here().substr(2)); !anchor.empty()) {
        hunk.anchors.emplace_back(anchor);
      }
      ++at_;
    }
    while (at_ < lines_.size() && !here().starts_with("@@") && !is_file_header_here()) {
      if (without_end_blanks(here()) == kEndOfFile) {
        ++at_;
        hunk.is_at_end_of_file = true;
        at_ += blank_lines_here();
        break;
      }
      if (!read_line(hunk)) {
        return malformed(
            "lines of a hunk begin with a blank (context), '-' (removed) or '+' (added)");
      }
    }
    const bool changes = std::ranges::any_of(
        hunk.lines, [](const HunkLine& line) { return !line.text.empty() || is_change(line); });
    if (!changes && !has_marker) hunk.lines.clear();
    if (hunk.lines.empty() && (has_marker || hunk.is_at_end_of_file)) {
      return malformed(
          fmt::format("the hunk that begins in line {} has no lines", hunk.patch_line));
    }
    return hunk;
  }

  static bool is_change(const HunkLine& line) { return line.kind != HunkLine::Kind::context; }

  std::size_t blank_lines_here() const {
    std::size_t end = at_;
    while (end < lines_.size() && trimmed(lines_[end]).empty()) ++end;
    return end - at_;
  }

  bool read_line(Hunk& hunk) {
    const std::string_view line = here();
    if (line.empty() || (line.front() != ' ' && trimmed(line).empty())) {
      hunk.lines.push_back({});  // an empty line of context whose blank was lost on the way
    } else if (line.front() == ' ') {
      hunk.lines.push_back({HunkLine::Kind::context, std::string(line.substr(1))});
    } else if (line.front() == '-') {
      hunk.lines.push_back({HunkLine::Kind::removed, std::string(line.substr(1))});
    } else if (line.front() == '+') {
      hunk.lines.push_back({HunkLine::Kind::added, std::string(line.substr(1))});
    } else if (without_end_blanks(line) == kNoLineBreak && !hunk.lines.empty()) {
      HunkLine& last = hunk.lines.back();
      last.has_line_break = last.kind != HunkLine::Kind::added;
    } else {
      return false;
    }
    ++at_;
    return true;
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::size_t last_ = 0;  // the line of the last '*** End Patch'
  std::string_view here_document_end_;
  std::vector<FilePatch> files_;
};

}  // namespace

Result<std::vector<FilePatch>> parse_patch(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace wright::tools
