#include "core/json_schema/formats.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/json_schema/pattern.h"
#include "core/text.h"

namespace wright::json_schema {
namespace {

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Takes the text apart from the left.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_any_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Exactly so many digits.
  std::optional<int> number(std::size_t digits) {
    if (rest_.size() < digits || !std::ranges::all_of(rest_.substr(0, digits), is_digit)) {
      return std::nullopt;
    }
    int value = 0;
    std::from_chars(rest_.data(), rest_.data() + digits, value);
    rest_.remove_prefix(digits);
    return value;
  }
  // How many digits there were.
  std::size_t skip_digits() {
    const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

// --- dates and times (RFC 3339, ISO 8601 durations) -------------------------------------------

bool take_date(Reader& in) {
  const auto year = in.number(4);
  if (!year || !in.take('-')) return false;
  const auto month = in.number(2);
  if (!month || !in.take('-')) return false;
  const auto day = in.number(2);
  if (!day || *month < 1 || *month > 12 || *day < 1) return false;
  static constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  const int days = kDays[static_cast<std::size_t>(*month - 1)] + (*month == 2 && is_leap ? 1 : 0);
  return *day <= days;
}

bool take_time(Reader& in) {
  const auto hour = in.number(2);
  if (!hour || *hour > 23 || !in.take(':')) return false;
  const auto minute = in.number(2);
  if (!minute || *minute > 59 || !in.take(':')) return false;
  const auto second = in.number(2);
  if (!second || *second > 60) return false;
  if (in.take('.') && in.skip_digits() == 0) return false;
  int offset = 0;  // minutes east of UTC
  if (!in.take_any_of("zZ")) {
    const int sign = in.take('-') ? -1 : in.take('+') ? 1 : 0;
    if (sign == 0) return false;
    const auto hours = in.number(2);
    if (!hours || *hours > 23 || !in.take(':')) return false;
    const auto minutes = in.number(2);
    if (!minutes || *minutes > 59) return false;
    offset = sign * (*hours * 60 + *minutes);
  }
  if (*second < 60) return true;
  // A leap second is the last of a day in UTC.
  const int in_utc = (*hour * 60 + *minute - offset + 2 * 24 * 60) % (24 * 60);
  return in_utc == 23 * 60 + 59;
}

bool is_date(std::string_view text) {
  Reader in(text);
  return take_date(in) && in.at_end();
}

bool is_time(std::string_view text) {
  Reader in(text);
  return take_time(in) && in.at_end();
}

bool is_date_time(std::string_view text) {
  Reader in(text);
  return take_date(in) && in.take_any_of("tT") && take_time(in) && in.at_end();
}

// Numbers with the units in order, such as 1Y6M; each unit at most once and without gaps.
bool take_units(Reader& in, std::string_view units) {
  std::size_t next = 0;
  bool has_any = false;
  while (!in.at_end() && is_digit(in.rest().front())) {
    in.skip_digits();
    if (in.at_end()) return false;
    const std::size_t unit = units.find(in.rest().front(), next);
    if (unit == std::string_view::npos || (has_any && unit != next)) return false;
    in.take(in.rest().front());
    next = unit + 1;
    has_any = true;
  }
  return has_any;
}

bool is_duration(std::string_view text) {
  Reader in(text);
  if (!in.take('P') || in.at_end()) return false;
  if (text.ends_with('W')) return in.skip_digits() > 0 && in.take('W') && in.at_end();
  if (in.rest().front() != 'T' && !take_units(in, "YMD")) return false;
  if (in.take('T') && !take_units(in, "HMS")) return false;
  return in.at_end();
}

// --- hosts and addresses -----------------------------------------------------------------------

bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::string_view number = text.substr(0, end);
    if (number.empty() || number.size() > 3 || !std::ranges::all_of(number, is_digit)) return false;
    if (number.size() > 1 && number[0] == '0') return false;
    if (std::stoi(std::string(number)) > 255) return false;
    if ((part == 3) != (end == text.size())) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// The groups of one side of "::", or of the whole address; -1 when they are none.
int ipv6_groups(std::string_view text) {
  if (text.empty()) return 0;
  int groups = 0;
  while (true) {
    const std::size_t end = text.find(':');
    const std::string_view group = text.substr(0, end);
    if (end == std::string_view::npos && group.find('.') != std::string_view::npos) {
      return is_ipv4(group) ? groups + 2 : -1;
    }
    if (group.empty() || group.size() > 4 || !std::ranges::all_of(group, is_hex)) return -1;
    ++groups;
    if (end == std::string_view::npos) return groups;
    text.remove_prefix(end + 1);
  }
}

bool is_ipv6(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return ipv6_groups(text) == 8;
  if (text.find("::", gap + 1) != std::string_view::npos) return false;
  const std::string_view left = text.substr(0, gap);
  if (left.find('.') != std::string_view::npos) return false;
  const int before = ipv6_groups(left);
  const int after = ipv6_groups(text.substr(gap + 2));
  return before >= 0 && after >= 0 && before + after <= 7;
}

// One label of a host name. Others than ASCII characters are allowed where `is_international`.
bool is_label(std::string_view label, bool is_international) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') {
    return false;
  }
  const bool has_dashes = label.size() >= 4 && label.substr(2, 2) == "--";
  if (has_dashes && !label.starts_with("xn--") && !label.starts_with("XN--")) return false;
  if (has_dashes && label.size() == 4) return false;
  return std::ranges::all_of(label, [&](char c) {
    return is_letter(c) || is_digit(c) || c == '-' ||
           (is_international && static_cast<unsigned char>(c) >= 0x80);
  });
}

bool is_host(std::string_view text, bool is_international) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot), is_international)) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_hostname(std::string_view text) {
  return is_host(text, false);
}
bool is_idn_hostname(std::string_view text) {
  return is_host(text, true);
}

bool is_mailbox(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64) return false;
  const std::string_view local = text.substr(0, at);
  const std::string_view domain = text.substr(at + 1);
  if (local.front() == '"') {
    if (local.size() < 3 || local.back() != '"') return false;
  } else {
    if (local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos) {
      return false;
    }
    const bool is_plain = std::ranges::all_of(local, [](char c) {
      return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
             std::string_view("!#$%&'*+-/=?^_`{|}~.").find(c) != std::string_view::npos;
    });
    if (!is_plain) return false;
  }
  if (domain.starts_with("[IPv6:") && domain.ends_with(']')) {
    return is_ipv6(domain.substr(6, domain.size() - 7));
  }
  if (domain.starts_with('[') && domain.ends_with(']')) {
    return is_ipv4(domain.substr(1, domain.size() - 2));
  }
  return is_idn_hostname(domain);
}

bool is_email(std::string_view text) {
  return is_ascii(text) && is_mailbox(text);
}
bool is_idn_email(std::string_view text) {
  return is_mailbox(text);
}

// --- URIs (RFC 3986, RFC 3987, RFC 6570) -------------------------------------------------------

enum class Alphabet { uri, iri };

// Every character one that may stand in a URI, and every % followed by two hex digits.
bool has_only(std::string_view text, Alphabet alphabet, std::string_view extra) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      if (alphabet == Alphabet::uri) return false;
    } else if (!is_letter(c) && !is_digit(c) &&
               std::string_view("-._~!$&'()*+,;=").find(c) == std::string_view::npos &&
               extra.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_authority(std::string_view text, Alphabet alphabet) {
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    if (!has_only(text.substr(0, at), alphabet, ":")) return false;
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view address = text.substr(1, end - 1);
    const bool is_future = address.starts_with('v') || address.starts_with('V');
    if (!is_future && !is_ipv6(address)) return false;
    text.remove_prefix(end + 1);
    return text.empty() || (text.front() == ':' && std::ranges::all_of(text.substr(1), is_digit));
  }
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && !std::ranges::all_of(text.substr(colon + 1), is_digit)) {
    return false;
  }
  return has_only(text.substr(0, colon), alphabet, "");
}

// What stands after the scheme.
bool is_hierarchy(std::string_view text, Alphabet alphabet) {
  const std::size_t hash = text.find('#');
  if (hash != std::string_view::npos) {
    if (!has_only(text.substr(hash + 1), alphabet, ":@/?")) return false;
    text = text.substr(0, hash);
  }
  const std::size_t question = text.find('?');
  if (question != std::string_view::npos) {
    if (!has_only(text.substr(question + 1), alphabet, ":@/?")) return false;
    text = text.substr(0, question);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t slash = std::min(text.find('/'), text.size());
    if (!is_authority(text.substr(0, slash), alphabet)) return false;
    text.remove_prefix(slash);
  }
  return has_only(text, alphabet, ":@/");
}

// The length of the scheme, 0 when there is none.
std::size_t scheme_length(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return 0;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return 0;
  const bool is_scheme = std::ranges::all_of(text.substr(0, colon), [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
  return is_scheme ? colon : 0;
}

bool is_absolute(std::string_view text, Alphabet alphabet) {
  const std::size_t scheme = scheme_length(text);
  return scheme > 0 && is_hierarchy(text.substr(scheme + 1), alphabet);
}

bool is_reference(std::string_view text, Alphabet alphabet) {
  if (scheme_length(text) > 0) return is_absolute(text, alphabet);
  const std::string_view first = text.substr(0, text.find_first_of("/?#"));
  return first.find(':') == std::string_view::npos && is_hierarchy(text, alphabet);
}

bool is_uri(std::string_view text) {
  return is_absolute(text, Alphabet::uri);
}
bool is_uri_reference(std::string_view text) {
  return is_reference(text, Alphabet::uri);
}
bool is_iri(std::string_view text) {
  return is_absolute(text, Alphabet::iri);
}
bool is_iri_reference(std::string_view text) {
  return is_reference(text, Alphabet::iri);
}

// "name", "name:3" or "name*", where the name is letters, digits, _ and %XX with single dots.
bool is_template_variable(std::string_view text) {
  if (text.ends_with('*')) {
    text.remove_suffix(1);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view length = text.substr(colon + 1);
    if (length.empty() || length.size() > 4 || length.front() == '0') return false;
    if (!std::ranges::all_of(length, is_digit)) return false;
    text = text.substr(0, colon);
  }
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
    } else if (text[i] == '.' ? text[i - 1] == '.'
                              : !is_letter(text[i]) && !is_digit(text[i]) && text[i] != '_') {
      return false;
    }
  }
  return true;
}

// What stands between the braces.
bool is_template_expression(std::string_view text) {
  if (!text.empty() && std::string_view("+#./;?&").find(text.front()) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  while (true) {
    const std::size_t comma = text.find(',');
    if (!is_template_variable(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool is_uri_template(std::string_view text) {
  while (!text.empty()) {
    const char c = text.front();
    if (c == '{') {
      const std::size_t end = text.find('}');
      if (end == std::string_view::npos || !is_template_expression(text.substr(1, end - 1))) {
        return false;
      }
      text.remove_prefix(end);
    } else if (c == '%') {
      if (text.size() < 3 || !is_hex(text[1]) || !is_hex(text[2])) return false;
    } else if (static_cast<unsigned char>(c) <= ' ' || c == '\x7F' ||
               std::string_view("\"<>\\^`|}").find(c) != std::string_view::npos) {
      return false;
    }
    text.remove_prefix(1);
  }
  return true;
}

// --- the rest ----------------------------------------------------------------------------------

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1');
    if (text[i] == '~' && !is_escape) return false;
  }
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  Reader in(text);
  const std::size_t digits = in.skip_digits();
  if (digits == 0 || (digits > 1 && text.front() == '0')) return false;
  return in.rest() == "#" || is_json_pointer(in.rest());
}

bool is_regex(std::string_view text) {
  const auto compiled = compile_pattern(text, ForeignSyntax::refused);
  return compiled || compiled.error().code == ErrorCode::unsupported;
}

constexpr std::array kFormats{
    std::pair{std::string_view("date-time"), &is_date_time},
    std::pair{std::string_view("date"), &is_date},
    std::pair{std::string_view("time"), &is_time},
    std::pair{std::string_view("duration"), &is_duration},
    std::pair{std::string_view("email"), &is_email},
    std::pair{std::string_view("idn-email"), &is_idn_email},
    std::pair{std::string_view("hostname"), &is_hostname},
    std::pair{std::string_view("idn-hostname"), &is_idn_hostname},
    std::pair{std::string_view("ipv4"), &is_ipv4},
    std::pair{std::string_view("ipv6"), &is_ipv6},
    std::pair{std::string_view("uri"), &is_uri},
    std::pair{std::string_view("uri-reference"), &is_uri_reference},
    std::pair{std::string_view("iri"), &is_iri},
    std::pair{std::string_view("iri-reference"), &is_iri_reference},
    std::pair{std::string_view("uri-template"), &is_uri_template},
    std::pair{std::string_view("uuid"), &is_uuid},
    std::pair{std::string_view("json-pointer"), &is_json_pointer},
    std::pair{std::string_view("relative-json-pointer"), &is_relative_json_pointer},
    std::pair{std::string_view("regex"), &is_regex},
};

}  // namespace

FormatCheck format_named(std::string_view name) {
  for (const auto& [known, check] : kFormats) {
    if (known == name) return check;
  }
  return nullptr;
}

}  // namespace wright::json_schema
