// The events of a stream are alike: most differ from the one before in a single text, the next
// piece of an answer. Such an event need not be parsed. The document of the one before becomes its
// own when that text is put in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wright/json.h"

namespace wright::providers {

class ChangingText {
 public:
  // `document` was parsed from `text`. It must outlive what is put in, up to forget().
  void learn(std::string_view text, Json& document);

  // Makes the document learnt last what `text` would be parsed to, and says so; or does nothing.
  bool put(std::string_view text);

  void forget() { value_ = nullptr; }

 private:
  bool unescape(std::string_view written);

  std::string text_;
  std::size_t begin_ = 0;  // of the text that changes, between its quotes
  std::size_t end_ = 0;
  JsonString* value_ = nullptr;  // null until it is known which text that is
  int learnt_in_vain_ = 0;
  std::string unescaped_;
};

}  // namespace wright::providers
