#include "entities/source_marks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace wright::entities {
namespace {

// What a language has in its text that is no code.
struct Lexis {
  std::string_view language;
  bool has_slash_comments = false;  // "//" and "/* */"
  bool nests_comments = false;
  bool has_hash_comments = false;
  bool has_single_quotes = false;  // strings; otherwise characters of one letter
  bool has_templates = false;      // `…${…}…`
  bool has_regexes = false;        // /…/
  bool has_raw_strings = false;    // r#"…"#
  bool has_triple_quotes = false;
  bool has_here_documents = false;  // <<EOT, <<<EOT
  bool has_only_braces = false;     // round brackets need not match, as in `case` of a shell
  bool ends_lines = false;          // a line end may end a statement
};

constexpr auto kLexes = std::to_array<Lexis>({
    {.language = "JavaScript",
     .has_slash_comments = true,
     .has_single_quotes = true,
     .has_templates = true,
     .has_regexes = true,
     .ends_lines = true},
    {.language = "TypeScript",
     .has_slash_comments = true,
     .has_single_quotes = true,
     .has_templates = true,
     .has_regexes = true,
     .ends_lines = true},
    {.language = "Rust",
     .has_slash_comments = true,
     .nests_comments = true,
     .has_raw_strings = true},
    {.language = "PHP",
     .has_slash_comments = true,
     .has_hash_comments = true,
     .has_single_quotes = true,
     .has_here_documents = true},
    {.language = "Kotlin",
     .has_slash_comments = true,
     .nests_comments = true,
     .has_triple_quotes = true,
     .ends_lines = true},
    {.language = "Sh",
     .has_hash_comments = true,
     .has_single_quotes = true,
     .has_here_documents = true,
     .has_only_braces = true},
    {.language = "Perl", .has_hash_comments = true, .has_single_quotes = true},
    {.language = "R", .has_hash_comments = true, .has_single_quotes = true, .ends_lines = true},
    {.language = "Awk", .has_hash_comments = true},
    {.language = "SCSS", .has_slash_comments = true, .has_single_quotes = true},
    {.language = "CSS", .has_slash_comments = true, .has_single_quotes = true},
});
constexpr Lexis kOthers{.language = "", .has_slash_comments = true};

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

class Reader {
 public:
  Reader(std::string_view text, const Lexis& lexis) : text_(text), lexis_(lexis) {}

  std::vector<Mark> read() && {
    while (at_ < text_.size()) step();
    return std::move(marks_);
  }

 private:
  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  bool is_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void mark(MarkKind kind, Bracket bracket) { marks_.push_back({at_, kind, bracket}); }

  void step() {
    const char c = text_[at_];
    if (skip_comment(c) || skip_string(c)) return;
    switch (c) {
      case '{': open_brace(); break;
      case '}': close_brace(); break;
      case '(': round(MarkKind::open); break;
      case ')': round(MarkKind::close); break;
      case '[': square(MarkKind::open); break;
      case ']': square(MarkKind::close); break;
      case ';': mark(MarkKind::end_of_statement, Bracket::none); break;
      case '\n': end_line(); break;
      default: break;
    }
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') last_code_ = at_;
    ++at_;
  }

  void round(MarkKind kind) {
    if (!lexis_.has_only_braces) mark(kind, Bracket::round);
  }
  void square(MarkKind kind) {
    if (!lexis_.has_only_braces) mark(kind, Bracket::square);
  }

  void open_brace() {
    ++depth_;
    mark(MarkKind::open, Bracket::brace);
  }

  void close_brace() {
    if (!templates_.empty() && templates_.back() == depth_) {
      templates_.pop_back();
      --depth_;
      mark(MarkKind::close, Bracket::brace);
      ++at_;
      read_template();
      --at_;  // step() goes on behind
      return;
    }
    --depth_;
    mark(MarkKind::close, Bracket::brace);
  }

  // A statement goes on in the next line when either line says so.
  void end_line() {
    if (!lexis_.ends_lines || !last_code_) return;
    constexpr std::string_view kGoesOn = "=,([{+-*/&|?:<>.!~^%;}";
    const std::size_t next = text_.find_first_not_of(" \t\r", at_ + 1);
    // Of several line ends in a row the last one decides.
    if (next != std::string_view::npos && text_[next] == '\n') return;
    constexpr std::string_view kContinues = "{.?:&|+=,()]*";
    const bool goes_on = kGoesOn.contains(text_[*last_code_]) ||
                         (next != std::string_view::npos && kContinues.contains(text_[next]));
    // It ends where its last sign stands, whatever comments and blank lines follow.
    const std::size_t end = *last_code_ + 1;
    if (!goes_on && (marks_.empty() || marks_.back().offset < end)) {
      marks_.push_back({end, MarkKind::end_of_statement, Bracket::none});
    }
  }

  void skip_to(std::size_t end) { at_ = std::min(end, text_.size()); }

  void skip_line() { skip_to(text_.find('\n', at_)); }

  bool skip_comment(char c) {
    if (lexis_.has_slash_comments && c == '/' && at(at_ + 1) == '/') {
      skip_line();
      return true;
    }
    if (lexis_.has_slash_comments && c == '/' && at(at_ + 1) == '*') {
      skip_block_comment();
      return true;
    }
    // In a shell, "#" starts a comment only at the start of a word: ${#array[@]}, $#.
    if (lexis_.has_hash_comments && c == '#' && at(at_ + 1) != '[' &&
        (at_ == 0 || std::string_view(" \t\n;").contains(text_[at_ - 1]))) {
      skip_line();
      return true;
    }
    return false;
  }

  void skip_block_comment() {
    int depth = 1;
    at_ += 2;
    while (depth > 0) {
      const std::size_t end = text_.find("*/", at_);
      const std::size_t inner =
          lexis_.nests_comments ? text_.find("/*", at_) : std::string_view::npos;
      if (end == std::string_view::npos) return skip_to(text_.size());
      depth += inner < end ? 1 : -1;
      at_ = std::min(inner, end) + 2;
    }
  }

  bool skip_string(char c) {
    if (c == '"') {
      if (lexis_.has_triple_quotes && is_at("\"\"\"")) {
        const std::size_t end = text_.find("\"\"\"", at_ + 3);
        skip_to(end == std::string_view::npos ? end : end + 3);
      } else {
        skip_quoted('"');
      }
    } else if (c == '\'') {
      if (lexis_.has_single_quotes) {
        skip_quoted('\'');
      } else {
        skip_character();
      }
    } else if (c == '`' && lexis_.has_templates) {
      ++at_;
      read_template();
    } else if (c == '/' && lexis_.has_regexes && may_be_regex()) {
      skip_regex();
    } else if (c == 'r' && lexis_.has_raw_strings && (at_ == 0 || !is_of_name(text_[at_ - 1]))) {
      return skip_raw_string();
    } else if (c == '<' && lexis_.has_here_documents && is_at("<<")) {
      return skip_here_document();
    } else if (c == '$' && lexis_.has_only_braces && at(at_ + 1) == '{') {
      skip_expansion();
    } else {
      return false;
    }
    if (at_ > 0) last_code_ = at_ - 1;
    return true;
  }

  // ${name:-${other}}
  void skip_expansion() {
    int depth = 0;
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '{') ++depth;
      if (text_[at_] == '}' && --depth == 0) {
        ++at_;
        return;
      }
    }
  }

  void skip_quoted(char quote) {
    const bool escapes = !(lexis_.has_only_braces && quote == '\'');
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && escapes) {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
    at_ = text_.size();
  }

  // 'x' or '\n', but neither a lifetime ('a) nor an apostrophe.
  void skip_character() {
    if (at(at_ + 1) == '\\') {
      const std::size_t end = text_.find('\'', at_ + 3);
      if (end != std::string_view::npos && end - at_ <= 12) return skip_to(end + 1);
    } else {
      const std::size_t end = text_.find('\'', at_ + 2);
      if (end != std::string_view::npos && end - at_ <= 5 &&
          (end - at_ == 2 || (at(at_ + 1) & 0x80) != 0)) {
        return skip_to(end + 1);
      }
    }
    ++at_;
  }

  // From inside of the backticks to their end, or to the "${" of an expression.
  void read_template() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '`') {
        ++at_;
        return;
      } else if (text_[at_] == '$' && at(at_ + 1) == '{') {
        ++at_;
        open_brace();
        templates_.push_back(depth_);
        ++at_;
        return;
      }
    }
    at_ = text_.size();
  }

  // A slash after a value divides; after anything else a regular expression starts.
  bool may_be_regex() const {
    if (lost_regexes_ == kMostLostRegexes) return false;
    if (!last_code_) return true;
    const char before = text_[*last_code_];
    if (before == ')' || before == ']' || before == '}') return false;
    if (!is_of_name(before) && before != '"' && before != '\'' && before != '`') return true;
    constexpr auto kWords =
        std::to_array<std::string_view>({"return", "typeof", "case", "in", "of"});
    const std::string_view code = text_.substr(0, *last_code_ + 1);
    return std::ranges::any_of(kWords, [&](std::string_view word) {
      return code.ends_with(word) &&
             (code.size() == word.size() || !is_of_name(code[code.size() - word.size() - 1]));
    });
  }

  void skip_regex() {
    constexpr std::size_t kLongest = 1'000;
    bool is_in_class = false;
    const std::size_t limit = std::min(text_.size(), at_ + kLongest);
    for (std::size_t i = at_ + 1; i < limit && text_[i] != '\n'; ++i) {
      const char c = text_[i];
      if (c == '\\') {
        ++i;
      } else if (c == '[') {
        is_in_class = true;
      } else if (c == ']') {
        is_in_class = false;
      } else if (c == '/' && !is_in_class) {
        return skip_to(i + 1);
      }
    }
    ++lost_regexes_;
    ++at_;  // a division after all
  }

  bool skip_raw_string() {
    std::size_t quote = at_ + 1;
    while (at(quote) == '#') ++quote;
    if (at(quote) != '"') return false;
    const std::string end = '"' + std::string(quote - at_ - 1, '#');
    const std::size_t found = text_.find(end, quote + 1);
    skip_to(found == std::string_view::npos ? found : found + end.size());
    return true;
  }

  bool skip_here_document() {
    if (lost_here_documents_ == kMostLostHereDocuments) return false;
    std::size_t i = at_ + 2;
    if (std::string_view("<-~").contains(at(i)) && at(i) != '\0') ++i;
    if (at(i) == ' ') ++i;
    const char quote = at(i) == '\'' || at(i) == '"' ? at(i) : '\0';
    if (quote != '\0') ++i;
    const std::size_t start = i;
    while (is_of_name(at(i)) && at(i) != '\0') ++i;
    const std::string_view word = text_.substr(start, i - start);
    if (word.empty() || (word.front() >= '0' && word.front() <= '9')) return false;
    std::size_t line = text_.find('\n', i);
    while (line != std::string_view::npos) {
      const std::size_t first = text_.find_first_not_of(" \t", line + 1);
      if (first == std::string_view::npos) break;
      if (text_.substr(first).starts_with(word) && !is_of_name(at(first + word.size()))) {
        skip_to(first + word.size());
        return true;
      }
      line = text_.find('\n', line + 1);
    }
    ++lost_here_documents_;
    return false;  // no such document: two shifts
  }

  // Each costs a look at the rest of the text.
  static constexpr int kMostLostHereDocuments = 50;
  static constexpr int kMostLostRegexes = 1'000;

  std::string_view text_;
  const Lexis& lexis_;
  std::size_t at_ = 0;
  int lost_here_documents_ = 0;
  int lost_regexes_ = 0;
  std::optional<std::size_t> last_code_;
  int depth_ = 0;               // of braces
  std::vector<int> templates_;  // depths at which a template goes on
  std::vector<Mark> marks_;
};

// Lua's blocks open and close with words.
std::vector<Mark> read_lua(std::string_view text) {
  std::vector<Mark> marks;
  const auto long_bracket_end = [&](std::size_t at) -> std::optional<std::size_t> {
    std::size_t i = at + 1;
    while (i < text.size() && text[i] == '=') ++i;
    if (i >= text.size() || text[i] != '[') return std::nullopt;
    const std::string end = "]" + std::string(i - at - 1, '=') + "]";
    const std::size_t found = text.find(end, i);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (text.substr(at).starts_with("--")) {
      const auto end =
          at + 2 < text.size() && text[at + 2] == '[' ? long_bracket_end(at + 2) : std::nullopt;
      at = end ? *end : std::min(text.find('\n', at), text.size());
    } else if (c == '[' && long_bracket_end(at)) {
      at = *long_bracket_end(at);
    } else if (c == '"' || c == '\'') {
      for (++at; at < text.size() && text[at] != c && text[at] != '\n'; ++at) {
        if (text[at] == '\\') ++at;
      }
      ++at;
    } else if (is_of_name(c)) {
      std::size_t end = at;
      while (end < text.size() && is_of_name(text[end])) ++end;
      const std::string_view word = text.substr(at, end - at);
      if (word == "function" || word == "do" || word == "if" || word == "repeat") {
        marks.push_back({at, MarkKind::open, Bracket::keyword});
      } else if (word == "end" || word == "until") {
        marks.push_back({at, MarkKind::close, Bracket::keyword});
      }
      at = end;
    } else {
      ++at;
    }
  }
  return marks;
}

}  // namespace

std::vector<Mark> read_marks(std::string_view text, std::string_view language) {
  if (language == "Lua") return read_lua(text);
  const auto found = std::ranges::find(kLexes, language, &Lexis::language);
  return Reader(text, found == kLexes.end() ? kOthers : *found).read();
}

}  // namespace wright::entities
