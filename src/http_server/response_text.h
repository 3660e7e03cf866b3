// The head of a response as it goes over the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http_server/server.h"

namespace wright::http {

enum class Framing : std::uint8_t {
  length,   // Content-Length
  chunked,  // pieces with their own lengths
  close,    // ends with the connection
};

struct HeadFacts {
  Framing framing = Framing::length;
  std::size_t body_bytes = 0;
  bool keeps_alive = true;
};

// What would break the head (line ends in names or values) is left out.
std::string head_text(const Response& response, const HeadFacts& facts);

// Whether a response of that status has a body at all.
bool has_body(int status);

std::string chunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// The response to a request that cannot be read.
Response refusal(int status);

std::string_view reason_phrase(int status);

}  // namespace wright::http
