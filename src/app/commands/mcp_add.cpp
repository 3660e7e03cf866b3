// `wright mcp add` and `wright mcp remove`: sections of the configuration file, written and taken
// out as text, so that comments and order stay.
#include <fmt/format.h>

#include <algorithm>

#include "agents/toml_file.h"
#include "app/commands/commands.h"
#include "app/settings/file_output.h"
#include "app/terminal/screen_text.h"
#include "core/json_escape.h"
#include "core/text.h"

namespace wright::app {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text, EscapeDelete::yes);
  return out + "\"";
}

// { "A" = "b" } of A=b
Result<std::string> table_of(const std::vector<std::string>& assignments) {
  std::string text;
  for (const std::string& each : assignments) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::invalid_argument, fmt::format("'{}' must be NAME=VALUE", each));
    }
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", in_quotes(each.substr(0, equals)),
                        in_quotes(each.substr(equals + 1)));
  }
  return fmt::format("{{ {} }}", text);
}

Result<std::string> section_for(const AddMcpCommand& command) {
  std::string text = fmt::format("[mcp.servers.{}]\n", command.name);
  const std::string& first = command.target.front();
  if (first.starts_with("http://") || first.starts_with("https://")) {
    if (command.target.size() > 1) {
      return fail(ErrorCode::invalid_argument, "nothing may follow the address of a server");
    }
    text += fmt::format("url = {}\n", in_quotes(first));
  } else {
    text += fmt::format("command = {}\n", in_quotes(first));
    std::vector<std::string> arguments;
    for (std::size_t i = 1; i < command.target.size(); ++i) {
      arguments.push_back(in_quotes(command.target[i]));
    }
    if (!arguments.empty()) text += fmt::format("args = [{}]\n", fmt::join(arguments, ", "));
  }
  if (!command.variables.empty()) {
    const auto table = table_of(command.variables);
    if (!table) return table;
    text += fmt::format("env = {}\n", *table);
  }
  if (!command.headers.empty()) {
    const auto table = table_of(command.headers);
    if (!table) return table;
    text += fmt::format("headers = {}\n", *table);
  }
  return text;
}

// The text without [mcp.servers.NAME] and the sections below it. Absent when it has none.
std::optional<std::string> without_section(std::string_view text, std::string_view name) {
  const std::string own = fmt::format("mcp.servers.{}", name);
  const std::string quoted_own = fmt::format("mcp.servers.\"{}\"", name);
  std::string kept;
  bool is_found = false;
  bool is_inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    const std::string_view words = trimmed(line);
    if (words.starts_with('[') && words.find(']') != std::string_view::npos) {
      const std::string_view header = trimmed(words.substr(1, words.find(']') - 1));
      is_inside = header == own || header == quoted_own || header.starts_with(own + ".") ||
                  header.starts_with(quoted_own + ".");
      is_found = is_found || is_inside;
    }
    if (!is_inside) kept += line;
  }
  if (!is_found) return std::nullopt;
  return kept;
}

// Writes it if it is a configuration that can be read.
ExitCode write_or_complain(const std::filesystem::path& path, const std::string& text,
                           CommandContext context) {
  const auto parsed = parse_config(text, path, context.environment);
  if (!parsed) {
    context.console.complain(parsed.error().message, "Nothing was written.");
    return ExitCode::usage;
  }
  std::error_code ignored;
  const auto written = std::filesystem::exists(path, ignored) ? write_file(path, text)
                                                              : create_private_file(path, text);
  if (!written) {
    context.console.complain(written.error().message);
    return ExitCode::failed;
  }
  return ExitCode::ok;
}

std::optional<std::filesystem::path> path_or_complain(const SettingFlags& flags,
                                                      CommandContext context) {
  const ConfigLocation location = locate_config(flags, context.environment);
  if (!location.path.empty()) return location.path;
  context.console.complain("there is no home folder", "Set HOME, or pass --config FILE.");
  return std::nullopt;
}

ExitCode complain_about_write(const Error& error, Console& console) {
  console.complain(error.message);
  return ExitCode::failed;
}

// Nothing where there is no file yet; absent after a complaint.
std::optional<std::string> text_or_complain(const std::filesystem::path& path, Console& console) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::string();
  auto text = read_toml_file(path, "the configuration");
  if (text) return std::move(*text);
  console.complain(text.error().message);
  return std::nullopt;
}

}  // namespace

ExitCode execute(const AddMcpCommand& command, CommandContext context) {
  Console& console = context.console;
  if (!is_server_name(command.name)) {
    console.complain(fmt::format("'{}' cannot be the name of a server", command.name),
                     "Use letters, digits and -, at most 32.");
    return ExitCode::usage;
  }
  const auto path = path_or_complain(command.settings, context);
  if (!path) return ExitCode::failed;
  const auto turn = turn_to_change(*path);
  if (!turn) return complain_about_write(turn.error(), console);
  auto text = text_or_complain(*path, console);
  if (!text) return ExitCode::failed;
  if (without_section(*text, command.name)) {
    console.complain(fmt::format("there is a server {} already", command.name),
                     fmt::format("`wright mcp remove {}` takes it out.", command.name));
    return ExitCode::usage;
  }
  const auto section = section_for(command);
  if (!section) {
    console.complain(section.error().message);
    return ExitCode::usage;
  }
  if (!text->empty() && !text->ends_with('\n')) *text += '\n';
  if (!text->empty()) *text += '\n';
  *text += *section;
  const ExitCode code = write_or_complain(*path, *text, context);
  if (code != ExitCode::ok) return code;
  console.note(fmt::format("Added {} to {}. `wright mcp test {}` tries it.\n", command.name,
                           on_one_line(path->string()), command.name));
  return ExitCode::ok;
}

ExitCode execute(const RemoveMcpCommand& command, CommandContext context) {
  Console& console = context.console;
  const auto path = path_or_complain(command.settings, context);
  if (!path) return ExitCode::failed;
  const auto turn = turn_to_change(*path);
  if (!turn) return complain_about_write(turn.error(), console);
  const auto text = text_or_complain(*path, console);
  if (!text) return ExitCode::failed;
  const auto kept = without_section(*text, command.name);
  if (!kept) {
    console.complain(fmt::format("there is no section [mcp.servers.{}] in {}", command.name,
                                 on_one_line(path->string())),
                     "`wright mcp` lists the servers.");
    return ExitCode::usage;
  }
  const ExitCode code = write_or_complain(*path, *kept, context);
  if (code == ExitCode::ok) console.note(fmt::format("Removed {}.\n", command.name));
  return code;
}

}  // namespace wright::app
