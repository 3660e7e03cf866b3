// Agent Skills (agentskills.io): folders with a SKILL.md. An agent is told their names and
// descriptions, and reads the rest when it needs it. Those of a project count only when somebody
// has agreed to their exact content, and are refused where that is more than can be looked at.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/tool.h"

namespace wright::project {

struct Skill {
  std::string name = {};
  std::string description = {};
  std::filesystem::path folder = {};
  std::string body = {};                     // of SKILL.md
  std::vector<std::string> files = {};       // the others, relative to the folder; some when many
  std::vector<std::size_t> file_bytes = {};  // of those, where somebody has to agree to them
  std::string content = {};                  // all that has to stay as it is to be trusted
  bool is_trusted = true;                    // false: of a project, and nobody has agreed to it
};

struct SkillFolder {
  std::filesystem::path path = {};
  bool is_of_project = false;
};

// Whether somebody has agreed to this content of this file or folder.
using Trusts = std::function<bool(const std::filesystem::path& path, std::string_view content)>;

struct FoundSkills {
  std::vector<Skill> skills = {};          // by name; each name once
  std::vector<std::string> problems = {};  // a sentence each: what is left out, and why
};

// Later folders win over earlier ones.
FoundSkills find_skills(const std::vector<SkillFolder>& folders, const Trusts& trusts);

// What the instructions of an agent say of the trusted ones; empty when there are none.
std::string skill_catalogue(const std::vector<Skill>& skills);

// The tool `skill`, which gives out their bodies. There must be a trusted one.
Result<Tool> skill_tool(std::vector<Skill> skills);

}  // namespace wright::project
