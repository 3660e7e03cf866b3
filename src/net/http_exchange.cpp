#include "net/http_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "net/broken_connection.h"

namespace wright::net {
namespace {

bool has_line_break(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

HttpExchange::HttpExchange(std::uint64_t number, HttpRequest request, const HttpTimeouts& timeouts,
                           std::shared_ptr<HttpReceiver> receiver,
                           const HttpClient::Options& options)
    : number_(number),
      request_(std::move(request)),
      timeouts_(timeouts),
      receiver_(std::move(receiver)),
      options_(options) {}

std::string HttpExchange::server() const {
  const std::string_view url = request_.url;
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = url.find_first_of("/?#", host);
  std::string_view server = url.substr(host, end == std::string_view::npos ? end : end - host);
  if (const std::size_t at = server.rfind('@'); at != std::string_view::npos) {
    server.remove_prefix(at + 1);
  }
  return std::string(url.substr(0, host)) + std::string(server);
}

Result<void> HttpExchange::check() {
  if (has_line_break(request_.url)) {
    return fail(ErrorCode::invalid_argument, "The URL of the server contains a line break");
  }
  for (const HttpHeader& header : request_.headers) {
    if (has_line_break(header.name) || has_line_break(header.value)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The value for the header '{}' contains a line break; check the key "
                              "or setting that it comes from",
                              header.name));
    }
  }
  trace_request();
  return {};
}

bool HttpExchange::tell_sending() {
  if (std::exchange(was_sent_, true)) return false;
  receiver_->on_sending();
  return true;
}

void HttpExchange::tell_head(HttpResponseHead head) {
  head.arrived = std::chrono::system_clock::now();
  has_told_head_ = true;
  if (options_.trace) {
    std::string text = fmt::format("HTTP {}\n", head.status);
    for (const HttpHeader& header : head.headers) {
      text += fmt::format("{}: {}\n", header.name, header.value);
    }
    trace(HttpTraceEvent::Kind::response_head, text);
  }
  receiver_->on_head(std::move(head));
}

bool HttpExchange::tell_body(std::string_view bytes) {
  last_byte_ = Clock::now();
  has_body_ = true;
  trace(HttpTraceEvent::Kind::response_body,
        receiver_->is_secret() ? std::string_view("(secret)") : bytes);
  if (error) return false;
  auto taken = receiver_->on_body(bytes);
  if (taken) return true;
  error = std::move(taken).error();
  return false;
}

Error HttpExchange::too_long_head() const {
  return {ErrorCode::protocol,
          fmt::format("{} sent more than {} KB of headers", server(), kMostHeadBytes / 1024),
          {}};
}

HttpExchange::Clock::time_point HttpExchange::next_byte_by() const {
  return last_byte_ + (has_body_ ? timeouts_.idle : timeouts_.first_byte);
}

HttpExchange::Clock::time_point HttpExchange::next_check() const {
  return std::min({next_byte_by(), connected_by, over_by});
}

std::optional<Error> HttpExchange::lateness(Clock::time_point now) const {
  if (now >= connected_by) return Error{ErrorCode::timeout, no_connection_in_time(), {}};
  if (now >= over_by) return took_too_long(not_finished_in_time());
  if (now < next_byte_by()) return std::nullopt;
  return took_too_long(has_body_
                           ? fmt::format("{} sent nothing for {} in the middle of its answer",
                                         server(), seconds_text(timeouts_.idle))
                           : fmt::format("{} did not begin to answer within {}", server(),
                                         seconds_text(timeouts_.first_byte)));
}

std::string HttpExchange::no_connection_in_time() const {
  return fmt::format("No connection to {} within {}", server(), seconds_text(timeouts_.connect));
}

std::string HttpExchange::not_finished_in_time() const {
  return fmt::format("{} did not finish its answer within {}", server(),
                     seconds_text(timeouts_.total));
}

void HttpExchange::end(Result<void> end) {
  trace(HttpTraceEvent::Kind::end, end ? std::string_view("complete") : end.error().message);
  const auto receiver = std::move(receiver_);
  receiver->on_end(std::move(end));
}

void HttpExchange::trace(HttpTraceEvent::Kind kind, std::string_view text) const {
  if (options_.trace) options_.trace({number_, kind, text});
}

void HttpExchange::trace_request() const {
  if (!options_.trace) return;
  std::string text = fmt::format("{} {}\n", request_.method, request_.url);
  for (const HttpHeader& header : request_.headers) {
    text += fmt::format("{}: {}\n", header.name, header.is_secret ? "***" : header.value);
  }
  text += '\n';
  text += receiver_->is_secret() ? "(secret)" : request_.body;
  trace(HttpTraceEvent::Kind::request, text);
}

}  // namespace wright::net
