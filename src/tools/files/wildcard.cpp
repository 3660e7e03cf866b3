#include "tools/files/wildcard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <optional>

#include "core/try.h"

namespace wright::tools {
namespace {

bool is_tail_byte(std::uint8_t byte) {
  return (byte & 0xC0) == 0x80;
}

struct NamedClass {
  std::string_view name;
  int (*contains)(int);
};
constexpr std::array kNamedClasses{
    NamedClass{"alnum", std::isalnum}, NamedClass{"alpha", std::isalpha},
    NamedClass{"blank", std::isblank}, NamedClass{"cntrl", std::iscntrl},
    NamedClass{"digit", std::isdigit}, NamedClass{"graph", std::isgraph},
    NamedClass{"lower", std::islower}, NamedClass{"print", std::isprint},
    NamedClass{"punct", std::ispunct}, NamedClass{"space", std::isspace},
    NamedClass{"upper", std::isupper}, NamedClass{"xdigit", std::isxdigit},
};

}  // namespace

class Wildcard::Compiler {
 public:
  Compiler(std::string_view pattern, WildcardStyle style) : pattern_(pattern), style_(style) {}

  Result<Wildcard> compile() {
    take_literal_start();
    const std::size_t start = at_;
    while (at_ < pattern_.size()) {
      switch (pattern_[at_]) {
        case '*': compile_stars(start); break;
        case '?':
          ++at_;
          push(Kind::any);
          push_tail_bytes();
          break;
        case '[': TRY(compile_set()); break;
        case '\\':
          if (++at_ == pattern_.size()) return malformed("ends in a backslash");
          [[fallthrough]];
        default: push_byte(pattern_[at_++]); break;
      }
    }
    return finish();
  }

 private:
  std::unexpected<Error> malformed(std::string_view what) const {
    return fail(ErrorCode::invalid_argument, fmt::format("The glob '{}' {}", pattern_, what));
  }

  void push(Kind kind) { made_.tokens_.push_back({kind}); }
  void push_byte(char byte) {
    made_.tokens_.push_back({Kind::byte, static_cast<std::uint8_t>(byte)});
  }
  // After a token that took the first byte of a character.
  void push_tail_bytes() {
    if (style_ == WildcardStyle::people) push(Kind::tail_bytes);
  }

  // git compares what stands before the first special character by itself, and then reads the
  // rest as if it were a pattern of its own, which matters for ** (see compile_stars).
  void take_literal_start() {
    const std::size_t special = std::min(pattern_.find_first_of("*?[\\"), pattern_.size());
    while (at_ < special) push_byte(pattern_[at_++]);
  }

  void compile_stars(std::size_t start) {
    const std::size_t first = at_;
    while (at_ < pattern_.size() && pattern_[at_] == '*') ++at_;
    const bool is_deep = style_ == WildcardStyle::people ? at_ - first == 2 : at_ - first > 1;
    if (!is_deep) return push(Kind::star);
    const std::string_view rest = pattern_.substr(at_);
    const bool starts_component = starts_component_at(first, start);
    if (starts_component && rest.starts_with('/')) {
      ++at_;
      push(Kind::folders);
      push(Kind::inside_folders);
    } else if (starts_component && (rest.empty() || rest.starts_with("\\/"))) {
      push(Kind::deep_star);
    } else {
      push(Kind::star);
    }
  }

  bool starts_component_at(std::size_t at, std::size_t start) const {
    if (at == 0 || pattern_[at - 1] == '/') return true;
    return style_ == WildcardStyle::git && at == start;
  }

  Result<void> compile_set() {
    ++at_;
    const bool is_negated = at_ < pattern_.size() && (pattern_[at_] == '!' || pattern_[at_] == '^');
    if (is_negated) ++at_;
    Set set;
    std::optional<std::uint8_t> range_start;
    bool is_first = true;
    while (true) {
      if (at_ == pattern_.size()) return malformed("has a '[' without its ']'");
      if (pattern_[at_] == ']' && !is_first) break;
      is_first = false;
      if (starts_with("[:")) {
        const auto named = TRY(named_class());
        if (named) {
          set |= *named;
          range_start.reset();
          continue;
        }
      }
      if (range_start && pattern_[at_] == '-' && at_ + 1 < pattern_.size() &&
          pattern_[at_ + 1] != ']') {
        ++at_;
        const auto last = TRY(member());
        for (int byte = *range_start; byte <= last; ++byte) set.set(static_cast<unsigned>(byte));
        range_start.reset();
        continue;
      }
      const auto single = TRY(member());
      set.set(single);
      range_start = single;
    }
    ++at_;
    if (is_negated) set.flip();
    set.reset('/');
    push_set(set, is_negated);
    return {};
  }

  void push_set(Set set, bool may_start_long_character) {
    if (style_ == WildcardStyle::people) {
      for (unsigned byte = 0x80; byte < 0xC0; ++byte) set.reset(byte);
    }
    made_.tokens_.push_back({Kind::set, 0, static_cast<std::uint16_t>(made_.sets_.size())});
    made_.sets_.push_back(set);
    if (may_start_long_character) push_tail_bytes();
  }

  bool starts_with(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }

  // One member of a set, an escape resolved.
  Result<std::uint8_t> member() {
    if (pattern_[at_] == '\\') ++at_;
    if (at_ == pattern_.size()) return malformed("ends in a backslash");
    const auto byte = static_cast<std::uint8_t>(pattern_[at_++]);
    if (style_ == WildcardStyle::people && byte >= 0x80) {
      return malformed("has a character beyond ASCII inside of [ ]; use {a,b} instead");
    }
    return byte;
  }

  // Reads "[:name:]", or nothing when this is an ordinary bracket.
  Result<std::optional<Set>> named_class() {
    const std::size_t name_start = at_ + 2;
    const std::size_t close = pattern_.find(']', name_start);
    if (close == std::string_view::npos) return malformed("has a '[' without its ']'");
    if (close == name_start || pattern_[close - 1] != ':') return std::nullopt;
    const std::string_view name = pattern_.substr(name_start, close - 1 - name_start);
    const auto found = std::ranges::find(kNamedClasses, name, &NamedClass::name);
    if (found == kNamedClasses.end()) {
      return malformed(fmt::format("has an unknown class [:{}:]", name));
    }
    Set set;
    for (unsigned byte = 0; byte < 0x80; ++byte) {
      if (found->contains(static_cast<int>(byte)) != 0) set.set(byte);
    }
    at_ = close + 1;
    return set;
  }

  // Splits literal text off both ends, where a plain comparison answers most questions.
  Wildcard finish() {
    auto& tokens = made_.tokens_;
    const auto is_byte = [](const Token& token) { return token.kind == Kind::byte; };
    const auto first = std::ranges::find_if_not(tokens, is_byte);
    for (auto token = tokens.begin(); token != first; ++token) {
      made_.prefix_ += static_cast<char>(token->byte);
    }
    tokens.erase(tokens.begin(), first);
    while (!tokens.empty() && is_byte(tokens.back())) {
      made_.suffix_ += static_cast<char>(tokens.back().byte);
      tokens.pop_back();
    }
    std::ranges::reverse(made_.suffix_);
    made_.style_ = style_;
    return std::move(made_);
  }

  std::string_view pattern_;
  WildcardStyle style_;
  std::size_t at_ = 0;
  Wildcard made_;
};

// Follows all ways through the tokens at once: a bit for each place that has been reached. The
// place after the last token is the end.
class Wildcard::Simulation {
 public:
  explicit Simulation(const Wildcard& wildcard)
      : wildcard_(wildcard), now_(wildcard.tokens_.size() / 64 + 1), later_(now_.size()) {}

  bool run(std::string_view text) {
    reach(0);
    now_.swap(later_);
    for (const char byte : text) {
      if (std::ranges::all_of(now_, [](std::uint64_t word) { return word == 0; })) return false;
      std::ranges::fill(later_, 0);
      for (std::size_t word = 0; word < now_.size(); ++word) {
        for (std::uint64_t bits = now_[word]; bits != 0; bits &= bits - 1) {
          step(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)),
               static_cast<std::uint8_t>(byte));
        }
      }
      now_.swap(later_);
    }
    const std::size_t end = wildcard_.tokens_.size();
    return (now_[end / 64] >> (end % 64) & 1) != 0;
  }

 private:
  // Marks a place, and the places behind it that need no byte.
  void reach(std::size_t place) {
    while (true) {
      later_[place / 64] |= std::uint64_t{1} << (place % 64);
      if (place == wildcard_.tokens_.size()) return;
      switch (wildcard_.tokens_[place].kind) {
        case Kind::star:
        case Kind::deep_star:
        case Kind::tail_bytes: place += 1; break;
        case Kind::folders: place += 2; break;
        default: return;
      }
    }
  }

  void step(std::size_t place, std::uint8_t byte) {
    if (place == wildcard_.tokens_.size()) return;
    const Token& token = wildcard_.tokens_[place];
    const bool is_slash = byte == '/';
    switch (token.kind) {
      case Kind::byte:
        if (byte == token.byte) reach(place + 1);
        break;
      case Kind::any:
        if (!is_slash && !(wildcard_.style_ == WildcardStyle::people && is_tail_byte(byte))) {
          reach(place + 1);
        }
        break;
      case Kind::set:
        if (wildcard_.sets_[token.set].test(byte)) reach(place + 1);
        break;
      case Kind::star:
        if (!is_slash) reach(place);
        break;
      case Kind::deep_star: reach(place); break;
      case Kind::folders: reach(is_slash ? place : place + 1); break;
      case Kind::inside_folders: reach(is_slash ? place - 1 : place); break;
      case Kind::tail_bytes:
        if (is_tail_byte(byte)) reach(place);
        break;
    }
  }

  const Wildcard& wildcard_;
  std::vector<std::uint64_t> now_;
  std::vector<std::uint64_t> later_;
};

Result<Wildcard> Wildcard::compile(std::string_view pattern, WildcardStyle style) {
  return Compiler(pattern, style).compile();
}

bool Wildcard::matches(std::string_view path) const {
  if (path.size() < prefix_.size() + suffix_.size() || !path.starts_with(prefix_) ||
      !path.ends_with(suffix_)) {
    return false;
  }
  path.remove_prefix(prefix_.size());
  path.remove_suffix(suffix_.size());
  if (tokens_.empty()) return path.empty();
  if (tokens_.size() == 1 && tokens_.front().kind == Kind::deep_star) return true;
  if (tokens_.size() == 1 && tokens_.front().kind == Kind::star) {
    return path.find('/') == std::string_view::npos;
  }
  return Simulation(*this).run(path);
}

}  // namespace wright::tools
