// libedit asks us for every character, so that signals, pasted blocks and keys that are not about
// the line can be dealt with here. While a line is edited, Ctrl-C and Ctrl-Z come as characters,
// not as signals. Between lines the terminal neither echoes nor collects lines: a terminal that
// collects them would swallow a Ctrl-D that is typed ahead.
#include "app/terminal/chat_editor.h"

#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "app/terminal/chat_history.h"
#include "app/terminal/console.h"
#include "app/terminal/person/keys.h"
#include "app/terminal/person/terminal_mode.h"
#include "app/terminal/person/terminal_signals.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "wright/json.h"

namespace wright::app {
namespace {

constexpr std::string_view kPasteBegins = "\x1b[200~";
constexpr std::string_view kPasteEnds = "\x1b[201~";
// Stands for a pasted block; bound to the function that inserts it.
constexpr wchar_t kPasteKey = L'\x1c';
constexpr wchar_t kEndByte = L'\x04';  // Ctrl-D
// Marks what takes no room in a prompt.
constexpr wchar_t kUnseen = L'\x01';
// What is larger is shown by a note in its place.
constexpr std::size_t kMostShownLines = 5;
constexpr std::size_t kMostShownCharacters = 400;

std::wstring to_wide(std::string_view text) {
  const std::string valid = to_valid_utf8(std::string(text));
  std::wstring wide;
  for (std::size_t i = 0; i < valid.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(valid[i + k]); };
    const auto tail = [&](std::size_t k) { return static_cast<wchar_t>(byte(k) & 0x3F); };
    if (byte(0) < 0x80) {
      wide += static_cast<wchar_t>(byte(0));
      i += 1;
    } else if (byte(0) < 0xE0) {
      wide += static_cast<wchar_t>((byte(0) & 0x1F) << 6) | tail(1);
      i += 2;
    } else if (byte(0) < 0xF0) {
      wide += static_cast<wchar_t>((byte(0) & 0x0F) << 12) | tail(1) << 6 | tail(2);
      i += 3;
    } else {
      wide += static_cast<wchar_t>((byte(0) & 0x07) << 18) | tail(1) << 12 | tail(2) << 6 | tail(3);
      i += 4;
    }
  }
  return wide;
}

std::string to_narrow(std::wstring_view wide) {
  std::string text;
  const auto add = [&](wchar_t bits) { text += static_cast<char>(bits); };
  for (const wchar_t c : wide) {
    if (c < 0x80) {
      add(c);
    } else if (c < 0x800) {
      add(0xC0 | c >> 6);
      add(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      add(0xE0 | c >> 12);
      add(0x80 | (c >> 6 & 0x3F));
      add(0x80 | (c & 0x3F));
    } else {
      add(0xF0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3F));
      add(0x80 | (c >> 6 & 0x3F));
      add(0x80 | (c & 0x3F));
    }
  }
  return to_valid_utf8(std::move(text));
}

std::size_t announced_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xF0) return 4;
  if (byte >= 0xE0) return 3;
  return byte >= 0xC0 ? 2 : 1;
}

// Terminals send carriage returns for the line feeds of what is pasted. Other control characters
// would be obeyed by a terminal that shows them.
std::wstring pasted_text(std::string_view bytes) {
  std::wstring text;
  for (const wchar_t c : to_wide(bytes)) {
    if (c == L'\n' && text.ends_with(L'\r')) text.pop_back();
    text += c;
  }
  std::ranges::replace(text, L'\r', L'\n');
  std::erase_if(text, [](wchar_t c) {
    return (c < 0x20 && c != L'\n' && c != L'\t') || (c >= 0x7F && c < 0xA0);
  });
  std::ranges::replace(text, L'\t', L' ');
  while (text.ends_with(L'\n')) text.pop_back();
  return text;
}

struct CloseFile {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

File stream_of(int descriptor, const char* mode) {
  const int copy = dup(descriptor);
  FILE* file = copy < 0 ? nullptr : fdopen(copy, mode);
  if (file == nullptr && copy >= 0) close(copy);
  return File(file);
}

}  // namespace

class ChatEditor::State {
 public:
  State(const PersonTerminal& where, Complete complete)
      : where_(where), complete_(std::move(complete)), found_(where.input) {}
  ~State() {
    if (line_ != nullptr) el_end(line_);
    if (history_ != nullptr) history_wend(history_);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> open() {
    // libedit writes and measures characters by the locale.
    if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
    input_ = stream_of(where_.input, "r");
    output_ = stream_of(where_.output, "w");
    if (!input_ || !output_) return fail(ErrorCode::unavailable, "the terminal cannot be opened");
    line_ = el_init("wright", input_.get(), output_.get(), output_.get());
    history_ = history_winit();
    if (line_ == nullptr || history_ == nullptr) {
      return fail(ErrorCode::unavailable, "the editor of lines cannot be started");
    }
    HistEventW event;
    history_w(history_, &event, H_SETSIZE, static_cast<int>(ChatHistory::kMostEntries));
    history_w(history_, &event, H_SETUNIQUE, 1);
    el_wset(line_, EL_CLIENTDATA, this);
    el_wset(line_, EL_EDITOR, L"emacs");
    el_wset(line_, EL_SIGNAL, 0);
    el_wset(line_, EL_HIST, history_w, history_);
    el_wset(line_, EL_PROMPT_ESC, &State::prompt, kUnseen);
    el_wset(line_, EL_GETCFN, &State::next_character);
    el_wset(line_, EL_SETTY, L"-d", L"-isig", L"-icrnl", L"-inlcr", nullptr);
    // What was typed during an answer outlives the Ctrl-C that ends it.
    el_wset(line_, EL_SETTY, L"-x", L"-icanon", L"-echo", L"+noflsh", nullptr);
    bind_keys();
    el_source(line_, nullptr);
    bind(L"wright-paste", L"^\\", &State::insert_pasted);
    bind(L"wright-complete", L"^I", &State::complete_command);
    bind(L"wright-new-line", L"^[^M", &State::insert_new_line);
    el_wset(line_, EL_BIND, L"^R", L"em-inc-search-prev", nullptr);
    return {};
  }

  std::expected<std::string, NoLine> next_line(std::string_view prompt, std::stop_token stop) {
    TerminalSignals signals(std::move(stop));
    signals_ = &signals;
    why_.reset();
    blocks_.clear();
    set_prompt(prompt);
    write_all(where_.output, kAskForPasteMarks);
    el_wset(line_, EL_PREP_TERM, 1);  // before the prompt invites to type
    int length = 0;
    const wchar_t* typed = el_wgets(line_, &length);
    write_all(where_.output, kNoMorePasteMarks);
    signals_ = nullptr;
    if (typed == nullptr || length <= 0 || why_) {
      write_all(where_.output, "\n");
      el_reset(line_);
      // What told us to end is obeyed on the way out of here.
      if (why_ == NoLine::stopped) found_.restore();
      return std::unexpected(why_.value_or(NoLine::ended));
    }
    std::wstring text(typed, static_cast<std::size_t>(length));
    while (text.ends_with(L'\n')) text.pop_back();
    return to_narrow(with_blocks(std::move(text)));
  }

  void restore_terminal() { found_.restore(); }

  void remember(std::string_view entry) {
    HistEventW event;
    history_w(history_, &event, H_ENTER, to_wide(entry).c_str());
  }

 private:
  struct Block {
    std::wstring note;  // stands in the line
    std::wstring text;
  };

  static State& of(EditLine* line) {
    void* state = nullptr;
    el_wget(line, EL_CLIENTDATA, &state);
    return *static_cast<State*>(state);
  }

  void bind(const wchar_t* name, const wchar_t* key, unsigned char (*function)(EditLine*, wint_t)) {
    el_wset(line_, EL_ADDFN, name, L"", function);
    el_wset(line_, EL_BIND, key, name, nullptr);
  }

  // Keys that libedit does not know, and would take for text. ~/.editrc may bind them otherwise.
  void bind_keys() {
    el_wset(
        line_, EL_ADDFN, L"wright-nothing", L"",
        +[](EditLine*, wint_t) -> unsigned char { return CC_NORM; });
    const auto to = [this](const std::wstring& key, const wchar_t* function) {
      el_wset(line_, EL_BIND, (L"\\e" + key).c_str(), function, nullptr);
    };
    const auto nothing = [&](const std::wstring& key) { to(key, L"wright-nothing"); };
    // Insert, PageUp, PageDown and the function keys, and the same held with Shift, Alt or Ctrl.
    for (const int key :
         {2, 5, 6, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29}) {
      nothing(L"[" + std::to_wstring(key) + L"~");
    }
    for (const wchar_t key : {L'P', L'Q', L'R', L'S'}) nothing(std::wstring(L"O") + key);
    for (const wchar_t key : {L'A', L'B', L'C', L'D', L'E'}) nothing(std::wstring(L"[[") + key);
    for (const wchar_t key : {L'Z', L'I', L'O'}) nothing(std::wstring(L"[") + key);
    for (int held = 2; held <= 8; ++held) {
      const std::wstring with = L";" + std::to_wstring(held);
      for (const int key : {2, 5, 6, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24}) {
        nothing(L"[" + std::to_wstring(key) + with + L"~");
      }
      for (const wchar_t key : {L'A', L'B', L'P', L'Q', L'R', L'S'}) {
        nothing(L"[1" + with + key);
      }
      to(L"[1" + with + L"C", L"em-next-word");
      to(L"[1" + with + L"D", L"ed-prev-word");
      to(L"[1" + with + L"H", L"ed-move-to-beg");
      to(L"[1" + with + L"F", L"ed-move-to-end");
      to(L"[3" + with + L"~", L"em-delete-next-word");
    }
    for (const wchar_t* key : {L"[5C", L"Oc"}) to(key, L"em-next-word");
    for (const wchar_t* key : {L"[5D", L"Od"}) to(key, L"ed-prev-word");
    for (const wchar_t* key : {L"[1~", L"[7~", L"[H", L"OH"}) to(key, L"ed-move-to-beg");
    for (const wchar_t* key : {L"[4~", L"[8~", L"[F", L"OF"}) to(key, L"ed-move-to-end");
  }

  static wchar_t* prompt(EditLine* line) { return of(line).prompt_.data(); }

  void set_prompt(std::string_view prompt) {
    if (!where_.screen.has_colour) {
      prompt_ = to_wide(prompt);
      return;
    }
    const std::wstring unseen(1, kUnseen);
    prompt_ = unseen + L"\x1b[1m" + unseen + to_wide(prompt) + unseen + L"\x1b[0m" + unseen;
  }

  // --- characters ------------------------------------------------------------------------------

  static int next_character(EditLine* line, wchar_t* character) {
    const auto come = of(line).take_character();
    if (!come) return -1;
    *character = *come;
    return 1;
  }

  // Nothing when the line is over; why_ says for which reason.
  std::optional<wchar_t> take_character() {
    while (true) {
      if (auto taken = take_typed()) {
        if (*taken == kInterruptByte) return end_with(NoLine::interrupted);
        if (*taken == kEndByte && is_line_empty()) return end_with(NoLine::ended);
        if (*taken != kSuspendByte) return taken;
        suspend();
        continue;
      }
      if (!await_input()) return std::nullopt;
    }
  }

  bool is_line_empty() const {
    const LineInfoW* info = el_wline(line_);
    return info->buffer == info->lastchar;
  }

  std::optional<wchar_t> end_with(NoLine why) {
    why_ = why;
    return std::nullopt;
  }

  // The next character of what has come, or nothing when more is needed.
  std::optional<wchar_t> take_typed() {
    if (typed_.empty()) return std::nullopt;
    const std::string_view typed = typed_;
    if (typed.front() == kPasteBegins.front()) {
      if (typed.starts_with(kPasteBegins)) return take_paste();
      if (kPasteBegins.starts_with(typed)) return std::nullopt;
    }
    const std::size_t length = announced_length(typed.front());
    if (typed.size() < length) return std::nullopt;
    std::wstring character = to_wide(typed.substr(0, length));
    // Bytes that are no character are taken one at a time, so that none is skipped.
    const bool is_one = character.size() == 1;
    typed_.erase(0, is_one ? length : 1);
    return is_one ? character.front() : L'\xFFFD';
  }

  std::optional<wchar_t> take_paste() {
    const std::size_t end = typed_.find(kPasteEnds);
    if (end == std::string::npos && typed_.size() < kMostInput) return std::nullopt;
    const std::size_t length = std::min(end, typed_.size()) - kPasteBegins.size();
    pasted_ = pasted_text(std::string_view(typed_).substr(kPasteBegins.size(), length));
    typed_.erase(0, end == std::string::npos ? end : end + kPasteEnds.size());
    return kPasteKey;
  }

  bool await_input() {
    std::array<pollfd, 2> waits{pollfd{signals_->descriptor(), POLLIN, 0},
                                pollfd{where_.input, POLLIN, 0}};
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
      return end_with(NoLine::ended).has_value();
    }
    if (const auto event = signals_->take()) {
      switch (*event) {
        case TerminalEvent::ended: return end_with(NoLine::stopped).has_value();
        case TerminalEvent::stopped: suspend(); return true;
        case TerminalEvent::resized:
          el_resize(line_);
          draw_anew();
          return true;
        case TerminalEvent::continued:
          // The shell may have changed the terminal meanwhile.
          el_wset(line_, EL_PREP_TERM, 0);
          el_wset(line_, EL_PREP_TERM, 1);
          draw_anew();
          return true;
      }
    }
    if (waits[1].revents == 0) return true;
    std::array<char, 4096> bytes{};
    const ssize_t count = read(where_.input, bytes.data(), bytes.size());
    if (count > 0) typed_.append(bytes.data(), static_cast<std::size_t>(count));
    if (count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN))) return true;
    return end_with(NoLine::ended).has_value();
  }

  void suspend() {
    write_all(where_.output, kNoMorePasteMarks);
    el_wset(line_, EL_PREP_TERM, 0);
    found_.restore();
    signals_->suspend();
    el_wset(line_, EL_PREP_TERM, 1);
    write_all(where_.output, kAskForPasteMarks);
    write_all(where_.output, "\n");
    draw_anew();
  }

  // Over what stands in this row.
  void draw_anew() {
    write_all(where_.output, "\r");
    el_wset(line_, EL_REFRESH);
  }

  // --- what keys do ------------------------------------------------------------------------------

  static unsigned char insert_pasted(EditLine* line, wint_t) {
    State& state = of(line);
    std::wstring text = std::exchange(state.pasted_, {});
    if (text.empty()) return CC_NORM;
    const std::size_t lines = static_cast<std::size_t>(std::ranges::count(text, L'\n')) + 1;
    if (lines > kMostShownLines || text.size() > kMostShownCharacters) {
      const std::string note =
          fmt::format("[pasted {}: {} lines]", state.blocks_.size() + 1, lines);
      state.blocks_.push_back({to_wide(note), std::move(text)});
      text = state.blocks_.back().note;
    }
    return el_winsertstr(line, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }

  static unsigned char insert_new_line(EditLine* line, wint_t) {
    return el_winsertstr(line, L"\n") == 0 ? CC_REFRESH : CC_ERROR;
  }

  static unsigned char complete_command(EditLine* line, wint_t) {
    State& state = of(line);
    const LineInfoW* info = el_wline(line);
    const std::string typed = to_narrow({info->buffer, info->cursor});
    const auto words = state.complete_ ? state.complete_(typed) : std::vector<std::string>();
    if (words.empty()) return CC_ERROR;
    std::string common = words.front();
    for (const std::string& word : words) {
      const auto [here, there] = std::ranges::mismatch(common, word);
      common.erase(here, common.end());
    }
    if (words.size() == 1) common += ' ';
    if (common.size() <= typed.size() && words.size() > 1) {
      state.show_words(words);
      return CC_REDISPLAY;
    }
    if (common.size() <= typed.size()) return CC_ERROR;
    const std::wstring rest = to_wide(std::string_view(common).substr(typed.size()));
    return el_winsertstr(line, rest.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }

  // Below the line, which is drawn again after them.
  void show_words(const std::vector<std::string>& words) const {
    const std::string list = fmt::format("{}", fmt::join(words, " "));
    const std::size_t columns =
        where_.screen.columns - std::min<std::size_t>(where_.screen.columns, 2);
    write_all(where_.output, fmt::format("\n{}\n", indented(wrapped(list, columns), 2)));
  }

  // Places are found before any is filled: what was pasted may itself look like a note.
  std::wstring with_blocks(std::wstring text) const {
    std::map<std::size_t, const Block*, std::greater<>> places;
    for (const Block& block : blocks_) {
      const std::size_t at = text.find(block.note);
      if (at != std::wstring::npos) places.emplace(at, &block);
    }
    for (const auto& [at, block] : places) text.replace(at, block->note.size(), block->text);
    return text;
  }

  PersonTerminal where_;
  Complete complete_;
  TerminalMode found_;  // puts back what it found when all else is gone
  File input_;
  File output_;
  EditLine* line_ = nullptr;
  HistoryW* history_ = nullptr;
  TerminalSignals* signals_ = nullptr;  // while a line is read
  std::wstring prompt_;
  std::string typed_;  // bytes that have come and are not taken
  std::wstring pasted_;
  std::vector<Block> blocks_;
  std::optional<NoLine> why_;
};

ChatEditor::ChatEditor(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChatEditor::ChatEditor(ChatEditor&&) noexcept = default;
ChatEditor::~ChatEditor() = default;

Result<ChatEditor> ChatEditor::open(const PersonTerminal& where,
                                    std::span<const std::string> history, Complete complete) {
  auto state = std::make_unique<State>(where, std::move(complete));
  if (auto opened = state->open(); !opened) return std::unexpected(std::move(opened).error());
  for (const std::string& entry : history) state->remember(entry);
  return ChatEditor(std::move(state));
}

std::expected<std::string, NoLine> ChatEditor::next_line(std::string_view prompt,
                                                         std::stop_token stop) {
  return state_->next_line(prompt, std::move(stop));
}

void ChatEditor::restore_terminal() {
  state_->restore_terminal();
}

void ChatEditor::remember(std::string_view entry) {
  state_->remember(entry);
}

}  // namespace wright::app
