// One request in a vendor's protocol, from the conversation to the response.
//
// What is streamed is what a whole response would hold: the answer, or what the model says with the
// calls that are handed out. Remarks between calls of the agent's own tools are not part of it, nor
// is what the model said before an attempt that was repeated.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/compatible_routes.h"
#include "server/conversation.h"
#include "server/repeatable_request.h"
#include "server/service.h"
#include "server/streamed_text.h"

namespace wright::server {

class CompatibleRun : public std::enable_shared_from_this<CompatibleRun> {
 public:
  CompatibleRun(const ServiceOptions& options, SessionListeners& listeners,
                std::unique_ptr<Rendering> rendering, const Call& call);

  // From now on: a peer that goes away cancels the session.
  void cancel_on_disconnect() { cancels_on_disconnect_ = true; }

  // Begins or goes on with a session, or joins the one that the same request began before. What is
  // returned is to be given to fail_with(); everything else goes to the peer by itself.
  Result<void> begin(const Conversation& conversation);
  void fail_with(Error error);

 private:
  // A result of one of the caller's tools, and the wait that it answers.
  struct GivenAnswer {
    SessionId session_id = 0;
    WaitId wait_id = 0;
    Json answer = {};
    WaitStatus status = WaitStatus::open;
    bool is_repeated = false;  // it was answered before, with the same
  };
  struct Given {
    Session session = {};  // at the top
    std::vector<GivenAnswer> answers = {};
  };
  Result<void> begin_or_join(const Conversation& conversation);
  // False where nothing came of it, or too much time has gone by, so that the request begins anew.
  Result<bool> join(const BegunRequest& earlier, const Conversation& conversation);
  // Somebody has said something in the session since.
  Result<bool> answer_in_the_past(const BegunRequest& earlier, const Conversation& conversation,
                                  const std::optional<std::string>& answer);
  // Within its turn: tells what becomes of a session, or has become of it. One that ended by what
  // may pass goes on where it was: nothing that it did is done again.
  enum class Taking : std::uint8_t { listen, resume };
  // ErrorCode::unavailable where another process drives it, which nobody hears here.
  Result<Taking> how_to_take_up(const Session& session) const;
  Result<void> take_up(const Session& session, Taking how);
  // The same results came at the same moment, perhaps to another server.
  Result<void> hear_from_where_it_was_answered(SessionId id);
  bool may_go_on(const Session& session) const;
  bool was_left(std::string_view why_cancelled) const;
  Result<Given> waits_of(const std::vector<ToolResult>& results) const;
  Result<void> go_on(const Conversation& conversation, SessionId id,
                     const std::vector<ToolResult>& results);
  Result<void> start(const Conversation& conversation);
  Result<void> send(SessionId id, const Conversation& conversation, const AgentPointer& agent,
                    const Message& prompt);
  Result<void> check_agent(const Session& session, const std::string& agent) const;
  Result<void> check_driven_here(const Agent& agent) const;
  Result<PreparedAgent> wanted_agent(const Conversation& conversation) const;
  // How soon what the agent says can be sent. `sampling`: as the session has it.
  static StreamedText::Pace pace_of(const Agent& own, const Sampling& sampling);
  void listen_to(SessionId id);
  // Before the peer hears of it: the response can be asked for, and gone on from, by its id, and
  // whoever sends the request again is led to its session.
  Result<void> keep(SessionId id, KeptResponse beginning);
  enum class Leftover : std::uint8_t { stays, goes };
  void forget(SessionId id, Leftover session);
  void open_stream(SessionId id);

  // What happens in the session, from both kinds of listeners.
  void take(const Event& event);
  void take(const SessionEvent& event);
  void look_at_stored(SessionId id);
  void said(std::string_view text);
  void begins_anew();
  void turn_ended(std::string text, const Usage& usage);
  void run_ended(std::string text, std::optional<Error> error);
  // Without calls it is a person who is waited for.
  void waits_for(std::vector<HandedCall> calls, const std::set<WaitId>& waits);
  // What makes others hold this run. Let go when the mutex is free: whoever tells something at the
  // moment holds a lock of its own, and is about to take the mutex.
  struct Released {
    std::shared_ptr<void> listening = {};
    Subscription subscription = {};
  };
  Released end();              // with the mutex held
  void keep_response() const;  // likewise
  // Whether the error must keep the peer from sending the request again, by what its tools did.
  bool is_final(const Error& error) const;

  const ServiceOptions& options_;  // until it has begun
  Store& store_;                   // as long as sessions run
  SessionListeners& listeners_;
  const http::Responder responder_;
  const std::unique_ptr<Rendering> rendering_;
  const TraceContext trace_;  // that the request belongs to
  const Caller caller_;
  RepeatableRequest request_;
  AgentPointer agent_;           // whose tools are told apart by what they do
  bool may_come_again_ = false;  // and is then known as the same request
  bool may_have_begun_ = false;  // then nothing must make the peer begin anew
  MessageId after_ = 0;          // the session's last message before this request
  bool is_streamed_ = false;
  bool cancels_on_disconnect_ = false;
  bool wants_single_call_ = false;
  Usage usage_before_;  // of the session, when this request went on with it

  std::mutex mutex_;
  std::optional<http::Stream> stream_;
  Completion completion_;
  std::set<WaitId> answered_;  // by this request
  StreamedText spoken_;
  std::string turn_text_;             // what the model said last
  std::optional<KeptResponse> kept_;  // of a response that has begun
  bool is_over_ = false;              // the run has ended; it does not wait for anybody
  bool has_ended_ = false;
  std::shared_ptr<void> listening_;
  Subscription subscription_;
};

}  // namespace wright::server
