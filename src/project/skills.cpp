#include "project/skills.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "core/fingerprint.h"
#include "core/text.h"
#include "core/try.h"
#include "project/front_matter.h"
#include "project/text_file.h"
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
constexpr std::size_t kLargestCatalogue = 12 * 1024;

bool is_skill_name(std::string_view name) {
  const auto is_fine = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_fine) &&
         name.front() != '-' && name.back() != '-' && name.find("--") == std::string_view::npos;
}

// What lies beside SKILL.md, with a number for what is in each: a script that changes is another
// skill. Links are left out.
void add_files(Skill& skill) {
  std::error_code error;
  std::vector<std::string> found;
  fs::recursive_directory_iterator files(skill.folder, error);
  for (const fs::recursive_directory_iterator end; !error && files != end; files.increment(error)) {
    if (files.depth() > kMostDepth) files.disable_recursion_pending();
    std::error_code problem;
    if (files->is_symlink(problem) || !files->is_regular_file(problem)) continue;
    std::string name = fs::relative(files->path(), skill.folder, problem).string();
    if (name != "SKILL.md" && is_valid_utf8(name)) found.push_back(std::move(name));
    if (found.size() >= kMostFiles) break;
  }
  std::ranges::sort(found);
  for (const std::string& name : found) {
    std::error_code problem;
    const auto size = fs::file_size(skill.folder / name, problem);
    std::string bytes;
    if (!problem && size <= kLargestResource) {
      std::ifstream file(skill.folder / name, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    skill.content += fmt::format("\n{} {} {:016x}", name, problem ? 0 : size,
                                 fingerprint_of(std::string_view(bytes)));
  }
  skill.files = std::move(found);
}

Result<Skill> read_skill(const fs::path& folder, const fs::path& inside,
                         std::vector<std::string>& problems) {
  const std::string shown = tools::shown_path((folder / "SKILL.md").string());
  auto text = TRY(read_text(folder / "SKILL.md", kLargestSkill, inside));
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
  add_files(skill);
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
      auto skill = read_skill(folder, source.path, found.problems);
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
