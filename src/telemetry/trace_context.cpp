#include "telemetry/trace_context.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/hex.h"

namespace wright::telemetry {
namespace {

constexpr std::size_t kParentLength = 55;
constexpr std::size_t kLongestState = 512;

// Lower case alone, as the standard says.
std::optional<std::uint8_t> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
  return std::nullopt;
}

bool read_hex(std::string_view text, std::span<std::uint8_t> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto high = hex_digit(text[2 * i]);
    const auto low = hex_digit(text[2 * i + 1]);
    if (!high || !low) return false;
    bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
  }
  return true;
}

bool is_zero(std::span<const std::uint8_t> bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

// What may stand in a header; anything else is not passed on.
bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

std::optional<Place> place_from(const TraceContext& context) {
  const std::string_view text = context.parent;
  if (text.size() < kParentLength || text[2] != '-' || text[35] != '-' || text[52] != '-') {
    return std::nullopt;
  }
  std::array<std::uint8_t, 1> version{};
  std::array<std::uint8_t, 1> flags{};
  Place place;
  if (!read_hex(text.substr(0, 2), version) || !read_hex(text.substr(3, 32), place.trace) ||
      !read_hex(text.substr(36, 16), place.span) || !read_hex(text.substr(53, 2), flags)) {
    return std::nullopt;
  }
  // Later versions may be longer, and begin as this one does.
  const bool is_fitting = version[0] == 0 ? text.size() == kParentLength
                                          : text.size() == kParentLength || text[55] == '-';
  if (version[0] == 0xff || !is_fitting || is_zero(place.trace) || is_zero(place.span)) {
    return std::nullopt;
  }
  place.flags = flags[0] & 1;
  if (context.state.size() <= kLongestState && is_printable(context.state)) {
    place.state = context.state;
  }
  return place;
}

TraceContext to_context(const Place& place) {
  const std::array<std::uint8_t, 1> flags{place.flags};
  return {.parent = "00-" + hex_of(place.trace) + "-" + hex_of(place.span) + "-" + hex_of(flags),
          .state = place.state};
}

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

IdSource::IdSource() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(),
                     device(), device(), device(), device()};
  random_.seed(seed);
}

template <class Id>
Id IdSource::next() {
  Id id{};
  do {
    for (std::size_t i = 0; i < id.size(); i += sizeof(std::uint64_t)) {
      const std::uint64_t bits = random_();
      std::memcpy(id.data() + i, &bits, sizeof(bits));
    }
  } while (is_zero(id));
  return id;
}

TraceId IdSource::trace() {
  return next<TraceId>();
}

SpanId IdSource::span() {
  return next<SpanId>();
}

}  // namespace wright::telemetry
