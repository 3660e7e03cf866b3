// `wright stats`: how often tools, agents and models were used, how long it took, what it cost.
#include "feedback/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands/commands.h"
#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/stored_session.h"
#include "app/wiring/stored_sessions.h"

namespace wright::app {
namespace {

using feedback::Figures;
using feedback::Statistics;
using feedback::Timing;

constexpr std::size_t kBarWidth = 20;

// Eighths of a column, so that small differences show. Anything above nothing is at least a sliver.
std::string bar(double share) {
  constexpr std::array<std::string_view, 8> kPart{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto wanted = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(kBarWidth * 8)));
  const std::size_t eighths = share > 0 ? std::max<std::size_t>(wanted, 1) : 0;
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + std::string(kPart[eighths % 8]);
}

std::string duration(const Timing& timing, double milliseconds) {
  if (timing.timed == 0) return "-";
  // Stored durations are whole milliseconds.
  return milliseconds < 1 ? "<1 ms" : show_duration(milliseconds);
}

std::string percent(const Timing& timing) {
  return timing.failed == 0 ? "-" : fmt::format("{:.1f} %", timing.failure_rate() * 100);
}

using StatsRow = std::vector<std::string>;

std::vector<std::size_t> widths_of(const std::vector<StatsRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const StatsRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  return widths;
}

// Leaves columns out until the others fit: first the bar, then times that others stand for.
std::vector<StatsRow> fitted_rows(std::vector<StatsRow> rows, std::size_t columns) {
  for (const std::string_view least : {"", "P99", "P50", "CALLS", "MEAN"}) {
    std::size_t width = 0;
    for (const std::size_t each : widths_of(rows)) width += each + 2;
    if (width <= columns) break;
    const auto found = std::ranges::find(rows.front().begin() + 2, rows.front().end(), least);
    if (found == rows.front().end()) continue;
    const auto column = found - rows.front().begin();
    for (StatsRow& row : rows) row.erase(row.begin() + column);
  }
  return rows;
}

std::string table(std::vector<StatsRow> rows, const Terminal& terminal) {
  if (terminal.is_terminal) rows = fitted_rows(std::move(rows), terminal.columns);
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string text;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    std::string line = "  ";
    for (std::size_t i = 0; i < rows[n].size(); ++i) {
      const std::string& cell = rows[n][i];
      const std::string space(widths[i] - columns_of(cell), ' ');
      const bool is_left = i == 0 || rows.front()[i].empty();  // the name and the bar
      line += (i == 0 ? "" : "  ") + (is_left ? cell + space : space + cell);
    }
    while (line.ends_with(' ')) line.pop_back();
    text += painted(line, n == 0 ? Colour::dim : Colour::none, terminal) + "\n";
  }
  return text;
}

// A model may have called anything a tool; one such name would make every line as long.
std::string shown_name(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  const std::string_view head = utf8_prefix(name, kLongest);
  return on_one_line(head) + (head.size() < name.size() ? "…" : "");
}

enum class Measure : std::uint8_t { calls, runs };

std::string section(std::string_view title, const std::vector<Figures>& list, Measure measure,
                    const Terminal& terminal) {
  if (list.empty()) return {};
  const auto timing_of = [&](const Figures& each) -> const Timing& {
    return measure == Measure::calls ? each.calls : each.runs;
  };
  const bool has_runs = measure == Measure::runs;
  std::int64_t most = 1;
  bool has_unknown = false;  // which is rare
  for (const Figures& each : list) {
    most = std::max(most, timing_of(each).count);
    has_unknown |= timing_of(each).unknown > 0;
  }
  std::vector<StatsRow> rows{{std::string(title), has_runs ? "RUNS" : "CALLS", "FAILED"}};
  if (has_unknown) rows[0].emplace_back("UNKNOWN");
  for (const char* column : {"MEAN", "P50", "P95", "P99"}) rows[0].emplace_back(column);
  if (has_runs) {
    for (const char* column : {"CALLS", "TOKENS IN", "OUT", "COST"}) rows[0].emplace_back(column);
  }
  if (terminal.is_terminal) rows[0].emplace_back("");
  for (const Figures& each : list) {
    const Timing& timing = timing_of(each);
    StatsRow row{shown_name(each.name), show_count(timing.count), percent(timing)};
    if (has_unknown) row.push_back(timing.unknown == 0 ? "-" : show_count(timing.unknown));
    for (const double time : {timing.mean_ms, timing.p50_ms, timing.p95_ms, timing.p99_ms}) {
      row.push_back(duration(timing, time));
    }
    if (has_runs) {
      row.push_back(show_count(each.calls.count));
      row.push_back(show_count(each.usage.input_tokens));
      row.push_back(show_count(each.usage.output_tokens));
      row.push_back(each.usage.cost_usd > 0 ? show_cost(each.usage.cost_usd) : "-");
    }
    if (terminal.is_terminal) {
      row.push_back(bar(static_cast<double>(timing.count) / static_cast<double>(most)));
    }
    rows.push_back(std::move(row));
  }
  return "\n" + table(std::move(rows), terminal);
}

std::string view(const Statistics& statistics, const Terminal& terminal) {
  const Figures& all = statistics.all;
  std::string text = fmt::format("{}, {}", show_counted(all.runs.count, "run"),
                                 show_counted(all.calls.count, "tool call"));
  if (all.usage.input_tokens > 0 || all.usage.output_tokens > 0) {
    text += ", " + show_tokens(all.usage);
  }
  if (all.usage.cost_usd > 0) text += ", " + show_cost(all.usage.cost_usd);
  text += '\n';
  text += section("TOOL", statistics.tools, Measure::calls, terminal);
  text += section("AGENT", statistics.agents, Measure::runs, terminal);
  text += section("MODEL", statistics.models, Measure::runs, terminal);
  return text;
}

}  // namespace

ExitCode execute(const StatsCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto stats = stored_stats(*settings, {command.agent, command.since, command.tenant});
  if (!stats) return complain_about(stats.error(), context.console);
  const Statistics statistics = feedback::statistics_of(*stats);
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(to_json(statistics)) + "\n");
  } else if (statistics.all.runs.count == 0) {
    context.console.note("No sessions. Start one: wright run codebase-analysis \"…\"\n");
  } else {
    context.console.print(view(statistics, context.console.output()));
  }
  return ExitCode::ok;
}

}  // namespace wright::app
