#include "core/media_type.h"

#include <algorithm>
#include <array>

#include "core/base64.h"
#include "wright/json.h"

namespace wright {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::size_t at;
  std::string_view bytes;
  std::string_view media_type;
};

constexpr std::array kMagics{
    Magic{0, "\x89PNG\r\n\x1A\n"sv, "image/png"},
    Magic{0, "\xFF\xD8\xFF"sv, "image/jpeg"},
    Magic{0, "GIF87a"sv, "image/gif"},
    Magic{0, "GIF89a"sv, "image/gif"},
    Magic{8, "WEBP"sv, "image/webp"},
    Magic{0, "BM"sv, "image/bmp"},
    Magic{0, "\0\0\1\0"sv, "image/vnd.microsoft.icon"},
    Magic{0, "II*\0"sv, "image/tiff"},
    Magic{0, "MM\0*"sv, "image/tiff"},
    Magic{0, "%PDF-"sv, "application/pdf"},
    Magic{0, "PK\3\4"sv, "application/zip"},
    Magic{0, "PK\5\6"sv, "application/zip"},
    Magic{0, "\x1F\x8B"sv, "application/gzip"},
    Magic{0, "BZh"sv, "application/x-bzip2"},
    Magic{0,
          "\xFD"sv
          "7zXZ\0"sv,
          "application/x-xz"},
    Magic{0, "\x28\xB5\x2F\xFD"sv, "application/zstd"},
    Magic{0, "7z\xBC\xAF\x27\x1C"sv, "application/x-7z-compressed"},
    Magic{257, "ustar"sv, "application/x-tar"},
    Magic{0, "!<arch>\n"sv, "application/x-archive"},
    Magic{0,
          "\x7F"
          "ELF"sv,
          "application/x-elf"},
    Magic{0, "MZ"sv, "application/vnd.microsoft.portable-executable"},
    Magic{0, "\xCA\xFE\xBA\xBE"sv, "application/java-vm"},
    Magic{0, "\0asm"sv, "application/wasm"},
    Magic{0, "SQLite format 3\0"sv, "application/vnd.sqlite3"},
    Magic{0, "wOFF"sv, "font/woff"},
    Magic{0, "wOF2"sv, "font/woff2"},
    Magic{0, "\0\1\0\0\0"sv, "font/ttf"},
    Magic{0, "OTTO"sv, "font/otf"},
    Magic{0, "ID3"sv, "audio/mpeg"},
    Magic{0, "\xFF\xFB"sv, "audio/mpeg"},
    Magic{0, "\xFF\xFA"sv, "audio/mpeg"},
    Magic{0, "\xFF\xF3"sv, "audio/mpeg"},
    Magic{0, "\xFF\xF2"sv, "audio/mpeg"},
    Magic{0, "OggS"sv, "application/ogg"},
    Magic{0, "fLaC"sv, "audio/flac"},
    Magic{8, "WAVE"sv, "audio/wav"},
    Magic{4, "ftyp"sv, "video/mp4"},
    Magic{0, "\x1A\x45\xDF\xA3"sv, "video/webm"},
    Magic{0, "\xFF\xFE"sv, "text/plain; charset=utf-16le"},
    Magic{0, "\xFE\xFF"sv, "text/plain; charset=utf-16be"},
};

// Whole groups of base64, and more than any of the shown types begins with.
constexpr std::size_t kShownStart = 32;

bool is_shown(std::string_view type) {
  constexpr std::array kShown{"image/png"sv, "image/jpeg"sv, "image/gif"sv,      "image/webp"sv,
                              "audio/wav"sv, "audio/mpeg"sv, "application/pdf"sv};
  return std::ranges::find(kShown, type) != kShown.end();
}

}  // namespace

std::string_view media_type(std::string_view start) {
  for (const Magic& magic : kMagics) {
    const bool is_other_riff = magic.at == 8 && !start.starts_with("RIFF");
    if (!is_other_riff && start.size() >= magic.at &&
        start.substr(magic.at).starts_with(magic.bytes)) {
      return magic.media_type;
    }
  }
  return "application/octet-stream";
}

std::string_view shown_type(std::string_view bytes) {
  const std::string_view type = media_type(bytes);
  if (!is_shown(type)) return {};
  // Text that happens to begin like one of them stays text; PDF is often nothing but text.
  if (type != "application/pdf" && bytes.find('\0') == std::string_view::npos &&
      is_valid_utf8(bytes)) {
    return {};
  }
  return type;
}

std::string_view shown_type_of_base64(std::string_view base64) {
  const auto start = from_base64(base64.substr(0, kShownStart));
  const std::string_view type = start ? media_type(*start) : std::string_view();
  return is_shown(type) ? type : std::string_view();
}

}  // namespace wright
