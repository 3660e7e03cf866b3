// Finds the first of a few fixed texts in a large one, many bytes at a time. Knows nothing of
// lines or regular expressions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wright::tools {

enum class AsciiCase : std::uint8_t { distinguish, ignore };

class LiteralSearch {
 public:
  static constexpr std::size_t kMaxLiterals = 8;

  // Between one and kMaxLiterals texts, none of them empty.
  LiteralSearch(std::vector<std::string> literals, AsciiCase letters);

  struct Found {
    std::size_t start;
    std::size_t literal;  // the first one in the list that is there
  };
  // The leftmost occurrence at or after `from`.
  std::optional<Found> find(std::string_view text, std::size_t from) const;

  std::size_t length(std::size_t literal) const { return needles_[literal].text.size(); }

 private:
  // Two bytes of a text that are rare elsewhere, by which its places are recognised first.
  struct Probe {
    std::size_t offset;
    std::uint8_t ignored_bits;  // set before comparing
    std::uint8_t byte;
  };
  struct Needle {
    std::string text;  // in lower case where case is ignored
    std::array<Probe, 2> probes;
  };
  Needle needle_for(std::string text) const;
  bool is_at(const Needle& needle, std::string_view text, std::size_t start) const;
  std::optional<Found> first_at(std::string_view text, std::size_t start) const;

  std::vector<Needle> needles_;
  std::size_t longest_ = 0;
  AsciiCase letters_;
};

}  // namespace wright::tools
