// Keeps a key out of what a vendor says: some repeat it in their words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/model.h"

namespace wright::models {

// Words that arrive in pieces. What may be the beginning of a key is held back until the next piece
// shows what it is.
class SecretFilter {
 public:
  // Those that are too short to be keys are ignored.
  explicit SecretFilter(std::vector<std::string> secrets);

  void feed(TextPiece piece, const TextSink& on_text);
  void finish(const TextSink& on_text);  // the rest

  // Everything in it that will be stored or shown.
  void clean(Response& response) const;
  // A whole text.
  void clean(std::string& text) const;

 private:
  enum class Piece : std::uint8_t { more_follows, last };
  std::string cleaned(std::string_view text, Piece piece, std::string_view& rest) const;

  std::vector<std::string> secrets_;  // longest first: one may begin with another
  std::string beginnings_;            // their first letters
  std::string held_;
  Text::Phase phase_ = Text::Phase::unmarked;  // of what is held
};

}  // namespace wright::models
