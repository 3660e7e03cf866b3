#include "providers/aws_event_stream.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "providers/digest.h"

namespace wright::providers {
namespace {

constexpr std::size_t kPrelude = 12;
constexpr std::size_t kLeastFrame = kPrelude + 4;
constexpr std::size_t kLargestFrame = std::size_t{16} << 20;  // as AWS's own readers have it
constexpr std::size_t kLargestHeaders = 128 << 10;

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size = 4) {
  std::uint32_t number = 0;
  for (const char c : bytes.substr(at, size)) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

std::unexpected<Error> broken(std::string_view what) {
  return fail(ErrorCode::protocol, fmt::format("a frame of the event stream {}", what));
}

// How many bytes the value of a header of this type has; strings and bytes say it themselves.
constexpr std::array<std::size_t, 10> kValueSizes{0, 0, 1, 2, 4, 8, 0, 0, 8, 16};
constexpr std::uint32_t kBytes = 6;
constexpr std::uint32_t kString = 7;

// Takes `size` bytes off the front.
Result<std::string_view> take(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) return broken("has a header that is longer than its headers");
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

Result<void> read_headers(std::string_view headers, AwsEvent& event) {
  while (!headers.empty()) {
    const std::string_view name_size = TRY(take(headers, 1));
    const std::string_view name = TRY(take(headers, number_at(name_size, 0, 1)));
    const std::string_view type_byte = TRY(take(headers, 1));
    const std::uint32_t type = number_at(type_byte, 0, 1);
    if (type >= kValueSizes.size()) return broken("has a header of a kind that does not exist");
    std::size_t size = kValueSizes[type];
    if (type == kBytes || type == kString) {
      const std::string_view said = TRY(take(headers, 2));
      size = number_at(said, 0, 2);
    }
    const std::string_view value = TRY(take(headers, size));
    if (type != kString) continue;
    const std::array<std::pair<std::string_view, std::string_view*>, 5> known{{
        {":message-type", &event.message_type},
        {":event-type", &event.event_type},
        {":exception-type", &event.exception_type},
        {":error-code", &event.error_code},
        {":error-message", &event.error_message},
    }};
    for (const auto& [known_name, place] : known) {
      if (name == known_name) *place = value;
    }
  }
  return {};
}

}  // namespace

Result<std::size_t> AwsEventStream::size_of_first(std::string_view bytes) {
  if (bytes.size() < kPrelude) return 0;
  if (crc32(bytes.substr(0, 8)) != number_at(bytes, 8)) {
    return broken("does not begin as its checksum says");
  }
  const std::size_t size = number_at(bytes, 0);
  const std::size_t headers = number_at(bytes, 4);
  if (size < kLeastFrame || size > kLargestFrame || headers > kLargestHeaders ||
      headers > size - kLeastFrame) {
    return broken(fmt::format("claims {} bytes with {} bytes of headers", size, headers));
  }
  return bytes.size() < size ? 0 : size;
}

Result<AwsEvent> AwsEventStream::read(std::string_view frame) {
  const std::size_t end = frame.size() - 4;
  if (crc32(frame.substr(0, end)) != number_at(frame, end)) {
    return broken("is not what its checksum says");
  }
  const std::size_t headers = number_at(frame, 4);
  AwsEvent event{};
  TRY(read_headers(frame.substr(kPrelude, headers), event));
  event.payload = frame.substr(kPrelude + headers, end - kPrelude - headers);
  return event;
}

}  // namespace wright::providers
