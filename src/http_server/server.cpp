// The server itself: who listens, who is accepted, and how it ends.
#include "http_server/server.h"

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "core/try.h"
#include "http_server/connection.h"
#include "http_server/core.h"
#include "http_server/listening.h"
#include "http_server/response_text.h"
#include "http_server/tls.h"

namespace wright::http {
namespace {

constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};
constexpr int kAcceptsInARow = 64;
constexpr std::size_t kPromptThreads = 2;

// Accepts from one socket, in the thread of the sockets.
class Acceptor {
 public:
  Acceptor(std::shared_ptr<Core> core, ListeningSocket socket, TlsContext* tls)
      : core_(std::move(core)),
        socket_(std::move(socket)),
        waiter_(core_->io, ::dup(socket_.descriptor.get())),
        timer_(core_->io),
        tls_(socket_.is_unix ? nullptr : tls) {}

  const ListeningSocket& socket() const { return socket_; }

  void wait() {
    waiter_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                       [this](const boost::system::error_code& error) {
                         if (!error) accept();
                       });
  }

  void close() {
    boost::system::error_code ignored;
    waiter_.close(ignored);
    timer_.cancel();
    socket_.descriptor = FileDescriptor();
    if (!socket_.unix_path.empty()) ::unlink(std::exchange(socket_.unix_path, {}).c_str());
  }

 private:
  void accept() {
    for (int i = 0; i < kAcceptsInARow; ++i) {
      AcceptedPeer peer = accept_from(socket_);
      if (peer.descriptor.is_open()) {
        take(std::move(peer));
        continue;
      }
      if (peer.error == EMFILE || peer.error == ENFILE || peer.error == ENOMEM ||
          peer.error == ENOBUFS) {
        return pause();
      }
      if (peer.error == EAGAIN || peer.error == EWOULDBLOCK) break;
    }
    wait();
  }

  // Others may close something meanwhile.
  void pause() {
    timer_.expires_after(kPauseWithoutDescriptors);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) accept();
    });
  }

  void take(AcceptedPeer peer) {
    if (core_->open_connections >= core_->options.most_connections) {
      core_->refused.fetch_add(1, std::memory_order_relaxed);
      return;  // closed at once
    }
    core_->accepted.fetch_add(1, std::memory_order_relaxed);
    core_->open_connections.fetch_add(1);
    const auto connection = std::make_shared<Connection>(
        core_, std::move(peer), tls_ == nullptr ? nullptr : tls_->session());
    core_->connections.insert(connection);
    connection->start();
  }

  const std::shared_ptr<Core> core_;
  ListeningSocket socket_;
  boost::asio::posix::stream_descriptor waiter_;
  boost::asio::steady_timer timer_;
  TlsContext* const tls_;
};

}  // namespace

class Server::Implementation {
 public:
  Implementation(std::shared_ptr<Core> core, std::vector<ListeningSocket> sockets,
                 std::unique_ptr<TlsContext> tls)
      : core_(std::move(core)),
        tls_(std::move(tls)),
        handlers_(static_cast<std::size_t>(std::max(1, core_->options.handler_threads))),
        work_(core_->io.get_executor()) {
    core_->handlers = &handlers_;
    core_->prompt_handlers = &prompt_handlers_;
    for (ListeningSocket& socket : sockets) {
      addresses_.push_back(socket.address);
      acceptors_.push_back(std::make_unique<Acceptor>(core_, std::move(socket), tls_.get()));
    }
    thread_ = std::thread([this] {
      for (const auto& acceptor : acceptors_) acceptor->wait();
      core_->io.run();
    });
  }

  ~Implementation() {
    close_all_soon();
    {
      const std::lock_guard lock(core_->mutex);
      core_->is_stopped = true;
    }
    work_.reset();
    thread_.join();
    handlers_.join();
    prompt_handlers_.join();
    const std::lock_guard lock(core_->mutex);
    core_->handlers = nullptr;
    core_->prompt_handlers = nullptr;
  }

  const std::vector<std::string>& addresses() const { return addresses_; }
  const Core& core() const { return *core_; }

  void drain(std::chrono::milliseconds time) {
    core_->post([this] {
      core_->is_draining = true;
      for (const auto& acceptor : acceptors_) acceptor->close();
      const auto connections = core_->connections;
      for (const auto& connection : connections) connection->drain();
    });
    std::unique_lock lock(core_->count_mutex);
    const auto is_empty = [&] { return core_->open_connections == 0; };
    if (core_->all_closed.wait_for(lock, time, is_empty)) return;
    lock.unlock();
    close_all_soon();
    lock.lock();
    core_->all_closed.wait(lock, is_empty);
  }

 private:
  // What is closed from here on was not closed by its peer, in whatever thread that is found out.
  void close_all_soon() {
    core_->is_ending = true;
    core_->post([this] { close_all(); });
  }
  void close_all() {
    for (const auto& acceptor : acceptors_) acceptor->close();
    const auto connections = core_->connections;
    for (const auto& connection : connections) connection->close();
  }

  const std::shared_ptr<Core> core_;
  const std::unique_ptr<TlsContext> tls_;
  boost::asio::thread_pool handlers_;
  boost::asio::thread_pool prompt_handlers_{kPromptThreads};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::thread thread_;
};

Handler with_body(std::size_t most, Handler handler) {
  return [most, handler = std::make_shared<const Handler>(std::move(handler))](
             Request request, const Responder& responder) {
    const auto held = std::make_shared<Request>(std::move(request));
    responder.read_body(most, [handler, held, responder](std::string body) {
      held->body = std::move(body);
      (*handler)(std::move(*held), responder);
    });
  };
}

Server::Server(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(ServerOptions options, Handler handler) {
  std::vector<ListeningSocket> sockets;
  for (const int descriptor : options.sockets) {
    sockets.push_back({});
    sockets.back() = TRY(listening_socket(descriptor));
  }
  for (const std::string& address : options.listen) {
    sockets.push_back({});
    sockets.back() = TRY(listen_on(address));
  }
  std::unique_ptr<TlsContext> tls;
  if (!options.certificate_file.empty()) {
    tls = TRY(TlsContext::open(options.certificate_file, options.key_file));
  }
  auto core = std::make_shared<Core>(std::move(options), std::move(handler));
  return std::unique_ptr<Server>(new Server(
      std::make_unique<Implementation>(std::move(core), std::move(sockets), std::move(tls))));
}

const std::vector<std::string>& Server::addresses() const {
  return implementation_->addresses();
}

ServerFigures Server::figures() const {
  const Core& core = implementation_->core();
  return {.connections = core.open_connections,
          .accepted = core.accepted,
          .refused = core.refused,
          .requests = core.requests,
          .cut = core.cut};
}

void Server::drain(std::chrono::milliseconds time) {
  implementation_->drain(time);
}

}  // namespace wright::http
