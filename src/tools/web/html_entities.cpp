#include "tools/web/html_entities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "tools/text/character_set.h"

namespace wright::tools {
namespace {

struct Entity {
  std::string_view name;
  std::uint32_t code_point;
};

// Those of HTML 4 and some of HTML 5, in the order of their bytes.
constexpr auto kEntities = std::to_array<Entity>({
    {"AElig", 0xC6},    {"Aacute", 0xC1},   {"Acirc", 0xC2},     {"Agrave", 0xC0},
    {"Alpha", 0x391},   {"Aring", 0xC5},    {"Atilde", 0xC3},    {"Auml", 0xC4},
    {"Beta", 0x392},    {"Ccaron", 0x10C},  {"Ccedil", 0xC7},    {"Chi", 0x3A7},
    {"Dagger", 0x2021}, {"Delta", 0x394},   {"ETH", 0xD0},       {"Eacute", 0xC9},
    {"Ecirc", 0xCA},    {"Egrave", 0xC8},   {"Epsilon", 0x395},  {"Eta", 0x397},
    {"Euml", 0xCB},     {"Gamma", 0x393},   {"Hat", 0x5E},       {"Iacute", 0xCD},
    {"Icirc", 0xCE},    {"Igrave", 0xCC},   {"Iota", 0x399},     {"Iuml", 0xCF},
    {"Kappa", 0x39A},   {"Lambda", 0x39B},  {"Lstrok", 0x141},   {"Mu", 0x39C},
    {"NewLine", 0xA},   {"Ntilde", 0xD1},   {"Nu", 0x39D},       {"OElig", 0x152},
    {"Oacute", 0xD3},   {"Ocirc", 0xD4},    {"Ograve", 0xD2},    {"Omega", 0x3A9},
    {"Omicron", 0x39F}, {"Oslash", 0xD8},   {"Otilde", 0xD5},    {"Ouml", 0xD6},
    {"Phi", 0x3A6},     {"Pi", 0x3A0},      {"Prime", 0x2033},   {"Psi", 0x3A8},
    {"Rho", 0x3A1},     {"Scaron", 0x160},  {"Sigma", 0x3A3},    {"THORN", 0xDE},
    {"Tab", 0x9},       {"Tau", 0x3A4},     {"Theta", 0x398},    {"Uacute", 0xDA},
    {"Ucirc", 0xDB},    {"Ugrave", 0xD9},   {"Upsilon", 0x3A5},  {"Uuml", 0xDC},
    {"Xi", 0x39E},      {"Yacute", 0xDD},   {"Yuml", 0x178},     {"Zcaron", 0x17D},
    {"Zeta", 0x396},    {"aacute", 0xE1},   {"abreve", 0x103},   {"acirc", 0xE2},
    {"acute", 0xB4},    {"aelig", 0xE6},    {"agrave", 0xE0},    {"alefsym", 0x2135},
    {"alpha", 0x3B1},   {"amp", 0x26},      {"and", 0x2227},     {"ang", 0x2220},
    {"aogon", 0x105},   {"apos", 0x27},     {"aring", 0xE5},     {"ast", 0x2A},
    {"asymp", 0x2248},  {"atilde", 0xE3},   {"auml", 0xE4},      {"bdquo", 0x201E},
    {"beta", 0x3B2},    {"brvbar", 0xA6},   {"bsol", 0x5C},      {"bull", 0x2022},
    {"cacute", 0x107},  {"cap", 0x2229},    {"ccaron", 0x10D},   {"ccedil", 0xE7},
    {"cedil", 0xB8},    {"cent", 0xA2},     {"check", 0x2713},   {"chi", 0x3C7},
    {"circ", 0x2C6},    {"clubs", 0x2663},  {"colon", 0x3A},     {"comma", 0x2C},
    {"commat", 0x40},   {"cong", 0x2245},   {"copy", 0xA9},      {"crarr", 0x21B5},
    {"cross", 0x2717},  {"cup", 0x222A},    {"curren", 0xA4},    {"dArr", 0x21D3},
    {"dagger", 0x2020}, {"darr", 0x2193},   {"dash", 0x2010},    {"deg", 0xB0},
    {"delta", 0x3B4},   {"diams", 0x2666},  {"divide", 0xF7},    {"dollar", 0x24},
    {"eacute", 0xE9},   {"ecaron", 0x11B},  {"ecirc", 0xEA},     {"egrave", 0xE8},
    {"empty", 0x2205},  {"emsp", 0x2003},   {"ensp", 0x2002},    {"eogon", 0x119},
    {"epsilon", 0x3B5}, {"equals", 0x3D},   {"equiv", 0x2261},   {"eta", 0x3B7},
    {"eth", 0xF0},      {"euml", 0xEB},     {"euro", 0x20AC},    {"excl", 0x21},
    {"exist", 0x2203},  {"fnof", 0x192},    {"forall", 0x2200},  {"frac12", 0xBD},
    {"frac14", 0xBC},   {"frac34", 0xBE},   {"frasl", 0x2044},   {"gamma", 0x3B3},
    {"gbreve", 0x11F},  {"ge", 0x2265},     {"grave", 0x60},     {"gt", 0x3E},
    {"hArr", 0x21D4},   {"harr", 0x2194},   {"hearts", 0x2665},  {"hellip", 0x2026},
    {"horbar", 0x2015}, {"iacute", 0xED},   {"icirc", 0xEE},     {"iexcl", 0xA1},
    {"igrave", 0xEC},   {"image", 0x2111},  {"infin", 0x221E},   {"inodot", 0x131},
    {"int", 0x222B},    {"iota", 0x3B9},    {"iquest", 0xBF},    {"isin", 0x2208},
    {"iuml", 0xEF},     {"kappa", 0x3BA},   {"lArr", 0x21D0},    {"lambda", 0x3BB},
    {"lang", 0x27E8},   {"laquo", 0xAB},    {"larr", 0x2190},    {"lbrace", 0x7B},
    {"lbrack", 0x5B},   {"lceil", 0x2308},  {"ldquo", 0x201C},   {"le", 0x2264},
    {"lfloor", 0x230A}, {"lowast", 0x2217}, {"lowbar", 0x5F},    {"loz", 0x25CA},
    {"lpar", 0x28},     {"lrm", 0x200E},    {"lsaquo", 0x2039},  {"lsquo", 0x2018},
    {"lsquor", 0x201A}, {"lstrok", 0x142},  {"lt", 0x3C},        {"macr", 0xAF},
    {"map", 0x21A6},    {"mdash", 0x2014},  {"micro", 0xB5},     {"middot", 0xB7},
    {"minus", 0x2212},  {"mldr", 0x2026},   {"mu", 0x3BC},       {"nabla", 0x2207},
    {"nacute", 0x144},  {"nbsp", 0xA0},     {"ndash", 0x2013},   {"ne", 0x2260},
    {"ni", 0x220B},     {"nldr", 0x2025},   {"not", 0xAC},       {"notin", 0x2209},
    {"nsub", 0x2284},   {"ntilde", 0xF1},   {"nu", 0x3BD},       {"num", 0x23},
    {"oacute", 0xF3},   {"ocirc", 0xF4},    {"odblac", 0x151},   {"oelig", 0x153},
    {"ograve", 0xF2},   {"oline", 0x203E},  {"omega", 0x3C9},    {"omicron", 0x3BF},
    {"oplus", 0x2295},  {"or", 0x2228},     {"ordf", 0xAA},      {"ordm", 0xBA},
    {"oslash", 0xF8},   {"otilde", 0xF5},   {"otimes", 0x2297},  {"ouml", 0xF6},
    {"para", 0xB6},     {"part", 0x2202},   {"percnt", 0x25},    {"period", 0x2E},
    {"permil", 0x2030}, {"perp", 0x22A5},   {"phi", 0x3C6},      {"phone", 0x260E},
    {"pi", 0x3C0},      {"piv", 0x3D6},     {"plus", 0x2B},      {"plusmn", 0xB1},
    {"pound", 0xA3},    {"prime", 0x2032},  {"prod", 0x220F},    {"prop", 0x221D},
    {"psi", 0x3C8},     {"quest", 0x3F},    {"quot", 0x22},      {"rArr", 0x21D2},
    {"radic", 0x221A},  {"rang", 0x27E9},   {"raquo", 0xBB},     {"rarr", 0x2192},
    {"rarrw", 0x219D},  {"rbrace", 0x7D},   {"rbrack", 0x5D},    {"rcaron", 0x159},
    {"rceil", 0x2309},  {"rdquo", 0x201D},  {"real", 0x211C},    {"reg", 0xAE},
    {"rfloor", 0x230B}, {"rho", 0x3C1},     {"rlm", 0x200F},     {"rpar", 0x29},
    {"rsaquo", 0x203A}, {"rsquo", 0x2019},  {"sacute", 0x15B},   {"sbquo", 0x201A},
    {"scaron", 0x161},  {"scedil", 0x15F},  {"sdot", 0x22C5},    {"sect", 0xA7},
    {"semi", 0x3B},     {"shy", 0xAD},      {"sigma", 0x3C3},    {"sigmaf", 0x3C2},
    {"sim", 0x223C},    {"sol", 0x2F},      {"spades", 0x2660},  {"square", 0x25A1},
    {"star", 0x2606},   {"starf", 0x2605},  {"sub", 0x2282},     {"sube", 0x2286},
    {"sum", 0x2211},    {"sup", 0x2283},    {"sup1", 0xB9},      {"sup2", 0xB2},
    {"sup3", 0xB3},     {"supe", 0x2287},   {"szlig", 0xDF},     {"tau", 0x3C4},
    {"there4", 0x2234}, {"theta", 0x3B8},   {"thetasym", 0x3D1}, {"thinsp", 0x2009},
    {"thorn", 0xFE},    {"tilde", 0x2DC},   {"times", 0xD7},     {"trade", 0x2122},
    {"uArr", 0x21D1},   {"uacute", 0xFA},   {"uarr", 0x2191},    {"ucirc", 0xFB},
    {"udblac", 0x171},  {"ugrave", 0xF9},   {"uml", 0xA8},       {"upsih", 0x3D2},
    {"upsilon", 0x3C5}, {"uring", 0x16F},   {"uuml", 0xFC},      {"verbar", 0x7C},
    {"vert", 0x7C},     {"weierp", 0x2118}, {"xi", 0x3BE},       {"yacute", 0xFD},
    {"yen", 0xA5},      {"yuml", 0xFF},     {"zacute", 0x17A},   {"zcaron", 0x17E},
    {"zdot", 0x17C},    {"zeta", 0x3B6},    {"zwj", 0x200D},     {"zwnj", 0x200C},
});
static_assert(std::ranges::is_sorted(kEntities, {}, &Entity::name));

constexpr std::size_t kLongestEntity = 12;

// Also recognised without a semicolon behind them.
constexpr auto kOldNames = std::to_array<std::string_view>({"amp", "lt", "gt", "quot", "nbsp"});

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct Decoded {
  std::uint32_t code_point;
  std::size_t length;  // in the source, with the ampersand
};

// "&#8230;", "&#x2026;"; `text` begins with "&#".
std::optional<Decoded> numeric(std::string_view text) {
  constexpr std::size_t kMostDigits = 10;
  const bool is_hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  const std::size_t start = is_hex ? 3 : 2;
  const std::string_view digits = text.substr(std::min(start, text.size()), kMostDigits);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  if (error == std::errc::invalid_argument) return std::nullopt;
  if (error != std::errc() || value == 0) value = 0xFFFD;
  if (value >= 0x80 && value < 0xA0) {
    value = windows_1252_character(static_cast<std::uint8_t>(value));
  }
  std::size_t length = start + static_cast<std::size_t>(end - digits.data());
  if (length < text.size() && text[length] == ';') ++length;
  return Decoded{value, length};
}

std::optional<Decoded> named(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && end <= kLongestEntity && is_letter_or_digit(text[end])) ++end;
  const std::string_view name = text.substr(1, end - 1);
  const auto found = std::ranges::lower_bound(kEntities, name, {}, &Entity::name);
  if (found == kEntities.end() || found->name != name) return std::nullopt;
  if (end < text.size() && text[end] == ';') return Decoded{found->code_point, end + 1};
  const bool is_old = std::ranges::find(kOldNames, name) != kOldNames.end();
  return is_old ? std::optional(Decoded{found->code_point, end}) : std::nullopt;
}

}  // namespace

std::string decode_entities(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    made += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const auto decoded = text.starts_with("&#") ? numeric(text) : named(text);
    if (decoded) {
      append_utf8(made, decoded->code_point);
    } else {
      made += '&';
    }
    text.remove_prefix(decoded ? decoded->length : 1);
  }
  return made;
}

}  // namespace wright::tools
