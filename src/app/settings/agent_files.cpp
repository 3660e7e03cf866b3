#include "app/settings/agent_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/settings/agent_trust.h"
#include "app/settings/paths.h"
#include "tools/tool_aliases.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostFiles = 500;

std::vector<std::filesystem::path> toml_files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto& path = entry->path();
    std::error_code unreadable;
    // Nothing that would block a reader, such as a pipe.
    const bool is_file = entry->is_regular_file(unreadable);
    const bool is_hidden = path.filename().native().starts_with('.');
    if (is_file && !is_hidden && path.extension() == ".toml") files.push_back(path);
    if (files.size() == kMostFiles) break;
  }
  std::ranges::sort(files);
  return files;
}

// What a file is called in lists before it says its name: anybody may have named it anything.
std::string plain_name(const std::filesystem::path& path) {
  std::string name = canonical_agent_name(path.stem().string());
  std::ranges::replace_if(
      name,
      [](char c) { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.'; },
      '?');
  return name;
}

class Finder {
 public:
  Finder(const Environment& environment, std::span<const std::string> known_tools,
         std::span<const std::string_view> shipped)
      : environment_(environment),
        known_tools_(known_tools),
        names_(shipped.begin(), shipped.end()),
        trusted_(TrustedAgents::load(trusted_agents_file(environment))) {}

  void look_in(const std::filesystem::path& folder, AgentOrigin origin) {
    if (folder.empty()) return;
    for (const auto& path : toml_files_in(folder)) found_.push_back(load(path, folder, origin));
  }

  std::vector<AgentFile> found() && { return std::move(found_); }

 private:
  AgentFile load(const std::filesystem::path& path, const std::filesystem::path& folder,
                 AgentOrigin origin) {
    const bool is_foreign = origin == AgentOrigin::project;
    auto read = read_agent_definition({.path = path,
                                       .variables = environment_.all(),
                                       .known_tools = known_tools_,
                                       .tool_aliases = tools::kToolAliases,
                                       .confined_to = is_foreign ? folder : ""});
    AgentFile file{path, origin, plain_name(path), {}, {}, {}};
    if (!read) {
      file.obstacle = read.error().message;
      file.definition = std::unexpected(std::move(read).error());
      return file;
    }
    file.name = read->definition.name;
    file.content = std::move(read->content);
    file.definition = std::move(read->definition);
    file.obstacle = obstacle(file);
    return file;
  }

  std::string obstacle(const AgentFile& file) {
    if (!names_.insert(file.name).second) {
      return fmt::format("{}: name: there is another agent '{}', which comes first",
                         file.path.string(), file.name);
    }
    if (file.definition->is_primary && !primary_.empty()) {
      return fmt::format("{}: primary: '{}' is primary already", file.path.string(), primary_);
    }
    if (file.definition->is_primary) primary_ = file.name;
    if (!file.definition->is_enabled) return "it is not enabled";
    if (file.origin == AgentOrigin::user) return {};
    if (!trusted_) return trusted_.error().message;
    if (trusted_->holds(file.path, file.content)) return {};
    return fmt::format(
        "it comes with the project and is not trusted: read it with `wright agents show {0}`, then "
        "`wright agents trust {0}`",
        file.name);
  }

  const Environment& environment_;
  std::span<const std::string> known_tools_;
  std::set<std::string, std::less<>> names_;
  std::string primary_;
  Result<TrustedAgents> trusted_;
  std::vector<AgentFile> found_;
};

}  // namespace

std::vector<AgentFile> find_agent_files(const Settings& settings, const Environment& environment,
                                        std::span<const std::string> known_tools,
                                        std::span<const std::string_view> shipped) {
  Finder finder(environment, known_tools, shipped);
  finder.look_in(user_agents_folder(environment), AgentOrigin::user);
  finder.look_in(project_agents_folder(settings.base_path()), AgentOrigin::project);
  return std::move(finder).found();
}

}  // namespace wright::app
