#include "app/wiring/project_files.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "app/settings/agent_trust.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/bash_settings.h"
#include "core/try.h"
#include "models/secret_filter.h"
#include "project/hook_scripts.h"
#include "project/text_file.h"

namespace wright::app {
namespace {

constexpr std::size_t kLargestHooksFile = std::size_t{256} * 1024;

std::filesystem::path real_base(const Settings& settings) {
  std::error_code error;
  auto base = std::filesystem::weakly_canonical(settings.base_path(), error);
  return error ? settings.base_path() : base;
}

Result<project::Trusts> trusts_of(const Settings& settings) {
  auto trusted = TRY(TrustedAgents::load(settings.trust_file()));
  return
      [trusted = std::move(trusted)](const std::filesystem::path& path, std::string_view content) {
        return trusted.holds(path, content);
      };
}

struct HooksFile {
  std::filesystem::path path;
  std::string text;
  Result<std::vector<project::Hook>> hooks = {};
  Result<project::HookScripts> scripts = {};  // that they run

  // What somebody agrees to.
  std::string content() const {
    if (!scripts || scripts->lines.empty()) return text;
    return fmt::format("{}\n{}", text, scripts->content());
  }
};

// Nothing where there is none. A link that leads nowhere is one that cannot be read.
std::optional<HooksFile> read_hooks(const std::filesystem::path& path,
                                    const std::filesystem::path& inside,
                                    const std::filesystem::path& base) {
  auto text = project::read_text(path, kLargestHooksFile, inside);
  if (!text) {
    std::error_code error;
    const bool is_there = std::filesystem::is_symlink(path, error);
    if (text.error().code == ErrorCode::not_found && !is_there) return std::nullopt;
    return HooksFile{path, {}, std::unexpected(text.error())};
  }
  auto hooks = project::parse_hooks(*text);
  HooksFile file{path, std::move(*text), std::move(hooks)};
  if (file.hooks) file.scripts = project::scripts_of(*file.hooks, base);
  return file;
}

std::filesystem::path project_hooks_file(const Settings& settings) {
  return real_base(settings) / ".wright" / "hooks.json";
}

std::optional<HooksFile> hooks_of_project(const Settings& settings) {
  const auto base = real_base(settings);
  return read_hooks(project_hooks_file(settings), base, base);
}

std::optional<HooksFile> hooks_of_person(const Settings& settings) {
  if (settings.person_folder().empty()) return std::nullopt;
  return read_hooks(settings.person_folder() / "hooks.json", {}, real_base(settings));
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
  const auto trusts = trusts_of(settings);
  auto found = project::find_skills(folders, trusts ? *trusts : project::Trusts());
  // A record that cannot be read trusts nobody.
  if (!trusts) found.problems.push_back(trusts.error().message);
  return found;
}

project::FoundCommands commands_for(const Settings& settings) {
  std::vector<std::filesystem::path> folders;
  for (const char* name : {".claude", ".wright"}) {
    folders.push_back(real_base(settings) / name / "commands");
  }
  // What a project brings along takes nothing away from the person.
  if (!settings.person_folder().empty()) folders.push_back(settings.person_folder() / "commands");
  return project::find_commands(folders);
}

FoundHooks hooks_for(const Settings& settings) {
  FoundHooks found;
  project::HookOptions options{.folder = real_base(settings)};
  if (auto bash = bash_options(settings)) {
    options.sandbox = std::move(bash->policy);
  } else {
    found.broken = bash.error().message;
  }
  const auto take = [&](HooksFile file, project::HookSay say) {
    if (!file.hooks || !file.scripts) {
      found.broken =
          fmt::format("{}: {}", file.path.string(),
                      file.hooks ? file.scripts.error().message : file.hooks.error().message);
      return;
    }
    for (project::Hook& hook : *file.hooks) {
      hook.say = say;
      options.hooks.push_back(std::move(hook));
    }
  };
  using project::HookSay;
  const bool project_may_allow = settings.flag(keys::kProjectMayAllow);
  if (auto own = hooks_of_person(settings)) take(std::move(*own), HookSay::allow);
  if (auto file = hooks_of_project(settings)) {
    const auto trusts = trusts_of(settings);
    if (!trusts) {
      // They may have been agreed to, and guard this folder.
      found.broken = fmt::format("whether the hooks of this folder count is not known: {}",
                                 trusts.error().message);
    } else if (!file->text.empty() && file->scripts && (*trusts)(file->path, file->content())) {
      take(std::move(*file), project_may_allow ? HookSay::allow : HookSay::no_more);
    } else if (!file->scripts) {
      found.notes.push_back(fmt::format("The hooks of this folder do not run: {}.",
                                        to_valid_utf8(file->scripts.error().message)));
    } else {
      found.notes.push_back(
          "The hooks of this folder do not run: nobody has agreed to them, and to the files that "
          "they run, as they are now. `wright trust` shows them and asks.");
    }
  }
  if (!found.broken.empty()) {
    found.notes.push_back(
        fmt::format("{}. Until it is mended, nothing is sent, and agents only read.",
                    to_valid_utf8(found.broken)));
  }
  found.hooks = std::make_shared<const project::Hooks>(std::move(options));
  return found;
}

Message without_keys(Message said, const std::vector<std::string>& keys) {
  const models::SecretFilter filter(keys);
  for (Part& part : said.parts) {
    if (auto* text = std::get_if<Text>(&part)) filter.clean(text->text);
  }
  return said;
}

std::string without_keys(std::string said, const std::vector<std::string>& keys) {
  models::SecretFilter(keys).clean(said);
  return said;
}

Json without_keys(Json said, const std::vector<std::string>& keys) {
  if (said.is_string()) return Json(without_keys(std::string(said.get_string()), keys));
  if (JsonArray* array = said.if_array()) {
    for (Json& each : *array) each = without_keys(std::move(each), keys);
  } else if (JsonObject* object = said.if_object()) {
    JsonObject clean;
    for (auto& member : *object) {
      clean[without_keys(std::string(member.key()), keys)] =
          without_keys(std::move(member.value()), keys);
    }
    return clean;
  }
  return said;
}

Result<Message> FoundHooks::submitted(Message message, SessionId session_id,
                                      const std::stop_token& stop) const {
  if (broken.empty()) {
    auto said = TRY(hooks->submitted(std::move(message), session_id, stop));
    return without_keys(std::move(said), keys);
  }
  return fail(ErrorCode::permission_denied,
              fmt::format("The hooks that see what is said cannot be read, so it is not sent: {}. "
                          "Mend them, or take them away, and begin anew",
                          to_valid_utf8(broken)));
}

std::vector<std::filesystem::path> hook_files(const Settings& settings) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : {hooks_of_person(settings), hooks_of_project(settings)}) {
    if (file && file->scripts) std::ranges::copy(file->scripts->paths, std::back_inserter(paths));
  }
  return paths;
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

Result<std::vector<Untrusted>> untrusted_files(const Settings& settings) {
  std::vector<Untrusted> files;
  const auto trusts = TRY(trusts_of(settings));
  for (const project::Skill& skill : skills_for(settings).skills) {
    if (skill.is_trusted) continue;
    std::string shown = fmt::format("skill {}: {}\n{}\n{} other files", on_one_line(skill.name),
                                    skill.description, skill.body, skill.files.size());
    for (std::size_t i = 0; i < skill.files.size() && i < skill.file_bytes.size(); ++i) {
      shown += fmt::format("\n  {}  {} bytes", on_one_line(skill.files[i]), skill.file_bytes[i]);
    }
    files.push_back({skill.folder, skill.content, std::move(shown)});
  }
  const auto file = hooks_of_project(settings);
  if (!file || file->text.empty()) return files;
  if (!file->hooks) return std::unexpected(file->hooks.error());
  if (!file->scripts) return std::unexpected(file->scripts.error());
  if (trusts(file->path, file->content())) return files;
  std::string shown = fmt::format("hooks, which are commands that run:\n{}", file->text);
  for (const project::Hook& hook : *file->hooks) {
    if (hook.place == project::HookPlace::sandbox) continue;
    shown += fmt::format("\nThis one runs outside of the sandbox, with all that you may do: {}",
                         on_one_line(hook.command));
  }
  if (!file->scripts->lines.empty()) {
    shown += "\nand the files that they run, each with its SHA-256:";
    for (const std::string& line : file->scripts->lines) shown += fmt::format("\n  {}", line);
  }
  files.push_back({file->path, file->content(), std::move(shown)});
  return files;
}

Result<void> trust(const Settings& settings, const std::vector<Untrusted>& files) {
  auto trusted = TRY(TrustedAgents::load(settings.trust_file()));
  for (const Untrusted& file : files) TRY(trusted.add(file.path, file.content));
  return {};
}

}  // namespace wright::app
