#include "net/curl_multi.h"

#include <sys/epoll.h>

#include <utility>

namespace wright::net {

CurlMulti::CurlMulti(EventLoop& loop, OnDone on_done)
    : loop_(loop), on_done_(std::move(on_done)), multi_(curl_multi_init()) {
  CURLM* multi = multi_.get();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(kMost));
}

CurlMulti::~CurlMulti() {
  multi_.reset();  // closes its connections, which the loop forgets
  loop_.cancel(timer_);
}

void CurlMulti::add(CURL* handle) {
  ++count_;
  curl_multi_add_handle(multi_.get(), handle);
}

void CurlMulti::remove(CURL* handle) {
  --count_;
  curl_multi_remove_handle(multi_.get(), handle);
}

void CurlMulti::act(curl_socket_t socket, int events) {
  int running = 0;
  curl_multi_socket_action(multi_.get(), socket, events, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg == CURLMSG_DONE) on_done_(message->easy_handle, message->data.result);
  }
}

int CurlMulti::on_socket(CURL*, curl_socket_t socket, int what, void* multi, void* is_known) {
  auto& self = *static_cast<CurlMulti*>(multi);
  if (what == CURL_POLL_REMOVE) {
    self.loop_.forget(socket);
    return 0;
  }
  const std::uint32_t events =
      ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
  if (is_known != nullptr) {
    self.loop_.change(socket, events);
    return 0;
  }
  self.loop_.watch(socket, events, [&self, socket](std::uint32_t ready) {
    int happened = 0;
    if ((ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) happened |= CURL_CSELECT_IN;
    if ((ready & EPOLLOUT) != 0) happened |= CURL_CSELECT_OUT;
    if ((ready & EPOLLERR) != 0) happened |= CURL_CSELECT_ERR;
    self.act(socket, happened);
  });
  curl_multi_assign(self.multi_.get(), socket, multi);
  return 0;
}

int CurlMulti::on_timer(CURLM*, long milliseconds, void* multi) {
  auto& self = *static_cast<CurlMulti*>(multi);
  self.loop_.cancel(self.timer_);
  if (milliseconds < 0) return 0;
  self.timer_ = self.loop_.run_at(EventLoop::Clock::now() + std::chrono::milliseconds(milliseconds),
                                  [&self] { self.act(CURL_SOCKET_TIMEOUT, 0); });
  return 0;
}

}  // namespace wright::net
