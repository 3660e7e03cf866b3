#include "app/commands/replay_view.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "tools/edit/line_diff.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostShownDiffLines = 60;  // of one difference

Colour colour_of_line(std::string_view line) {
  if (line.starts_with('+')) return Colour::green;
  if (line.starts_with('-')) return Colour::red;
  return line.starts_with('@') ? Colour::cyan : Colour::none;
}

std::string with_line_end(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

// The lines of a unified diff behind its two headings.
std::string_view without_headings(std::string_view diff) {
  for (int i = 0; i < 2; ++i) diff.remove_prefix(std::min(diff.find('\n'), diff.size() - 1) + 1);
  return diff;
}

}  // namespace

std::string place_of(const Difference& difference) {
  std::string place;
  for (const std::string& specialist : difference.specialists) {
    place += fmt::format("specialist {}, ", specialist);
  }
  if (difference.message) place += fmt::format("message {}, ", *difference.message);
  return on_one_line(place + difference.what);
}

std::string difference_view(const Difference& difference, std::size_t margin,
                            const Terminal& terminal) {
  const std::string recorded = with_line_end(sanitised(difference.recorded));
  const std::string now = with_line_end(sanitised(difference.now));
  const std::string indent(margin, ' ');
  std::string text;
  const auto add = [&](std::string_view line, Colour colour) {
    text += indent + painted(line, colour, terminal) + "\n";
  };
  add("--- recorded", Colour::red);
  add("+++ now", Colour::green);
  const auto diff = tools::unified_diff({"recorded", "now"}, recorded, now);
  if (diff.text.empty()) {
    add("(they differ in characters that are not shown)", Colour::dim);
    return text;
  }
  std::string_view rest = without_headings(diff.text);
  for (std::size_t shown = 0; !rest.empty(); ++shown) {
    if (shown == kMostShownDiffLines) {
      const auto more = std::ranges::count(rest, '\n');
      add(fmt::format("… {} more; --json has all of it", show_counted(more, "line")), Colour::dim);
      break;
    }
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    add(line, colour_of_line(line));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

std::string work_of(const ReplayReport& report) {
  std::string text = fmt::format("{}, {} from the record", show_counted(report.turns, "turn"),
                                 show_counted(report.recorded_calls, "tool call"));
  if (report.live_calls > 0) text += fmt::format(", {} executed", report.live_calls);
  return text;
}

JsonObject report_json(const ReplayReport& report) {
  JsonArray notes;
  for (const std::string& note : report.notes) notes.emplace_back(note);
  JsonArray differences;
  for (const Difference& each : report.differences) {
    JsonArray specialists;
    for (const std::string& name : each.specialists) specialists.emplace_back(name);
    differences.push_back({{"kind", to_string(each.kind)},
                           {"specialists", std::move(specialists)},
                           {"message", each.message ? Json(*each.message) : Json(nullptr)},
                           {"what", each.what},
                           {"recorded", each.recorded},
                           {"now", each.now}});
  }
  return {{"turns", report.turns},           {"recorded_calls", report.recorded_calls},
          {"live_calls", report.live_calls}, {"complete", report.is_complete},
          {"notes", std::move(notes)},       {"differences", std::move(differences)}};
}

}  // namespace wright::app
