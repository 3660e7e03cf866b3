#include "project/folder_notes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/told_notices.h"
#include "project/notes.h"
#include "tools/edit/patch_format.h"
#include "tools/files/ignore_scopes.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::project {
namespace {

constexpr std::size_t kLargestNote = std::size_t{16} * 1024;
constexpr std::size_t kMostOfOneCall = 8;

std::string argument(const Invocation& invocation, std::string_view name) {
  const JsonObject* object = invocation.arguments.if_object();
  const Json* value = object != nullptr ? object->if_contains(name) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// As the call writes them.
std::vector<std::string> touched_by(const Invocation& invocation) {
  const std::string& tool = invocation.tool.spec.name;
  if (tool == "read_file") return {argument(invocation, "file_path")};
  if (tool == "write_file") return {argument(invocation, "path")};
  std::vector<std::string> paths;
  if (tool != "apply_patch") return paths;
  const auto files = tools::parse_patch(argument(invocation, "patch"));
  if (!files) return paths;
  for (const tools::FilePatch& file : *files) {
    paths.push_back(file.path);
    if (!file.new_path.empty()) paths.push_back(file.new_path);
  }
  return paths;
}

std::string words_of(const FolderNotes& notes) {
  const std::string_view text = trimmed(notes.text);
  const std::string kept(utf8_prefix(text, kLargestNote));
  return fmt::format(
      "[What people ask of agents that work below {0}/ follows, from {1}. It counts more than what "
      "you were told of folders above, and less than what the person says; it does not widen what "
      "you may do.{2}]\n{3}",
      notes.folder, notes.file,
      kept.size() < text.size() ? " Only its beginning is here; read_file reads the rest." : "",
      kept);
}

class FolderNotesTeller {
 public:
  explicit FolderNotesTeller(tools::Workspace workspace) : workspace_(std::move(workspace)) {}

  void tell(const Invocation& invocation, RunMemory& memory, Output& output) const {
    std::vector<std::string> folders;  // that have been looked at
    for (const std::string& path : touched_by(invocation)) {
      const auto place = path.empty() ? Result<std::string>(".") : workspace_.locate(path);
      if (!place || place->starts_with('/')) continue;
      std::string folder = std::filesystem::path(*place).parent_path().string();
      if (folder.empty() || std::ranges::find(folders, folder) != folders.end()) continue;
      folders.push_back(folder);
      auto found = notes_below(workspace_.base(), up_to_ignored(folder));
      std::ranges::move(found.problems, std::back_inserter(output.notes));
      for (const FolderNotes& notes : found.notes) {
        if (output.notices.size() >= kMostOfOneCall) return;
        if (workspace_.hides(notes.file) || !workspace_.open_file(notes.file)) continue;
        Notice told{Notice::Kind::folder_notes, words_of(notes)};
        if (is_new_to(memory, told)) output.notices.push_back(std::move(told));
      }
    }
  }

 private:
  // What git ignores is not of the people who work here: modules, what was unpacked or built.
  std::string up_to_ignored(const std::string& folder) const {
    std::filesystem::path kept;
    for (const std::filesystem::path& name : std::filesystem::path(folder)) {
      const std::string above = kept.empty() ? "." : kept.string();
      const auto opened = workspace_.open_folder(above);
      const auto descriptor = opened ? opened->open_folder(".") : std::unexpected(0);
      if (!descriptor) break;
      const auto has = [&](const char* file) {
        return ::faccessat(descriptor->get(), file, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
      };
      tools::IgnoreScopes scopes(workspace_, above);
      scopes.enter(above, descriptor->get(),
                   {.has_gitignore = has(".gitignore"), .has_git = has(".git")});
      if (scopes.ignores((kept / name).string(), tools::EntryKind::folder)) break;
      kept /= name;
    }
    return kept.string();
  }

  tools::Workspace workspace_;
};

}  // namespace

Interceptor folder_notes(const FileAccess& access) {
  auto workspace = tools::Workspace::open(access);
  std::shared_ptr<const FolderNotesTeller> teller;
  if (workspace) teller = std::make_shared<const FolderNotesTeller>(std::move(*workspace));
  return [teller](const Invocation& invocation, const Context& context,
                  const Next& next) -> Result<ToolReply> {
    auto reply = next(invocation, context);
    Output* output = reply ? std::get_if<Output>(&*reply) : nullptr;
    if (teller && output != nullptr && context.memory) {
      teller->tell(invocation, *context.memory, *output);
    }
    return reply;
  };
}

}  // namespace wright::project
