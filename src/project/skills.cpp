#include "project/skills.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/file_descriptor.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/try.h"
#include "project/front_matter.h"
#include "project/text_file.h"
#include "tools/text/text_file.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::project {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestSkill = std::size_t{256} * 1024;
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestDescription = 1024;
constexpr int kMostDepth = 4;
constexpr std::size_t kMostSkillFolders = 2000;
constexpr std::size_t kMostFiles = 200;
constexpr std::uintmax_t kLargestResource = std::uintmax_t{4} << 20;
constexpr std::uintmax_t kLargestSkillFolder = std::uintmax_t{16} << 20;
constexpr std::size_t kLargestCatalogue = 12 * 1024;

bool is_skill_name(std::string_view name) {
  const auto is_fine = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_fine) &&
         name.front() != '-' && name.back() != '-' && name.find("--") == std::string_view::npos;
}

// A file of a skill, as far as it is looked at.
Result<std::string> read_resource(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  const bool is_fine = file.is_open() && ::fstat(file.get(), &status) == 0 &&
                       S_ISREG(status.st_mode) &&
                       static_cast<std::uintmax_t>(status.st_size) <= kLargestResource;
  if (!is_fine) {
    return fail(ErrorCode::limit_reached,
                fmt::format("{} cannot be read, or is larger than {} MiB",
                            tools::shown_path(path.string()), kLargestResource >> 20));
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const auto length = tools::read_fully(file.get(), bytes);
  if (!length || *length != bytes.size()) {
    return fail(ErrorCode::storage, fmt::format("{} changes", tools::shown_path(path.string())));
  }
  return bytes;
}

// What lies beside SKILL.md. All of it has to be looked at before anybody can agree to it; where
// that cannot be done, the error says why.
Result<void> list_files(Skill& skill) {
  Result<void> whole;
  const auto leave_out = [&](const fs::path& path, std::string_view why) {
    if (whole) {
      whole = fail(ErrorCode::limit_reached,
                   fmt::format("{} {}", tools::shown_path(path.string()), why));
    }
  };
  std::error_code error;
  fs::recursive_directory_iterator files(skill.folder, error);
  for (const fs::recursive_directory_iterator end; !error && files != end; files.increment(error)) {
    std::error_code problem;
    const fs::path& path = files->path();
    const bool is_link = files->is_symlink(problem);
    if (!is_link && files->is_directory(problem)) {
      if (files.depth() < kMostDepth) continue;
      files.disable_recursion_pending();
      leave_out(path, "lies too deep");
      continue;
    }
    std::string name = path.lexically_relative(skill.folder).string();
    if (name == "SKILL.md" && !is_link) continue;
    if (is_link || !files->is_regular_file(problem)) {
      leave_out(path, "is a link or no regular file");
    } else if (!is_valid_utf8(name)) {
      leave_out(path, "has a name that is no UTF-8");
    } else if (skill.files.size() >= kMostFiles) {
      leave_out(path, fmt::format("is one of more than {} files", kMostFiles));
      break;
    } else {
      skill.files.push_back(std::move(name));
    }
  }
  if (error) leave_out(skill.folder, "cannot be read");
  std::ranges::sort(skill.files);
  return whole;
}

// A script that changes is another skill.
Result<void> add_content(Skill& skill) {
  // First and on a line of its own: no text can look like the lines of files.
  skill.content = fmt::format("{} {}", skill.content.size(), sha256_hex(skill.content));
  std::uintmax_t bytes = 0;
  for (const std::string& name : skill.files) {
    const fs::path path = skill.folder / name;
    const auto content = TRY(read_resource(path));
    bytes += content.size();
    if (bytes > kLargestSkillFolder) {
      return fail(ErrorCode::limit_reached,
                  fmt::format("its files are more than {} MiB", kLargestSkillFolder >> 20));
    }
    std::error_code problem;
    const auto mode = static_cast<unsigned>(fs::symlink_status(path, problem).permissions());
    skill.content += fmt::format("\n{} {:o} {} {}", to_text(Json(name)), mode & 0111,
                                 content.size(), sha256_hex(content));
    skill.file_bytes.push_back(content.size());
  }
  return {};
}

Result<Skill> read_skill(const fs::path& folder, const SkillFolder& source,
                         std::vector<std::string>& problems) {
  const std::string shown = tools::shown_path((folder / "SKILL.md").string());
  auto text = TRY(read_text(folder / "SKILL.md", kLargestSkill, source.path));
  const auto front = parse_front_matter(text);
  if (!front) {
    return fail(ErrorCode::invalid_argument, fmt::format("{}: {}", shown, front.error().message));
  }
  Skill skill{.name = front->value("name"),
              .description = front->value("description"),
              .folder = folder,
              .body = std::string(trimmed(front->body))};
  if (skill.description.empty()) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} has no description", shown));
  }
  if (skill.description.size() > kLongestDescription) {
    problems.push_back(fmt::format("the description of {} is longer than {} characters, and is cut",
                                   shown, kLongestDescription));
    skill.description = utf8_prefix(skill.description, kLongestDescription);
  }
  const std::string folder_name = folder.filename().string();
  if (!is_skill_name(skill.name) || skill.name != folder_name) {
    if (!is_skill_name(folder_name)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{}: its name, and that of its folder, must be lower-case letters, "
                              "digits and single hyphens",
                              shown));
    }
    if (skill.name != folder_name) {
      problems.push_back(fmt::format("{} is named '{}', and is known by its folder's name", shown,
                                     to_valid_utf8(skill.name)));
    }
    skill.name = folder_name;
  }
  skill.content = std::move(text);
  auto whole = list_files(skill);
  // Nobody agrees to those of the person.
  if (!source.is_of_project) return skill;
  if (whole) whole = add_content(skill);
  if (!whole) {
    return fail(ErrorCode::limit_reached,
                fmt::format("The skill {} has more than can be agreed to: {}", shown,
                            whole.error().message));
  }
  return skill;
}

// Folders that have a SKILL.md, at most some levels down.
std::vector<fs::path> skill_folders(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code error;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entries(root, error);
  for (const fs::recursive_directory_iterator end; !error && entries != end;
       entries.increment(error)) {
    std::error_code problem;
    if (entries->is_symlink(problem) || !entries->is_directory(problem)) continue;
    if (++seen > kMostSkillFolders) break;
    if (entries.depth() + 1 >= kMostDepth) entries.disable_recursion_pending();
    if (fs::exists(entries->path() / "SKILL.md", problem)) {
      found.push_back(entries->path());
      entries.disable_recursion_pending();
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<const Skill*> trusted(const std::vector<Skill>& skills) {
  std::vector<const Skill*> usable;
  for (const Skill& skill : skills) {
    if (skill.is_trusted) usable.push_back(&skill);
  }
  return usable;
}

}  // namespace

FoundSkills find_skills(const std::vector<SkillFolder>& folders, const Trusts& trusts) {
  FoundSkills found;
  std::map<std::string, Skill> by_name;
  for (const SkillFolder& source : folders) {
    for (const fs::path& folder : skill_folders(source.path)) {
      auto skill = read_skill(folder, source, found.problems);
      if (!skill) {
        found.problems.push_back(skill.error().message + "; it is left out");
        continue;
      }
      skill->is_trusted = !source.is_of_project || (trusts && trusts(folder, skill->content));
      const auto known = by_name.find(skill->name);
      // One that does not count hides none that does.
      if (known != by_name.end() && known->second.is_trusted && !skill->is_trusted) continue;
      std::string name = skill->name;
      by_name.insert_or_assign(std::move(name), std::move(*skill));
    }
  }
  for (auto& [name, skill] : by_name) found.skills.push_back(std::move(skill));
  return found;
}

std::string skill_catalogue(const std::vector<Skill>& skills) {
  const auto usable = trusted(skills);
  if (usable.empty()) return {};
  std::string text =
      "\n\nSkills are instructions for certain kinds of tasks. When one fits what you are asked, "
      "call the tool skill with its name and follow what it says before you do anything else:\n";
  for (const Skill* skill : usable) {
    std::string line = fmt::format("- {}: {}\n", skill->name, skill->description);
    std::ranges::replace(line.begin(), line.end() - 1, '\n', ' ');
    if (text.size() + line.size() > kLargestCatalogue) {
      text += "- (and more, which the tool skill names)\n";
      break;
    }
    text += line;
  }
  return text;
}

Result<Tool> skill_tool(std::vector<Skill> skills) {
  JsonArray names;
  for (const Skill* skill : trusted(skills)) names.emplace_back(skill->name);
  ToolSpec spec{
      .name = "skill",
      .description =
          "Reads the instructions of a skill, and names the files that belong to it. "
          "read_file reads those by their absolute paths.",
      .parameters = JsonObject{
          {"type", "object"},
          {"properties",
           JsonObject{{"name", JsonObject{{"type", "string"}, {"enum", std::move(names)}}}}},
          {"required", JsonArray{"name"}},
          {"additionalProperties", false}}};
  spec.options.effect = Effect::read;
  return tool(std::move(spec),
              [skills = std::move(skills)](const Json& arguments, const Context&) -> Result<Json> {
                const std::string_view name = arguments.at("name").as_string();
                const auto found = std::ranges::find(skills, name, &Skill::name);
                if (found == skills.end() || !found->is_trusted) {
                  return fail(ErrorCode::not_found, fmt::format("there is no skill {}", name));
                }
                JsonArray files;
                for (const std::string& file : found->files) files.emplace_back(file);
                return JsonObject{{"name", found->name},
                                  {"folder", to_valid_utf8(found->folder.string())},
                                  {"instructions", found->body},
                                  {"files", std::move(files)}};
              });
}

}  // namespace wright::project
