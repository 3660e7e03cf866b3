#include "net/curl_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/text.h"
#include "core/try.h"
#include "net/broken_connection.h"

namespace wright::net {
namespace {

constexpr long kReceiveBuffer = 2 * 1024;  // every waiting exchange holds one
constexpr std::size_t kSpareHandles = 64;

void start_curl() {
  static std::once_flag is_started;
  std::call_once(is_started, [] { curl_global_init(CURL_GLOBAL_ALL); });
}

// "host port N" of "http://host:port", as libcurl writes it.
std::string host_and_port(const std::string& server) {
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

}  // namespace

CurlTransport::~CurlTransport() {
  clear();
}

std::unique_ptr<Transfer> CurlTransport::transfer(HttpExchange& exchange) {
  start_curl();
  return std::make_unique<CurlTransfer>(*this, exchange);
}

void CurlTransport::clear() {
  spare_handles_.clear();
  multis_.clear();
}

CurlHandle CurlTransport::fresh_handle() {
  if (spare_handles_.empty()) return CurlHandle(curl_easy_init());
  CurlHandle handle = std::move(spare_handles_.back());
  spare_handles_.pop_back();
  return handle;
}

void CurlTransport::keep_handle(CurlHandle handle) {
  if (spare_handles_.size() >= kSpareHandles) return;
  curl_easy_reset(handle.get());
  spare_handles_.push_back(std::move(handle));
}

// The first one, so that the later ones stay idle as long as possible.
CurlMulti& CurlTransport::multi_with_room() {
  for (const auto& multi : multis_) {
    if (multi->has_room()) return *multi;
  }
  return *multis_.emplace_back(std::make_unique<CurlMulti>(loop_, [](CURL* handle, CURLcode code) {
    void* of_handle = nullptr;
    curl_easy_getinfo(handle, CURLINFO_PRIVATE, &of_handle);
    static_cast<CurlTransfer*>(of_handle)->finish(code);
  }));
}

CurlTransfer::~CurlTransfer() {
  if (multi_ != nullptr) multi_->remove(handle_.get());
  if (handle_ != nullptr) transport_.keep_handle(std::move(handle_));
}

void CurlTransfer::begin() {
  handle_ = transport_.fresh_handle();
  if (auto prepared = prepare(); !prepared) {
    transport_.keeper_.end(exchange_.number(), std::move(prepared));
    return;
  }
  multi_ = &transport_.multi_with_room();
  multi_->add(handle_.get());
}

void CurlTransfer::finish(CURLcode code) {
  transport_.keeper_.end(exchange_.number(), result_of(code));
}

Result<void> CurlTransfer::add_headers() {
  headers_.reset(curl_slist_append(nullptr, "Expect:"));
  for (const HttpHeader& header : exchange_.request().headers) {
    const std::string line = fmt::format("{}: {}", header.name, header.value);
    curl_slist* longer = curl_slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) return fail(ErrorCode::internal, "Out of memory");
    (void)headers_.release();
    headers_.reset(longer);
  }
  return {};
}

Result<void> CurlTransfer::prepare() {
  if (handle_ == nullptr) {
    return fail(ErrorCode::unavailable,
                "Requests over HTTP need libcurl, which cannot be used: install libcurl.so.4 "
                "(on Debian the package libcurl4)");
  }
  TRY(add_headers());
  HttpRequest& request = exchange_.request();
  const HttpClient::Options& options = exchange_.options();
  const HttpTimeouts& timeouts = exchange_.timeouts();
  CURL* curl = handle_.get();
  const auto set = [curl](CURLoption option, auto value) { curl_easy_setopt(curl, option, value); };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.method != "GET") {
    set(CURLOPT_POSTFIELDS, request.body.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_USERAGENT, options.user_agent.c_str());
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Many streams on one connection where the server speaks HTTP/2; worth a wait over TLS only.
  set(CURLOPT_PIPEWAIT, request.url.starts_with("https:") ? 1L : 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  // Ending an exchange must not wait for the name server, which would hold up all others.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_BUFFERSIZE, kReceiveBuffer);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeouts.connect.count()));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeouts.total.count()));
  if (!options.ca_file.empty()) set(CURLOPT_CAINFO, options.ca_file.c_str());
  if (options.proxy) {
    set(CURLOPT_PROXY, options.proxy->c_str());
    set(CURLOPT_NOPROXY, "");
  }
  // With any value, libcurl decompresses what comes compressed, asked for or not.
  set(CURLOPT_ACCEPT_ENCODING, options.compression == Compression::accepted ? "" : "identity");
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
  request.headers = {};  // libcurl has its own; an exchange mostly waits
  return {};
}

Result<void> CurlTransfer::result_of(CURLcode code) const {
  if (exchange_.error) return std::unexpected(*exchange_.error);
  if (code == CURLE_OK) return {};
  if (exchange_.refusal) return std::unexpected(*exchange_.refusal);
  const std::string server = exchange_.server();
  if (is_resend_refused_) {
    return connection_broke(
        fmt::format("The connection to {} was closed without an answer after the request had been "
                    "sent",
                    server));
  }
  const std::string_view reason =
      error_text_[0] != '\0' ? std::string_view(error_text_.data()) : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT: {
      curl_off_t connected = 0;
      curl_easy_getinfo(handle_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
      if (connected == 0) return fail(ErrorCode::timeout, exchange_.no_connection_in_time());
      return std::unexpected(took_too_long(exchange_.not_finished_in_time()));
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
      return connection_broke(fmt::format(
          "The connection to {} broke before the answer was complete: {}", server, reason));
  }
}

// Whether it was the proxy that could not be reached: libcurl names whom it tried. A proxy that was
// reached and made no connection has answered with a status.
bool CurlTransfer::is_tunnel_refused() const {
  long tunnel_status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_HTTP_CONNECTCODE, &tunnel_status);
  return tunnel_status >= 300;
}

bool CurlTransfer::is_through_proxy(std::string_view reason) const {
  if (is_tunnel_refused() || reason.contains("Proxy") || reason.contains("proxy")) return true;
  constexpr std::string_view kTried = "Failed to connect to ";
  if (!reason.starts_with(kTried)) return false;
  const std::string tried = lower(reason.substr(kTried.size()));
  return !tried.starts_with(host_and_port(exchange_.server()) + ' ');
}

int CurlTransfer::before_request(void* transfer, char*, char*, int, int) {
  return static_cast<CurlTransfer*>(transfer)->may_send() ? CURL_PREREQFUNC_OK
                                                          : CURL_PREREQFUNC_ABORT;
}

// Called whenever there is a connection and the request would go out. libcurl sends a request again
// by itself when a connection that was used before ends without a byte; the server may have acted
// on it all the same. What may have arrived and does something is not sent twice.
bool CurlTransfer::may_send() {
  if (exchange_.tell_sending() || exchange_.is_repeatable()) return true;
  long bytes_sent = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_REQUEST_SIZE, &bytes_sent);
  is_resend_refused_ = bytes_sent > 0;
  return !is_resend_refused_;
}

// The only place where sockets are opened. They must not leak into programs that tools start.
curl_socket_t CurlTransfer::open_socket(void* transfer, curlsocktype, curl_sockaddr* address) {
  HttpExchange& exchange = static_cast<CurlTransfer*>(transfer)->exchange_;
  if (const auto& may_connect = exchange.options().may_connect) {
    if (auto allowed = may_connect(exchange.request().url, address->addr); !allowed) {
      exchange.refusal = std::move(allowed).error();
      return CURL_SOCKET_BAD;
    }
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t CurlTransfer::take_header(char* bytes, std::size_t, std::size_t count, void* transfer) {
  return static_cast<CurlTransfer*>(transfer)->header_line({bytes, count}) ? count : 0;
}

// A status line begins a head; informational heads (1xx) and those of proxies are replaced by the
// next.
bool CurlTransfer::header_line(std::string_view line) {
  head_bytes_ += line.size();
  if (head_bytes_ > HttpExchange::kMostHeadBytes) {
    exchange_.error = exchange_.too_long_head();
    return false;
  }
  if (exchange_.has_told_head()) return true;  // a trailer
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
  exchange_.tell_head(std::move(head_));
  return true;
}

std::size_t CurlTransfer::take_body(char* bytes, std::size_t, std::size_t count, void* transfer) {
  return static_cast<CurlTransfer*>(transfer)->take({bytes, count}) ? count : 0;
}

bool CurlTransfer::take(std::string_view bytes) {
  const bool is_first = !exchange_.has_body();
  const bool is_taken = exchange_.tell_body(bytes);
  if (is_first) transport_.keeper_.watch_pace(exchange_.number());
  return is_taken;
}

}  // namespace wright::net
