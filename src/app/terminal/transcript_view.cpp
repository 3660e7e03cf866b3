// A transcript for reading in a terminal.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/terminal/figures.h"
#include "app/terminal/progress.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/transcript.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostLines = 12;  // of one tool result
constexpr std::size_t kMargin = 2;
constexpr std::size_t kWidestItem = 400;  // columns of one item of a list

// JSON as lines for people: a key a line, text with its line feeds, each item of a list on a line.
std::string readable(const Json& json) {
  if (json.is_string()) return std::string(json.get_string());
  if (const JsonArray* array = json.if_array()) {
    std::string text;
    for (const Json& item : *array) {
      text += item.is_object() ? summary_of_arguments(to_text(item), kWidestItem) : readable(item);
      text += '\n';
    }
    return text;
  }
  const JsonObject* object = json.if_object();
  if (object == nullptr) return to_text(json);
  std::string text;
  for (const auto& [key, value] : *object) {
    const std::string inner = readable(value);
    const bool is_block = value.is_array() || inner.find('\n') != std::string::npos;
    text += fmt::format("{}:{}{}\n", std::string_view(key), is_block ? "\n" : " ",
                        is_block ? indented(inner, kMargin) : inner);
  }
  return text;
}

class View {
 public:
  View(const Transcript& transcript, const Terminal& terminal)
      : transcript_(transcript), terminal_(terminal) {}

  std::string render() && {
    header();
    for (const StoredMessage& stored : transcript_.messages) {
      ++number_;
      message(stored.message);
    }
    outcome();
    for (const Message& unread : transcript_.unread) {
      out_ += fmt::format("\n{}  {}\n{}\n", paint("You", Colour::bold),
                          paint("not read yet", Colour::dim),
                          indented(sanitised(display_text(unread)), kMargin));
    }
    if (const std::string feedback = feedback_text(transcript_.session); !feedback.empty()) {
      out_ += "\n" + sanitised(feedback);
    }
    return std::move(out_);
  }

 private:
  std::string paint(std::string_view text, Colour colour) const {
    return painted(text, colour, terminal_);
  }

  // Where there is no terminal, nothing has to fit.
  std::string fitted(const std::string& line, std::size_t used) const {
    if (!terminal_.is_terminal) return line;
    return shortened(line, terminal_.columns - std::min(terminal_.columns, used));
  }

  void header() {
    const Session& session = transcript_.session;
    out_ += fmt::format("{}  {}\n", paint(fmt::format("Session {}", session.id), Colour::bold),
                        paint(to_string(session.status), app::colour_of(session.status)));
    std::string started = show_time(session.started_at);
    if (const std::string took = duration_of(session); !took.empty()) started += ", took " + took;
    fact("agent", session.agent_name);
    fact("model", model_label(session.provider, session.model));
    fact("started", started);
    if (session.parent_session_id) fact("parent", fmt::format("{}", *session.parent_session_id));
    std::string work = fmt::format("{}, {}", show_counted(session.iterations, "turn"),
                                   show_counted(std::ssize(transcript_.calls), "tool call"));
    const Usage& usage = session.usage;
    if (usage.input_tokens > 0 || usage.output_tokens > 0) {
      work += ", " + show_tokens(usage);
    }
    fact("work", work);
  }

  void fact(std::string_view name, std::string_view value) {
    out_ += fmt::format("  {} {}\n", paint(padded(name, 8), Colour::dim), on_one_line(value));
  }

  // The number of a message, by which `wright sessions fork` knows it.
  std::string number() const { return paint(fmt::format("[{}]", number_), Colour::dim); }

  bool is_told() const { return number_ <= transcript_.told_messages; }

  void heading(std::string_view who) {
    out_ += fmt::format("\n{}  {}{}\n", paint(on_one_line(who), Colour::bold), number(),
                        is_told() ? paint("  told by the caller", Colour::dim) : "");
  }

  void message(const Message& message) {
    if (message.role == Role::user) heading("You");
    if (message.role == Role::system) heading("System");
    if (message.role == Role::assistant) heading(transcript_.session.agent_name);
    for (const Part& part : message.parts) {
      std::visit([this](const auto& p) { show(p); }, part);
    }
    if (const std::string sources = sources_text(message.parts); !sources.empty()) {
      out_ += paint(indented(sanitised(sources), kMargin), Colour::dim) + "\n";
    }
  }

  void show(const Text& part) {
    if (!part.text.empty()) out_ += indented(sanitised(part.text), kMargin) + "\n";
  }
  void show(const Notice& part) {
    out_ += paint(indented(sanitised(part.text), kMargin), Colour::dim) + "\n";
  }
  void show(const Reasoning& part) {
    if (part.text.empty()) return;
    out_ += paint(indented(sanitised(part.text), kMargin), Colour::dim) + "\n";
  }
  void show(const Image& part) {
    out_ +=
        fmt::format("  ({}, {})\n", part.media_type.starts_with("image/") ? "an image" : "a file",
                    on_one_line(part.media_type));
  }
  void show(const ToolCall& call) {
    const std::string name = shown_name(call.name);
    const std::size_t room = terminal_.is_terminal ? terminal_.columns : 10'000;
    const std::string arguments =
        summary_of_arguments(call.arguments, room - std::min(room, columns_of(name) + 6));
    out_ += fmt::format("  {} {}  {}\n", paint(mark("→", terminal_), Colour::cyan),
                        paint(name, Colour::bold), arguments);
    const std::string standing = standing_of(transcript_, call);
    if (!standing.empty()) {
      out_ += fmt::format("    {}\n", paint(on_one_line(standing), Colour::yellow));
    }
  }
  void show(const ToolResult& result) {
    std::string about = result.is_error ? "failed" : "completed";
    if (const StoredCall* call = call_of(transcript_, result)) {
      about = to_string(call->status);
      if (call->execution_time_ms) {
        about += ", " + show_whole_duration(*call->execution_time_ms);
      }
    }
    if (is_told()) {
      out_ += fmt::format("  {} {}  {}  {}\n", mark("·", terminal_), shown_name(result.name),
                          paint(kNotRunHere, Colour::dim), number());
      return excerpt(text_of(result));
    }
    out_ += fmt::format("  {} {}  {}  {}\n",
                        result.is_error ? paint(mark("✗", terminal_), Colour::red)
                                        : paint(mark("✓", terminal_), Colour::green),
                        shown_name(result.name), paint(about, Colour::dim), number());
    excerpt(text_of(result));
  }

  void excerpt(std::string_view content) {
    const auto json = parse_json(content);
    const std::string text = sanitised(json ? readable(*json) : std::string(content));
    std::string_view rest = text;
    while (rest.ends_with('\n')) rest.remove_suffix(1);
    for (std::size_t shown = 0; !rest.empty() && shown < kMostLines; ++shown) {
      const std::size_t end = rest.find('\n');
      const std::string line = fitted(std::string(rest.substr(0, end)), kMargin + 2);
      out_ += fmt::format("    {}\n", paint(line, Colour::dim));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (rest.empty()) return;
    const std::ptrdiff_t more = std::ranges::count(rest, '\n') + 1;
    out_ += fmt::format("    {}\n",
                        paint(fmt::format("… {} more; see all with `wright sessions "
                                          "export {}`",
                                          show_counted(more, "line"), transcript_.session.id),
                              Colour::dim));
  }

  // How it ended, where the messages do not say so themselves.
  void outcome() {
    const Session& session = transcript_.session;
    if (session.error && !session.error->empty()) {
      out_ +=
          fmt::format("\n{} {}\n", paint(to_string(session.status), app::colour_of(session.status)),
                      sanitised(*session.error));
    } else if (session.status == SessionStatus::waiting) {
      out_ += fmt::format("\n{}\n", paint("waiting for a person", Colour::yellow));
    }
  }

  const Transcript& transcript_;
  const Terminal& terminal_;
  std::size_t number_ = 0;  // of the message that is shown
  std::string out_;
};

}  // namespace

std::string transcript_view(const Transcript& transcript, const Terminal& terminal) {
  return View(transcript, terminal).render();
}

}  // namespace wright::app
