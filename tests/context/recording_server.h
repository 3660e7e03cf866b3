// A model's server that records every request as it came over the wire, in the shapes of OpenAI,
// Anthropic and Ollama. It counts tokens, may mean its window, and plays a long conversation: so
// many calls of the tool `look` for every message of the user, and then an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "net/canned_server_testing.h"
#include "wright/json.h"
#include "wright/models.h"

namespace wright::context {

enum class Shape : std::uint8_t { openai, anthropic, ollama };
std::string_view name_of(Shape shape);

struct ServerOptions {
  Shape shape = Shape::openai;
  std::int64_t window = 0;           // of prompt and answer; more is refused. 0: it reads anything
  bool counts_answer = false;        // the answer that may come counts for the window
  bool drops_the_beginning = false;  // instead of refusing
  bool is_overloaded = false;        // and answers nothing else
  int looks = 20;                    // for one message of the user
  int side_by_side = 1;              // calls of one turn
  std::string refusal = {};          // its words; {} is the window. Empty: the shape's usual ones
  std::function<std::string()> summary = [] { return "SUMMARY of what came before."; };
};

// One request, by the bytes that came.
struct Recorded {
  bool is_summary = false;
  bool is_refused = false;
  std::int64_t tokens = 0;                 // as the server counts
  std::int64_t answer = 0;                 // tokens that the answer may have
  std::int64_t num_ctx = 0;                // of Ollama
  std::vector<std::string> messages = {};  // as JSON text, one each
  std::vector<std::string> roles = {};
  std::string body = {};
};

class RecordingServer {
 public:
  explicit RecordingServer(ServerOptions options);

  // The model at this server. `window` is what the catalogue says of it; 0: nothing.
  Model model(std::int64_t window) const;
  std::string url() const;

  std::vector<Recorded> requests() const;

 private:
  void serve(net::testing::Connection& connection);
  std::string answer(const Recorded& recorded);

  const ServerOptions options_;
  mutable std::mutex mutex_;
  std::vector<Recorded> requests_;
  int looked_ = 0;
  int calls_ = 0;
  net::testing::CannedServer server_;
};

// What the requests of one conversation were like.
struct Figures {
  int requests = 0;  // without summaries
  int over = 0;      // the window
  int refused = 0;
  int summaries = 0;
  int breaks = 0;                   // requests that do not begin with the one before
  int orphans = 0;                  // calls without results and results without calls
  int in_a_row = 0;                 // the most messages of one side after another, results aside
  std::int64_t tokens = 0;          // of all requests
  std::int64_t summary_tokens = 0;  // of those for summaries
  std::int64_t largest = 0;
};
Figures figures_of(const std::vector<Recorded>& requests, std::int64_t window);

}  // namespace wright::context
