#include "app/terminal/console.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "app/settings/file_output.h"
#include "app/terminal/notifier.h"
#include "app/terminal/screen_text.h"

namespace wright::app {

Console::Console(int output, int error, const Environment& environment)
    : output_descriptor_(output),
      error_descriptor_(error),
      output_(inspect_terminal(output, environment)),
      error_(inspect_terminal(error, environment)),
      is_in_tmux_(environment.find_non_empty("TMUX").has_value()) {}

void Console::speak_plainly() {
  output_ = plain(output_);
  error_ = plain(error_);
}

void Console::print(std::string_view text) {
  if (output_errno_ != 0) return;
  output_errno_ = output_.is_terminal ? write_all(output_descriptor_, guarded_screen(text))
                                      : write_all(output_descriptor_, text);
}

void Console::print_json(std::string_view json) {
  print(output_.is_terminal ? escaped_json(json) : std::string(json));
}

void Console::print_fitted(std::string_view text) {
  print(output_.is_terminal ? fitted_lines(text, output_.columns) : std::string(text));
}

void Console::remark(std::string_view sentence) {
  note(indented(fitted_prose(on_one_line(sentence), 2, error_), 2) + "\n");
}

void Console::print_foreign(std::string_view text) {
  if (output_.is_terminal) {
    print(sanitised(text));
  } else {
    print(text);
  }
}

void Console::note(std::string_view text) {
  write_all(error_descriptor_, error_.is_terminal ? guarded_screen(text) : sanitised(text));
}

void Console::notify(std::string_view words) {
  if (notify_ == "off") return;
  if (notify_ != "bell" && notify_ != "osc9") return start_notifier(notify_, on_one_line(words));
  if (!error_.is_terminal) return;
  std::string bytes = "\a";
  if (notify_ == "osc9" && !error_.is_plain) {
    bytes = fmt::format("\x1b]9;{}\a", on_one_line(words));
    // tmux hands on what stands in such brackets only.
    if (is_in_tmux_) bytes = fmt::format("\x1bPtmux;\x1b{}\x1b\\", bytes);
  }
  write_all(error_descriptor_, bytes);
}

void Console::complain(std::string_view message, std::string_view advice) {
  constexpr std::string_view kName = "wright: ";
  constexpr std::size_t kMargin = 2;
  const auto shown = [&](std::string_view text, std::size_t margin) {
    return error_.is_terminal ? fitted_prose(sanitised(text), margin, error_) : std::string(text);
  };
  std::string text = painted(kName, Colour::red, error_);
  for (const char c : shown(message, kName.size())) {
    text += c;
    // Further lines stand below the first; in a pipe, each starts where a program looks for it.
    if (c == '\n' && error_.is_terminal) text.append(kName.size(), ' ');
  }
  text += '\n';
  if (!advice.empty()) text += indented(shown(advice, kMargin), kMargin) + "\n";
  note(text);
}

ExitCode Console::finish(ExitCode code) {
  if (output_errno_ == 0) return code;
  if (output_errno_ == EPIPE) return code == ExitCode::ok ? ExitCode::broken_pipe : code;
  complain(fmt::format("cannot write to standard output: {}", std::strerror(output_errno_)));
  return code == ExitCode::ok ? ExitCode::failed : code;
}

}  // namespace wright::app
