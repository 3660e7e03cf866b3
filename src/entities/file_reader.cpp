#include "entities/file_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/try.h"
#include "entities/blob_hash.h"
#include "entities/block_ends.h"
#include "entities/documentation.h"
#include "entities/entity_types.h"
#include "entities/lost_members.h"
#include "entities/python_fields.h"
#include "entities/script_functions.h"
#include "entities/source_lines.h"
#include "entities/tcl_procedures.h"
#include "entities/whole_names.h"
#include "tools/text/text_file.h"
#include "wright/json.h"

namespace wright::entities {
namespace {

// Larger files are entities themselves; nobody looks into them, not even to count their lines: some
// are larger than anybody can read.
constexpr std::int64_t kLargestParsed = std::int64_t{16} << 20;
constexpr std::size_t kPieceBytes = 256 * 1024;

constexpr auto kWithBlocks = std::to_array<std::string_view>(
    {"function", "method", "class", "struct", "interface", "trait", "enum", "namespace", "module",
     "implementation", "object", "constant", "variable", "property", "union", "macro", "message",
     "service", "package"});

bool has_block(std::string_view type) {
  return std::ranges::find(kWithBlocks, type) != kWithBlocks.end();
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Fills in what ctags does not know: ends, comments, and whose parent is in the same file.
void complete(std::vector<CodeEntity>& entities, std::string_view content,
              const SourceLines& lines) {
  std::set<std::string_view> names;
  std::vector<int> starts;
  for (const CodeEntity& entity : entities) {
    names.insert(entity.qualified_name);
    starts.push_back(entity.start_line);
  }
  std::ranges::sort(starts);
  std::optional<BlockEnds> blocks;
  std::string_view language_of_blocks;
  for (CodeEntity& entity : entities) {
    entity.parent_is_here = !entity.parent.empty() && names.contains(entity.parent);
    entity.documentation = documentation_at(lines, entity.start_line, entity.language);
    if (entity.end_line == 0 && has_block(entity.type) && BlockEnds::knows(entity.language)) {
      if (!blocks || language_of_blocks != entity.language) {
        blocks.reset();
        blocks.emplace(content, lines, entity.language);
        language_of_blocks = entity.language;
      }
      const auto next = std::ranges::upper_bound(starts, entity.start_line);
      entity.end_line = blocks->end_of(entity.name, entity.start_line,
                                       next == starts.end() ? lines.count() + 1 : *next);
    }
    entity.start_line = std::clamp(entity.start_line, 1, std::max(1, lines.count()));
    entity.end_line = std::clamp(entity.end_line, entity.start_line, std::max(1, lines.count()));
  }
}

// In place of a hash of the content. It is no name of a blob, so git's history does not know it.
std::string mark_of_large(const CodeFile& file) {
  return fmt::format("large {} {} {}", file.size, file.modified_ns, file.changed_ns);
}

FileRead::Outcome outcome_of(const CodeFile& file, const FileToRead& wanted) {
  return file.hash == wanted.known_hash ? FileRead::Outcome::same : FileRead::Outcome::changed;
}

CodeEntity entity_of_file(const CodeFile& file, std::string documentation) {
  CodeEntity entity;
  entity.type = "file";
  entity.kind = "file";
  const std::string path = to_valid_utf8(file.path);
  entity.name = base_name(path);
  entity.qualified_name = path;
  entity.language = file.language;
  entity.documentation = std::move(documentation);
  entity.start_line = file.line_count > 0 ? 1 : 0;
  entity.end_line = file.line_count;
  return entity;
}

}  // namespace

FileReader::Loaded FileReader::load(const FileToRead& wanted, const std::stop_token& stop) const {
  Loaded loaded;
  CodeFile& file = loaded.read.file;
  file.path = wanted.path;
  const auto opened = workspace_.open_file(wanted.path);
  if (!opened) {
    const bool is_gone = opened.error().code == ErrorCode::not_found;
    loaded.read.outcome = is_gone ? FileRead::Outcome::gone : FileRead::Outcome::unreadable;
    return loaded;
  }
  file.size = opened->status.size;
  file.modified_ns = opened->status.modified;
  file.changed_ns = opened->status.changed;
  file.number = static_cast<std::int64_t>(opened->status.number);
  if (file.size > kLargestParsed) {
    file.hash = mark_of_large(file);
    loaded.read.outcome = outcome_of(file, wanted);
    return loaded;
  }
  Sha1 hash;
  hash.add(fmt::format("blob {}", file.size));
  hash.add(std::string_view("\0", 1));
  std::string piece(std::min(kPieceBytes, static_cast<std::size_t>(file.size) + 1), '\0');
  bool is_text = true;
  char last = '\n';
  for (std::int64_t total = 0; total < file.size && !stop.stop_requested();) {
    const auto count = tools::read_some(opened->descriptor.get(), piece);
    if (!count) {
      loaded = {};
      loaded.read = {FileRead::Outcome::unreadable, {.path = wanted.path}};
      return loaded;
    }
    if (*count == 0) break;
    const std::string_view bytes(piece.data(), *count);
    if (total == 0) is_text = !tools::is_binary(bytes.substr(0, tools::kSniffedBytes));
    total += static_cast<std::int64_t>(*count);
    hash.add(bytes);
    if (!is_text) continue;
    file.line_count += static_cast<int>(std::ranges::count(bytes, '\n'));
    last = bytes.back();
    loaded.content += bytes;
  }
  if (last != '\n') ++file.line_count;
  file.hash = std::move(hash).hex();
  loaded.read.outcome = outcome_of(file, wanted);
  if (loaded.read.outcome == FileRead::Outcome::same) loaded.content.clear();
  if (!is_valid_utf8(loaded.content)) {
    loaded.letters = Letters::latin_1;
    loaded.content = from_latin_1(loaded.content);
  }
  return loaded;
}

Result<std::vector<FileRead>> FileReader::read(std::span<const FileToRead> files,
                                               const std::stop_token& stop) const {
  std::vector<Loaded> loaded;
  std::vector<FileToParse> to_parse;
  for (const FileToRead& wanted : files) {
    loaded.push_back(load(wanted, stop));
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "Indexing was cancelled");
    if (!loaded.back().content.empty()) {
      to_parse.push_back({wanted.path, loaded.back().letters});
    }
  }
  auto tags = TRY(ctags_.tags_of(to_parse, stop));
  std::vector<FileRead> read;
  for (Loaded& each : loaded) {
    CodeFile& file = each.read.file;
    if (each.read.outcome == FileRead::Outcome::changed) {
      FileTags& found = tags[file.path];
      const SourceLines lines(each.content);
      make_names_whole(found.entities, lines);
      if (found.language == "Tcl") correct_tcl_procedures(found.entities, lines);
      correct_script_functions(found.entities, lines);
      add_python_fields(found.entities, lines);
      add_lost_members(found.entities, found.language, each.content, lines);
      complete(found.entities, each.content, lines);
      // ctags takes the manifests of Go for document types.
      const bool is_known = !found.language.empty() && found.language != "DTD";
      file.language =
          is_known ? std::move(found.language) : std::string(language_by_name(file.path));
      file.entities.push_back(entity_of_file(file, opening_documentation(lines, file.language)));
      std::ranges::move(found.entities, std::back_inserter(file.entities));
    }
    read.push_back(std::move(each.read));
  }
  return read;
}

}  // namespace wright::entities
