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
  using OnText = std::function<void(std::string_view text)>;

  // Those that are too short to be keys are ignored.
  explicit SecretFilter(std::vector<std::string> secrets);

  void feed(std::string_view piece, const OnText& on_text);
  void finish(const OnText& on_text);  // the rest

  // Everything in it that will be stored or shown.
  void clean(Response& response) const;

 private:
  enum class Piece : std::uint8_t { more_follows, last };
  std::string cleaned(std::string_view text, Piece piece, std::string_view& rest) const;
  void clean(std::string& text) const;

  std::vector<std::string> secrets_;  // longest first: one may begin with another
  std::string beginnings_;            // their first letters
  std::string held_;
};

}  // namespace wright::models
