#include "app/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "core/saturating.h"
#include "wright/message.h"

namespace wright::app {
namespace {

constexpr std::size_t kRoomForArguments = 20;
constexpr std::size_t kMostErrorLines = 10;
constexpr std::array<std::string_view, 10> kFrames{"⠋", "⠙", "⠹", "⠸", "⠼",
                                                   "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::chrono::milliseconds kFrameTime{100};
constexpr std::size_t kLongestValue = 60;          // columns of one argument
constexpr std::size_t kLongestProgressLine = 160;  // columns of a line where no terminal bounds it
constexpr std::string_view kModelActivity;         // the model has no call id

std::string_view marker_of(const ToolOutcome& outcome) {
  if (outcome.waiting) return "…";
  return outcome.result.is_error ? "✗" : "✓";
}

Colour outcome_colour(const ToolOutcome& outcome) {
  if (outcome.waiting) return Colour::yellow;
  return outcome.result.is_error ? Colour::red : Colour::green;
}

// The conditions and orders of a search read better as words than as JSON: name = main.
std::string in_words(const Json& value) {
  if (value.is_string()) return std::string(value.get_string());
  std::string words;
  const auto add = [&](const Json& part, std::string_view between) {
    words += (words.empty() ? "" : std::string(between)) + in_words(part);
  };
  if (const JsonObject* object = value.if_object()) {
    for (const auto& [key, part] : *object) add(part, " ");
  } else if (const JsonArray* array = value.if_array()) {
    for (const Json& part : *array) add(part, ", ");
  } else {
    return to_text(value);
  }
  return words;
}

bool holds_objects(const Json& value) {
  const JsonArray* array = value.if_array();
  return value.is_object() ||
         (array != nullptr && !array->empty() &&
          std::ranges::all_of(*array, [](const Json& part) { return part.is_object(); }));
}

std::string quoted(const Json& value) {
  if (holds_objects(value)) return fmt::format("({})", in_words(value));
  if (!value.is_string()) return to_text(value);
  return fmt::format("\"{}\"", std::string_view(value.get_string()));
}

}  // namespace

std::string summary_of_arguments(std::string_view arguments, std::size_t columns) {
  const auto parsed = parse_json(arguments);
  if (!parsed || !parsed->is_object()) return shortened(on_one_line(arguments), columns);
  std::string summary;
  for (const auto& [key, value] : parsed->get_object()) {
    if (!summary.empty()) summary += ' ';
    summary += fmt::format("{}={}", on_one_line(key),
                           shortened(on_one_line(quoted(value)), kLongestValue));
  }
  return shortened(summary, columns);
}

std::string progress_bar(const IndexProgress& index, std::size_t columns) {
  constexpr std::size_t kWidest = 30;
  const std::int64_t total = std::max<std::int64_t>(index.total, 1);
  const std::int64_t done = std::clamp<std::int64_t>(index.done, 0, total);
  const std::string figures = fmt::format(" {} of {}", show_count(done), show_count(total));
  const std::size_t used = columns_of(index.what) + 1 + columns_of(figures);
  const std::size_t width = std::min(kWidest, columns - std::min(columns, used));
  const auto full = static_cast<std::size_t>(
      static_cast<double>(width) * static_cast<double>(done) / static_cast<double>(total));
  std::string bar;
  for (std::size_t i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  return shortened(fmt::format("{} {}{}", index.what, bar, figures), columns);
}

Progress::Progress(const Terminal& terminal, Writer write)
    : terminal_(terminal), write_(std::move(write)) {
  if (!terminal_.is_terminal) terminal_.columns = kLongestProgressLine;
  if (terminal_.has_cursor) {
    animation_ = std::jthread([this](const std::stop_token& token) { animate(token); });
  }
}

Progress::~Progress() {
  stop();
}

void Progress::observe(const Event& event) {
  const std::scoped_lock lock(mutex_);
  std::visit([this](const auto& happened) { on(happened); }, event);
  draw();
}

void Progress::show_index(const IndexProgress& index) {
  const std::scoped_lock lock(mutex_);
  const std::size_t room = terminal_.columns - std::min<std::size_t>(terminal_.columns, 20);
  index_bar_ = index.done < index.total ? progress_bar(index, room) : std::string();
  draw();
}

void Progress::say(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  write_line(line);
  draw();
}

void Progress::stand_still() {
  const std::scoped_lock lock(mutex_);
  erase();
  stands_still_ = true;
}

void Progress::move_on() {
  const std::scoped_lock lock(mutex_);
  stands_still_ = false;
}

void Progress::has_been_shown(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  last_said_ = on_one_line(text);
}

void Progress::stop() {
  {
    const std::scoped_lock lock(mutex_);
    erase();
    activities_.clear();
    is_stopped_ = true;
  }
  if (!animation_.joinable()) return;
  animation_.request_stop();
  animation_.join();
}

void Progress::on(const SessionStarted&) {}
void Progress::on(const FeedbackGiven&) {}

void Progress::on(const ModelStarted& event) {
  begin(std::string(kModelActivity), fmt::format("thinking, turn {}", event.iteration));
}

void Progress::on(const TextDelta&) {}

void Progress::on(const ModelRetried& event) {
  std::string what = fmt::format("{}; asking {}", on_one_line(event.retry.error.message),
                                 on_one_line(event.retry.next));
  if (event.retry.wait.count() > 0) {
    what +=
        fmt::format(" again in {}", show_duration(static_cast<double>(event.retry.wait.count())));
  }
  write_line(
      painted(fmt::format("  {} {}", mark("↻", terminal_), what), Colour::yellow, terminal_));
}

void Progress::on(const ContextShortened& event) {
  usage_ += event.usage;
  std::vector<std::string> ways;
  if (event.summarised_messages > 0) {
    ways.push_back(
        fmt::format("{} summarised",
                    show_counted(static_cast<std::int64_t>(event.summarised_messages), "message")));
  }
  if (event.shortened_messages > event.summarised_messages || ways.empty()) {
    ways.emplace_back("old results in part");
  }
  write_line(painted(
      fmt::format("  {} context shortened: {}", mark("·", terminal_), fmt::join(ways, ", ")),
      Colour::dim, terminal_));
}

void Progress::on(const ModelEnded& event) {
  end(kModelActivity);
  usage_ += event.response.usage;
  // The text of the last turn is the answer, which goes to standard output, but for remarks before
  // it.
  const std::string all = on_one_line(event.response.text());
  const bool is_answer = event.response.tool_calls().empty();
  const std::string text = is_answer ? on_one_line(event.response.commentary()) : all;
  if (text.empty() || all == last_said_) return;
  last_said_ = all;
  write_remark(text);
}

void Progress::remark(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  write_remark(on_one_line(text));
  draw();
}

void Progress::write_remark(std::string_view line) {
  write_line(
      painted(fmt::format("  {} {}", mark("·", terminal_), shortened(line, terminal_.columns - 4)),
              Colour::dim, terminal_));
}

void Progress::on(const ChildStarted& event) {
  const std::string session =
      event.session_id != 0 ? fmt::format(" · session {}", event.session_id) : "";
  write_line(
      painted(fmt::format("  {} {}{}", mark("⤷", terminal_), shown_name(event.agent), session),
              Colour::dim, terminal_));
}

void Progress::show_typed(std::string_view text) {
  const std::lock_guard lock(mutex_);
  typed_ = text;
  draw();
}

void Progress::on(const MessageTaken& event) {
  constexpr std::size_t kLongest = 200;
  const std::string text = on_one_line(display_text(event.message));
  write_line(
      fmt::format("  {} {}", mark("›", terminal_),
                  text.size() > kLongest ? std::string(utf8_prefix(text, kLongest)) + "…" : text));
}

void Progress::on(const HandedOff& event) {
  write_line(painted(fmt::format("  {} {} goes on", mark("⤳", terminal_), shown_name(event.agent)),
                     Colour::dim, terminal_));
}

void Progress::on(const ToolStarted& event) {
  const std::string name = shown_name(event.call.name);
  const std::size_t room = terminal_.columns - std::min(terminal_.columns, columns_of(name) + 6);
  const std::string arguments = summary_of_arguments(event.call.arguments, room);
  begin(event.call.id, name + "  " + arguments);
  if (terminal_.has_cursor || name == tools::kPlanTool) return;
  write_line(fmt::format("  {} {}  {}", mark("→", terminal_), name, arguments));
}

void Progress::on(const ToolProgress& event) {
  const auto activity = std::ranges::find(activities_, event.call.id, &Activity::call_id);
  if (activity == activities_.end()) return;
  std::string_view text = event.text;
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (const std::size_t end = text.find_last_of("\r\n"); end != text.npos) {
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) activity->latest = on_one_line(text);
}

// A plan stands for itself: its steps are shown in place of the call.
void Progress::show_plan(const std::vector<tools::PlanStep>& plan) {
  std::string lines;
  for (const tools::PlanStep& step : plan) {
    const bool is_done = step.status == tools::StepStatus::completed;
    const bool is_under_way = step.status == tools::StepStatus::in_progress;
    const std::size_t room = terminal_.columns - std::min<std::size_t>(terminal_.columns, 6);
    const std::string text = shortened(on_one_line(step.step), room);
    lines += fmt::format(
        "{}    {}", lines.empty() ? "" : "\n",
        painted(
            fmt::format("{} {}", mark(is_done ? "☑" : (is_under_way ? "▸" : "☐"), terminal_), text),
            is_under_way ? Colour::bold : (is_done ? Colour::dim : Colour::none), terminal_));
  }
  write_line(lines.empty() ? painted("    (the plan is empty)", Colour::dim, terminal_) : lines);
}

void Progress::on(const ToolEnded& event) {
  if (event.is_unknown) return;  // it ran in another process
  end(event.call.id);
  if (const auto plan = tools::plan_of(event.call); plan && !event.outcome.error) {
    return show_plan(*plan);
  }
  const std::string name = shown_name(event.call.name);
  std::string rest = show_duration(event.outcome.duration_ms);
  if (event.outcome.waiting) rest = "waits for a person";
  const std::size_t width = terminal_.columns;
  const std::size_t used = 4 + columns_of(name) + 4;
  // Why a tool refused is read to its end: what does not fit beside it stands below.
  std::string error = event.outcome.waiting ? "" : on_one_line(event.outcome.error_message());
  const std::size_t wanted = used + columns_of(rest) + 2 + columns_of(error) +
                             (terminal_.has_cursor ? kRoomForArguments : 0);
  if (!error.empty() && (wanted <= width || !terminal_.is_terminal)) {
    rest += "  " + std::exchange(error, {});
  }
  const std::size_t room = width - std::min(width, used + columns_of(rest));
  const std::string arguments =
      terminal_.has_cursor ? summary_of_arguments(event.call.arguments, room) + "  " : "";
  write_line(fmt::format(
      "  {} {}  {}{}",
      painted(mark(marker_of(event.outcome), terminal_), outcome_colour(event.outcome), terminal_),
      painted(name, Colour::bold, terminal_), arguments,
      painted(rest, !event.outcome.error ? Colour::dim : Colour::red, terminal_)));
  if (error.empty()) return;
  constexpr std::size_t kMargin = 4;
  const std::string fitted =
      fitted_prose(shortened(error, kMostErrorLines * width), kMargin, terminal_);
  std::string below;
  for (const auto line : std::views::split(fitted, '\n')) {
    // A word may be longer than a line.
    below += shortened(std::string_view(line), width - std::min(width, kMargin)) + "\n";
  }
  write_line(painted(indented(below, kMargin), Colour::red, terminal_));
}

void Progress::begin(std::string call_id, std::string text) {
  activities_.push_back({std::move(call_id), std::move(text), std::chrono::steady_clock::now()});
  wake_.notify_all();
}

void Progress::end(std::string_view call_id) {
  std::erase_if(activities_, [&](const Activity& activity) { return activity.call_id == call_id; });
}

void Progress::write_line(std::string_view line) {
  erase();
  write_(std::string(line) + "\n");
}

void Progress::draw() {
  if (!terminal_.has_cursor || activities_.empty() || is_stopped_ || stands_still_) return;
  const Activity& activity = activities_.back();
  const std::chrono::duration<double, std::milli> age =
      std::chrono::steady_clock::now() - activity.since;
  std::string tail;
  if (activities_.size() > 1) tail += fmt::format("  and {} more", activities_.size() - 1);
  if (age.count() >= 1000) tail += "  " + show_duration(age.count());
  const std::int64_t tokens = saturating_sum(usage_.input_tokens, usage_.output_tokens);
  if (tokens > 0) tail += fmt::format("  {} tokens", show_count(tokens));
  if (terminal_.is_terminal) terminal_.columns = columns_now(terminal_);  // a window changes
  const std::size_t width = terminal_.columns - 1;                        // the last would wrap
  if (!typed_.empty()) tail = "  › " + typed_;
  const std::size_t room = width - std::min(width, 4 + columns_of(tail));
  std::string text = index_bar_.empty() ? activity.text : index_bar_;
  // What a tool says last is worth more than the end of its arguments.
  if (index_bar_.empty() && !activity.latest.empty()) {
    text = fmt::format("{}  {}", shortened(text, room / 2), activity.latest);
  }
  write_(fmt::format("\r\x1b[K  {} {}{}",
                     painted(kFrames[frame_ % kFrames.size()], Colour::cyan, terminal_),
                     shortened(text, room), painted(tail, Colour::dim, terminal_)));
  is_drawn_ = true;
}

void Progress::erase() {
  if (is_drawn_) write_("\r\x1b[K");
  is_drawn_ = false;
}

void Progress::animate(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    // Nothing moves while nothing happens.
    if (!wake_.wait(lock, stop, [this] { return !activities_.empty(); })) return;
    wake_.wait_for(lock, stop, kFrameTime, [] { return false; });
    ++frame_;
    draw();
  }
}

}  // namespace wright::app
