// `wright feedback`: what past sessions say about the tools.
#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/debug_wiring.h"
#include "app/wiring/stored_session.h"
#include "app/wiring/stored_sessions.h"
#include "feedback/summary.h"

namespace wright::app {
namespace {

using feedback::FeedbackSummary;
using feedback::Trouble;
using feedback::Wish;

std::string_view name_of(Impact priority) {
  return wright_enumerators(Of<Impact>{})[static_cast<std::size_t>(priority)].second;
}

Colour impact_colour(Impact priority) {
  switch (priority) {
    case Impact::critical: return Colour::red;
    case Impact::high: return Colour::yellow;
    case Impact::medium: return Colour::cyan;
    case Impact::low: break;
  }
  return Colour::dim;
}

std::string title_of(const Wish& wish) {
  const Suggestion& suggestion = wish.suggestion;
  if (suggestion.tool_spec) return on_one_line(suggestion.tool_spec->name);
  if (suggestion.config_change) {
    return on_one_line(suggestion.config_change->entity + ": " + suggestion.config_change->change);
  }
  return on_one_line(suggestion.description);
}

std::string examples_of(const std::vector<SessionId>& examples) {
  return fmt::format("see {} {}", examples.size() == 1 ? "session" : "sessions",
                     fmt::join(examples, ", "));
}

class FeedbackView {
 public:
  explicit FeedbackView(const Terminal& terminal) : terminal_(terminal) {}

  std::string render(const FeedbackSummary& summary) && {
    out_ = fmt::format("{}, {} with feedback", show_counted(summary.sessions, "session"),
                       summary.with_feedback);
    if (summary.contradicted > 0) {
      out_ +=
          fmt::format(", {} where the model's words and the record differ", summary.contradicted);
    }
    if (summary.unreadable > 0) out_ += fmt::format(", {} unreadable", summary.unreadable);
    out_ += '\n';
    wishes("Tools to build", summary.tools_to_build);
    wishes("Fields to expose", summary.fields_to_expose);
    wishes("What to improve", summary.improvements);
    troubles(summary.troubled_tools);
    return std::move(out_);
  }

 private:
  void heading(std::string_view text) {
    out_ += fmt::format("\n{}\n", painted(text, Colour::bold, terminal_));
  }
  void detail(std::string_view text) {
    out_ +=
        fmt::format("     {}\n", painted(fitted_prose(text, 5, terminal_), Colour::dim, terminal_));
  }

  void wishes(std::string_view title, const std::vector<Wish>& wishes) {
    if (wishes.empty()) return;
    heading(title);
    int place = 0;
    for (const Wish& wish : wishes) {
      const Suggestion& suggestion = wish.suggestion;
      out_ += fmt::format(
          "{:>3}. {}  {}, {}\n", ++place, title_of(wish), show_counted(wish.sessions, "session"),
          painted(name_of(suggestion.priority), impact_colour(suggestion.priority), terminal_));
      detail(on_one_line(suggestion.tool_spec ? suggestion.tool_spec->purpose
                                              : suggestion.description));
      if (suggestion.tool_spec && !suggestion.tool_spec->parameters.empty()) {
        detail(on_one_line(
            fmt::format("parameters: {}", fmt::join(suggestion.tool_spec->parameters, ", "))));
      }
      detail(examples_of(wish.examples));
    }
  }

  void troubles(const std::vector<Trouble>& troubles) {
    if (troubles.empty()) return;
    heading("Tools that fail or confuse");
    int place = 0;
    for (const Trouble& trouble : troubles) {
      out_ += fmt::format("{:>3}. {}  {} of {} failed", ++place, on_one_line(trouble.tool),
                          trouble.failed, show_counted(trouble.calls, "call"));
      if (trouble.confused > 0) {
        out_ += fmt::format(", {} of them by arguments that did not fit", trouble.confused);
      }
      out_ += '\n';
      detail(on_one_line(trouble.example_error));
      detail(examples_of(trouble.examples));
    }
  }

  const Terminal& terminal_;
  std::string out_;
};

}  // namespace

ExitCode execute(const FeedbackCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  feedback::FeedbackCollector collector([&](std::string_view tool, std::string_view agent) {
    return way_to_tool(tool, agent, {}, *settings);
  });
  const auto damaged =
      visit_sessions(*settings, {command.agent, command.since, command.tenant},
                     [&](const Session& session, std::span<const StoredCall> calls) {
                       collector.add(session, calls);
                     });
  if (!damaged) return complain_about(damaged.error(), context.console);
  const FeedbackSummary summary = std::move(collector).finish();
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(to_json(summary)) + "\n");
  } else if (summary.sessions == 0) {
    context.console.note("No sessions. Start one: wright run codebase-analysis --debug \"…\"\n");
  } else {
    context.console.print(FeedbackView(context.console.output()).render(summary));
    if (summary.with_feedback == 0) {
      context.console.note(
          "No session was in debug mode: `wright run --debug` asks for feedback.\n");
    }
  }
  for (const Session& session : *damaged) {
    context.console.note(words_on_damaged(session) + "\n");
  }
  return ExitCode::ok;
}

}  // namespace wright::app
