// read_file: a range of the lines of one text file. Memory stays bounded however large the file
// and however long its lines are.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>

#include "tools/file_tool_list.h"
#include "tools/output_budget.h"
#include "tools/similar_paths.h"
#include "tools/text_file.h"
#include "wright/describe.h"

namespace wright::tools {

struct ReadFileArguments {
  std::string file_path;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> limit;
};
WRIGHT_DESCRIBE(ReadFileArguments,
                WRIGHT_FIELD(file_path, "Path of the file, relative to the base").min_length(1),
                WRIGHT_FIELD(offset, "First line to read, counted from 1").at_least(1),
                WRIGHT_FIELD(limit, "How many lines at most; 2000 when absent").at_least(1))

namespace {

constexpr std::int64_t kDefaultLines = 2000;
constexpr std::size_t kMaxLineCharacters = 2000;
constexpr std::size_t kMaxLineBytes = 4 * kMaxLineCharacters;
constexpr std::size_t kContentBudget = 48 * 1024;
constexpr std::size_t kChunkBytes = 256 * 1024;

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (starts_character(text[i]) && ++seen > count) return text.substr(0, i);
  }
  return text;
}

// Takes a file piece by piece, keeps the lines that were asked for, and counts all of them.
class LineCollector {
 public:
  LineCollector(std::int64_t first, std::int64_t count) : first_(first), wanted_(count) {}

  void add(std::string_view piece) {
    if (piece.empty()) return;
    has_open_line_ = piece.back() != '\n';
    while (!piece.empty() && !is_complete_) {
      const std::size_t end = piece.find('\n');
      if (total_ + 1 >= first_) keep(piece.substr(0, end));
      if (end == std::string_view::npos) return;
      end_line("\n");
      piece.remove_prefix(end + 1);
    }
    total_ += std::ranges::count(piece, '\n');
  }

  void finish() {
    if (!has_open_line_) return;
    if (is_complete_) {
      ++total_;
    } else {
      end_line("");
    }
  }

  std::string take_content() && { return std::move(content_); }
  std::int64_t total_lines() const { return total_; }
  std::int64_t end_line_number() const { return first_ + taken_ - 1; }
  bool has_cut_lines() const { return has_cut_lines_; }
  bool has_repairs() const { return has_repairs_; }
  bool has_carriage_returns() const { return has_carriage_returns_; }

 private:
  void keep(std::string_view part) {
    line_.append(part.substr(0, kMaxLineBytes - line_.size()));
    line_bytes_ += part.size();
    line_characters_ += count_characters(part);
  }

  void end_line(std::string_view end) {
    ++total_;
    if (total_ < first_) return;
    const std::string text = line_text(end);
    if (budget_.take(json_size(text))) {
      content_ += text;
      ++taken_;
      is_complete_ = taken_ == wanted_;
    } else {
      is_complete_ = true;
    }
    line_.clear();
    line_bytes_ = 0;
    line_characters_ = 0;
  }

  std::string line_text(std::string_view end) {
    if (!end.empty() && line_bytes_ == line_.size() && line_.ends_with('\r')) {
      line_.pop_back();
      --line_bytes_;
      has_carriage_returns_ = true;
    }
    const std::string_view start = first_characters(line_, kMaxLineCharacters);
    std::string text = to_valid_utf8(std::string(start));
    has_repairs_ = has_repairs_ || text != start;
    const std::string_view shown = first_characters(text, kMaxLineCharacters);
    if (start.size() < line_bytes_ || shown.size() < text.size()) {
      has_cut_lines_ = true;
      // What is no UTF-8 has no characters to count exactly.
      const std::size_t count = count_characters(shown);
      const std::size_t more = line_characters_ > count ? line_characters_ - count : 1;
      text = fmt::format("{}… [cut, {} more characters]", shown, more);
    }
    text += end;
    return text;
  }

  std::int64_t first_;
  std::int64_t wanted_;
  std::int64_t total_ = 0;  // lines that have ended
  std::int64_t taken_ = 0;
  bool has_open_line_ = false;
  bool is_complete_ = false;  // no more lines fit, or none are wanted
  bool has_cut_lines_ = false;
  bool has_repairs_ = false;
  bool has_carriage_returns_ = false;
  std::string line_;  // the start of the current line
  std::size_t line_bytes_ = 0;
  std::size_t line_characters_ = 0;
  std::string content_;
  OutputBudget budget_{kContentBudget};
};

Json binary_result(const std::string& path, std::int64_t size, std::string_view start) {
  return JsonObject{{"file_path", path},
                    {"size", size},
                    {"binary", true},
                    {"media_type", media_type(start)},
                    {"note", "The file is not UTF-8 text; its content is not shown."}};
}

std::string note_for(const LineCollector& lines) {
  std::vector<std::string> notes;
  if (lines.total_lines() == 0) notes.emplace_back("The file is empty.");
  if (lines.end_line_number() < lines.total_lines()) {
    notes.push_back(fmt::format("{} lines follow; go on with offset {}.",
                                lines.total_lines() - lines.end_line_number(),
                                lines.end_line_number() + 1));
  }
  if (lines.has_cut_lines()) {
    notes.push_back(fmt::format("Lines over {} characters are cut.", kMaxLineCharacters));
  }
  if (lines.has_repairs()) {
    notes.emplace_back("Bytes that are not UTF-8 are shown as U+FFFD.");
  }
  if (lines.has_carriage_returns()) {
    notes.emplace_back("Lines end in CR LF; the CR is not shown.");
  }
  return fmt::format("{}", fmt::join(notes, " "));
}

Result<Json> read_file(const Workspace& workspace, const ReadFileArguments& arguments,
                       const std::stop_token& stop) {
  const auto path = workspace.locate(arguments.file_path);
  if (!path) return std::unexpected(path.error());
  auto file = workspace.open_file(*path);
  if (!file) {
    return std::unexpected(with_suggestions(std::move(file).error(), workspace, *path, stop));
  }

  const std::int64_t first = arguments.offset.value_or(1);
  LineCollector lines(first, arguments.limit.value_or(kDefaultLines));
  const auto buffer = std::make_unique_for_overwrite<char[]>(kChunkBytes);
  std::int64_t bytes = 0;
  while (true) {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "Reading was cancelled");
    const auto length = read_fully(file->descriptor.get(), {buffer.get(), kChunkBytes});
    if (!length) {
      return fail(ErrorCode::storage, fmt::format("'{}' cannot be read: {}", *path,
                                                  std::generic_category().message(length.error())));
    }
    if (*length == 0) break;
    const std::string_view chunk(buffer.get(), *length);
    if (bytes == 0 && is_binary(chunk)) return binary_result(*path, file->status.size, chunk);
    lines.add(chunk);
    bytes += static_cast<std::int64_t>(*length);
  }
  lines.finish();
  if (first > std::max<std::int64_t>(1, lines.total_lines())) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("offset {} is beyond the end: '{}' has {} lines", first, *path,
                            lines.total_lines()));
  }

  const std::string note = note_for(lines);
  JsonObject result{
      {"file_path", *path},
      {"content", nullptr},
      {"start_line", first},
      {"end_line", lines.end_line_number()},
      {"total_lines", lines.total_lines()},
      {"truncated", lines.end_line_number() < lines.total_lines() || lines.has_cut_lines()},
      {"size", bytes}};
  if (!note.empty()) result["note"] = note;
  result["content"] = std::move(lines).take_content();
  return result;
}

}  // namespace

Tool read_file_tool(SharedWorkspace workspace) {
  return tool(
      "read_file",
      "Reads a text file below the base folder, or a range of its lines. Says how many lines there "
      "are and where to go on when not all are shown.",
      [workspace = std::move(workspace)](const ReadFileArguments& arguments, Context& context)
          -> Result<Json> { return read_file(*workspace, arguments, context.stop); },
      {.effect = Effect::read});
}

}  // namespace wright::tools
