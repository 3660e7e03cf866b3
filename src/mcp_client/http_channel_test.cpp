// Against a real socket: a small server that answers, or does not, as each test says.
#include "mcp_client/http_channel.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <latch>
#include <thread>

#include "core/unknown_outcome.h"
#include "mcp/json_rpc.h"
#include "mcp_client/connection.h"
#include "mcp_client/server_tools.h"
#include "net/canned_server_testing.h"
#include "wright/agent.h"

namespace wright::mcp_client {
namespace {

using net::testing::CannedServer;
using SocketPeer = net::testing::Connection;

constexpr std::string_view kJsonHead = "Content-Type: application/json\r\n";

// What a test does with a call of a tool. False: nothing more comes on this connection.
using OnToolCall =
    std::function<bool(SocketPeer& peer, const mcp::RequestId& id, std::string_view tool)>;

std::string text_answer(const mcp::RequestId& id, std::string_view text) {
  return mcp::result_text(id,
                          {{"content", JsonArray{JsonObject{{"type", "text"}, {"text", text}}}}});
}

void begin_stream(const SocketPeer& peer) {
  peer.send("HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n\r\n");
}

// A server of the revisions with a handshake, with the tools write, look and second.
class HttpPeer {
 public:
  // `on_taken_up` is for a stream that is taken up again.
  explicit HttpPeer(OnToolCall on_call, std::function<void(SocketPeer&)> on_taken_up = {},
                    std::string more_headers = {})
      : on_call_(std::move(on_call)),
        on_taken_up_(std::move(on_taken_up)),
        initialize_head_(std::string(kJsonHead) + more_headers) {}

  std::shared_ptr<Connection> connect() {
    ServerAddress address{.url = server_.url("/mcp")};
    return std::make_shared<Connection>(ConnectionOptions{
        .name = "web",
        .client = {.self = {"test", "", "1"}, .capabilities = {{"elicitation", JsonObject{}}}},
        .make = [address, client = std::make_shared<net::HttpClient>()](
                    std::shared_ptr<ChannelListener> listener) -> Result<std::unique_ptr<Channel>> {
          return open_address(address, client, std::move(listener));
        }});
  }
  std::vector<Tool> tools(std::chrono::milliseconds timeout = std::chrono::minutes(5)) {
    auto made = server_tools(connect(), {.name = "web", .timeout = timeout});
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(made->tools) : std::vector<Tool>();
  }
  int calls() const { return calls_; }

 private:
  void serve(SocketPeer& peer) {
    while (true) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      if (on_taken_up_ && request.find("Last-Event-ID") != std::string::npos) {
        return on_taken_up_(peer);
      }
      if (!request.starts_with("POST")) {
        peer.answer(405, "");
        continue;
      }
      const mcp::Frame frame = mcp::read_frame(request.substr(request.find("\r\n\r\n") + 4));
      const auto* asked = std::get_if<mcp::Request>(&frame.messages.front());
      if (asked == nullptr) {
        peer.answer(202, "");
      } else if (asked->method == "initialize") {
        peer.answer(200,
                    mcp::result_text(asked->id, {{"protocolVersion", "2025-11-25"},
                                                 {"capabilities", {{"tools", JsonObject{}}}}}),
                    initialize_head_);
      } else if (asked->method == "tools/list") {
        const Json schema{{"type", "object"}};
        const Json reads{{"readOnlyHint", true}};
        peer.answer(
            200,
            mcp::result_text(
                asked->id,
                {{"tools",
                  JsonArray{{{"name", "write"}, {"inputSchema", schema}},
                            {{"name", "look"}, {"inputSchema", schema}, {"annotations", reads}},
                            {{"name", "second"}, {"inputSchema", schema}}}}}),
            kJsonHead);
      } else if (asked->method == "tools/call") {
        ++calls_;
        if (!on_call_(peer, asked->id, mcp::text_in(asked->params, "name"))) return;
      } else {
        peer.answer(200, mcp::problem_text(asked->id, {mcp::code::kMethodNotFound, "no"}),
                    kJsonHead);
      }
    }
  }

  const OnToolCall on_call_;
  const std::function<void(SocketPeer&)> on_taken_up_;
  const std::string initialize_head_;
  std::atomic<int> calls_ = 0;
  CannedServer server_{[this](SocketPeer& peer) { serve(peer); }};
};

std::string said(const std::vector<Tool>& tools, std::string name, Context context = {}) {
  context.call_id = "c1";
  const auto outcome = execute(tools, {}, {"c1", std::move(name), "{}"}, context);
  return outcome.waiting ? "waits" : outcome.result.content;
}

bool is_unknown(std::string_view text) {
  return text.find("outcome of this call is not known") != std::string_view::npos;
}

TEST(McpOverHttp, ACallIsAnswered) {
  HttpPeer peer([](SocketPeer& socket, const mcp::RequestId& id, std::string_view) {
    socket.answer(200, text_answer(id, "done"), kJsonHead);
    return true;
  });
  EXPECT_EQ(said(peer.tools(), "web__write"), "done");
}

// Whatever comes instead of an answer: a call that writes may have happened, is not made again, and
// its caller is told that nobody knows.
TEST(McpOverHttp, ACallWithoutAnAnswerIsMadeOnceAndItsOutcomeIsNotKnown) {
  const std::vector<std::pair<std::string, OnToolCall>> kinds{
      {"closes", [](SocketPeer&, const mcp::RequestId&, std::string_view) { return false; }},
      {"resets",
       [](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
         socket.reset();
         return false;
       }},
      {"fails",
       [](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
         socket.answer(502, "bad gateway");
         return true;
       }},
      {"cuts its stream",
       [](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
         begin_stream(socket);
         socket.send("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n");
         return false;
       }},
      {"cuts its answer",
       [](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
         socket.send(
             "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: "
             "1000\r\n\r\n{\"jsonrpc\"");
         return false;
       }},
      {"answers with nothing",
       [](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
         socket.answer(200, "", kJsonHead);
         return true;
       }},
      {"answers with no JSON",
       [](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
         socket.answer(200, "<html>", kJsonHead);
         return true;
       }},
      {"answers another",
       [](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
         socket.answer(200, text_answer(4711, "done"), kJsonHead);
         return true;
       }},
  };
  for (const auto& [kind, on_call] : kinds) {
    HttpPeer peer(on_call);
    const auto tools = peer.tools();
    EXPECT_TRUE(is_unknown(said(tools, "web__write"))) << kind << ": " << said(tools, "web__write");
    const std::string looked = said(tools, "web__look");
    EXPECT_NE(looked.find("gave no answer"), std::string::npos) << kind << ": " << looked;
    EXPECT_FALSE(is_unknown(looked)) << kind << ": " << looked;
    EXPECT_EQ(peer.calls(), 2) << kind;
  }
}

TEST(McpOverHttp, ACallThatIsTooLateHasAnOutcomeThatIsNotKnown) {
  HttpPeer peer([](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
    socket.wait_for_close();
    return false;
  });
  const auto tools = peer.tools(std::chrono::milliseconds(300));
  EXPECT_TRUE(is_unknown(said(tools, "web__write")));
  EXPECT_FALSE(is_unknown(said(tools, "web__look")));
  EXPECT_EQ(peer.calls(), 2);
}

TEST(McpOverHttp, ACallThatIsRefusedDidNotHappen) {
  for (const int status : {400, 401, 403, 429, 302}) {
    HttpPeer peer([status](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
      socket.answer(status, "no");
      return true;
    });
    const std::string text = said(peer.tools(), "web__write");
    EXPECT_FALSE(is_unknown(text)) << text;
    EXPECT_NE(text.find(std::to_string(status)), std::string::npos) << text;
  }
}

TEST(McpOverHttp, AResultWithTheStatusOfAFailureIsNotReliedOn) {
  for (const int status : {400, 404, 500, 503}) {
    HttpPeer peer([status](SocketPeer& socket, const mcp::RequestId& id, std::string_view) {
      const JsonArray content{JsonObject{{"type", "text"}, {"text", "done"}}};
      socket.answer(status, mcp::result_text(id, {{"content", content}}), kJsonHead);
      return true;
    });
    const std::string text = said(peer.tools(), "web__write");
    EXPECT_TRUE(is_unknown(text)) << status << ": " << text;
    EXPECT_EQ(peer.calls(), 1) << status;
  }
}

TEST(McpOverHttp, AServerOfTheFirstTransportIsToldApartFromAWrongAddress) {
  CannedServer server([](SocketPeer& peer) {
    while (!peer.read_request().empty()) peer.answer(404, "");
  });
  Connection connection({.name = "old",
                         .client = {.self = {"test", "", "1"}},
                         .make = [address = ServerAddress{.url = server.url("/sse")},
                                  client = std::make_shared<net::HttpClient>()](
                                     std::shared_ptr<ChannelListener> listener) {
                           return open_address(address, client, std::move(listener));
                         }});
  const auto opened = connection.open({});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("404"), std::string::npos) << opened.error().message;
  EXPECT_NE(opened.error().message.find("2024-11-05 (HTTP with SSE)"), std::string::npos)
      << opened.error().message;
}

TEST(McpOverHttp, ACallThatCannotBeSentDidNotHappen) {
  auto peer = std::make_unique<HttpPeer>(
      [](SocketPeer&, const mcp::RequestId&, std::string_view) { return true; });
  const auto tools = peer->tools();
  peer.reset();
  const std::string text = said(tools, "web__write");
  EXPECT_FALSE(is_unknown(text)) << text;
  EXPECT_NE(text.find("No connection"), std::string::npos) << text;
}

// Two calls at once, and the younger one asks through its own stream.
TEST(McpOverHttp, AQuestionIsPutToTheCallThatItCameFor) {
  std::latch is_first_there(1);
  std::latch is_asked(1);
  HttpPeer peer([&](SocketPeer& socket, const mcp::RequestId& id, std::string_view tool) {
    if (tool == "write") {
      is_first_there.count_down();
      is_asked.wait();
      socket.answer(200, text_answer(id, "first"), kJsonHead);
      return true;
    }
    begin_stream(socket);
    socket.send(R"(data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":)"
                R"({"message":"Who?","requestedSchema":{"type":"object","properties":)"
                R"({"name":{"type":"string"}}}}})"
                "\n\n");
    socket.wait_for_close();
    return false;
  });
  const auto tools = peer.tools(std::chrono::seconds(20));
  std::string first;
  std::thread caller([&] { first = said(tools, "web__write"); });
  is_first_there.wait();
  EXPECT_EQ(said(tools, "web__second"), "waits");
  is_asked.count_down();
  caller.join();
  EXPECT_EQ(first, "first");
}

// A server that always has something new to say, and wants no pause.
TEST(McpOverHttp, AStreamIsNotTakenUpWithoutAPause) {
  std::atomic<int> taken_up = 0;
  const auto cut = [](const SocketPeer& socket) {
    begin_stream(socket);
    socket.send("id: 1\nretry: 0\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n");
  };
  HttpPeer peer(
      [&](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
        cut(socket);
        return false;
      },
      [&](SocketPeer& socket) {
        ++taken_up;
        cut(socket);
      });
  EXPECT_TRUE(is_unknown(said(peer.tools(std::chrono::seconds(1)), "web__write")));
  EXPECT_GE(taken_up, 1);
  EXPECT_LE(taken_up, 5);  // in one second, and fewer the slower it goes
}

// The server has the request: what it thinks of a stream that is to be taken up again says nothing
// about that.
TEST(McpOverHttp, ACallWhoseStreamCannotBeTakenUpHasAnOutcomeThatIsNotKnown) {
  for (const int status : {400, 401, 403, 404, 405, 500}) {
    HttpPeer peer(
        [](SocketPeer& socket, const mcp::RequestId&, std::string_view) {
          begin_stream(socket);
          socket.send("id: e1\nretry: 0\ndata: \n\n");
          return false;
        },
        [status](SocketPeer& socket) { socket.answer(status, "no"); },
        status == 404 ? "Mcp-Session-Id: one\r\n" : "");
    const std::string text = said(peer.tools(std::chrono::seconds(20)), "web__write");
    EXPECT_TRUE(is_unknown(text)) << status << ": " << text;
    EXPECT_EQ(peer.calls(), 1) << status;
  }
}

TEST(McpOverHttp, AnOutcomeThatIsNotKnownIsToldApartFromAFailure) {
  HttpPeer peer([](SocketPeer& socket, const mcp::RequestId&, std::string_view tool) {
    if (tool == "write") return false;
    socket.answer(400, "no");
    return true;
  });
  const auto tools = peer.tools();
  EXPECT_TRUE(wright::is_unknown(execute(tools, {}, {"c1", "web__write", "{}"}, {})));
  EXPECT_FALSE(wright::is_unknown(execute(tools, {}, {"c1", "web__second", "{}"}, {})));
}

TEST(McpOverHttp, AnAddressThatIsToBeOpenedFirstIsAskedForWhateverTheStatus) {
  for (const int status : {200, 400, 403}) {
    HttpPeer peer([status](SocketPeer& socket, const mcp::RequestId& id, std::string_view) {
      const Json elicitation{{"mode", "url"},
                             {"elicitationId", "e"},
                             {"message", "Log in"},
                             {"url", "https://log.example/in"}};
      socket.answer(status,
                    mcp::problem_text(id, {mcp::code::kUrlElicitationRequired,
                                           "log in first",
                                           {{"elicitations", JsonArray{elicitation}}}}),
                    kJsonHead);
      return true;
    });
    EXPECT_EQ(said(peer.tools(), "web__write"), "waits") << status;
  }
}

// The configuration refuses it; if it comes this far all the same, nothing hangs.
TEST(McpOverHttp, AHeaderThatCannotBeSentIsToldAtOnce) {
  ServerAddress address{.url = "http://127.0.0.1:9/", .headers = {{"X", "a\r\nb"}}};
  Connection connection(
      {.name = "web",
       .client = {.self = {"test", "", "1"}},
       .make = [address, client = std::make_shared<net::HttpClient>()](
                   std::shared_ptr<ChannelListener> listener) -> Result<std::unique_ptr<Channel>> {
         return open_address(address, client, std::move(listener));
       },
       .time_to_start = std::chrono::minutes(5)});
  const auto opened = connection.open();
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("line break"), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace wright::mcp_client
