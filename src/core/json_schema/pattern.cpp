#include "core/json_schema/pattern.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <utility>

#include "core/try.h"

namespace wright::json_schema {
namespace {

// ECMA-262's white space, of which RE2's \s knows the ASCII part only. For use inside [].
constexpr std::string_view kSpaces =
    R"(\t\n\v\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF})";
// Its complement, also for use inside [].
constexpr std::string_view kNotSpaces =
    R"(\x00-\x08\x0E-\x1F!-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF})";

// General categories by the long names that ECMA-262 also takes.
constexpr std::array kCategories{
    std::pair{"Letter", "L"},
    std::pair{"Uppercase_Letter", "Lu"},
    std::pair{"Lowercase_Letter", "Ll"},
    std::pair{"Titlecase_Letter", "Lt"},
    std::pair{"Modifier_Letter", "Lm"},
    std::pair{"Other_Letter", "Lo"},
    std::pair{"Mark", "M"},
    std::pair{"Nonspacing_Mark", "Mn"},
    std::pair{"Spacing_Mark", "Mc"},
    std::pair{"Enclosing_Mark", "Me"},
    std::pair{"Number", "N"},
    std::pair{"Decimal_Number", "Nd"},
    std::pair{"digit", "Nd"},
    std::pair{"Letter_Number", "Nl"},
    std::pair{"Other_Number", "No"},
    std::pair{"Punctuation", "P"},
    std::pair{"punct", "P"},
    std::pair{"Dash_Punctuation", "Pd"},
    std::pair{"Symbol", "S"},
    std::pair{"Math_Symbol", "Sm"},
    std::pair{"Currency_Symbol", "Sc"},
    std::pair{"Separator", "Z"},
    std::pair{"Space_Separator", "Zs"},
    std::pair{"Other", "C"},
    std::pair{"Control", "Cc"},
    std::pair{"Format", "Cf"},
};

// Rewrites the escapes in which the two dialects differ.
class Translator {
 public:
  Translator(std::string_view pattern, ForeignSyntax foreign) : rest_(pattern), foreign_(foreign) {}

  Result<std::string> translate() {
    bool is_in_class = false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\\') {
        TRY(translate_escape(is_in_class));
        continue;
      }
      if (!is_in_class && c == '(' && is_lookaround()) {
        return fail(ErrorCode::unsupported, "it uses lookaround");
      }
      if (!is_in_class && rest_.starts_with("(?") && !is_known_group()) {
        return fail(ErrorCode::invalid_argument, "(? must be followed by :, =, !, < or flags");
      }
      if (!is_in_class && rest_.starts_with("(?<")) {
        out_ += "(?P<";
        rest_.remove_prefix(3);
        continue;
      }
      if (is_in_class && c == '[') {
        out_ += "\\[";
      } else if (is_in_class && c == '-' && (is_after_set_ || is_set_escape(rest_.substr(1)))) {
        out_ += "\\-";  // [\w-.] is no range
      } else if (c == '[') {
        is_in_class = open_class();
        continue;
      } else {
        if (c == ']') is_in_class = false;
        out_ += c;
      }
      is_after_set_ = false;
      rest_.remove_prefix(1);
    }
    return std::move(out_);
  }

 private:
  bool is_lookaround() const {
    return rest_.starts_with("(?=") || rest_.starts_with("(?!") || rest_.starts_with("(?<=") ||
           rest_.starts_with("(?<!");
  }

  bool is_known_group() const {
    if (rest_.starts_with("(?:") || rest_.starts_with("(?<")) return true;
    if (foreign_ == ForeignSyntax::refused) return false;
    const std::size_t end = rest_.find_first_not_of("ims-", 2);
    const bool has_flags =
        end != std::string_view::npos && end > 2 && (rest_[end] == ':' || rest_[end] == ')');
    return has_flags || rest_.starts_with("(?P<");
  }

  // Whether a text begins with an escape that stands for many characters.
  static bool is_set_escape(std::string_view text) {
    return text.size() >= 2 && text[0] == '\\' &&
           std::string_view("wWdDsSpP").find(text[1]) != std::string_view::npos;
  }

  // Takes "[" or "[^"; false when the class ends at once: [] matches nothing and [^] everything in
  // ECMA-262, where RE2 reads a literal bracket.
  bool open_class() {
    const std::string_view opening = rest_.starts_with("[^") ? "[^" : "[";
    rest_.remove_prefix(opening.size());
    if (!rest_.starts_with("]")) {
      out_ += opening;
      return true;
    }
    rest_.remove_prefix(1);
    out_ += opening == "[^" ? "(?s:.)" : R"([^\x00-\x{10FFFF}])";
    return false;
  }

  Result<void> translate_escape(bool is_in_class) {
    if (rest_.size() < 2) return fail(ErrorCode::invalid_argument, "it ends in a backslash");
    const char c = rest_[1];
    is_after_set_ = is_in_class && is_set_escape(rest_);
    if (c == 's' || c == 'S') {
      const std::string_view set = c == 's' ? kSpaces : kNotSpaces;
      out_ += is_in_class ? std::string(set) : fmt::format("[{}]", set);
      rest_.remove_prefix(2);
      return {};
    }
    if (c == 'u') return translate_unicode();
    if (c == 'p' || c == 'P') return translate_property();
    if (c == 'c') {
      if (rest_.size() < 3 || std::isalpha(static_cast<unsigned char>(rest_[2])) == 0) {
        return fail(ErrorCode::invalid_argument, "\\c needs a letter");
      }
      out_ += fmt::format("\\x{:02X}", rest_[2] % 32);
      rest_.remove_prefix(3);
      return {};
    }
    if (!is_in_class && ((c >= '1' && c <= '9') || c == 'k')) {
      return fail(ErrorCode::unsupported, "it uses a back-reference");
    }
    if (c == '0') {
      out_ += "\\x00";
    } else if (is_in_class && c == 'b') {
      out_ += "\\x08";
    } else if (c == '/' || c == '_') {
      out_ += c;
    } else if (std::string_view("aAzZCQE").find(c) != std::string_view::npos) {
      // Letters that mean something to RE2 and nothing to ECMA-262.
      return fail(ErrorCode::invalid_argument, fmt::format("\\{} is not an escape", c));
    } else {
      out_ += rest_.substr(0, 2);
    }
    rest_.remove_prefix(2);
    return {};
  }

  // \uXXXX, a surrogate pair of them, or \u{X…}.
  Result<void> translate_unicode() {
    const auto digits_at = [&](std::size_t at) -> std::string_view {
      if (rest_.size() < at + 4) return {};
      const std::string_view digits = rest_.substr(at, 4);
      return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos
                 ? digits
                 : std::string_view();
    };
    if (rest_.starts_with("\\u{")) {
      const std::size_t end = rest_.find('}');
      if (end == std::string_view::npos) return fail(ErrorCode::invalid_argument, "\\u{ is open");
      out_ += fmt::format("\\x{{{}}}", rest_.substr(3, end - 3));
      rest_.remove_prefix(end + 1);
      return {};
    }
    const std::string_view digits = digits_at(2);
    if (digits.empty()) return fail(ErrorCode::invalid_argument, "\\u needs four hex digits");
    unsigned code = static_cast<unsigned>(std::stoul(std::string(digits), nullptr, 16));
    rest_.remove_prefix(6);
    if (code >= 0xD800 && code < 0xDC00 && rest_.starts_with("\\u") && !digits_at(2).empty()) {
      const auto low = static_cast<unsigned>(std::stoul(std::string(digits_at(2)), nullptr, 16));
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        rest_.remove_prefix(6);
      }
    }
    if (code >= 0xD800 && code < 0xE000) {
      return fail(ErrorCode::unsupported, "it matches halves of characters (surrogates)");
    }
    out_ += fmt::format("\\x{{{:X}}}", code);
    return {};
  }

  Result<void> translate_property() {
    const std::size_t end = rest_.find('}');
    if (!rest_.substr(2).starts_with("{") || end == std::string_view::npos) {
      return fail(ErrorCode::invalid_argument, "\\p needs a property in braces");
    }
    std::string_view name = rest_.substr(3, end - 3);
    if (const std::size_t equals = name.find('='); equals != std::string_view::npos) {
      name.remove_prefix(equals + 1);
    }
    for (const auto& [long_name, short_name] : kCategories) {
      if (name == long_name) name = short_name;
    }
    out_ += fmt::format("\\{}{{{}}}", rest_[1], name);
    rest_.remove_prefix(end + 1);
    return {};
  }

  std::string_view rest_;
  ForeignSyntax foreign_;
  std::string out_;
  bool is_after_set_ = false;  // inside a class: the last thing was \w or the like
};

}  // namespace

Result<std::unique_ptr<const RE2>> compile_pattern(std::string_view pattern,
                                                   ForeignSyntax foreign) {
  auto translated = TRY(Translator(pattern, foreign).translate());
  RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(false);
  options.set_max_mem(4 << 20);
  auto compiled = std::make_unique<const RE2>(translated, options);
  if (compiled->ok()) return compiled;
  const bool is_too_large = compiled->error_code() == RE2::ErrorRepeatSize ||
                            compiled->error_code() == RE2::ErrorPatternTooLarge;
  return fail(is_too_large ? ErrorCode::unsupported : ErrorCode::invalid_argument,
              is_too_large ? "it repeats too much: " + compiled->error() : compiled->error());
}

}  // namespace wright::json_schema
