#include "app/commands/chat_clipboard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "app/settings/file_output.h"
#include "core/file_descriptor.h"
#include "core/media_type.h"
#include "core/try.h"
#include "wright/sandbox.h"

namespace wright::app {
namespace {

constexpr std::size_t kLargestImage = std::size_t{20} * 1024 * 1024;
constexpr std::chrono::seconds kPatienceWithClipboard{5};
constexpr int kNoSuchProgram = 127;

// The first that is there answers, as bash is told; 127: none is.
constexpr std::string_view kReadImage =
    "if [ -n \"$WAYLAND_DISPLAY\" ] && command -v wl-paste > /dev/null; then\n"
    "  exec wl-paste --no-newline --type image/png\n"
    "elif command -v xclip > /dev/null; then\n"
    "  exec xclip -selection clipboard -t image/png -o\n"
    "elif command -v pngpaste > /dev/null; then\n"
    "  exec pngpaste -\n"
    "fi\n"
    "exit 127\n";

Result<std::string> write_image(std::string_view bytes, const std::filesystem::path& folder) {
  constexpr std::string_view kEnding = ".png";
  std::string path = (folder / fmt::format("wright-clipboard-XXXXXX{}", kEnding)).string();
  const FileDescriptor file(::mkostemps(path.data(), static_cast<int>(kEnding.size()), O_CLOEXEC));
  if (!file.is_open() || write_all(file.get(), bytes) != 0) {
    return fail(ErrorCode::storage, fmt::format("The image cannot be kept in {}", folder.string()));
  }
  return path;
}

}  // namespace

Result<std::string> image_from_clipboard(const Environment& environment,
                                         const std::filesystem::path& folder) {
  SandboxPolicy policy;
  policy.mode = SandboxMode::off;
  policy.limits = {.processes = {}, .open_files = {}, .file_bytes = {}};
  policy.network = NetworkAccess::on;  // X11 may be one
  policy.environment = Variables(environment.all().begin(), environment.all().end());
  const auto shell = TRY(Sandbox::prepare(std::move(policy)));
  const auto command = TRY(shell_command(std::string(kReadImage), folder));
  const auto done =
      TRY(shell.run(command, {.timeout = kPatienceWithClipboard, .kept_bytes = 2 * kLargestImage}));
  if (done.exit_code == kNoSuchProgram) {
    return fail(ErrorCode::unavailable,
                "Images are taken from the clipboard by wl-paste (Wayland) or xclip (X11), and "
                "neither is installed; paste the path of a file instead");
  }
  const std::string bytes = done.output.head + done.output.tail;
  if (done.exit_code != 0 || media_type(bytes) != "image/png") {
    return fail(ErrorCode::not_found, "There is no image in the clipboard");
  }
  if (done.output.omitted_bytes() > 0 || bytes.size() > kLargestImage) {
    return fail(ErrorCode::limit_reached,
                fmt::format("The image in the clipboard is larger than {} MiB",
                            kLargestImage / (1024 * 1024)));
  }
  return write_image(bytes, folder);
}

}  // namespace wright::app
