// What must not stop the server or lose anything: requests that get into each other's way, a store
// that does not answer for a while, peers that leave or send too much.
#include <atomic>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include "core/temporary_folder_testing.h"
#include "server/event_hub.h"
#include "server/idempotency.h"
#include "server/service_testing.h"
#include "store/forwarding_store.h"

namespace wright::server {
namespace {

using std::chrono::milliseconds;
constexpr std::chrono::seconds kLong{20};

// As a request that waits for its session: its listener holds it, and it holds its place.
struct WaitingRequest : std::enable_shared_from_this<WaitingRequest> {
  explicit WaitingRequest(SessionListeners& listeners) : listeners(listeners) {}
  void listen_to(SessionId id) {
    listening = listeners.listen(id, [self = shared_from_this()](const Event&) { ++self->heard; });
  }
  void end() { const auto released = std::exchange(listening, nullptr); }

  SessionListeners& listeners;
  std::shared_ptr<void> listening;
  std::atomic<int> heard = 0;
};

TEST(ServerLocks, let_several_requests_wait_for_one_session) {
  auto done = std::async(std::launch::async, [] {
    SessionListeners listeners;
    auto first = std::make_shared<WaitingRequest>(listeners);
    first->listen_to(7);
    std::weak_ptr<WaitingRequest> seen = first;
    first.reset();  // its listener holds it
    const auto second = std::make_shared<WaitingRequest>(listeners);
    second->listen_to(7);
    listeners.observe(SessionStarted{}, {.session_id = 7});
    EXPECT_EQ(second->heard, 1);
    const auto held = seen.lock();
    ASSERT_TRUE(held) << "it waits still";
    EXPECT_EQ(held->heard, 1);
    held->end();
    second->end();
    listeners.observe(SessionStarted{}, {.session_id = 7});
    EXPECT_EQ(second->heard, 1);
  });
  if (done.wait_for(kLong) != std::future_status::ready) {
    std::fputs("two listeners of one session wait for each other for ever\n", stderr);
    std::abort();  // a thread that is stuck cannot be ended otherwise
  }
}

// Answers, or does not, as it is told.
class AwayStore : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override {
    if (is_away(events_are_away)) return away();
    return ForwardingStore::get_events(filter);
  }
  Result<Session> get_session(SessionId id) override {
    if (is_away(sessions_are_away)) return away();
    return ForwardingStore::get_session(id);
  }
  // Until somebody was told so, twice: the second time nothing of the first is under way any more.
  void wait_until_asked() {
    std::unique_lock lock(mutex_);
    const int before = asked_;
    EXPECT_TRUE(changed_.wait_for(lock, kLong, [&] { return asked_ >= before + 2; }));
  }

  std::atomic<bool> events_are_away = false;
  std::atomic<bool> sessions_are_away = false;

 private:
  static std::unexpected<Error> away() { return fail(ErrorCode::unavailable, "Not now"); }
  bool is_away(const std::atomic<bool>& flag) {
    if (!flag) return false;
    const std::lock_guard lock(mutex_);
    ++asked_;
    changed_.notify_all();
    return true;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int asked_ = 0;
};

// Streams of a hub over real sockets: GET /all, GET /N for one session.
struct ServedHub {
  explicit ServedHub(milliseconds poll_time = milliseconds(5)) : hub(store, poll_time) {}

  SessionId new_session() {
    return inner->create_session({.agent_name = "a", .user_prompt = "b"}).value();
  }
  EventSequence add(SessionId id) {
    const auto ids = inner->apply_one(AppendEvents{id, {{"one", {}}}});
    hub.look();
    return ids->events.front();
  }
  static std::string id_of(EventSequence sequence) { return fmt::format("id: {}\n", sequence); }

  const std::unique_ptr<Store> inner = open_memory_store();
  AwayStore store{*inner};
  EventHub hub;
  const std::unique_ptr<http::Server> http =
      http::served({}, [this](const http::Request& request, const http::Responder& responder) {
        std::optional<SessionId> id;
        if (request.path != "/all") id = std::stoll(request.path.substr(1));
        hub.listen(responder.stream({}), 0, {id});
      });
};

TEST(ServerEvents, are_all_told_when_the_store_was_away_while_somebody_caught_up) {
  ServedHub served;
  const SessionId id = served.new_session();
  const EventSequence first = served.add(id);
  for (const std::string& path : {std::string("/all"), fmt::format("/{}", id)}) {
    served.store.events_are_away = true;
    http::RawPeer peer(*served.http);
    peer.write(http::get(path));
    peer.read_until("\r\n\r\n");
    served.store.wait_until_asked();
    const EventSequence second = served.add(id);
    served.store.events_are_away = false;
    const std::string text = peer.read_until(ServedHub::id_of(second));
    EXPECT_NE(text.find(ServedHub::id_of(first)), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(ServedHub::id_of(second))) << text;
  }
}

TEST(ServerEvents, are_told_when_nobody_knew_at_first_whom_they_concern) {
  ServedHub served;
  const SessionId id = served.new_session();
  const EventSequence first = served.add(id);
  http::RawPeer peer(*served.http);
  peer.write(http::get(fmt::format("/{}", id)));
  EXPECT_TRUE(peer.read_until(ServedHub::id_of(first)).ends_with(ServedHub::id_of(first)));
  const SessionId other = served.new_session();
  served.store.sessions_are_away = true;
  served.add(other);
  const EventSequence second = served.add(id);
  served.store.wait_until_asked();
  served.store.sessions_are_away = false;
  const std::string text = peer.read_until(ServedHub::id_of(second));
  EXPECT_TRUE(text.ends_with(ServedHub::id_of(second))) << text;
}

TEST(ServerEvents, are_not_kept_for_those_who_left_however_much_there_is_to_tell) {
  ServedHub served(milliseconds(300));  // news comes more often, so it never looks without any
  const SessionId quiet = served.new_session();
  const EventSequence first = served.add(quiet);
  {
    http::RawPeer peer(*served.http);
    peer.write(http::get(fmt::format("/{}", quiet)));
    peer.read_until(ServedHub::id_of(first));
    EXPECT_EQ(served.hub.listeners(), 1U);
  }
  const auto until = std::chrono::steady_clock::now() + kLong;
  while (served.hub.listeners() > 0 && std::chrono::steady_clock::now() < until) served.hub.look();
  EXPECT_EQ(served.hub.listeners(), 0U);
}

TEST(ServerTokens, begin_nothing_with_a_body_that_ends_after_they_were_removed) {
  ServedService served;
  const std::string token = served.tokens().add("ci", {Scope::run}, 5).value_or("");
  const std::string text = ServedService::request_text(
      "POST", "/api/v1/sessions", R"({"agent":"parrot","prompt":"x"})",
      "Authorization: Bearer " + token + "\r\nExpect: 100-continue\r\n");
  http::RawPeer peer(served.http());
  peer.write(text.substr(0, text.size() - 5));
  // Who it is has been looked at by the time of this answer.
  ASSERT_NE(peer.read_until("100 Continue\r\n\r\n").find("100 Continue"), std::string::npos);
  ASSERT_TRUE(served.tokens().remove("ci"));
  peer.write(text.substr(text.size() - 5));
  EXPECT_EQ(ServedService::answered_from(peer.read_all()).status, 401);
  EXPECT_TRUE(served.store().list_sessions({}).value().empty());
}

// The model goes on speaking when the token is gone.
TEST(ServerTokens, hear_no_more_of_an_answer_after_they_were_removed) {
  for (const bool is_streamed : {true, false}) {
    std::latch is_removed(1);
    std::latch has_begun(1);
    ServedService served(
        {.model = model_from(
             "test", "slow",
             [&](const wright::Request&, const ModelCall& call) -> Result<wright::Response> {
               if (call.on_text) call.on_text("early ");
               has_begun.count_down();
               is_removed.wait();
               if (call.on_text) call.on_text("a secret");
               return testing::says("early a secret");
             })});
    const std::string token = served.tokens().add("ci", {Scope::run}, 5).value_or("");
    http::RawPeer peer(served.http());
    peer.write(ServedService::request_text(
        "POST", "/v1/chat/completions",
        fmt::format(
            R"({{"model":"parrot","stream":{},"messages":[{{"role":"user","content":"x"}}]}})",
            is_streamed),
        "Authorization: Bearer " + token + "\r\n"));
    has_begun.wait();
    ASSERT_TRUE(served.tokens().remove("ci"));
    is_removed.count_down();
    const std::string all = peer.read_all();
    EXPECT_EQ(all.find("secret"), std::string::npos) << all;
    EXPECT_NE(all.find("not known here any more"), std::string::npos) << all;
  }
}

TEST(ServerEvents, are_not_told_any_more_when_the_token_is_removed) {
  ServedService served;
  const std::string token = served.tokens().add("ci", {Scope::read}, 5).value_or("");
  ASSERT_FALSE(token.empty());
  http::RawPeer peer(served.http());
  peer.write(ServedService::request_text(
      "GET", "/api/v1/events", {},
      fmt::format("Authorization: Bearer {}\r\nAccept: text/event-stream\r\n", token)));
  peer.read_until("retry: 1000");
  ASSERT_TRUE(served.tokens().remove("ci"));
  const std::string rest = peer.read_all();
  EXPECT_TRUE(rest.ends_with("0\r\n\r\n")) << "the stream ends: " << rest;
}

TEST(ServerBodies, are_small_for_those_who_are_not_known) {
  ServedService served;
  const std::string large = "{\"code\":\"" + std::string(8 * 1024, 'x') + "\"}";
  EXPECT_EQ(served.ask("POST", "/api/v1/login", large).status, 413);
  EXPECT_EQ(served.ask("POST", "/api/v1/login", R"({"code":"x"})").status, 401);
  EXPECT_EQ(served.ask("POST", "/api/v1/sessions", R"({"agent":")" + large).status, 400);
  // Nothing of the body is needed to say no.
  const std::string sizes[] = {"Content-Length: 30000000", "Transfer-Encoding: chunked"};
  for (const std::string& size : sizes) {
    for (const auto& [headers, status] :
         {std::pair("Sec-Fetch-Site: same-origin\r\n", 401),
          std::pair("Origin: http://evil.example\r\n", 403),
          std::pair("Authorization: Bearer wright_0000\r\n", 401)}) {
      http::RawPeer peer(served.http());
      peer.write(fmt::format("POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\n{}\r\n{}\r\n",
                             size, headers));
      EXPECT_EQ(ServedService::answered_from(peer.read_all()).status, status) << headers;
    }
  }
}

TEST(ServerIdempotency, forgets_a_key_whose_request_failed_in_any_way) {
  const auto store = open_memory_store();
  IdempotentAnswers once(*store);
  const Call call{.request = {.headers = {{"Idempotency-Key", "k"}}},
                  .responder = http::Responder(nullptr)};
  EXPECT_THROW((void)once.once(call, []() -> Answer { throw 1; }), int);
  EXPECT_FALSE(once.once(call, []() -> Answer { return fail(ErrorCode::internal, "no"); }));
  const auto answered = once.once(call, []() -> Answer { return http::Response{.status = 201}; });
  ASSERT_TRUE(answered && *answered) << (answered ? "" : answered.error().message);
  EXPECT_EQ((*answered)->status, 201);
  const auto again = once.once(call, []() -> Answer { throw 1; });
  ASSERT_TRUE(again && *again);
  EXPECT_EQ((*again)->status, 201) << "the first answer to a key is every answer to it";
}

TEST(ServerIdempotency, holds_after_a_restart_and_for_others_on_the_same_store) {
  const auto store = open_memory_store();
  const auto call = [](std::string key, std::string body) {
    return Call{
        .request = {.headers = {{"Idempotency-Key", std::move(key)}}, .body = std::move(body)},
        .responder = http::Responder(nullptr)};
  };
  const auto created = []() -> Answer {
    return http::Response{.status = 201, .headers = {{"Location", "/x"}}, .body = "{\"id\":1}"};
  };
  const auto never = []() -> Answer { throw 1; };
  {
    IdempotentAnswers first(*store);
    EXPECT_TRUE(first.once(call("k", "a"), created));
  }
  IdempotentAnswers second(*store);
  const auto again = second.once(call("k", "a"), never);
  ASSERT_TRUE(again && *again);
  EXPECT_EQ((*again)->status, 201);
  EXPECT_EQ((*again)->body, "{\"id\":1}");
  EXPECT_EQ((*again)->headers.at(0).value, "/x");
  const auto other = second.once(call("k", "b"), never);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::unsupported);
  // While one works on it, the others are refused.
  const auto meanwhile = second.once(call("slow", "a"), [&]() -> Answer {
    IdempotentAnswers third(*store);
    const auto refused = third.once(call("slow", "a"), never);
    EXPECT_FALSE(refused);
    if (!refused) {
      EXPECT_EQ(refused.error().code, ErrorCode::already_exists);
    }
    return created();
  });
  EXPECT_TRUE(meanwhile);
}

TEST(ServerTokens, are_all_kept_when_several_processes_add_at_once) {
  const TemporaryFolder folder;
  constexpr int kThreads = 4;
  constexpr int kTokens = 10;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        Tokens tokens(folder / "tokens.json");  // as another process has it
        for (int k = 0; k < kTokens; ++k) {
          EXPECT_TRUE(tokens.add(fmt::format("{}-{}", i, k), {Scope::read}, 1));
          EXPECT_TRUE(tokens.add("gone" + std::to_string(i), {Scope::read}, 1));
          EXPECT_TRUE(tokens.remove("gone" + std::to_string(i)));
        }
      });
    }
  }
  EXPECT_EQ(Tokens(folder / "tokens.json").list()->size(), std::size_t{kThreads * kTokens});
}

}  // namespace
}  // namespace wright::server
