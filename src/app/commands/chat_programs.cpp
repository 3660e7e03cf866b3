#include "app/commands/chat_programs.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "app/settings/file_output.h"
#include "app/terminal/screen_text.h"
#include "core/text.h"
#include "core/try.h"
#include "wright/json.h"
#include "wright/sandbox.h"

namespace wright::app {
namespace {

constexpr std::size_t kToldBytes = 16 * 1024;
constexpr std::chrono::minutes kLongestRun{30};

std::string told(const CapturedOutput& output) {
  if (output.omitted_bytes() == 0) return output.head;
  return fmt::format("{}\n[{} bytes left out]\n{}", output.head, output.omitted_bytes(),
                     output.tail);
}

}  // namespace

Result<std::string> run_shell_line(std::string_view line, const std::filesystem::path& folder,
                                   CommandContext context, const Redactor& redactor,
                                   const std::stop_token& stop) {
  SandboxPolicy policy;
  policy.mode = SandboxMode::off;
  policy.limits = {.processes = {}, .open_files = {}, .file_bytes = {}};
  policy.network = NetworkAccess::on;
  policy.environment =
      Variables(context.environment.all().begin(), context.environment.all().end());
  const auto shell = TRY(Sandbox::prepare(std::move(policy)));
  auto command = TRY(shell_command(std::string(line), folder));
  for (const char* own : {"HOME", "TMPDIR"}) {
    if (const auto value = context.environment.find(own)) command.environment[own] = *value;
  }
  CommandOptions how{.timeout = kLongestRun, .stop = stop, .kept_bytes = kToldBytes / 2};
  how.on_output = [&](OutputStream stream, std::string_view piece) {
    if (stream == OutputStream::error) return context.console.note(sanitised(piece));
    context.console.print_foreign(piece);
  };
  const auto done = TRY(shell.run(command, how));
  if (done.exit_code != 0) context.console.note(fmt::format("  exit code {}\n", done.exit_code));
  return to_valid_utf8(
      redactor.redacted(fmt::format("I ran `{}` myself; exit code {}. It printed:\n\n{}{}\n", line,
                                    done.exit_code, told(done.output), told(done.error))));
}

Result<std::string> text_from_editor(std::string_view text, CommandContext context) {
  const Environment& environment = context.environment;
  std::string editor = environment.find_non_empty("VISUAL").value_or(
      environment.find_non_empty("EDITOR").value_or(""));
  if (editor.empty()) {
    return fail(ErrorCode::not_found, "neither VISUAL nor EDITOR names an editor");
  }
  std::string path = environment.find_non_empty("TMPDIR").value_or("/tmp") + "/wright-XXXXXX.md";
  const int file = ::mkstemps(path.data(), 3);
  if (file < 0) {
    return fail(ErrorCode::storage,
                fmt::format("{} cannot be made: {}", path, std::generic_category().message(errno)));
  }
  const int problem = write_all(file, text);
  ::close(file);
  // An editor may be named with its options.
  editor += " \"$1\"";
  const std::array<const char*, 6> arguments{"sh", "-c",         editor.c_str(),
                                             "sh", path.c_str(), nullptr};
  pid_t child = -1;
  const int started = problem != 0
                          ? problem
                          : ::posix_spawn(&child, "/bin/sh", nullptr, nullptr,
                                          const_cast<char* const*>(arguments.data()), ::environ);
  int status = -1;
  while (started == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::ifstream written(path, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(written), {});
  ::unlink(path.c_str());
  if (started != 0 || status != 0) {
    return fail(ErrorCode::unavailable, "the editor ended with an error; nothing is sent");
  }
  return to_valid_utf8(std::string(trimmed(content)));
}

}  // namespace wright::app
