// read_file: a range of the lines of one text file. Memory stays bounded however large the file
// and however long its lines are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <system_error>

#include "tools/base64.h"
#include "tools/file_tool_list.h"
#include "tools/other_names.h"
#include "tools/output_budget.h"
#include "tools/similar_paths.h"
#include "tools/text_file.h"
#include "wright/describe.h"

namespace wright::tools {

struct ReadFileArguments {
  std::string file_path;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> column;
  std::optional<std::int64_t> max_size;
};
WRIGHT_DESCRIBE(ReadFileArguments,
                WRIGHT_FIELD(file_path, "Path of the file, relative to the base").min_length(1),
                WRIGHT_FIELD(offset, "First line to read, counted from 1").at_least(1),
                WRIGHT_FIELD(limit, "How many lines at most; 2000 when absent").at_least(1),
                WRIGHT_FIELD(column,
                             "First character of each line, counted from 1, to go on in a cut line")
                    .at_least(1),
                WRIGHT_FIELD(max_size, "Refuse a file of more bytes than this").at_least(0))

namespace {

constexpr std::int64_t kDefaultLines = 2000;
constexpr std::size_t kMaxLineCharacters = 2000;
constexpr std::size_t kMaxLineBytes = 4 * kMaxLineCharacters;
constexpr std::size_t kContentBudget = 48 * 1024;
constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::int64_t kMaxImageBytes = 3'750'000;  // 5 MB as base64, which is what vendors take

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
  struct Range {
    std::int64_t first = 1;
    std::int64_t count = kDefaultLines;
    std::int64_t column = 1;
  };
  explicit LineCollector(Range range)
      : first_(range.first),
        wanted_(range.count),
        left_out_(static_cast<std::size_t>(range.column - 1)) {}

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
  bool has_cut_lines() const { return cut_at_ > 0; }
  std::size_t cut_at() const { return cut_at_; }  // the column at which a cut line goes on
  bool has_repairs() const { return has_repairs_; }
  bool has_carriage_returns() const { return has_carriage_returns_; }

 private:
  void keep(std::string_view part) {
    if (skipped_ < left_out_) {
      const std::string_view before = first_characters(part, left_out_ - skipped_);
      skipped_ += count_characters(before);
      part.remove_prefix(before.size());
    }
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
    skipped_ = 0;
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
      // What is no UTF-8 has no characters to count exactly.
      const std::size_t count = count_characters(shown);
      const std::size_t more = line_characters_ > count ? line_characters_ - count : 1;
      text = fmt::format("{}… [cut, {} more characters]", shown, more);
      cut_at_ = left_out_ + count + 1;
    }
    text += end;
    return text;
  }

  std::int64_t first_;
  std::int64_t wanted_;
  std::size_t left_out_;     // characters at the start of each line
  std::size_t skipped_ = 0;  // of them, in the current line
  std::int64_t total_ = 0;   // lines that have ended
  std::int64_t taken_ = 0;
  bool has_open_line_ = false;
  bool is_complete_ = false;  // no more lines fit, or none are wanted
  std::size_t cut_at_ = 0;
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

// A start like this belongs to an image that models can look at.
bool is_image(std::string_view start) {
  constexpr std::array kTypes{"image/png", "image/jpeg", "image/gif", "image/webp"};
  const bool is_text = !is_binary(start) && is_valid_utf8(utf8_prefix(start, kSniffedBytes));
  return !is_text && std::ranges::find(kTypes, media_type(start)) != kTypes.end();
}

Result<Json> image_result(const std::string& path, const OpenFile& file, std::string_view start,
                          Context& context) {
  JsonObject result{{"file_path", to_valid_utf8(path)},
                    {"size", file.status.size},
                    {"binary", true},
                    {"media_type", media_type(start)}};
  if (file.status.size > kMaxImageBytes) {
    result["note"] =
        fmt::format("The image is not shown: it is larger than {} bytes.", kMaxImageBytes);
    return result;
  }
  std::string bytes(start);
  bytes.resize(static_cast<std::size_t>(kMaxImageBytes) + 1);
  const auto rest = read_fully(file.descriptor.get(), std::span(bytes).subspan(start.size()));
  if (!rest) return fail(ErrorCode::storage, fmt::format("'{}' cannot be read", path));
  bytes.resize(start.size() + *rest);
  context.images.push_back({std::string(media_type(start)), base64_of(bytes)});
  result["note"] = "The image is shown beside this answer.";
  return result;
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
    notes.push_back(fmt::format("Lines over {} characters are cut; go on with column {}.",
                                kMaxLineCharacters, lines.cut_at()));
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
                       Context& context) {
  const std::stop_token& stop = context.stop;
  const auto path = workspace.locate(arguments.file_path);
  if (!path) return std::unexpected(path.error());
  auto file = workspace.open_file(*path);
  if (!file) {
    return std::unexpected(with_suggestions(std::move(file).error(), workspace, *path, stop));
  }

  if (arguments.max_size && file->status.size > *arguments.max_size) {
    return fail(ErrorCode::limit_reached,
                fmt::format("{} has {} bytes, more than max_size {}; offset and limit read a part",
                            shown_path(*path), file->status.size, *arguments.max_size));
  }

  const std::int64_t first = arguments.offset.value_or(1);
  LineCollector lines({.first = first,
                       .count = arguments.limit.value_or(kDefaultLines),
                       .column = arguments.column.value_or(1)});
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
    if (bytes == 0 && is_image(chunk)) return image_result(*path, *file, chunk, context);
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
  Tool made = tool(
      "read_file",
      "Reads a text file below the base folder, or a range of its lines. Says how many lines there "
      "are and where to go on when not all are shown. Shows images.",
      [workspace = std::move(workspace)](const ReadFileArguments& arguments, Context& context)
          -> Result<Json> { return read_file(*workspace, arguments, context); },
      {.effect = Effect::read});
  static constexpr std::string_view kNotShown[] = {"max_size"};
  static constexpr OtherName kNames[] = {{"path", "file_path"}};
  return with_rewrite(without_showing(std::move(made), kNotShown),
                      [](JsonObject& arguments) { rename_members(arguments, kNames); });
}

}  // namespace wright::tools
