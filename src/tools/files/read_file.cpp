// read_file: a range of the lines of one text file. Memory stays bounded however large the file
// and however long its lines are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <system_error>

#include "core/base64.h"
#include "core/counted.h"
#include "core/firm_bounds.h"
#include "core/media_type.h"
#include "core/try.h"
#include "tools/file_tool_list.h"
#include "tools/files/line_collector.h"
#include "tools/files/similar_paths.h"
#include "tools/other_names.h"
#include "tools/output/output_budget.h"
#include "tools/text/character_set.h"
#include "tools/text/text_file.h"
#include "wright/schema.h"

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
constexpr std::int64_t kMaxCountedBytes = std::int64_t{128} * 1024 * 1024;  // behind what is shown
constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::size_t kMaxDecodedBytes = std::size_t{16} * 1024 * 1024;
constexpr std::int64_t kMaxImageBytes = 3'750'000;  // 5 MB as base64, which is what vendors take

// All of a file of which `start` was read already, or a little more than can be decoded.
std::expected<std::string, int> read_on(int descriptor, std::string_view start) {
  std::string all(start);
  while (all.size() <= kMaxDecodedBytes) {
    const std::size_t used = all.size();
    all.resize(used + kChunkBytes);
    const auto length = TRY(read_fully(descriptor, std::span(all).subspan(used)));
    all.resize(used + length);
    if (length == 0) break;
  }
  return all;
}

Json binary_result(const std::string& path, std::int64_t size, std::string_view start) {
  return JsonObject{{"file_path", to_valid_utf8(path)},
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

Result<Output> image_result(const std::string& path, const OpenFile& file, std::string_view start) {
  JsonObject result{{"file_path", to_valid_utf8(path)},
                    {"size", file.status.size},
                    {"binary", true},
                    {"media_type", media_type(start)}};
  if (file.status.size > kMaxImageBytes) {
    result["note"] =
        fmt::format("The image is not shown: it is larger than {} bytes.", kMaxImageBytes);
    return Output{.value = std::move(result)};
  }
  std::string bytes(start);
  bytes.resize(static_cast<std::size_t>(kMaxImageBytes) + 1);
  const auto rest = read_fully(file.descriptor.get(), std::span(bytes).subspan(start.size()));
  if (!rest) return fail(ErrorCode::storage, fmt::format("{} cannot be read", shown_path(path)));
  bytes.resize(start.size() + *rest);
  result["note"] = "The image is shown beside this answer.";
  return Output{.value = std::move(result),
                .images = {{std::string(media_type(start)), base64_of(bytes)}}};
}

// What a text is written in, where it is not simply UTF-8.
enum class Encoding : std::uint8_t { utf8, utf8_with_mark, utf16 };

// How much of a file was looked at.
struct Read {
  std::int64_t bytes = 0;
  Encoding encoding = Encoding::utf8;
  bool is_counted_out = true;  // false: there are more lines than were counted
};

std::string note_for(const LineCollector& lines, const Read& read) {
  std::vector<std::string> notes;
  if (lines.total_lines() == 0) notes.emplace_back("The file is empty.");
  if (lines.end_line_number() < lines.total_lines()) {
    notes.push_back(fmt::format(
        "{}{}; go on with offset {}.", read.is_counted_out ? "" : "More than ",
        counted(lines.total_lines() - lines.end_line_number(), "line follows", "lines follow"),
        lines.end_line_number() + 1));
  }
  if (lines.has_cut_lines()) {
    notes.push_back(fmt::format("Lines over {} characters are cut; go on with column {}.",
                                LineCollector::kMaxLineCharacters, lines.cut_at()));
  }
  if (read.encoding == Encoding::utf8_with_mark) {
    notes.emplace_back("The byte order mark at its start is not shown.");
  } else if (read.encoding == Encoding::utf16) {
    notes.emplace_back("The file is UTF-16; it is shown, but cannot be edited here.");
  }
  if (lines.has_repairs()) {
    notes.emplace_back("Bytes that are not UTF-8 are shown as U+FFFD.");
  }
  if (lines.has_carriage_returns()) {
    notes.emplace_back("Lines end in CR LF; the CR is not shown.");
  }
  return fmt::format("{}", fmt::join(notes, " "));
}

Result<Output> read_file(const Workspace& workspace, const ReadFileArguments& arguments,
                         const std::stop_token& stop) {
  const auto path = TRY(workspace.locate(arguments.file_path));
  auto file = workspace.open_file(path);
  if (!file) {
    return std::unexpected(with_suggestions(std::move(file).error(), workspace, path, stop));
  }

  if (arguments.max_size && file->status.size > *arguments.max_size) {
    return fail(ErrorCode::limit_reached,
                fmt::format("{} has {} bytes, more than max_size {}; offset and limit read a part",
                            shown_path(path), file->status.size, *arguments.max_size));
  }

  const std::int64_t first = arguments.offset.value_or(1);
  LineCollector lines({.first = first,
                       .count = arguments.limit.value_or(kDefaultLines),
                       .column = arguments.column.value_or(1)});
  const auto unreadable = [&](int problem) {
    return fail(ErrorCode::storage, fmt::format("{} cannot be read: {}", shown_path(path),
                                                std::generic_category().message(problem)));
  };
  const auto buffer = std::make_unique_for_overwrite<char[]>(kChunkBytes);
  Read read;
  std::int64_t shown_at = 0;  // the byte behind what is shown
  while (true) {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "Reading was cancelled");
    if (read.bytes > 0) {
      if (const std::int64_t zeros = skip_hole(file->descriptor.get()); zeros > 0) {
        lines.add_zeros(zeros);
        read.bytes += zeros;
        shown_at += zeros;
      }
    }
    const auto length = read_fully(file->descriptor.get(), {buffer.get(), kChunkBytes});
    if (!length) return unreadable(length.error());
    if (*length == 0) break;
    std::string_view chunk(buffer.get(), *length);
    if (read.bytes == 0 && has_utf16_mark(chunk)) {
      const auto all = read_on(file->descriptor.get(), chunk);
      if (!all) return unreadable(all.error());
      const std::string text = decoded_text(*all, {}).text;
      if (all->size() > kMaxDecodedBytes || is_binary(text)) {
        return Output{.value = binary_result(path, file->status.size, chunk)};
      }
      lines.add(text);
      read = {.bytes = static_cast<std::int64_t>(all->size()), .encoding = Encoding::utf16};
      break;
    }
    if (read.bytes == 0 && is_image(chunk)) return image_result(path, *file, chunk);
    if (read.bytes == 0 && is_binary(chunk)) {
      return Output{.value = binary_result(path, file->status.size, chunk)};
    }
    if (read.bytes == 0 && chunk.starts_with(kUtf8Mark)) {
      chunk.remove_prefix(kUtf8Mark.size());
      read.encoding = Encoding::utf8_with_mark;
    }
    lines.add(chunk);
    read.bytes += static_cast<std::int64_t>(*length);
    if (!lines.is_complete()) shown_at = read.bytes;
    read.is_counted_out = read.bytes - shown_at < kMaxCountedBytes;
    if (!read.is_counted_out) break;
  }
  lines.finish();
  if (first > std::max<std::int64_t>(1, lines.total_lines())) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("offset {} is beyond the end: {} has {}", first, shown_path(path),
                            counted(lines.total_lines(), "line", "lines")));
  }

  const std::string note = note_for(lines, read);
  JsonObject result{
      {"file_path", to_valid_utf8(path)},
      {"content", nullptr},
      {"start_line", first},
      {"end_line", lines.end_line_number()},
      {"total_lines", lines.total_lines()},
      {"truncated", lines.end_line_number() < lines.total_lines() || lines.has_cut_lines()},
      {"size", read.is_counted_out ? read.bytes : file->status.size}};
  if (!note.empty()) result["note"] = note;
  result["content"] = std::move(lines).take_content();
  return Output{.value = std::move(result)};
}

}  // namespace

Tool read_file_tool(SharedWorkspace workspace) {
  Tool made = with_firm_bounds(tool(
      "read_file",
      "Reads a text file below the base folder, or a range of its lines. Says how many lines there "
      "are and where to go on when not all are shown. Shows images.",
      [workspace = std::move(workspace)](const ReadFileArguments& arguments, const Context& context)
          -> Result<Output> { return read_file(*workspace, arguments, context.stop); },
      {.effect = Effect::read}));
  static constexpr std::string_view kNotShown[] = {"max_size"};
  static constexpr OtherName kNames[] = {{"path", "file_path"}};
  return with_rewrite(without_showing(std::move(made), kNotShown),
                      [](JsonObject& arguments) { rename_members(arguments, kNames); });
}

}  // namespace wright::tools
