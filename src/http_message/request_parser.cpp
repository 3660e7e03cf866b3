#include "http_message/request_parser.h"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <utility>

namespace wright::http {

namespace beast_http = boost::beast::http;

bool begins_after_empty_lines(std::string& bytes) {
  std::size_t lines = 0;
  while (std::string_view(bytes).substr(lines).starts_with("\r\n")) lines += 2;
  bytes.erase(0, lines);
  return !bytes.empty() && bytes != "\r";
}

// It reads the head alone.
struct RequestParser::Parts {
  beast_http::request_parser<beast_http::empty_body> parser;
};

RequestParser::RequestParser(RequestLimits limits)
    : parts_(std::make_unique<Parts>()), most_head_bytes_(limits.header_bytes) {
  parts_->parser.eager(false);
  parts_->parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parts_->parser.body_limit(limits.body_bytes);
}

RequestParser::~RequestParser() = default;

namespace {

int status_for(const boost::system::error_code& error) {
  return error == beast_http::error::body_limit ? 413 : 400;
}

std::string text_from(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// Whether everybody agrees where the body ends. The parser looks at the last word of
// Transfer-Encoding alone, and takes a body behind any other for the next request.
template <class Message>
bool has_clear_length(const Message& message) {
  const auto encodings = message.count(beast_http::field::transfer_encoding);
  if (encodings == 0) return message.count(beast_http::field::content_length) <= 1;
  return encodings == 1 && message.version() >= 11 &&
         message.count(beast_http::field::content_length) == 0 &&
         boost::beast::iequals(message[beast_http::field::transfer_encoding], "chunked");
}

}  // namespace

// Beast gets a head when it is whole: what it says of one in pieces depends on the pieces. What makes
// a head wrong or too long before its end is found where it stands.
std::size_t RequestParser::whole_head(std::string_view bytes) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const bool is_text = bytes.empty() || (bytes.front() > ' ' && bytes.front() < 0x7F);
  if (!is_text) refuse(400);  // somebody speaks TLS, for one
  while (state_ == State::head) {
    const std::size_t line_feed = bytes.find('\n', looked_at_);
    const bool has_line = line_feed != std::string_view::npos;
    looked_at_ = has_line ? line_feed + 1 : bytes.size();
    if (looked_at_ > most_head_bytes_) {
      refuse(431);
    } else if (!has_line) {
      break;
    } else if (!bytes.substr(0, line_feed).ends_with('\r')) {
      refuse(400);
    } else if (bytes.substr(0, looked_at_).ends_with(kEnd)) {
      return looked_at_;
    }
  }
  return 0;
}

std::size_t RequestParser::feed(std::string_view bytes) {
  if (state_ == State::head) return feed_head(bytes.substr(0, whole_head(bytes)));
  return state_ == State::body && is_body_wanted_ ? feed_body(bytes) : 0;
}

std::size_t RequestParser::feed_head(std::string_view head) {
  if (head.empty()) return 0;
  auto& parser = parts_->parser;
  boost::system::error_code error;
  const std::size_t used = parser.put(boost::asio::const_buffer(head.data(), head.size()), error);
  if (error || !parser.is_header_done()) {
    refuse(status_for(error));
    return used;
  }
  take_head();
  return used;
}

std::size_t RequestParser::feed_body(std::string_view bytes) {
  if (!chunks_) {
    const std::size_t taken = std::min(bytes.size(), announced_ - body_.size());
    body_ += bytes.substr(0, taken);
    if (body_.size() == announced_) state_ = State::done;
    return taken;
  }
  const std::size_t taken = chunks_->feed(bytes, body_);
  if (chunks_->state() == ChunkedBody::State::done) state_ = State::done;
  if (chunks_->state() == ChunkedBody::State::refused) refuse(chunks_->refused_status());
  return taken;
}

void RequestParser::refuse(int status) {
  state_ = State::refused;
  refused_status_ = status;
}

void RequestParser::take_head() {
  const auto& message = parts_->parser.get();
  state_ = State::body;
  request_.method = text_from(message.method_string());
  request_.target = text_from(message.target());
  int hosts = 0;
  for (const auto& field : message) {
    request_.headers.push_back({text_from(field.name_string()), text_from(field.value())});
    if (field.name() == beast_http::field::host) ++hosts;
  }
  if (!has_clear_length(message)) return refuse(400);
  // A second Host, or none, lets two readers of one request disagree about whom it is for.
  if (hosts > 1 || (hosts == 0 && message.version() >= 11)) return refuse(400);
  // Targets that name a host of their own are for proxies.
  if (!request_.target.starts_with('/')) return refuse(400);
  const std::string_view target = request_.target;
  const std::size_t query = target.find('?');
  auto path = percent_decoded(target.substr(0, query));
  if (!path || path->find('\0') != std::string::npos) return refuse(400);
  request_.path = std::move(*path);
  if (query != std::string_view::npos) request_.query = target.substr(query + 1);
  // A parameter that cannot be read would count as one that was not given.
  if (!percent_decoded(request_.query)) return refuse(400);
  announced_ = static_cast<std::size_t>(parts_->parser.content_length().value_or(0));
  if (announced_ == 0 && !parts_->parser.chunked()) state_ = State::done;
}

void RequestParser::want_body(std::size_t most) {
  is_body_wanted_ = true;
  if (parts_->parser.chunked()) chunks_.emplace(most, most_head_bytes_);
  if (announced_ > most) refuse(413);
}

std::size_t RequestParser::body_bytes() const {
  return chunks_ ? body_.size() : announced_;
}

bool RequestParser::expects_continue() const {
  if (state_ != State::body) return false;
  const auto& message = parts_->parser.get();
  return boost::beast::iequals(message[beast_http::field::expect], "100-continue");
}

bool RequestParser::is_version_1_0() const {
  return parts_->parser.get().version() < 11;
}

bool RequestParser::keeps_alive() const {
  return parts_->parser.get().keep_alive();
}

Request RequestParser::take_request() {
  return std::move(request_);
}

std::string RequestParser::take_body() {
  return std::move(body_);
}

}  // namespace wright::http
