#include "app/terminal/person/approval_text.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/terminal/screen_text.h"
#include "core/json_members.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostDiffLines = 120;
constexpr std::size_t kMostArgumentLines = 12;
constexpr std::size_t kMostCommands = 40;
constexpr std::size_t kLongestLine = 2000;

// Blanks inside a line matter in code; line breaks are gone already.
std::string harmless_line(std::string_view line) {
  std::string text = sanitised(line);
  std::ranges::replace(text, '\t', ' ');
  return text;
}

Colour colour_of_diff(std::string_view line) {
  if (line.starts_with("+++") || line.starts_with("---")) return Colour::bold;
  if (line.starts_with('+')) return Colour::green;
  if (line.starts_with('-')) return Colour::red;
  if (line.starts_with("@@")) return Colour::cyan;
  return Colour::none;
}

Colour colour_of_permission(std::string_view permission) {
  if (permission == "allow") return Colour::green;
  return permission == "ask" ? Colour::yellow : Colour::red;
}

class Writer {
 public:
  Writer(Detail detail, const Terminal& screen) : detail_(detail), screen_(screen) {}

  void line(std::string_view text) { text_.text.append(text).append("\n"); }

  void title(std::string_view text) {
    line(fmt::format("\n{}", painted(text, Colour::cyan, screen_)));
  }

  // The lines of a text behind a margin, each in its colour, at most so many.
  void block(std::string_view text, std::size_t most, std::size_t margin,
             Colour (*colour)(std::string_view)) {
    std::size_t count = 0;
    while (text.ends_with('\n')) text.remove_suffix(1);
    while (true) {
      const std::size_t end = text.find('\n');
      if (detail_ == Detail::fitting && count == most) return cut(text, margin);
      const std::string shown = bounded(text.substr(0, end));
      line(std::string(margin, ' ') + painted(shown, colour(shown), screen_));
      ++count;
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

  std::string bounded(std::string_view text) {
    const std::string harmless = harmless_line(text);
    if (detail_ == Detail::all || harmless.size() <= kLongestLine) return harmless;
    text_.is_cut = true;
    return fmt::format("{}…", utf8_prefix(harmless, kLongestLine));
  }

  void cut(std::string_view rest, std::size_t margin) {
    text_.is_cut = true;
    const auto lines = std::ranges::count(rest, '\n') + 1;
    line(std::string(margin, ' ') +
         painted(fmt::format("… {} more {}", lines, lines == 1 ? "line" : "lines"), Colour::dim,
                 screen_));
  }

  void leave_out(std::size_t allowed) {
    text_.is_cut = true;
    line("  " +
         painted(fmt::format("… {} more, allowed by the rules", allowed), Colour::dim, screen_));
  }

  void argument(std::string_view name, const Json& value) {
    const std::string text = value.is_string() ? std::string(value.get_string()) : to_text(value);
    const std::string label = painted(on_one_line(name), Colour::dim, screen_);
    if (text.find('\n') == std::string::npos) {
      return line(fmt::format("  {}  {}", label, bounded(text)));
    }
    line(fmt::format("  {}", label));
    block(text, kMostArgumentLines, 4, [](std::string_view) { return Colour::none; });
  }

  void command(const Json& judged) {
    if (!judged.is_object()) return line("  " + bounded(to_text(judged)));
    const JsonObject& object = judged.get_object();
    const std::string permission = text_in(object, "permission");
    line(fmt::format(
        "  {}  {}",
        painted(padded(on_one_line(permission), 5), colour_of_permission(permission), screen_),
        bounded(on_one_line(text_in(object, "command")))));
    if (const std::string reason = text_in(object, "reason"); !reason.empty()) {
      line(indented(fitted_prose(on_one_line(reason), 9, screen_), 9));
    }
  }

  Detail detail() const { return detail_; }
  const Terminal& screen() const { return screen_; }
  ApprovalText take() && { return std::move(text_); }

 private:
  Detail detail_;
  const Terminal& screen_;
  ApprovalText text_;
};

void write_commands(const JsonArray& commands, Writer& writer) {
  writer.title(fmt::format("It would run {} {}", commands.size(),
                           commands.size() == 1 ? "command" : "commands"));
  // What a person decides about is never left out, only what the rules allow anyway.
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const Json& command : commands) {
    const bool is_allowed = text_in(command, "permission") == "allow";
    if (is_allowed && writer.detail() == Detail::fitting && shown >= kMostCommands) {
      ++left_out;
      continue;
    }
    writer.command(command);
    ++shown;
  }
  if (left_out > 0) writer.leave_out(left_out);
}

// One command that is the whole line, for the reason that stands above, says nothing new.
bool is_said_already(const JsonArray& commands, const JsonObject& shown) {
  const Json* arguments = shown.if_contains("arguments");
  if (commands.size() != 1 || arguments == nullptr || !arguments->is_object()) return false;
  const Json& only = commands.front();
  const std::string line = text_in(*arguments, "command");
  return !line.empty() && text_in(only, "command") == line &&
         text_in(only, "reason") == text_in(shown, "reason");
}

}  // namespace

ApprovalText approval_text(const Json& shown, Detail detail, const Terminal& screen) {
  Writer writer(detail, screen);
  if (!shown.is_object()) {
    writer.title("A call waits for an approval");
    writer.block(to_pretty_text(shown), kMostDiffLines, 2,
                 [](std::string_view) { return Colour::none; });
    return std::move(writer).take();
  }
  const JsonObject& object = shown.get_object();
  const std::string tool = on_one_line(text_in(object, "tool"));
  writer.line(fmt::format("\n{} {}", painted(tool.empty() ? "A tool" : tool, Colour::bold, screen),
                          "waits for your approval"));
  if (const std::string why = text_in(object, "reason"); !why.empty()) {
    writer.line(indented(fitted_prose(on_one_line(why), 2, screen), 2));
  }
  if (const Json* arguments = object.if_contains("arguments")) {
    writer.title("With these arguments");
    if (arguments->is_object()) {
      for (const auto& member : arguments->get_object()) {
        writer.argument(member.key(), member.value());
      }
    } else {
      writer.argument("", *arguments);
    }
  }
  const Json* commands = object.if_contains("commands");
  if (commands != nullptr && commands->is_array() && !commands->get_array().empty() &&
      !is_said_already(commands->get_array(), object)) {
    write_commands(commands->get_array(), writer);
  }
  if (const std::string diff = text_in(object, "diff"); !diff.empty()) {
    writer.title("It would change");
    writer.block(diff, kMostDiffLines, 2, colour_of_diff);
  }
  if (const std::string problem = text_in(object, "problem"); !problem.empty()) {
    writer.line("");
    writer.line(
        painted(indented(fitted_prose(sanitised(problem), 2, screen), 2), Colour::yellow, screen));
  }
  return std::move(writer).take();
}

}  // namespace wright::app
