#include "http_message/request_parser.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <utility>

namespace wright::http {

namespace beast_http = boost::beast::http;

bool begins_after_empty_lines(std::string& bytes) {
  std::size_t lines = 0;
  while (std::string_view(bytes).substr(lines).starts_with("\r\n")) lines += 2;
  bytes.erase(0, lines);
  return !bytes.empty() && bytes != "\r";
}

struct RequestParser::Parts {
  beast_http::request_parser<beast_http::string_body> parser;
};

RequestParser::RequestParser(RequestLimits limits)
    : parts_(std::make_unique<Parts>()), most_head_bytes_(limits.header_bytes) {
  parts_->parser.eager(false);
  parts_->parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parts_->parser.body_limit(limits.body_bytes);
}

RequestParser::~RequestParser() = default;

namespace {

constexpr std::string_view kShortestEnd = "0\r\n\r\n";

int status_for(const boost::system::error_code& error) {
  return error == beast_http::error::body_limit ? 413 : 400;
}

// Whether the line that says how long a chunk is ends within quotes. Beast would read on behind it,
// and take the chunk off the limit of the body each time that more bytes come.
bool ends_within_quotes(std::string_view chunk) {
  if (chunk.starts_with("\r\n")) chunk.remove_prefix(2);  // the end of the one before
  const std::size_t end = chunk.find("\r\n");
  if (end == std::string_view::npos) return false;
  bool is_quoted = false;
  for (std::size_t i = 0; i < end; ++i) {
    if (chunk[i] == '"') is_quoted = !is_quoted;
    if (chunk[i] == '\\' && is_quoted) ++i;
  }
  return is_quoted;
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
  std::size_t used = 0;
  auto& parser = parts_->parser;
  while (state_ == State::body && is_body_wanted_) {
    const std::string_view rest = bytes.substr(used);
    // The parser insists on all bytes of the shortest end of a body in chunks.
    if (parser.chunked() && !has_begun_body_ && rest.size() < kShortestEnd.size() &&
        rest.starts_with('0')) {
      break;
    }
    boost::system::error_code error;
    const std::size_t taken = parser.put(boost::asio::const_buffer(rest.data(), rest.size()), error);
    has_begun_body_ = has_begun_body_ || taken > 0;
    used += taken;
    const bool is_wrong = error == beast_http::error::need_more
                              ? parser.chunked() && ends_within_quotes(rest.substr(taken))
                              : error.failed();
    if (is_wrong) {
      refuse(status_for(error));
      break;
    }
    if (parser.is_done()) state_ = State::done;
    if (error || used == bytes.size()) break;
  }
  return used;
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
  if (state_ == State::body && parser.is_done()) state_ = State::done;
  return used;
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
}

void RequestParser::want_body(std::size_t most) {
  auto& parser = parts_->parser;
  is_body_wanted_ = true;
  parser.eager(true);
  parser.body_limit(most);
  if (const auto announced = parser.content_length(); announced && *announced > most) refuse(413);
}

std::size_t RequestParser::body_bytes() const {
  const auto& parser = parts_->parser;
  const auto announced = parser.content_length();
  return announced ? static_cast<std::size_t>(*announced) : parser.get().body().size();
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
  return std::move(parts_->parser.get().body());
}

}  // namespace wright::http
