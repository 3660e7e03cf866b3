#include "http_message/response_parser.h"

#include <fmt/format.h>
#include <boost/beast/http/basic_parser.hpp>

#include <utility>

namespace wright::http {

namespace beast_http = boost::beast::http;

namespace {

constexpr std::size_t kUsualHeaders = 8;

}  // namespace

// The head goes into our own types, and the body is not kept.
class ResponseParser::Reader final : public beast_http::basic_parser<false> {
 public:
  Reader(ResponseSink& sink, std::size_t head_bytes) : sink_(sink) {
    eager(true);
    header_limit(static_cast<std::uint32_t>(head_bytes));
    body_limit(boost::none);
  }

  bool is_informational() const { return head_.status >= 100 && head_.status < 200; }
  bool has_status() const { return head_.status != 0; }
  bool is_refused() const { return is_refused_; }

 private:
  using Text = boost::beast::string_view;
  using ErrorValue = boost::beast::error_code;

  void on_request_impl(beast_http::verb, Text, Text, int, ErrorValue&) override {}
  void on_response_impl(int status, Text, int version, ErrorValue& error) override {
    if (status < 100) error = beast_http::error::bad_status;
    head_.status = status;
    head_.headers.reserve(kUsualHeaders);
    version_ = version;
  }

  void on_field_impl(beast_http::field name, Text name_text, Text value, ErrorValue&) override {
    if (is_header_done()) return;  // a trailer
    if (name == beast_http::field::transfer_encoding) {
      ++encodings_;
      is_chunked_alone_ = boost::beast::iequals(value, "chunked");
    }
    head_.headers.push_back(
        {.name = {name_text.data(), name_text.size()}, .value = {value.data(), value.size()}});
  }

  void on_header_impl(ErrorValue& error) override {
    // The parser looks at the last word of Transfer-Encoding alone, and would take a body in any
    // other for one that ends with the connection.
    if (encodings_ > 0 && (encodings_ > 1 || !is_chunked_alone_ || version_ < 11)) {
      error = beast_http::error::bad_transfer_encoding;
      return;
    }
    if (!is_informational()) sink_.on_head(std::move(head_));
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorValue&) override {}
  std::size_t on_body_impl(Text body, ErrorValue& error) override { return take(body, error); }
  void on_chunk_header_impl(std::uint64_t, Text, ErrorValue&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, ErrorValue& error) override {
    return take(body, error);
  }
  void on_finish_impl(ErrorValue&) override {}

  std::size_t take(Text body, ErrorValue& error) {
    if (!body.empty() && !sink_.on_body({body.data(), body.size()})) {
      is_refused_ = true;
      error = beast_http::error::body_limit;
    }
    return body.size();
  }

  ResponseSink& sink_;
  HttpResponseHead head_;
  int version_ = 0;
  int encodings_ = 0;
  bool is_chunked_alone_ = false;
  bool is_refused_ = false;
};

ResponseParser::ResponseParser(std::size_t head_bytes, ResponseSink& sink)
    : head_bytes_(head_bytes), sink_(sink), reader_(std::make_unique<Reader>(sink, head_bytes)) {}

ResponseParser::~ResponseParser() = default;

void ResponseParser::feed(std::string_view bytes) {
  if (unread_.empty()) return read(bytes);
  unread_ += bytes;
  // What is unread of a body is the line before a chunk, and at least that long in the end. The
  // reader insists on it.
  if (state_ == State::body && unread_.size() < 5) return;
  const std::string input = std::exchange(unread_, {});
  read(input);
}

void ResponseParser::read(std::string_view input) {
  while (!input.empty() && (state_ == State::head || state_ == State::body)) {
    if (!reader_->has_status() &&
        !input.starts_with(std::string_view("HTTP/").substr(0, input.size()))) {
      return break_off(head_bytes_read_ == 0 ? Fault::not_http : Fault::malformed,
                       "no status line");
    }
    boost::system::error_code error;
    const std::size_t used =
        reader_->put(boost::asio::const_buffer(input.data(), input.size()), error);
    input.remove_prefix(used);
    if (!reader_->is_header_done()) head_bytes_read_ += used;
    if (reader_->is_refused()) return break_off(Fault::refused, "refused");
    if (error && error != beast_http::error::need_more) {
      if (error == beast_http::error::header_limit) return break_off(Fault::long_head, "headers");
      return break_off(Fault::malformed, error.message());
    }
    if (reader_->is_header_done() && !reader_->is_informational()) state_ = State::body;
    if (reader_->is_done()) {
      if (state_ == State::body) {
        state_ = State::done;
      } else {
        reader_ = std::make_unique<Reader>(sink_, head_bytes_);
        head_bytes_read_ += used;
      }
    }
    if (head_bytes_read_ + (error ? input.size() : 0) > head_bytes_) {
      return break_off(Fault::long_head, "headers");
    }
    if (error) break;
  }
  has_excess_ = state_ == State::done && !input.empty();
  unread_ = input;
}

void ResponseParser::end() {
  if (state_ == State::head) {
    return break_off(Fault::cut, "transfer closed in the middle of the headers");
  }
  if (state_ != State::body) return;
  if (reader_->content_length()) {
    return break_off(Fault::cut, fmt::format("transfer closed with {} bytes remaining to read",
                                             reader_->content_length_remaining().value_or(0)));
  }
  if (reader_->chunked()) {
    return break_off(Fault::cut, "transfer closed with outstanding read data remaining");
  }
  state_ = State::done;
}

bool ResponseParser::keeps_alive() const {
  return state_ == State::done && !has_excess_ && reader_->is_done() && reader_->keep_alive();
}

void ResponseParser::break_off(Fault fault, std::string text) {
  state_ = State::broken;
  fault_ = fault;
  fault_text_ = std::move(text);
}

}  // namespace wright::http
