#include "entities/ctags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "core/try.h"
#include "entities/entity_types.h"
#include "tools/text/character_set.h"
#include "wright/json.h"

namespace wright::entities {
namespace {

// For one process; and for those that look for the file at which it was lost.
constexpr std::chrono::seconds kPatienceWithCtags{20};
constexpr std::chrono::seconds kShortPatience{4};
constexpr std::size_t kMostOutput = std::size_t{256} << 20;
constexpr std::size_t kLongestName = 300;
constexpr std::size_t kLongestSignature = 400;

// No options of users and projects. Prototypes are wanted, the keys of data are not. File tags tell
// the language of files in which nothing is defined.
constexpr auto kArguments = std::to_array<const char*>({
    "ctags",
    "--options=NONE",
    "--sort=no",
    "--extras=+f",
    "--fields=NFKlneSazsp",
    "--kinds-C=+p",
    "--kinds-C++=+p",
    "--languages=-JSON,-XML,-SVG,-PlistXML,-Glade,-RelaxNG,-Maven2,-DBusIntrospect,-Diff,-Passwd,"
    "-Iniconf,-Yaml,-SystemdUnit,-Ctags",
    "-f",
    "-",
});

// As JSON, ctags leaves out names that are not UTF-8.
std::vector<std::string> output_format(Letters letters) {
  if (letters == Letters::utf8) return {"--output-format=json"};
  return {"--output-format=u-ctags", "--excmd=number", "--fields=+Z"};
}

std::string_view text_in(const JsonObject& tag, std::string_view key) {
  const Json* value = tag.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view();
}

int number_in(const JsonObject& tag, std::string_view key) {
  const Json* value = tag.if_contains(key);
  if (value == nullptr || !value->is_int64()) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(value->get_int64(), 0, 1 << 30));
}

CodeEntity entity_of(const JsonObject& tag) {
  CodeEntity entity;
  entity.name = utf8_prefix(text_in(tag, "name"), kLongestName);
  entity.kind = text_in(tag, "kind");
  entity.language = text_in(tag, "language");
  entity.type = entity_type(entity.language, entity.kind, text_in(tag, "scopeKind"));
  entity.signature = utf8_prefix(text_in(tag, "signature"), kLongestSignature);
  entity.visibility = text_in(tag, "access");
  entity.parent = utf8_prefix(text_in(tag, "scope"), kLongestName);
  entity.qualified_name =
      entity.parent.empty()
          ? entity.name
          : fmt::format("{}{}{}", entity.parent, scope_separator(entity.language), entity.name);
  entity.start_line = number_in(tag, "line");
  entity.end_line = number_in(tag, "end");
  return entity;
}

// Tabs, line ends and backslashes in values stand as \t, \n and \\.
std::string unescaped(std::string_view value) {
  std::string made;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size()) {
      made += value[i];
      continue;
    }
    const char escaped = value[++i];
    made += escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped;
  }
  return made;
}

// name TAB path TAB line;" TAB key:value …, as the JSON of such a tag would be. All but the path
// are Latin-1.
Json tag_of_line(std::string_view line) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    parts.push_back(line.substr(0, tab));
    if (tab == line.size()) break;
    line.remove_prefix(tab + 1);
  }
  if (parts.size() < 3 || parts[0].starts_with("!_")) return nullptr;
  JsonObject tag{
      {"_type", "tag"}, {"name", from_latin_1(unescaped(parts[0]))}, {"path", unescaped(parts[1])}};
  for (const std::string_view part : std::span(parts).subspan(3)) {
    const std::size_t colon = std::min(part.find(':'), part.size());
    const std::string_view key = part.substr(0, colon);
    std::string value = from_latin_1(unescaped(part.substr(std::min(colon + 1, part.size()))));
    if (key == "line" || key == "end") {
      int number = 0;
      std::from_chars(value.data(), value.data() + value.size(), number);
      tag[key] = number;
    } else if (key == "scope") {
      const std::size_t end = std::min(value.find(':'), value.size());
      tag["scopeKind"] = value.substr(0, end);
      tag["scope"] = value.substr(std::min(end + 1, value.size()));
    } else {
      tag[key] = value;
    }
  }
  return tag;
}

// Puts every tag into the file that it is about. Where one file was asked for, all of them are
// about it: ctags leaves out paths that are not UTF-8.
TagsByPath tags_in(std::string_view output, std::span<const std::string> paths, Letters letters) {
  TagsByPath tags;
  for (const std::string& path : paths) tags[path];
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    const auto parsed = letters == Letters::utf8 ? parse_json(line) : tag_of_line(line);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (!parsed || !parsed->is_object()) continue;
    const JsonObject& tag = parsed->get_object();
    if (text_in(tag, "_type") != "tag") continue;
    std::string_view path = text_in(tag, "path");
    if (path.starts_with("./")) path.remove_prefix(2);
    const auto file = tags.size() == 1 ? tags.begin() : tags.find(std::string(path));
    if (file == tags.end()) continue;
    if (text_in(tag, "kind") == "file") {
      file->second.language = text_in(tag, "language");
      continue;
    }
    CodeEntity entity = entity_of(tag);
    if (entity.start_line > 0 && !entity.name.empty() && entity.kind != "header") {
      file->second.entities.push_back(std::move(entity));
    }
  }
  return tags;
}

}  // namespace

std::string from_latin_1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char byte : bytes) tools::append_utf8(text, static_cast<unsigned char>(byte));
  return text;
}

Error ctags_is_missing() {
  return {ErrorCode::unsupported,
          "The index of entities needs universal-ctags, which is not installed; on Debian and "
          "Ubuntu: apt-get install universal-ctags",
          {}};
}

Ctags::Ctags(const Sandbox& sandbox, std::filesystem::path base)
    : sandbox_(sandbox), base_(std::move(base)) {}

Result<TagsByPath> Ctags::tags_of(std::span<const FileToParse> files,
                                  const std::stop_token& stop) const {
  std::map<Letters, std::vector<std::string>> together;
  TagsByPath tags;
  for (const FileToParse& file : files) {
    if (is_valid_utf8(file.path)) {
      together[file.letters].push_back(file.path);
      continue;
    }
    auto alone = TRY(read(std::span(&file.path, 1), file.letters, kShortPatience, stop));
    tags.merge(alone);
  }
  for (const auto& [letters, paths] : together) {
    auto some = TRY(read(paths, letters, kPatienceWithCtags, stop));
    tags.merge(some);
  }
  return tags;
}

// A process that crashed or hung is asked again about either half of its files, until the file that
// does it stands alone.
Result<TagsByPath> Ctags::read(std::span<const std::string> paths, Letters letters,
                               std::chrono::seconds patience, const std::stop_token& stop) const {
  if (paths.empty()) return TagsByPath();
  Command command{.arguments = {kArguments.begin(), kArguments.end()}, .working_directory = base_};
  std::ranges::move(output_format(letters), std::back_inserter(command.arguments));
  for (const std::string& path : paths) command.arguments.push_back("./" + path);
  std::string output;
  bool is_too_much = false;
  const CommandOptions options{.timeout = patience,
                               .stop = stop,
                               .kept_bytes = 4096,
                               .on_output = [&](OutputStream stream, std::string_view piece) {
                                 if (stream != OutputStream::output) return;
                                 is_too_much = is_too_much || output.size() > kMostOutput;
                                 if (!is_too_much) output += piece;
                               }};
  const auto finished = sandbox_.run(command, options);
  if (!finished) {
    if (finished.error().code == ErrorCode::not_found) return std::unexpected(ctags_is_missing());
    return std::unexpected(finished.error());
  }
  if (finished->is_stopped || stop.stop_requested()) {
    return fail(ErrorCode::cancelled, "Indexing was cancelled");
  }
  const bool is_good = finished->exit_code <= 1 && !finished->is_timed_out && !is_too_much;
  if (is_good) return tags_in(output, paths, letters);
  // Another ctags has other options, and says so.
  if (finished->error.head.contains("nrecognized option") ||
      finished->error.head.contains("nknown option")) {
    return std::unexpected(ctags_is_missing());
  }
  if (paths.size() == 1) return TagsByPath{{paths.front(), {}}};
  const auto half = paths.size() / 2;
  auto first = TRY(read(paths.first(half), letters, kShortPatience, stop));
  auto second = read(paths.subspan(half), letters, kShortPatience, stop);
  if (second) second->merge(first);
  return second;
}

}  // namespace wright::entities
