// JSON-RPC 2.0 as MCP uses it: from text to messages and back. No socket, no clock, no state but
// the bytes of a line that has not ended yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wright/error.h"
#include "wright/json.h"

namespace wright::mcp {

// What went wrong, as a number that peers know. Those of MCP itself stand below the JSON-RPC ones.
namespace code {
inline constexpr std::int64_t kParseError = -32700;
inline constexpr std::int64_t kInvalidRequest = -32600;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternalError = -32603;
inline constexpr std::int64_t kResourceNotFound = -32002;  // until 2025-11-25; then kInvalidParams
inline constexpr std::int64_t kHeaderMismatch = -32020;
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedVersion = -32022;
inline constexpr std::int64_t kUrlElicitationRequired = -32042;  // until 2025-11-25
}  // namespace code

struct Problem {
  std::int64_t code = code::kInternalError;
  std::string message = {};
  Json data = {};  // null: none
  bool operator==(const Problem&) const = default;
};

// An id is kept as the peer wrote it: a string, or a number that loses no digit here. id_key()
// tells 1 from "1".
using RequestId = Json;
std::string id_key(const RequestId& id);

struct Request {
  RequestId id = {};
  std::string method = {};
  JsonObject params = {};
};
struct Notification {
  std::string method = {};
  JsonObject params = {};
};
struct Answer {  // to a request of ours
  RequestId id = {};
  std::variant<JsonObject, Problem> outcome = {};
};
// What is no message. `problem` is what its sender should be told, with the id where it had one.
struct Malformed {
  RequestId id = {};  // null: not known
  Problem problem = {};
  // Of what is no JSON: the id that seems to stand in it. It is not told to anybody; whoever waits
  // for an answer with it need not wait any longer.
  RequestId seeming_id = {};
  bool is_answer = false;  // to a request of ours
  bool is_null = false;    // its result is null, which other protocols allow
};

using Message = std::variant<Request, Notification, Answer, Malformed>;

struct Frame {
  std::vector<Message> messages = {};
  bool is_batch = false;  // an array of messages, which only 2025-03-26 allows
};

// Takes any bytes. A frame always has a message in it; one that is no JSON has a Malformed one.
Frame read_frame(std::string_view text);

inline constexpr std::size_t kLargestBatch = 1000;

// One line each, without the line end.
std::string request_text(const RequestId& id, std::string_view method, const JsonObject& params);
std::string notification_text(std::string_view method, const JsonObject& params);
std::string result_text(const RequestId& id, JsonObject result);
// Without an id where it is null: the revisions have no word for it.
std::string problem_text(const RequestId& id, const Problem& problem);

// A string member; null where it is absent or something else.
const JsonString* string_in(const JsonObject& object, std::string_view key);
const JsonObject* object_in(const JsonObject& object, std::string_view key);
std::string text_in(const JsonObject& object, std::string_view key);  // empty: absent

// Splits a stream into lines, each one frame. Only LF ends a line; a CR before it is dropped. A
// line that is too long is skipped to its end and told of, so that the stream goes on.
class FrameReader {
 public:
  explicit FrameReader(std::size_t longest = kLongestFrame) : longest_(longest) {}
  static constexpr std::size_t kLongestFrame = 64 << 20;

  // Calls `on_line` (void(std::string_view), valid during the call) for every whole line that is
  // not blank, and `on_too_long` (void()) for every one that is too long.
  template <class OnLine, class OnTooLong>
  void feed(std::string_view bytes, OnLine&& on_line, OnTooLong&& on_too_long) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      if (!is_skipping_ && begun_.size() + piece.size() > longest_) {
        is_skipping_ = true;
        begun_.clear();
        begun_.shrink_to_fit();
      }
      if (end == std::string_view::npos) {
        if (!is_skipping_) begun_ += piece;
        return;
      }
      bytes.remove_prefix(end + 1);
      if (is_skipping_) {
        is_skipping_ = false;
        on_too_long();
        continue;
      }
      if (begun_.empty()) {
        take(piece, on_line);
      } else {
        begun_ += piece;
        take(begun_, on_line);
        begun_.clear();
      }
    }
  }

  // Bytes of a line that has not ended.
  bool has_begun() const { return is_skipping_ || !begun_.empty(); }

 private:
  template <class OnLine>
  static void take(std::string_view line, OnLine&& on_line) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return;
    on_line(line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1));
  }

  std::size_t longest_;
  std::string begun_;
  bool is_skipping_ = false;
};

// What the sender of a line that is too long is told.
Malformed too_long();

}  // namespace wright::mcp
