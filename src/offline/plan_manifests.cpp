// Questions about what manifests list: dependencies, and the packages of a workspace. What is there
// and not read is named, since a list without it would claim to be whole.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "offline/index.h"
#include "offline/manifest_files.h"
#include "offline/markdown.h"
#include "offline/plans.h"

namespace wright::offline {
namespace {

constexpr std::size_t kMostManifestsRead = 40;

std::string in_code_spans(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::string> spans;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) spans.push_back(code_span(names[i]));
  if (names.size() > most) spans.push_back(fmt::format("… and {} more", names.size() - most));
  return fmt::format("{}", fmt::join(spans, ", "));
}

std::string packages_text(const std::vector<Manifest>& manifests, std::size_t left) {
  std::vector<std::string> items;
  for (const Manifest& manifest : manifests) {
    if (manifest.name.empty()) continue;
    items.push_back(fmt::format("{}{} ({}, {})", code_span(manifest.name),
                                manifest.version.empty() ? "" : " " + manifest.version,
                                manifest.kind, manifest.path));
  }
  if (items.empty()) return "No manifest here names a package (npm, Cargo, Python or Go).";
  AnswerText answer;
  answer.paragraph(
      fmt::format("{} named by {}:", counted(std::ssize(items), "package is", "packages are"),
                  items.size() == 1 ? "a manifest" : "manifests"));
  answer.items(items, 40, "packages");
  if (left > 0) answer.paragraph(fmt::format("{} more manifests were not read.", left));
  return answer.text();
}

void add_dependencies(AnswerText& answer, const Manifest& manifest) {
  if (manifest.dependencies.empty() && manifest.groups.empty() && manifest.not_read.empty()) return;
  std::vector<std::string> items;
  items.reserve(manifest.dependencies.size());
  for (const std::string& dependency : manifest.dependencies)
    items.push_back(code_span(dependency));
  answer.heading(fmt::format("{} ({})", manifest.path, manifest.kind));
  answer.items(items, 40, "dependencies");
  for (const DependencyGroup& group : manifest.groups)
    answer.item(fmt::format("{}: {}", group.title, in_code_spans(group.dependencies, 40)));
  for (const std::string& clause : manifest.not_read)
    answer.paragraph(fmt::format("Not all of it could be read: {}.", clause));
}

// "j/pom.xml (Maven)": what may list dependencies, too.
std::string not_read_text(const Listing& found, std::size_t left) {
  std::vector<std::string> foreign;
  std::int64_t far = 0;
  for (const FileEntry& file : found.files) {
    const std::string_view tool = foreign_manifest(file.path);
    if (path_penalty(file.path) > 0) {
      ++far;
    } else if (!tool.empty()) {
      foreign.push_back(fmt::format("{} ({})", code_span(file.path), tool));
    }
  }
  std::ranges::stable_sort(foreign, {}, depth_of);
  AnswerText text;
  if (!foreign.empty()) {
    text.heading("Not read: manifests of kinds that I do not know");
    text.items(foreign, 20, "manifests");
  }
  if (far > 0)
    text.paragraph(fmt::format("Not read: {} in folders of tests, examples and foreign code.",
                               counted(far, "manifest", "manifests")));
  if (left > 0) text.paragraph(fmt::format("{} more manifests were not read.", left));
  if (found.is_truncated) text.paragraph("Not every file was looked at: there may be more.");
  return text.text();
}

std::string dependencies_of(const ParsedPrompt& question, Investigation& look) {
  const Listing found =
      look.list_files({.pattern = manifest_glob(), .path = question.path, .limit = 1000});
  if (look.is_waiting()) return "Looking for manifest files.";
  std::vector<std::string> paths = manifest_paths(found, found.files.size());
  const std::size_t left =
      paths.size() > kMostManifestsRead ? paths.size() - kMostManifestsRead : 0;
  if (left > 0) paths.resize(kMostManifestsRead);
  const std::vector<Manifest> manifests = read_manifests(paths, look);
  if (look.is_waiting()) return "Reading the manifests.";
  AnswerText answer;
  for (const Manifest& manifest : manifests) add_dependencies(answer, manifest);
  if (answer.is_empty()) answer.paragraph("No manifest that I can read lists dependencies here.");
  if (const std::string rest = not_read_text(found, left); !rest.empty()) answer.block(rest);
  return answer.text();
}

std::string packages_of(const ParsedPrompt& question, Investigation& look) {
  std::vector<std::string> paths;
  for (const char* glob : {"package.json", "Cargo.toml", "pyproject.toml", "go.mod"}) {
    const Listing more = look.list_files({.pattern = glob, .path = question.path, .limit = 100});
    for (const FileEntry& file : more.files) paths.push_back(file.path);
  }
  if (look.is_waiting()) return "Looking for manifest files.";
  const std::size_t left =
      paths.size() > kMostManifestsRead ? paths.size() - kMostManifestsRead : 0;
  if (left > 0) paths.resize(kMostManifestsRead);
  const std::vector<Manifest> manifests = read_manifests(paths, look);
  if (look.is_waiting()) return "Reading the manifests.";
  return packages_text(manifests, left);
}

}  // namespace

std::string plan_manifests(const ParsedPrompt& question, Investigation& look) {
  return question.topic == Topic::packages ? packages_of(question, look)
                                           : dependencies_of(question, look);
}

}  // namespace wright::offline
