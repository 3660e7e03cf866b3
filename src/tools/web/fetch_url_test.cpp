#include <gtest/gtest.h>

#include <latch>
#include <mutex>

#include "net/canned_server_testing.h"
#include "tools/output/output_budget.h"
#include "tools/temporary_folder_testing.h"
#include "wright/tools.h"

namespace wright::tools {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;
using namespace std::chrono_literals;

std::vector<Tool> fetching(WebAccessOptions options) {
  auto made = fetch_url_tool(std::move(options));
  EXPECT_TRUE(made) << made.error().message;
  return {std::move(*made)};
}

// A tool that may ask the servers of these tests.
std::vector<Tool> fetching_here() {
  return fetching({.allow = {"127.0.0.1"}});
}

Result<Json> fetch(const std::vector<Tool>& tools, const std::string& url, JsonObject more = {}) {
  more["url"] = url;
  return call(tools, "fetch_url", to_text(more));
}

std::string page_content_of(const Result<Json>& result) {
  if (!result) return "failed: " + result.error().message;
  return std::string(result->at("content").as_string());
}

// Answers every request with the same.
CannedServer::OnConnection always(int status, std::string body, std::string headers) {
  return [=](Connection& connection) {
    while (!connection.read_request().empty()) connection.answer(status, body, headers);
  };
}

TEST(FetchUrl, shows_a_page_as_markdown_text_or_as_it_is) {
  const std::string html =
      "<!doctype html><title>A page</title><h1>Hello</h1><p>See <a href=next>this</a>.";
  CannedServer server(always(200, html, "Content-Type: text/html; charset=utf-8\r\n"));
  const auto tools = fetching_here();
  const auto page = fetch(tools, server.url("/docs/start#part"));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->at("url").as_string(), server.url("/docs/start"));
  EXPECT_EQ(page->at("status").as_int64(), 200);
  EXPECT_EQ(page->at("content_type").as_string(), "text/html");
  EXPECT_EQ(page->at("title").as_string(), "A page");
  EXPECT_EQ(page_content_of(page), "# Hello\n\nSee [this](" + server.url("/docs/next") + ").");
  EXPECT_EQ(page->at("bytes").as_int64(), static_cast<std::int64_t>(html.size()));
  EXPECT_FALSE(page->at("truncated").as_bool());
  EXPECT_EQ(page_content_of(fetch(tools, server.url(), {{"format", "text"}})),
            "Hello\n\nSee this.");
  EXPECT_EQ(page_content_of(fetch(tools, server.url(), {{"format", "raw"}})), html);
}

TEST(FetchUrl, reads_and_has_the_schema_of_its_arguments) {
  const auto tools = fetching({});
  EXPECT_EQ(tools.at(0).spec.options.effect, Effect::read);
  const auto& parameters = tools.at(0).spec.parameters.as_object();
  EXPECT_EQ(to_text(parameters.at("required")), R"(["url"])");
  EXPECT_EQ(to_text(parameters.at("properties").at("format").at("enum")),
            R"(["markdown","text","raw"])");
}

TEST(FetchUrl, understands_other_names) {
  CannedServer server(always(200, "text", "Content-Type: text/plain\r\n"));
  const auto tools = fetching_here();
  const ToolOutcome outcome = execute(
      tools, {}, {"1", "web_fetch", to_text(Json{{"uri", server.url()}, {"max_length", 2}})}, {});
  EXPECT_EQ(outcome.response.at("content").as_string(), "te") << outcome.error_message();
}

TEST(FetchUrl, shows_json_and_text_as_they_are) {
  const auto tools = fetching_here();
  for (const char* type : {"application/json", "text/plain", "application/vnd.api+json",
                           "text/markdown", "application/xml", "APPLICATION/JSON; charset=x"}) {
    CannedServer server(
        always(200, "{\"a\": \"<b>&amp;\"}\n", "Content-Type: " + std::string(type) + "\r\n"));
    EXPECT_EQ(page_content_of(fetch(tools, server.url())), "{\"a\": \"<b>&amp;\"}\n") << type;
  }
}

TEST(FetchUrl, looks_at_the_bytes_where_no_type_is_given) {
  const auto tools = fetching_here();
  for (const char* headers : {"", "Content-Type: application/octet-stream\r\n"}) {
    CannedServer html(always(200, "\n<HTML><p>hello", headers));
    EXPECT_EQ(page_content_of(fetch(tools, html.url())), "hello");
    CannedServer text(always(200, "key = <p>", headers));
    EXPECT_EQ(page_content_of(fetch(tools, text.url())), "key = <p>");
    CannedServer binary(always(200, "\x89PNG\r\n\x1a\n\xFF", headers));
    EXPECT_FALSE(fetch(tools, binary.url()));
  }
}

TEST(FetchUrl, refuses_what_is_not_text_and_says_what_it_is) {
  const auto tools = fetching_here();
  CannedServer image(always(200, std::string(5000, 'x'), "Content-Type: image/png\r\n"));
  const auto refused = fetch(tools, image.url("/a.png"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      image.url("/a.png") + " is not text but image/png, 5000 bytes; fetch_url shows only text");
  CannedServer liar(always(200, std::string("ELF\0\1\2", 6), "Content-Type: text/plain\r\n"));
  EXPECT_NE(fetch(tools, liar.url())
                .error()
                .message.find("says that it is text/plain, but holds other data, 6 bytes"),
            std::string::npos);
}

TEST(FetchUrl, reads_the_character_set_of_the_page) {
  const auto tools = fetching_here();
  struct Page {
    const char* headers;
    std::string body;
  };
  const std::vector<Page> pages{
      {"Content-Type: text/html; charset=ISO-8859-1\r\n", "<p>caf\xE9 \x93x\x94"},
      {"Content-Type: text/html\r\n", "<meta charset=windows-1252><p>caf\xE9 \x93x\x94"},
      {"Content-Type: text/html; charset=\"utf-8\"\r\n", "<p>café “x”"},
      {"Content-Type: text/html; charset=nonsense\r\n", "<p>caf\xE9 \x93x\x94"},
      {"Content-Type: text/html\r\n", "<p>café &ldquo;x&#148;"},
  };
  for (const Page& page : pages) {
    CannedServer server(always(200, page.body, page.headers));
    EXPECT_EQ(page_content_of(fetch(tools, server.url())), "café “x”") << page.body;
  }
  CannedServer wrong(always(200, "<p>caf\xE9", "Content-Type: text/html; charset=utf-8\r\n"));
  EXPECT_EQ(page_content_of(fetch(tools, wrong.url())), "caf\xEF\xBF\xBD");
  CannedServer wide(always(200, std::string("\xFF\xFEh\0i\0", 6), "Content-Type: text/plain\r\n"));
  EXPECT_EQ(page_content_of(fetch(tools, wide.url())), "hi");
}

TEST(FetchUrl, tells_the_model_about_refusals_of_the_server) {
  const auto tools = fetching_here();
  CannedServer missing(
      always(404, "<title>Gone</title><p>Try <b>/new</b>.", "Content-Type: text/html\r\n"));
  const auto refused = fetch(tools, missing.url("/old"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_found);
  EXPECT_EQ(refused.error().message,
            missing.url("/old") + " answered with HTTP status 404: Gone\nTry /new.");
  CannedServer failing(always(503, "", ""));
  EXPECT_EQ(fetch(tools, failing.url()).error().code, ErrorCode::unavailable);
  CannedServer busy(always(429, "\x89\0binary", "Content-Type: image/gif\r\n"));
  EXPECT_EQ(fetch(tools, busy.url()).error().code, ErrorCode::rate_limited);
}

TEST(FetchUrl, connects_to_no_private_address_however_it_is_spelled) {
  CannedServer server(always(200, "secret", "Content-Type: text/plain\r\n"));
  const std::string port = server.url().substr(std::string("http://127.0.0.1").size());
  const auto tools = fetching({.ports = {}});
  for (const char* host :
       {"127.0.0.1", "localhost", "LOCALHOST", "127.1", "127.0.1", "2130706433", "0x7f000001",
        "0x7f.0x0.0x0.0x1", "0177.0.0.1", "017700000001", "0.0.0.0", "0", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]", "[::1]", "[::]", "%31%32%37.0.0.1"}) {
    const auto refused = fetch(tools, "http://" + std::string(host) + port);
    ASSERT_FALSE(refused) << host;
    EXPECT_EQ(refused.error().code, ErrorCode::permission_denied)
        << host << ": " << refused.error().message;
  }
  for (const std::string& url :
       {"http://public.example@127.0.0.1" + port, "http://127.0.0.1\\@public.example" + port,
        std::string("file:///etc/passwd"), std::string("ftp://127.0.0.1/"),
        std::string("gopher://127.0.0.1/_x"), std::string("unix:///run/x"), std::string("x"),
        std::string(1, '\0')}) {
    EXPECT_FALSE(fetch(tools, url)) << url;
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST(FetchUrl, follows_redirections_and_tells_them) {
  CannedServer server([](Connection& connection) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      if (request.starts_with("GET /a ")) {
        connection.answer(301, "", "Location: b?x=1\r\n");
      } else if (request.starts_with("GET /b?x=1 ")) {
        connection.answer(307, "moved", "Location: /c#part\r\n");
      } else {
        connection.answer(200, "here", "Content-Type: text/plain\r\n");
      }
    }
  });
  const auto page = fetch(fetching_here(), server.url("/a"));
  EXPECT_EQ(page_content_of(page), "here");
  EXPECT_EQ(page->at("url").as_string(), server.url("/c"));
  EXPECT_EQ(page->at("redirected_from").as_array(),
            (JsonArray{server.url("/a").c_str(), server.url("/b?x=1").c_str()}));
}

TEST(FetchUrl, is_redirected_five_times_at_most) {
  std::atomic<int> requests = 0;
  CannedServer server([&](Connection& connection) {
    while (!connection.read_request().empty()) {
      ++requests;
      connection.answer(302, "", "Location: /again\r\n");
    }
  });
  const auto refused = fetch(fetching_here(), server.url());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("more than 5 times"), std::string::npos);
  EXPECT_EQ(requests, 6);
}

TEST(FetchUrl, is_not_redirected_to_what_may_not_be_fetched) {
  CannedServer hidden(always(200, "secret", "Content-Type: text/plain\r\n"));
  std::string target;
  CannedServer server([&](Connection& connection) {
    while (!connection.read_request().empty()) {
      connection.answer(302, "", "Location: " + target + "\r\n");
    }
  });
  const std::string port = server.url().substr(std::string("http://127.0.0.1:").size());
  const auto tools = fetching({.allow = {"127.0.0.1:" + port.substr(0, port.size() - 1)}});
  const std::string hidden_port = hidden.url().substr(std::string("http://127.0.0.1").size());
  for (const std::string& refused :
       {hidden.url(), "//127.0.0.1" + hidden_port, "http://localhost" + hidden_port,
        "http://0x7f.1" + hidden_port, "http://user:pass@127.0.0.1" + hidden_port,
        std::string("http://169.254.169.254/latest/meta-data/"), std::string("file:///etc/passwd"),
        std::string("gopher://127.0.0.1:6379/_FLUSHALL"), std::string("http://[::1]/"),
        std::string("http:///")}) {
    target = refused;
    const auto result = fetch(tools, server.url());
    EXPECT_FALSE(result) << refused;
  }
  EXPECT_EQ(hidden.connections(), 0);
}

TEST(FetchUrl, carries_nothing_from_one_host_to_another) {
  std::string second_request;
  CannedServer second([&](Connection& connection) {
    second_request = connection.read_request();
    connection.answer(200, "ok", "Content-Type: text/plain\r\n");
  });
  CannedServer first([&](Connection& connection) {
    (void)connection.read_request();
    connection.answer(302, "",
                      "Set-Cookie: id=secret; Path=/\r\nLocation: " + second.url() + "\r\n");
  });
  EXPECT_EQ(page_content_of(fetch(fetching_here(), first.url("/token=secret"))), "ok");
  EXPECT_EQ(second_request.find("secret"), std::string::npos) << second_request;
  EXPECT_EQ(second_request.find("Cookie"), std::string::npos) << second_request;
  EXPECT_EQ(second_request.find("Referer"), std::string::npos) << second_request;
  EXPECT_EQ(second_request.find("Authorization"), std::string::npos) << second_request;
}

TEST(FetchUrl, cuts_pages_without_end) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
    while (connection.send(std::string(8192, 'x'))) {
    }
  });
  const auto page = fetch(fetching({.allow = {"127.0.0.1"}, .max_bytes = 10'000}), server.url());
  EXPECT_EQ(page_content_of(page), std::string(10'000, 'x'));
  EXPECT_TRUE(page->at("truncated").as_bool());
  EXPECT_EQ(page->at("note").as_string(),
            "The page is longer: only its first 10000 bytes were read");
  const auto more = fetch(fetching({.allow = {"127.0.0.1"}, .max_bytes = 10'000}), server.url(),
                          {{"max_bytes", 1'000'000'000'000}});
  EXPECT_EQ(page_content_of(more).size(), 10'000U) << "the settings have the last word";
}

// Packs "aaaa…" as a stream of deflate in which 13 bits stand for 258 bytes.
std::string packed_bomb(std::size_t unpacked) {
  std::string made("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  unsigned bits = 0;
  unsigned count = 0;
  const auto bit = [&](unsigned value) {
    bits |= value << count;
    if (++count < 8) return;
    made += static_cast<char>(bits);
    bits = count = 0;
  };
  const auto code = [&](unsigned value, int length) {  // the highest bit first
    while (length-- > 0) bit(value >> static_cast<unsigned>(length) & 1U);
  };
  bit(1);          // the last block
  bit(1), bit(0);  // with fixed codes
  code(0x91, 8);   // "a"
  for (std::size_t done = 0; done < unpacked; done += 258) {
    code(0xC5, 8);  // 258 bytes
    code(0, 5);     // of the one before
  }
  code(0, 15);  // the end
  return made;
}

TEST(FetchUrl, does_not_unpack_bombs) {
  const std::string bomb = packed_bomb(std::size_t{64} << 20U);
  CannedServer server([&](Connection& connection) {
    (void)connection.read_request();
    connection.answer(200, bomb, "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n");
  });
  const auto page = fetch(fetching({.allow = {"127.0.0.1"}, .max_bytes = 20'000}), server.url());
  EXPECT_EQ(page_content_of(page), std::string(20'000, 'a'));
  EXPECT_TRUE(page->at("truncated").as_bool());
}

TEST(FetchUrl, fails_on_bodies_that_cannot_be_unpacked) {
  CannedServer server(always(200, "not gzip at all", "Content-Encoding: gzip\r\n"));
  EXPECT_FALSE(fetch(fetching_here(), server.url()));
}

TEST(FetchUrl, ends_when_the_server_is_too_slow) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nsome");
    connection.wait_for_close();
  });
  const auto late = fetch(fetching({.allow = {"127.0.0.1"}, .timeout = 200ms}), server.url());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout) << late.error().message;
}

TEST(FetchUrl, has_one_deadline_for_all_redirections) {
  CannedServer server([](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 302 Found\r\nLocation: /again\r\n");
    connection.wait_for_close();
  });
  const auto late = fetch(fetching({.allow = {"127.0.0.1"}, .timeout = 200ms}), server.url());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout) << late.error().message;
}

TEST(FetchUrl, ends_when_it_is_cancelled) {
  std::stop_source stop;
  std::latch has_closed(1);
  CannedServer server([&](Connection& connection) {
    (void)connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nsome");
    stop.request_stop();
    connection.wait_for_close();
    has_closed.count_down();
  });
  const auto tools = fetching_here();
  const ToolCall call{"1", "fetch_url", to_text(Json{{"url", server.url()}})};
  const ToolOutcome outcome = execute(tools, {}, call, {.stop = stop.get_token()});
  EXPECT_TRUE(outcome.result.is_error);
  EXPECT_EQ(outcome.error_message(), "The request was cancelled");
  has_closed.wait();
}

TEST(FetchUrl, keeps_long_pages_where_read_file_can_page_them) {
  std::string body = "first line\n";
  for (int i = 0; i < 20'000; ++i) body += "line " + std::to_string(i) + "\n";
  body += "last line\n";
  CannedServer server(always(200, body, "Content-Type: text/plain\r\n"));
  const TemporaryFolder folder;
  const auto spill = spill_output({.folder = folder / "outputs"});
  ASSERT_TRUE(spill);
  const auto tools = fetching_here();
  const ToolCall call{"1", "fetch_url", to_text(Json{{"url", server.url()}})};
  const ToolOutcome outcome = execute(tools, {}, call, Context{.spill = *spill});
  ASSERT_FALSE(outcome.result.is_error) << outcome.error_message();
  ASSERT_TRUE(outcome.response.is_object()) << "it was cut as a whole";
  EXPECT_TRUE(outcome.response.at("truncated").as_bool());
  const std::string content(outcome.response.at("content").as_string());
  const std::string file(outcome.response.at("content_file").as_string());
  EXPECT_TRUE(content.starts_with("first line\n"));
  EXPECT_TRUE(content.ends_with("last line\n"));
  EXPECT_NE(content.find(file), std::string::npos);
  EXPECT_LE(json_size(content), 48U * 1024);
  std::ifstream kept(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), body);
}

TEST(FetchUrl, cuts_long_pages_where_nothing_keeps_them) {
  CannedServer server(always(200, std::string(200'000, '\n'), "Content-Type: text/plain\r\n"));
  const auto page = fetch(fetching_here(), server.url());
  EXPECT_LE(json_size(page_content_of(page)), 48U * 1024);
  EXPECT_NE(page_content_of(page).find("of 200000 bytes]"), std::string::npos);
}

TEST(FetchUrl, survives_servers_that_talk_nonsense) {
  const auto tools = fetching_here();
  for (const char* answer :
       {"", "\r\n\r\n", "nonsense", "HTTP/1.1 999999 X\r\n\r\n",
        "HTTP/1.1 200\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
        "HTTP/1.1 302 Found\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nshort"}) {
    CannedServer server([&](Connection& connection) {
      (void)connection.read_request();
      connection.send(answer);
    });
    const auto result = fetch(tools, server.url());
    EXPECT_FALSE(result) << answer;
  }
}

TEST(FetchUrl, goes_through_a_proxy_where_one_is_set) {
  std::string request;
  CannedServer proxy([&](Connection& connection) {
    request = connection.read_request();
    connection.answer(200, "from the proxy", "Content-Type: text/plain\r\n");
  });
  const auto tools = fetching({.proxy = proxy.url()});
  EXPECT_EQ(page_content_of(fetch(tools, "http://public.example/x")), "from the proxy");
  EXPECT_TRUE(request.starts_with("GET http://public.example/x HTTP/1.1\r\n")) << request;
  EXPECT_FALSE(fetch(tools, "http://10.0.0.1/"));
  EXPECT_EQ(proxy.connections(), 1);
}

}  // namespace
}  // namespace wright::tools
