#include "app/commands/acp_buffers.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

#include "acp/meta.h"
#include "acp/updates.h"
#include "project/text_file.h"
#include "tools/edit/line_diff.h"

namespace wright::app {
namespace {

constexpr std::size_t kLargestBuffer = std::size_t{1} << 20;
constexpr std::size_t kMostOfDiff = std::size_t{32} * 1024;

std::string absolute_path(const std::string& base, const std::string& path) {
  return (std::filesystem::path(base) / path).lexically_normal().string();
}

// Editors may say line ends otherwise than the file has them.
std::string with_plain_ends(std::string text) {
  std::erase(text, '\r');
  return text;
}

}  // namespace

AcpBuffers::AcpBuffers(AcpPeer& peer, EditorFiles editor, std::string session, std::string base)
    : peer_(peer), editor_(editor), session_(std::move(session)), base_(std::move(base)) {}

void AcpBuffers::watch(Agent& agent) const {
  if (!editor_.reads && !editor_.writes) return;
  agent.interceptors.emplace_back(
      [buffers = *this](const Invocation& invocation, const Context& context, const Next& next) {
        return buffers.around(invocation, context, next);
      });
}

Result<ToolReply> AcpBuffers::around(const Invocation& invocation, const Context& context,
                                     const Next& next) const {
  ToolCall call = invocation.call;
  call.name = invocation.tool.spec.name;
  call.arguments = to_text(invocation.arguments);
  const std::vector<std::string> written = acp::written_paths(call);
  const bool is_about_files = call.name == "read_file" || !written.empty();
  if (!is_about_files || invocation.unusable != nullptr) return next(invocation, context);
  for (const std::string& path : written) {
    if (!editor_.reads || !unsaved(path, context)) continue;
    return fail(ErrorCode::unavailable,
                fmt::format("{} has changes in the editor that are not saved, and would be lost. "
                            "Ask the person to save or to drop them, then try again",
                            path));
  }
  auto reply = next(invocation, context);
  Output* output = reply ? std::get_if<Output>(&*reply) : nullptr;
  if (output == nullptr) return reply;
  for (const std::string& path : written) {
    if (editor_.writes) show(path, context);
  }
  if (!written.empty() || !editor_.reads) return reply;
  for (const std::string& path : acp::paths_of(call)) {
    const auto diff = unsaved(path, context);
    if (!diff) continue;
    output->notes.push_back(
        fmt::format("In the editor, {} has changes that are not saved yet:\n{}", path, *diff));
  }
  return reply;
}

std::optional<std::string> AcpBuffers::unsaved(const std::string& path,
                                               const Context& context) const {
  const std::string full = absolute_path(base_, path);
  const auto saved = project::read_text(full, kLargestBuffer, base_);
  if (!saved) return std::nullopt;
  const auto answer = ask("fs/read_text_file", {{"path", full}}, context);
  const Json* content = answer ? answer->if_contains("content") : nullptr;
  if (content == nullptr || !content->is_string() ||
      content->get_string().size() > kLargestBuffer) {
    return std::nullopt;
  }
  const std::string now = with_plain_ends(std::string(content->get_string()));
  const std::string before = with_plain_ends(*saved);
  if (now == before) return std::nullopt;
  const std::string diff = tools::unified_diff({path, path}, before, now).text;
  if (diff.empty()) return std::nullopt;
  return tools::bounded_diff(diff, kMostOfDiff);
}

void AcpBuffers::show(const std::string& path, const Context& context) const {
  const std::string full = absolute_path(base_, path);
  const auto text = project::read_text(full, kLargestBuffer, base_);
  if (!text) return;
  // The file has it already: an editor that cannot show it reads it from there.
  (void)ask("fs/write_text_file", {{"path", full}, {"content", *text}}, context);
}

Result<JsonObject> AcpBuffers::ask(std::string_view method, JsonObject params,
                                   const Context& context) const {
  params["sessionId"] = session_;
  acp::add_trace(params, context.trace);
  return peer_.ask(method, params, context.stop);
}

}  // namespace wright::app
