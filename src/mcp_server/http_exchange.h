// One request over HTTP on its way: its protocol machine, and its answer, which is JSON until
// something has to be said before the end, and a stream of events from then on.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "mcp/server.h"
#include "mcp_server/http_endpoint.h"

namespace wright::mcp_server {

std::int64_t milliseconds_now();

// Starts work in a thread; false where there is no room for more.
using StartWork = std::function<bool(std::function<void()>)>;

class HttpExchange : public std::enable_shared_from_this<HttpExchange> {
 public:
  struct OfCaller {
    bool may_answer = true;                  // else nothing is asked
    std::function<bool()> is_admitted = {};  // still; empty: always
    TraceContext trace = {};                 // of the headers; unchecked
  };
  // `asked`: the ids of the requests that it answers, by id_key().
  HttpExchange(const EndpointOptions& options, mcp::ServerMachine machine,
               std::shared_ptr<HttpReply> reply, std::string session, std::set<std::string> asked,
               StartWork start, OfCaller caller);

  // The request, or what else concerns it: answers and cancellations of its client.
  void receive(mcp::Frame frame);
  void announce(mcp::Change change);
  void stop();
  // Its caller is not let in any more.
  void hang_up();
  // The client has gone.
  void abandon();

  const std::string& session() const { return session_; }
  // Still: not what was cancelled, of which nothing will be said.
  bool answers(const std::string& id_key);
  bool is_working();
  bool is_over() const { return is_over_; }
  // Of a handshake that was just answered.
  void add_header(HttpHeader header) { headers_.push_back(std::move(header)); }

 private:
  // Of the requests of one frame, by id_key().
  using OpenSpans = std::map<std::string, std::unique_ptr<RequestSpan>, std::less<>>;
  OpenSpans begin_spans(const mcp::Frame& frame);                        // with the mutex held
  void keep_spans(OpenSpans& begun, const mcp::ServerActions& actions);  // likewise
  // Of work that is over, unless its client is only asked something on the way.
  void end_span(const mcp::Work& work, const mcp::WorkOutcome& outcome);

  void perform(mcp::ServerActions actions);
  bool has_others(const mcp::ServerActions& actions);
  void work_on(const mcp::Work& work);
  void say(const mcp::SendLine& line);
  void begin_stream();

  const EndpointOptions& options_;
  const std::shared_ptr<HttpReply> reply_;
  const std::string session_;
  const StartWork start_;
  const OfCaller caller_;
  std::vector<HttpHeader> headers_;
  struct Working {
    std::stop_source source = {};
    std::string id_key = {};
  };
  std::mutex mutex_;  // of the machine and the work
  mcp::ServerMachine machine_;
  std::set<std::string> asked_;
  std::map<mcp::WorkId, Working> working_;
  std::map<mcp::WorkId, std::unique_ptr<RequestSpan>> spans_;
  bool is_batch_ = false;
  std::mutex saying_;
  bool is_stream_ = false;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> only_waits_ = false;  // for what goes on without it
};

}  // namespace wright::mcp_server
