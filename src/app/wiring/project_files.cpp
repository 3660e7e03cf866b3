#include "app/wiring/project_files.h"

#include <fmt/format.h>

#include <utility>

#include "app/settings/agent_trust.h"
#include "core/try.h"
#include "project/text_file.h"

namespace wright::app {
namespace {

constexpr std::size_t kLargestHooksFile = std::size_t{256} * 1024;

std::filesystem::path real_base(const Settings& settings) {
  std::error_code error;
  auto base = std::filesystem::weakly_canonical(settings.base_path(), error);
  return error ? settings.base_path() : base;
}

// The record beside that of trusted agents.
std::filesystem::path trust_record(const Settings& settings) {
  if (settings.output_folder().empty()) return {};
  return settings.output_folder().parent_path() / "trusted_agents.json";
}

project::Trusts trusts_of(const Settings& settings) {
  auto trusted = TrustedAgents::load(trust_record(settings));
  if (!trusted) return {};  // a record that cannot be read trusts nobody
  return
      [trusted = std::move(*trusted)](const std::filesystem::path& path, std::string_view content) {
        return trusted.holds(path, content);
      };
}

struct HooksFile {
  std::filesystem::path path;
  std::string text;
  Result<std::vector<project::Hook>> hooks = {};
};

// Nothing where there is none.
std::optional<HooksFile> read_hooks(const std::filesystem::path& path,
                                    const std::filesystem::path& inside) {
  auto text = project::read_text(path, kLargestHooksFile, inside);
  if (!text) {
    if (text.error().code == ErrorCode::not_found) return std::nullopt;
    return HooksFile{path, {}, std::unexpected(text.error())};
  }
  auto hooks = project::parse_hooks(*text);
  return HooksFile{path, std::move(*text), std::move(hooks)};
}

std::filesystem::path project_hooks_file(const Settings& settings) {
  return real_base(settings) / ".wright" / "hooks.json";
}

}  // namespace

project::FoundSkills skills_for(const Settings& settings) {
  std::vector<project::SkillFolder> folders;
  for (const char* name : {".claude", ".agents"}) {
    if (!settings.home_folder().empty()) {
      folders.push_back({settings.home_folder() / name / "skills"});
    }
  }
  if (!settings.person_folder().empty()) {
    folders.push_back({settings.person_folder() / "skills"});
  }
  const auto base = real_base(settings);
  // A home folder is no project of somebody else's.
  if (base != settings.home_folder()) {
    for (const char* name : {".claude", ".agents", ".wright"}) {
      folders.push_back({base / name / "skills", true});
    }
  }
  return project::find_skills(folders, trusts_of(settings));
}

project::FoundCommands commands_for(const Settings& settings) {
  std::vector<std::filesystem::path> folders;
  if (!settings.person_folder().empty()) folders.push_back(settings.person_folder() / "commands");
  for (const char* name : {".claude", ".wright"}) {
    folders.push_back(real_base(settings) / name / "commands");
  }
  return project::find_commands(folders);
}

FoundHooks hooks_for(const Settings& settings) {
  FoundHooks found;
  project::HookOptions options{.folder = real_base(settings),
                               .environment = settings.command_environment(),
                               .temporary_root = settings.temporary_folder()};
  const auto take = [&](HooksFile file) {
    if (!file.hooks) {
      found.broken = fmt::format("{}: {}", file.path.string(), file.hooks.error().message);
      return;
    }
    std::ranges::move(*file.hooks, std::back_inserter(options.hooks));
  };
  if (!settings.person_folder().empty()) {
    if (auto own = read_hooks(settings.person_folder() / "hooks.json", {})) take(std::move(*own));
  }
  if (auto file = read_hooks(project_hooks_file(settings), real_base(settings))) {
    const auto trusts = trusts_of(settings);
    if (!file->text.empty() && trusts && trusts(file->path, file->text)) {
      take(std::move(*file));
    } else {
      found.notes.push_back(
          "The hooks of this folder do not run: nobody has agreed to them. `wright trust` shows "
          "them and asks.");
    }
  }
  if (!found.broken.empty()) {
    found.notes.push_back(
        fmt::format("{}. Until it is mended, agents only read.", to_valid_utf8(found.broken)));
  }
  found.hooks = std::make_shared<const project::Hooks>(std::move(options));
  return found;
}

std::vector<std::string> add_skills(Agent& agent, const project::FoundSkills& found) {
  std::vector<std::string> notes = found.problems;
  bool has_trusted = false;
  for (const project::Skill& skill : found.skills) {
    has_trusted = has_trusted || skill.is_trusted;
    if (skill.is_trusted) continue;
    notes.push_back(fmt::format(
        "The skill {} of this folder is not used: nobody has agreed to it. `wright trust` shows "
        "it and asks.",
        skill.name));
  }
  if (!has_trusted) return notes;
  auto tool = project::skill_tool(found.skills);
  if (!tool) {
    notes.push_back(fmt::format("Skills are not used: {}", tool.error().message));
    return notes;
  }
  agent.tools.push_back(std::move(*tool));
  agent.instructions += project::skill_catalogue(found.skills);
  return notes;
}

void add_hooks(Agent& agent, const FoundHooks& found) {
  if (!found.hooks->is_empty()) {
    agent.interceptors.insert(agent.interceptors.begin(), project::Hooks::interceptor(found.hooks));
  }
  if (found.broken.empty()) return;
  agent.interceptors.insert(
      agent.interceptors.begin(),
      [broken = found.broken](const Invocation& invocation, const Context& context,
                              const Next& next) -> Result<ToolReply> {
        if (invocation.tool.spec.options.effect == Effect::read) return next(invocation, context);
        return fail(ErrorCode::permission_denied,
                    fmt::format("The hooks that guard this cannot be read, so it does not run: {}. "
                                "Tell the person",
                                broken));
      });
}

std::vector<Untrusted> untrusted_files(const Settings& settings) {
  std::vector<Untrusted> files;
  for (const project::Skill& skill : skills_for(settings).skills) {
    if (skill.is_trusted) continue;
    files.push_back({skill.folder, skill.content,
                     fmt::format("skill {}: {}\n{}\n{} other files", skill.name, skill.description,
                                 skill.body, skill.files.size())});
  }
  if (auto file = read_hooks(project_hooks_file(settings), real_base(settings));
      file && !file->text.empty()) {
    const auto trusts = trusts_of(settings);
    if (!trusts || !trusts(file->path, file->text)) {
      files.push_back({file->path, file->text,
                       fmt::format("hooks, which are commands that run:\n{}", file->text)});
    }
  }
  return files;
}

Result<void> trust(const Settings& settings, const std::vector<Untrusted>& files) {
  auto trusted = TRY(TrustedAgents::load(trust_record(settings)));
  for (const Untrusted& file : files) TRY(trusted.add(file.path, file.content));
  return {};
}

}  // namespace wright::app
