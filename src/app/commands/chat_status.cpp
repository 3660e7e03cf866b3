#include "app/commands/chat_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "app/commands/chat_sessions.h"
#include "app/commands/commands.h"
#include "app/settings/file_output.h"
#include "app/settings/paths.h"
#include "app/terminal/figures.h"
#include "app/terminal/person/line_editor.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/transcript.h"
#include "app/wiring/stored_session.h"
#include "core/saturating.h"
#include "core/text.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostRows = 12;

struct Candidate {
  const Session* session;
  int score;
};

std::string words_of(const Session& session) {
  return fmt::format("{} {} {}", session.id, session.agent_name, on_one_line(session.user_prompt));
}

std::vector<Candidate> fitting(const std::vector<Session>& sessions, std::string_view typed) {
  std::vector<Candidate> found;
  for (const Session& session : sessions) {
    if (const auto score = fuzzy_score(typed, words_of(session))) {
      found.push_back({&session, *score});
    }
  }
  std::ranges::stable_sort(found, std::greater<>(), &Candidate::score);
  return found;
}

}  // namespace

std::string cost_status(double cost_usd, const std::optional<double>& most_usd) {
  const std::string cost = cost_usd > 0 ? show_cost(cost_usd) : "$0";
  if (most_usd) return fmt::format(" · {} of {}", cost, show_cost(*most_usd));
  return cost_usd > 0 ? fmt::format(" · {}", cost) : std::string();
}

std::string chat_status(const Conversation& conversation, Store& store,
                        const Environment& environment) {
  const Agent& agent = conversation.agent();
  std::string line = model_label(agent.model.provider(), agent.model.name());
  const SessionId id = conversation.session_id();
  if (const auto session =
          id == 0 ? Result<Session>(std::unexpected(Error{})) : store.get_session(id)) {
    const Usage& usage = session->usage;
    line += fmt::format(" · {} tokens",
                        show_count(saturating_sum(usage.input_tokens, usage.output_tokens)));
    if (const auto context = conversation.context(); context && context->window) {
      line += fmt::format(" · window {} %", 100 * context->tokens / *context->window);
    }
    line += cost_status(usage.cost_usd, agent.limits.max_cost_usd);
  }
  if (agent.limits.max_tokens) {
    line += fmt::format(" · at most {}", show_count(*agent.limits.max_tokens));
  }
  std::error_code error;
  const auto base = std::filesystem::weakly_canonical(conversation.settings().base_path(), error);
  line += " · " + shorten_home(error ? conversation.settings().base_path() : base, environment);
  const std::string branch = branch_of(conversation.settings());
  if (!branch.empty()) line += fmt::format(" ({})", branch);
  return on_one_line(line);
}

ExitCode show_usage(SessionId id, Store& store, Console& console) {
  if (id == 0) {
    console.print("  Nothing has been used yet.\n");
    return ExitCode::ok;
  }
  const auto session = store.get_session(id);
  if (!session) return complain_about(session.error(), console);
  const auto calls = store.get_tool_calls(session->id);
  if (!calls) return complain_about(calls.error(), console);
  const Usage& usage = session->usage;
  std::string text = fmt::format("  session {} · {} · {}", session->id,
                                 show_counted(std::ssize(*calls), "tool call"), show_tokens(usage));
  if (usage.cost_usd > 0) text += fmt::format(" · {}", show_cost(usage.cost_usd));
  console.print(text + "\n");
  return ExitCode::ok;
}

ExitCode export_session(SessionId id, Store& store, const std::string& file,
                        CommandContext context) {
  Console& console = context.console;
  if (id == 0) {
    return complain_about({ErrorCode::unavailable, "nothing has been said yet", {}}, console);
  }
  const auto transcript = load_transcript(store, id);
  if (!transcript) return complain_about(transcript.error(), console);
  const std::string text = file.ends_with(".json")
                               ? to_pretty_text(transcript_json(*transcript)) + "\n"
                               : transcript_markdown(*transcript);
  if (file.empty()) {
    console.print_foreign(text);
    return ExitCode::ok;
  }
  const auto path = expand_home(file, context.environment);
  if (const auto written = create_private_file(path, text); !written) {
    return complain_about(written.error(), console);
  }
  console.note(fmt::format("  Written to {}\n", on_one_line(path.string())));
  return ExitCode::ok;
}

std::optional<int> fuzzy_score(std::string_view typed, std::string_view text) {
  const std::string wanted = lower(typed);
  const std::string words = lower(text);
  int score = 0;
  std::size_t at = 0;
  bool is_first = true;
  for (const char c : wanted) {
    if (c == ' ') continue;
    const std::size_t found = words.find(c, at);
    if (found == std::string::npos) return std::nullopt;
    const bool begins_word = found == 0 || words[found - 1] == ' ';
    if (!is_first && found == at) score += 3;  // right behind the one before
    if (begins_word) score += 2;
    if (!is_first) score -= static_cast<int>(std::min<std::size_t>(found - at, 3));
    is_first = false;
    at = found + 1;
  }
  return score;
}

std::optional<SessionId> pick_session(const std::vector<Session>& sessions,
                                      const PersonTerminal& where) {
  TerminalDialogue dialogue(where);
  LineEditor typed;
  std::size_t chosen = 0;
  std::vector<Candidate> found = fitting(sessions, {});
  const auto render = [&](ScreenSize size) {
    const std::string lead = "Which session? ";
    const VisibleLine line = typed.visible(size.columns - std::min(size.columns, lead.size() + 1));
    LiveLines live{{{line.text, Colour::none, lead}}, 0, lead.size() + line.cursor};
    const std::size_t rows =
        std::min({found.size(), kMostRows, size.rows - std::min(size.rows, 3UL)});
    const std::size_t first = chosen < rows ? 0 : chosen + 1 - rows;
    for (std::size_t i = first; i < first + rows; ++i) {
      const Session& session = *found[i].session;
      const std::string text =
          fmt::format("{} {:>5}  {:<9}  {}", i == chosen ? "▸" : " ", session.id,
                      to_string(session.status), on_one_line(session.user_prompt));
      live.lines.push_back(
          {shortened(sanitised(text), size.columns - 1), i == chosen ? Colour::bold : Colour::dim});
    }
    if (found.empty()) live.lines.push_back({"  none fits", Colour::dim});
    live.lines.push_back(
        {shortened("type to search, ↑ ↓ to choose, Enter goes on with it, Ctrl-G with none",
                   size.columns - 1),
         Colour::dim});
    return live;
  };
  while (true) {
    const auto key = dialogue.next_key(render);
    if (!key || key->kind == KeyKind::interrupt || key->kind == KeyKind::end_of_input ||
        key->kind == KeyKind::cancel) {
      return std::nullopt;
    }
    if (key->kind == KeyKind::enter) {
      if (found.empty()) return std::nullopt;
      return found[chosen].session->id;
    }
    if (key->kind == KeyKind::up || key->kind == KeyKind::down) {
      if (key->kind == KeyKind::up && chosen > 0) --chosen;
      if (key->kind == KeyKind::down && chosen + 1 < found.size()) ++chosen;
      continue;
    }
    typed.apply(*key);
    found = fitting(sessions, typed.text());
    chosen = 0;
  }
}

}  // namespace wright::app
