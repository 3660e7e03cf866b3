#include "app/commands/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "app/commands/help_pages.h"
#include "app/settings/config_keys.h"
#include "app/terminal/screen_text.h"

namespace wright::app {
namespace {

// One line a command, for the overview. `help` has no page of its own.
constexpr std::array kOverview{
    std::pair{"run AGENT PROMPT", "Run an agent and print its answer"},
    std::pair{"chat [AGENT]", "Talk with an agent"},
    std::pair{"resume ID", "Go on with a session that was interrupted or answered"},
    std::pair{"waits", "List what waits for a person"},
    std::pair{"answer ID", "Answer what a session waits for"},
    std::pair{"worker", "Drive sessions of the queue"},
    std::pair{"migrate", "Copy all sessions to another store"},
    std::pair{"sessions", "List, show, export, fork, take back and delete past sessions"},
    std::pair{"replay ID", "Run a past session again, offline, and show what differs"},
    std::pair{"test FILE…", "Run recorded sessions as tests"},
    std::pair{"feedback", "What past sessions say about the tools"},
    std::pair{"stats", "How often, how long, how much"},
    std::pair{"agents", "List the agents, show one, write or trust one"},
    std::pair{"tools", "List the tools, show one, call one"},
    std::pair{"mcp", "MCP servers for agents; Wright as one"},
    std::pair{"models", "List vendors and models, and which have a key"},
    std::pair{"batch", "Send many prompts at once, for half the price"},
    std::pair{"config", "Show the settings and where each came from"},
    std::pair{"init", "Choose a model, try it, and write the configuration"},
    std::pair{"acp", "Serve an editor (Agent Client Protocol)"},
    std::pair{"completions SHELL", "Print completions for bash, zsh or fish"},
    std::pair{"trust", "Agree to the skills and hooks of this folder"},
    std::pair{"doctor", "Check what works on this machine"},
    std::pair{"serve", "Serve sessions and agents over HTTP"},
    std::pair{"token", "List, make and remove tokens for the server"},
    std::pair{"help COMMAND", "Explain a command, with examples"},
};

// Whether every command that has a page is in the overview.
constexpr bool overview_is_whole() {
  return std::ranges::all_of(kCommandHelp, [](const CommandHelp& help) {
    if (help.path.find(' ') != std::string_view::npos) return true;
    return std::ranges::any_of(kOverview, [&](const auto& line) {
      const std::string_view name = line.first;
      return name.substr(0, name.find(' ')) == help.path;
    });
  });
}
static_assert(overview_is_whole());

std::string command_list() {
  std::vector<HelpRow> rows;
  rows.reserve(kOverview.size());
  for (const auto& [name, description] : kOverview) rows.push_back({"Commands", name, description});
  return help_table(rows);
}

std::string environment_list() {
  std::vector<HelpRow> rows{{"Environment", "WRIGHT_CONFIG", "the configuration file"}};
  constexpr std::string_view kKey = "_API_KEY";
  constexpr std::size_t kColumns = 94;
  std::string vendors;
  std::string others;
  for (const ConfigKey& key : kConfigKeys) {
    const std::string_view variable = key.environment_variable;
    if (variable.empty()) continue;
    if (key.section == "api_keys") {
      const bool is_usual = variable.ends_with(kKey);
      std::string& list = is_usual ? vendors : others;
      if (list.find(variable) != std::string::npos) continue;  // it is for two of them
      if (!list.empty()) list += ", ";
      list += is_usual ? variable.substr(0, variable.size() - kKey.size()) : variable;
      continue;
    }
    rows.push_back({"Environment", std::string(key.environment_variable),
                    key.flag.empty() ? key.full_name() : fmt::format("like {}", key.flag)});
  }
  rows.push_back({"Environment", "NO_COLOR", "no colours"});
  return help_table(rows) + fmt::format("  <VENDOR>_API_KEY with VENDOR one of\n{}\n  and\n{}\n",
                                        indented(wrapped(vendors, kColumns), 4),
                                        indented(wrapped(others, kColumns), 4));
}

// Sentences that were broken for a wider screen are put on one line again, to be broken for this.
std::string with_paragraphs_joined(std::string_view text, std::size_t columns) {
  std::string out;
  std::string paragraph;
  bool is_too_wide = false;
  const auto end_paragraph = [&] {
    if (is_too_wide) std::ranges::replace(paragraph, '\n', ' ');
    if (!paragraph.empty()) out += paragraph + '\n';
    paragraph.clear();
    is_too_wide = false;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_prose = !line.empty() && !line.starts_with(' ') && !line.ends_with(':');
    if (is_prose) {
      is_too_wide = is_too_wide || columns_of(line) > columns;
      paragraph += (paragraph.empty() ? "" : "\n") + std::string(line);
    } else {
      end_paragraph();
      out.append(line).append("\n");
    }
  }
  end_paragraph();
  return out;
}

}  // namespace

const CommandHelp& help_for(std::string_view path) {
  return *std::ranges::find(kCommandHelp, path, &CommandHelp::path);
}

std::string help_table(std::span<const HelpRow> rows) {
  std::size_t widest = 0;
  std::vector<std::string_view> groups;
  for (const HelpRow& row : rows) {
    widest = std::max(widest, columns_of(row.name));
    if (std::ranges::find(groups, std::string_view(row.group)) == groups.end()) {
      groups.push_back(row.group);
    }
  }
  std::string text;
  for (const std::string_view group : groups) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{}:\n", group);
    for (const HelpRow& row : rows) {
      if (row.group != group) continue;
      text += fmt::format("  {}  {}\n", padded(row.name, widest), row.description);
    }
  }
  return text;
}

std::string short_help() {
  return fmt::format(
      "Usage: wright COMMAND [options]\n"
      "       wright                    at a terminal: work on the code of this folder\n\n{}\n"
      "Try: wright run codebase-analysis \"Summarise this project\"\n"
      "All of the help: wright --help\n",
      command_list());
}

std::string overview_help() {
  return fmt::format(
      R"(wright runs agents that use tools. Every tool call is checked before it runs, confined while
it runs, and recorded.

Usage: wright COMMAND [options]
       wright                    at a terminal: work on the code of this folder (chat coding)

{}
Examples:
  wright run codebase-analysis "Where is the configuration read?"
  wright sessions show last
  wright tools call grep '{{"pattern": "TODO"}}'
  wright help run

Exit codes:
  0    success
  1    the run, the tool or the check failed
  2    bad flags, bad configuration, unknown agent
  3    a person has to answer first
  75   the queue is full, or the server: nothing was begun, try again later
  130  interrupted
  141  success, but the reader of standard output went away before its end

{}
Files:
  $XDG_CONFIG_HOME/wright/config.toml   configuration (~/.config/wright/config.toml)
  $XDG_CONFIG_HOME/wright/agents/       agents of your own (~/.config/wright/agents/)
  $XDG_DATA_HOME/wright/agents.db       sessions (~/.local/share/wright/agents.db)
  $XDG_STATE_HOME/wright/chat_history   what was typed (~/.local/state/wright/chat_history)

A flag wins over the environment, the environment over the file. `wright config` shows what
holds and why; `wright doctor` shows what works.
)",
      command_list(), environment_list());
}

std::string command_help(const CommandHelp& help, std::string_view options) {
  std::string text = fmt::format("{}\n\nUsage: wright {}\n\n{}", help.summary, help.usage, options);
  if (!help.more.empty()) text += fmt::format("\n{}", help.more);
  return text;
}

std::string decorated_help(std::string_view help, const Terminal& terminal) {
  const std::string fitted =
      terminal.is_terminal ? with_paragraphs_joined(help, terminal.columns) : std::string(help);
  std::string_view text = fitted;
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end);
    const bool is_heading = line.ends_with(':') && !line.starts_with(' ');
    if (line.starts_with("Usage:")) {
      out += painted("Usage:", Colour::bold, terminal);
      out += line.substr(6);
    } else {
      out += is_heading ? painted(line, Colour::bold, terminal) : std::string(line);
    }
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace wright::app
