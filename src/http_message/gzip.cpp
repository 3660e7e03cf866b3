#include "http_message/gzip.h"

#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace wright::http {

namespace {

namespace zlib = boost::beast::zlib;

// Flags of the head.
constexpr unsigned kHasChecksum = 2;
constexpr unsigned kHasExtra = 4;
constexpr unsigned kHasName = 8;
constexpr unsigned kHasComment = 16;
constexpr unsigned kUnknownFlags = 0xE0;

constexpr std::size_t kEndBytes = 8;

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

std::string little_endian_bytes(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    bytes += static_cast<char>(value & 0xFFU);
    value >>= 8U;
  }
  return bytes;
}

}  // namespace

struct GzipReader::Parts {
  zlib::inflate_stream stream;
  boost::crc_32_type checksum;
  std::uint32_t size = 0;  // modulo 2^32
  std::string gathered;
  unsigned flags = 0;
  std::array<char, 8 * 1024> unpacked;
};

GzipReader::GzipReader(OnBytes on_bytes)
    : on_bytes_(std::move(on_bytes)), parts_(std::make_unique<Parts>()) {}

GzipReader::~GzipReader() = default;

GzipReader::State GzipReader::feed(std::string_view bytes) {
  while (state_ == State::reading && !bytes.empty()) {
    switch (place_) {
      case Place::data: read_data(bytes); break;
      case Place::end: read_end(bytes); break;
      default: read_head(bytes);
    }
  }
  return state_;
}

// Whether that many bytes are there, since the last ones were used.
bool GzipReader::gather(std::string_view& bytes, std::size_t count) {
  std::string& gathered = parts_->gathered;
  const std::size_t taken = std::min(bytes.size(), count - std::min(count, gathered.size()));
  gathered += bytes.substr(0, taken);
  bytes.remove_prefix(taken);
  return gathered.size() >= count;
}

// The next part of the head that is there, or what follows it.
void GzipReader::go_on_from(Place place) {
  parts_->gathered.clear();
  const unsigned flags = parts_->flags;
  const auto is_there = [flags](Place candidate) {
    switch (candidate) {
      case Place::extra: return (flags & kHasExtra) != 0;
      case Place::name: return (flags & kHasName) != 0;
      case Place::comment: return (flags & kHasComment) != 0;
      case Place::checksum: return (flags & kHasChecksum) != 0;
      default: return true;
    }
  };
  do {
    place = static_cast<Place>(static_cast<int>(place) + 1);
  } while (!is_there(place));
  place_ = place;
}

void GzipReader::read_head(std::string_view& bytes) {
  const std::string& gathered = parts_->gathered;
  switch (place_) {
    case Place::start:
      if (!gather(bytes, 10)) return;
      parts_->flags = static_cast<unsigned char>(gathered[3]);
      if (!gathered.starts_with("\x1f\x8b\x08") || (parts_->flags & kUnknownFlags) != 0) {
        state_ = State::broken;
        return;
      }
      break;
    case Place::extra:
      if (!gather(bytes, 2)) return;
      if (!gather(bytes, 2 + little_endian(std::string_view(gathered).substr(0, 2)))) return;
      break;
    case Place::name:
    case Place::comment: {
      const std::size_t end = bytes.find('\0');
      bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
      if (end == std::string_view::npos) return;
      break;
    }
    default:
      if (!gather(bytes, 2)) return;
  }
  go_on_from(place_);
}

void GzipReader::read_data(std::string_view& bytes) {
  Parts& parts = *parts_;
  zlib::z_params params{};
  params.next_in = bytes.data();
  params.avail_in = bytes.size();
  boost::system::error_code error;
  while (!error) {
    params.next_out = parts.unpacked.data();
    params.avail_out = parts.unpacked.size();
    parts.stream.write(params, zlib::Flush::sync, error);
    const std::size_t count = parts.unpacked.size() - params.avail_out;
    parts.checksum.process_bytes(parts.unpacked.data(), count);
    parts.size += static_cast<std::uint32_t>(count);
    if (count > 0 && !on_bytes_({parts.unpacked.data(), count})) {
      state_ = State::refused;
      return;
    }
    if (params.avail_in == 0 && params.avail_out > 0) break;
  }
  const std::string_view used = bytes.substr(0, bytes.size() - params.avail_in);
  bytes.remove_prefix(used.size());
  parts.gathered += used.substr(used.size() - std::min(used.size(), kEndBytes));
  parts.gathered.erase(0, parts.gathered.size() - std::min(parts.gathered.size(), kEndBytes));
  if (error == zlib::error::end_of_stream) {
    place_ = Place::end;
    read_end(bytes);
  } else if (error && error != zlib::error::need_buffers) {
    state_ = State::broken;
  }
}

// The checksum and the size. The stream may have read the first bytes of it: they are looked for in
// the last bytes that it took and in as many that follow.
void GzipReader::read_end(std::string_view& bytes) {
  std::string end = little_endian_bytes(parts_->checksum.checksum());
  end += little_endian_bytes(parts_->size);
  const bool is_all = gather(bytes, 2 * kEndBytes);
  if (parts_->gathered.contains(end)) {
    state_ = State::done;
  } else if (is_all) {
    state_ = State::broken;
  }
}

}  // namespace wright::http
