#include "tools/text/character_set.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::uint32_t kReplacementCharacter = 0xFFFD;
constexpr std::string_view kUtf8 = "utf-8";
constexpr std::string_view kWindows1252 = "windows-1252";
constexpr std::string_view kUtf16Little = "utf-16le";
constexpr std::string_view kUtf16Big = "utf-16be";

// 0x80 … 0x9F; those that stand for themselves are control characters.
constexpr std::array<std::uint16_t, 32> kWindows1252Characters{
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

struct OtherSetName {
  std::string_view name;
  std::string_view meaning;
};
constexpr auto kNames = std::to_array<OtherSetName>({
    {"utf-8", kUtf8},
    {"utf8", kUtf8},
    {"unicode-1-1-utf-8", kUtf8},
    {"windows-1252", kWindows1252},
    {"cp1252", kWindows1252},
    {"iso-8859-1", kWindows1252},
    {"iso8859-1", kWindows1252},
    {"iso_8859-1", kWindows1252},
    {"latin1", kWindows1252},
    {"latin-1", kWindows1252},
    {"l1", kWindows1252},
    {"ascii", kWindows1252},
    {"us-ascii", kWindows1252},
    {"utf-16", kUtf16Little},
    {"utf-16le", kUtf16Little},
    {"utf-16be", kUtf16Big},
});

// Those of which the C library may be asked, and no others: the name comes from a stranger.
constexpr auto kOfTheLibrary = std::to_array<std::string_view>(
    {"iso-8859-2",   "iso-8859-3",   "iso-8859-4",   "iso-8859-5",   "iso-8859-6",   "iso-8859-7",
     "iso-8859-8",   "iso-8859-9",   "iso-8859-10",  "iso-8859-13",  "iso-8859-14",  "iso-8859-15",
     "iso-8859-16",  "koi8-r",       "koi8-u",       "windows-1250", "windows-1251", "windows-1253",
     "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "shift_jis",
     "euc-jp",       "gbk",          "gb2312",       "gb18030",      "big5",         "euc-kr"});

std::string normalised(std::string_view name) {
  std::string made;
  for (const char c : name) {
    if (c == ' ' || c == '\t' || c == '"' || c == '\'') continue;
    made += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return made;
}

// Empty for one that is not known.
std::string_view known_set(std::string_view name) {
  const std::string wanted = normalised(name);
  const auto own = std::ranges::find(kNames, std::string_view(wanted), &OtherSetName::name);
  if (own != kNames.end()) return own->meaning;
  const auto other = std::ranges::find(kOfTheLibrary, std::string_view(wanted));
  return other == kOfTheLibrary.end() ? std::string_view() : *other;
}

// Pages that claim latin-1 use its bytes 0x80 … 0x9F, too.
std::uint32_t windows_1252_character(std::uint8_t byte) {
  return byte >= 0x80 && byte < 0xA0 ? kWindows1252Characters[byte - 0x80U] : byte;
}

std::string from_windows_1252(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    append_utf8(text, windows_1252_character(static_cast<std::uint8_t>(c)));
  }
  return text;
}

std::string from_utf16(std::string_view bytes, std::string_view set) {
  const std::size_t high_byte = set == kUtf16Big ? 0 : 1;
  const auto unit = [&](std::size_t at) {
    const auto high = static_cast<std::uint8_t>(bytes[at + high_byte]);
    const auto low = static_cast<std::uint8_t>(bytes[at + 1 - high_byte]);
    return static_cast<std::uint32_t>(high << 8U | low);
  };
  std::string text;
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2) {
    const std::uint32_t high = unit(at);
    const bool is_pair = high >= 0xD800 && high < 0xDC00 && at + 3 < bytes.size() &&
                         unit(at + 2) >= 0xDC00 && unit(at + 2) < 0xE000;
    if (!is_pair) {
      append_utf8(text, high);
      continue;
    }
    append_utf8(text, 0x10000 + ((high - 0xD800) << 10U) + (unit(at + 2) - 0xDC00));
    at += 2;
  }
  if (at < bytes.size()) append_utf8(text, kReplacementCharacter);
  return text;
}

class Converter {
 public:
  explicit Converter(std::string_view set)
      : handle_(::iconv_open("UTF-8", std::string(set).c_str())) {}
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  ~Converter() {
    if (is_open()) ::iconv_close(handle_);
  }
  bool is_open() const { return handle_ != reinterpret_cast<iconv_t>(-1); }  // NOLINT: its error

  std::string convert(std::string bytes) const {
    std::string text;
    std::array<char, 4096> piece{};
    char* from = bytes.data();
    std::size_t left = bytes.size();
    while (left > 0) {
      char* to = piece.data();
      std::size_t room = piece.size();
      const std::size_t result = ::iconv(handle_, &from, &left, &to, &room);
      const int problem = result == static_cast<std::size_t>(-1) ? errno : 0;
      text.append(piece.data(), piece.size() - room);
      if (problem == 0 || problem == E2BIG) continue;
      append_utf8(text, kReplacementCharacter);
      ++from;
      --left;
    }
    return text;
  }

 private:
  iconv_t handle_;
};

std::optional<std::string> from_other(std::string_view bytes, std::string_view set) {
  const Converter converter(set);
  if (!converter.is_open()) return std::nullopt;
  return to_valid_utf8(converter.convert(std::string(bytes)));
}

}  // namespace

void append_utf8(std::string& text, std::uint32_t code_point) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) {
    code_point = kReplacementCharacter;
  }
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  const auto tail = [&](unsigned shift) { byte(0x80U | (code_point >> shift & 0x3FU)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0U | code_point >> 6U);
    tail(0);
  } else if (code_point < 0x10000) {
    byte(0xE0U | code_point >> 12U);
    tail(6);
    tail(0);
  } else {
    byte(0xF0U | code_point >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
}

DecodedText decoded_text(std::string_view bytes, std::string_view declared) {
  std::string_view set = known_set(declared);
  if (bytes.starts_with("\xEF\xBB\xBF")) {
    bytes.remove_prefix(3);
    set = kUtf8;
  } else if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    set = bytes.starts_with("\xFF\xFE") ? kUtf16Little : kUtf16Big;
    bytes.remove_prefix(2);
  }
  if (set == kUtf16Little || set == kUtf16Big) {
    return {from_utf16(bytes, set), std::string(set)};
  }
  if (!set.empty() && set != kUtf8 && set != kWindows1252) {
    if (auto text = from_other(bytes, set)) return {std::move(*text), std::string(set)};
    set = {};
  }
  // Text in another character set is hardly ever valid UTF-8 by chance.
  if (set.empty()) set = is_valid_utf8(bytes) ? kUtf8 : kWindows1252;
  if (set == kUtf8) return {to_valid_utf8(std::string(bytes)), std::string(kUtf8)};
  return {from_windows_1252(bytes), std::string(kWindows1252)};
}

}  // namespace wright::tools
