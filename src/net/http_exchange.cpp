#include "net/http_exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace wright::net {
namespace {

constexpr long kReceiveBuffer = 2 * 1024;  // every waiting exchange holds one
constexpr std::size_t kMostHeadBytes = 512 * 1024;

bool has_line_break(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

// "https://host:port" of a URL, for messages: paths may carry secrets, hosts do not.
std::string server_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = url.find_first_of("/?#", host);
  std::string_view server = url.substr(host, end == std::string_view::npos ? end : end - host);
  if (const std::size_t at = server.rfind('@'); at != std::string_view::npos) {
    server.remove_prefix(at + 1);
  }
  return std::string(url.substr(0, host)) + std::string(server);
}

// "host port N" of a URL, as libcurl writes it.
std::string host_and_port(std::string_view url) {
  const std::string server = server_of(url);
  std::string_view host = server;
  host.remove_prefix(std::min(host.find("://") + 3, host.size()));
  std::string_view port = server.starts_with("https:") ? "443" : "80";
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return fmt::format("{} port {}", lower(host), port);
}

std::string without_proxy(std::string_view server, std::string_view reason) {
  return fmt::format(
      "No connection to {} through the proxy: {}. Check http_proxy, https_proxy and all_proxy in "
      "the environment; no_proxy names servers that need none",
      server, reason);
}

std::string seconds(std::chrono::milliseconds time) {
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

Result<void> HttpExchange::prepare(CurlHandle handle) {
  handle_ = std::move(handle);
  if (handle_ == nullptr) {
    return fail(ErrorCode::unavailable,
                "Requests over HTTP need libcurl, which cannot be used: install libcurl.so.4 "
                "(on Debian the package libcurl4)");
  }
  if (has_line_break(request_.url)) {
    return fail(ErrorCode::invalid_argument, "The URL of the server contains a line break");
  }
  CurlList headers(curl_slist_append(nullptr, "Expect:"));
  for (const HttpHeader& header : request_.headers) {
    if (has_line_break(header.name) || has_line_break(header.value)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The value for the header '{}' contains a line break; check the key "
                              "or setting that it comes from",
                              header.name));
    }
    const std::string line = fmt::format("{}: {}", header.name, header.value);
    curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
    if (longer == nullptr) return fail(ErrorCode::internal, "Out of memory");
    (void)headers.release();
    headers.reset(longer);
  }
  headers_ = std::move(headers);
  CURL* curl = handle_.get();
  const auto set = [curl](CURLoption option, auto value) { curl_easy_setopt(curl, option, value); };
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  if (request_.method != "GET") {
    set(CURLOPT_POSTFIELDS, request_.body.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  }
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_USERAGENT, options_.user_agent.c_str());
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Many streams on one connection where the server speaks HTTP/2; worth a wait over TLS only.
  set(CURLOPT_PIPEWAIT, request_.url.starts_with("https:") ? 1L : 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  // Ending an exchange must not wait for the name server, which would hold up all others.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_BUFFERSIZE, kReceiveBuffer);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeouts_.connect.count()));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeouts_.total.count()));
  if (!options_.ca_file.empty()) set(CURLOPT_CAINFO, options_.ca_file.c_str());
  if (options_.proxy) {
    set(CURLOPT_PROXY, options_.proxy->c_str());
    set(CURLOPT_NOPROXY, "");
  }
  // With any value, libcurl decompresses what comes compressed, asked for or not.
  set(CURLOPT_ACCEPT_ENCODING, options_.compression == Compression::accepted ? "" : "identity");
  set(CURLOPT_PREREQFUNCTION, before_request);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  set(CURLOPT_OPENSOCKETFUNCTION, open_socket);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_HEADERFUNCTION, take_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  trace_request();
  request_.headers = {};  // libcurl has its own; an exchange mostly waits
  return {};
}

EventLoop::Clock::time_point HttpExchange::next_check() const {
  return last_byte_ + (has_body_ ? timeouts_.idle : timeouts_.first_byte);
}

std::optional<Error> HttpExchange::lateness(EventLoop::Clock::time_point now) const {
  if (now < next_check()) return std::nullopt;
  const std::string server = server_of(request_.url);
  if (has_body_) {
    return Error{ErrorCode::timeout,
                 fmt::format("{} sent nothing for {} in the middle of its answer", server,
                             seconds(timeouts_.idle)),
                 {}};
  }
  return Error{
      ErrorCode::timeout,
      fmt::format("{} did not begin to answer within {}", server, seconds(timeouts_.first_byte)),
      {}};
}

Result<void> HttpExchange::result_of(CURLcode code) const {
  if (receiver_error_) return std::unexpected(*receiver_error_);
  if (code == CURLE_OK) return {};
  if (refusal_) return std::unexpected(*refusal_);
  const std::string server = server_of(request_.url);
  if (is_resend_refused_) {
    return fail(ErrorCode::network,
                fmt::format("The connection to {} was closed without an answer after the request "
                            "had been sent",
                            server));
  }
  const std::string_view reason =
      error_text_[0] != '\0' ? std::string_view(error_text_.data()) : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT: {
      curl_off_t connected = 0;
      curl_easy_getinfo(handle_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
      return fail(ErrorCode::timeout, connected == 0
                                          ? fmt::format("No connection to {} within {}", server,
                                                        seconds(timeouts_.connect))
                                          : fmt::format("{} did not finish its answer within {}",
                                                        server, seconds(timeouts_.total)));
    }
    case CURLE_PROXY:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return fail(ErrorCode::network, without_proxy(server, reason));
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
      return fail(ErrorCode::network, is_through_proxy(reason)
                                          ? without_proxy(server, reason)
                                          : fmt::format("No connection to {}: {}", server, reason));
    case CURLE_BAD_CONTENT_ENCODING:
      return fail(ErrorCode::protocol,
                  fmt::format("{} sent an answer that cannot be decompressed: {}", server, reason));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CONNECT_ERROR:
      return fail(
          ErrorCode::network,
          fmt::format("No secure connection to {}: {}. The certificate of a server is always "
                      "checked; the usual authorities come with Debian's package "
                      "ca-certificates, and `ca_file` below [http] names others to trust",
                      server, reason));
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return fail(ErrorCode::invalid_argument,
                  fmt::format("'{}' is not the URL of a server: {}", server, reason));
    case CURLE_OUT_OF_MEMORY: return fail(ErrorCode::internal, "Out of memory");
    default:
      if (is_tunnel_refused()) return fail(ErrorCode::network, without_proxy(server, reason));
      return fail(ErrorCode::network,
                  fmt::format("The connection to {} broke before the answer was complete: {}",
                              server, reason));
  }
}

// Whether it was the proxy that could not be reached: libcurl names whom it tried. A proxy that was
// reached and made no connection has answered with a status.
bool HttpExchange::is_tunnel_refused() const {
  long tunnel_status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_HTTP_CONNECTCODE, &tunnel_status);
  return tunnel_status >= 300;
}

bool HttpExchange::is_through_proxy(std::string_view reason) const {
  if (is_tunnel_refused() || reason.contains("Proxy") || reason.contains("proxy")) return true;
  constexpr std::string_view kTried = "Failed to connect to ";
  if (!reason.starts_with(kTried)) return false;
  const std::string tried = lower(reason.substr(kTried.size()));
  return !tried.starts_with(host_and_port(request_.url) + ' ');
}

void HttpExchange::end(Result<void> end) {
  trace(HttpTraceEvent::Kind::end, end ? std::string_view("complete") : end.error().message);
  const auto receiver = std::move(receiver_);
  receiver->on_end(std::move(end));
}

int HttpExchange::before_request(void* exchange, char*, char*, int, int) {
  return static_cast<HttpExchange*>(exchange)->may_send() ? CURL_PREREQFUNC_OK
                                                          : CURL_PREREQFUNC_ABORT;
}

// Called whenever there is a connection and the request would go out. libcurl sends a request again
// by itself when a connection that was used before ends without a byte; the server may have acted
// on it all the same. What may have arrived and does something is not sent twice.
bool HttpExchange::may_send() {
  if (!std::exchange(was_sent_, true)) {
    receiver_->on_sending();
    return true;
  }
  if (request_.method == "GET" || request_.method == "HEAD") return true;
  long bytes_sent = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_REQUEST_SIZE, &bytes_sent);
  is_resend_refused_ = bytes_sent > 0;
  return !is_resend_refused_;
}

// The only place where sockets are opened. They must not leak into programs that tools start.
curl_socket_t HttpExchange::open_socket(void* exchange, curlsocktype, curl_sockaddr* address) {
  auto& self = *static_cast<HttpExchange*>(exchange);
  if (self.options_.may_connect) {
    if (auto allowed = self.options_.may_connect(self.request_.url, address->addr); !allowed) {
      self.refusal_ = std::move(allowed).error();
      return CURL_SOCKET_BAD;
    }
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t HttpExchange::take_header(char* bytes, std::size_t, std::size_t count, void* exchange) {
  return static_cast<HttpExchange*>(exchange)->header_line({bytes, count}) ? count : 0;
}

// A status line begins a head; informational heads (1xx) and those of proxies are replaced by the
// next.
bool HttpExchange::header_line(std::string_view line) {
  head_bytes_ += line.size();
  if (head_bytes_ > kMostHeadBytes) {
    receiver_error_ = Error{ErrorCode::protocol,
                            fmt::format("{} sent more than {} KB of headers",
                                        server_of(request_.url), kMostHeadBytes / 1024),
                            {}};
    return false;
  }
  if (has_told_head_) return true;  // a trailer
  line = trimmed(line);
  if (line.starts_with("HTTP/")) {
    head_ = {};
    return true;
  }
  if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    head_.headers.push_back({.name = std::string(trimmed(line.substr(0, colon))),
                             .value = std::string(trimmed(line.substr(colon + 1)))});
    return true;
  }
  if (!line.empty()) return true;
  long status = 0;
  long tunnel_status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(handle_.get(), CURLINFO_HTTP_CONNECTCODE, &tunnel_status);
  const bool is_of_proxy = status == 0 && tunnel_status != 0;
  if (is_of_proxy || (status >= 100 && status < 200)) return true;
  head_.status = static_cast<int>(status);
  head_.arrived = std::chrono::system_clock::now();
  has_told_head_ = true;
  if (options_.trace) {
    std::string text = fmt::format("HTTP {}\n", head_.status);
    for (const HttpHeader& header : head_.headers) {
      text += fmt::format("{}: {}\n", header.name, header.value);
    }
    trace(HttpTraceEvent::Kind::response_head, text);
  }
  receiver_->on_head(std::move(head_));
  return true;
}

std::size_t HttpExchange::take_body(char* bytes, std::size_t, std::size_t count, void* exchange) {
  return static_cast<HttpExchange*>(exchange)->body({bytes, count}) ? count : 0;
}

bool HttpExchange::body(std::string_view bytes) {
  last_byte_ = EventLoop::Clock::now();
  if (!std::exchange(has_body_, true) && on_pace) on_pace();
  trace(HttpTraceEvent::Kind::response_body,
        receiver_->is_secret() ? std::string_view("(secret)") : bytes);
  if (receiver_error_) return false;
  auto taken = receiver_->on_body(bytes);
  if (taken) return true;
  receiver_error_ = std::move(taken).error();
  return false;
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
