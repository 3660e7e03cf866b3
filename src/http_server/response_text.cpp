#include "http_server/response_text.h"

#include <fmt/format.h>

#include <ctime>

namespace wright::http {
namespace {

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

// One a second is enough for all responses of a thread.
const std::string& date_of_this_second() {
  thread_local std::time_t at = 0;
  thread_local std::string date;
  if (const std::time_t now = std::time(nullptr); now != at) {
    at = now;
    date = date_now();
  }
  return date;
}

bool is_safe(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 424: return "Failed Dependency";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

bool has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

std::string head_text(const Response& response, const HeadFacts& facts) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  for (const HttpHeader& header : response.headers) {
    if (!is_safe(header.name) || !is_safe(header.value)) continue;
    text.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  text.append("Date: ").append(date_of_this_second()).append("\r\n");
  if (facts.framing == Framing::chunked) text += "Transfer-Encoding: chunked\r\n";
  if (facts.framing == Framing::length && has_body(response.status)) {
    text += fmt::format("Content-Length: {}\r\n", facts.body_bytes);
  }
  if (!facts.keeps_alive) text += "Connection: close\r\n";
  text += "\r\n";
  return text;
}

std::string chunk(std::string_view bytes) {
  if (bytes.empty()) return {};  // an empty chunk would be the last
  std::string text = fmt::format("{:x}\r\n", bytes.size());
  text.append(bytes).append("\r\n");
  return text;
}

Response refusal(int status) {
  Response response{.status = status,
                    .headers = {{"Content-Type", "application/problem+json"}},
                    .body = fmt::format(R"({{"type":"about:blank","title":"{}","status":{}}})",
                                        reason_phrase(status), status)};
  if (status == 503) response.headers.push_back({"Retry-After", "1"});
  return response;
}

}  // namespace wright::http
