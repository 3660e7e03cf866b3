#include "postgres/place.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <utility>

namespace wright::postgres {
namespace {

constexpr std::string_view kHidden = "***";

// "//" up to the first of "/?": user, password, hosts and ports.
std::string_view authority_of(std::string_view place) {
  const std::size_t begin = place.find("//") + 2;
  return place.substr(begin, place.find_first_of("/?", begin) - begin);
}

// Parts of `place`, in their order.
std::vector<std::string_view> hidden_parts(std::string_view place) {
  std::vector<std::string_view> parts;
  if (!is_place(place)) return parts;
  const std::string_view authority = authority_of(place);
  const std::size_t at = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (at != std::string_view::npos && colon < at) {
    parts.push_back(authority.substr(colon + 1, at - colon - 1));
  }
  const std::size_t question = place.find('?');
  std::string_view rest = question == std::string_view::npos ? "" : place.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    // A name that is encoded may be the name of a password.
    const std::string_view name = one.substr(0, equals);
    const bool is_hidden = name.ends_with("password") || name.find('%') != std::string_view::npos;
    if (is_hidden && equals < one.size()) parts.push_back(one.substr(equals + 1));
  }
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
  return parts;
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    const bool is_encoded = text[i] == '%' && i + 2 < text.size() &&
                            std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    plain += is_encoded ? static_cast<char>(byte) : text[i];
    if (is_encoded) i += 2;
  }
  return plain;
}

void replace_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + kHidden.size())) {
    text.replace(at, what.size(), kHidden);
  }
}

}  // namespace

bool is_place(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

Result<void> check_place(std::string_view place) {
  if (!is_place(place)) return {};
  const std::string_view authority = authority_of(place);
  const std::size_t behind =
      static_cast<std::size_t>(authority.data() - place.data()) + authority.size();
  // "?user=a@b" is fine; "secret?rest@host" is not.
  const std::string_view rest = place.substr(behind);
  const std::size_t at = rest.find('@');
  const bool is_in_value = rest.starts_with('?') && rest.find('=') < at;
  const bool is_torn = at != std::string_view::npos && !is_in_value;
  if (std::ranges::count(authority, '@') <= 1 && !is_torn) return {};
  return fail(
      ErrorCode::invalid_argument,
      "The address of the PostgreSQL is not clear: in names and passwords write @ as %40, / "
      "as %2F, ? as %3F and : as %3A, or leave the password to ~/.pgpass");
}

std::string shown_place(std::string_view place) {
  std::string shown;
  std::size_t done = 0;
  for (const std::string_view part : hidden_parts(place)) {
    const auto at = static_cast<std::size_t>(part.data() - place.data());
    (shown += place.substr(done, at - done)) += kHidden;
    done = at + part.size();
  }
  return shown += place.substr(done);
}

std::vector<std::string> passwords_of(std::string_view place) {
  std::vector<std::string> passwords;
  for (const std::string_view part : hidden_parts(place)) {
    passwords.emplace_back(part);
    if (std::string plain = decoded(part); plain != part) passwords.push_back(std::move(plain));
  }
  // A password inside of another is hidden with it.
  std::ranges::sort(passwords, std::greater<>(), &std::string::size);
  return passwords;
}

std::string without_passwords(std::string message, std::string_view place) {
  if (const std::size_t at = message.find(place); at != std::string::npos) {
    message.replace(at, place.size(), shown_place(place));
  }
  for (const std::string& password : passwords_of(place)) replace_all(message, password);
  return message;
}

}  // namespace wright::postgres
