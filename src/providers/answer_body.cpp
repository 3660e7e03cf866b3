#include "providers/answer_body.h"

namespace wright::providers {
namespace {

constexpr std::size_t kLargestDocument = 64 << 20;

}  // namespace

// Returns the bytes that belong to the body: white space and a byte order mark before it do not.
std::string_view AnswerBody::recognise(std::string_view bytes) {
  while (!bytes.empty()) {
    const char first = bytes.front();
    if (std::string_view(" \t\r\n\xEF\xBB\xBF").contains(first)) {
      bytes.remove_prefix(1);
      continue;
    }
    kind_ = first == '{' || first == '[' ? Kind::document
            : first == '<'               ? Kind::page
                                         : Kind::events;
    break;
  }
  return bytes;
}

Result<void> AnswerBody::keep(std::string_view bytes) {
  if (kind_ != Kind::document) return {};
  if (document_.size() + bytes.size() > kLargestDocument) {
    return fail(ErrorCode::protocol, "The server sent a document that is larger than any answer");
  }
  document_ += bytes;
  return {};
}

Result<void> AnswerBody::not_an_answer() const {
  if (kind_ == Kind::page) {
    return fail(ErrorCode::protocol,
                "The server answered with a web page instead of a model's answer; check that "
                "base_url is the address of the API");
  }
  return fail(ErrorCode::answer_cut, "The server closed the connection without an answer");
}

}  // namespace wright::providers
