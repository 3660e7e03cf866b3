#include "app/commands/run_display.h"

#include <fmt/format.h>

#include "app/terminal/markdown_stream.h"
#include "app/terminal/screen_text.h"

namespace wright::app {

void RunDisplay::begin() {
  record_ = {};
  began_ = std::chrono::steady_clock::now();
  show();
}

void RunDisplay::show() {
  const std::scoped_lock lock(progress_mutex_);
  stream_.reset();
  progress_.reset();
  if (options_.verbosity == Verbosity::normal) {
    progress_ = std::make_unique<Progress>(console_.error(),
                                           [this](std::string_view text) { console_.note(text); });
  }
  if (is_streamed()) {
    stream_.emplace(console_, progress_.get(),
                    console_.output().has_colour ? AnswerText::rendered : AnswerText::as_it_is);
  }
}

void RunDisplay::hide() {
  if (stream_) stream_->close();
  const std::scoped_lock lock(progress_mutex_);
  progress_.reset();
}

void RunDisplay::observe(const Event& event) {
  record_.observe(event);
  trace_.observe(event);
  if (stream_) stream_->observe(event);
  if (progress_) progress_->observe(event);
}

void RunDisplay::say(std::string_view line) {
  const std::scoped_lock lock(progress_mutex_);
  if (progress_) progress_->say(line);
}

void RunDisplay::log(std::string_view line) {
  const std::scoped_lock lock(progress_mutex_);
  if (!progress_) return console_.note(line);
  if (line.ends_with('\n')) line.remove_suffix(1);
  progress_->say(line);
}

void RunDisplay::show_index(const IndexProgress& index) {
  const std::scoped_lock lock(progress_mutex_);
  if (progress_) progress_->show_index(index);
}

void RunDisplay::show_typed(std::string_view text) {
  const std::scoped_lock lock(progress_mutex_);
  if (progress_) progress_->show_typed(text);
}

void RunDisplay::show_no_text() {
  shows_text_ = false;
  stream_.reset();
}

bool RunDisplay::is_streamed() const {
  if (!shows_text_) return false;
  if (options_.output != OutputFormat::text) return false;
  if (options_.streaming != Streaming::automatic) return options_.streaming == Streaming::on;
  return console_.output().is_terminal;
}

void RunDisplay::print_answer(const std::string& text) {
  if (options_.output != OutputFormat::text) return;
  const std::string sources = record_.sources();
  if (stream_ && stream_->has_printed_answer()) {
    if (!sources.empty()) console_.print_foreign("\n" + sources + "\n");
    return;
  }
  // On a terminal both streams meet: space keeps the answer apart from the progress.
  const bool is_shared = options_.verbosity == Verbosity::normal && console_.output().is_terminal &&
                         console_.error().is_terminal;
  if (is_shared) console_.note("\n");
  if (console_.output().has_colour) {
    console_.print(rendered_markdown(text, columns_now(console_.output())));
  } else {
    console_.print_foreign(text);
  }
  if (!text.ends_with('\n')) console_.print("\n");
  if (!sources.empty()) console_.print_foreign("\n" + sources + "\n");
  if (is_shared) console_.note("\n");
}

void RunDisplay::conclude(std::string_view marker, Colour colour) {
  if (record_.feedback() && options_.output == OutputFormat::text) {
    console_.note("\n" + sanitised(to_text(*record_.feedback())) + "\n");
  }
  if (options_.verbosity == Verbosity::quiet) return;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began_;
  const Terminal& terminal = console_.error();
  const std::string line =
      fmt::format("  {} {}\n", painted(mark(marker, terminal), colour, terminal),
                  painted(record_.summary(took.count()), Colour::dim, terminal));
  console_.note(terminal.is_terminal ? fitted_lines(line, columns_now(terminal)) : line);
}

void show_and_tell_hooks(const Event& event, const EventOrigin& origin, RunDisplay& display,
                         const project::Hooks& hooks) {
  if (origin.depth != 0) return display.observe_below(event);
  display.observe(event);
  for (const std::string& problem : hooks.observe(event, origin.session_id)) {
    display.say(sanitised(problem));
  }
}

}  // namespace wright::app
