#include "tools/search/literal_search.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/text.h"

namespace wright::tools {
namespace {

// The compiler makes vector instructions of these, whatever the processor.
using Bytes = std::uint8_t __attribute__((vector_size(16)));
using Words = std::uint64_t __attribute__((vector_size(16)));

constexpr std::size_t kStep = sizeof(Bytes);
constexpr std::size_t kStride = 4 * kStep;

Bytes load(const char* at) {
  Bytes bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

Bytes filled_with(std::uint8_t byte) {
  return Bytes{} + byte;
}

bool is_any_set(Bytes bytes) {
  const auto words = std::bit_cast<Words>(bytes);
  return (words[0] | words[1]) != 0;
}

// How often a byte is seen in source text and prose: larger is more often.
std::size_t frequency(char c) {
  constexpr std::string_view kMostFrequentFirst =
      " etaoinrslcdupmfhgbyvwk_x,.()-;=\"'*/:j0q1z>{}2<TSEACIRNPL\n\t#[]O3DF4M5&G8";
  const std::size_t rank = kMostFrequentFirst.find(c);
  return rank == std::string_view::npos ? 0 : kMostFrequentFirst.size() - rank;
}

}  // namespace

LiteralSearch::LiteralSearch(std::vector<std::string> literals, AsciiCase letters)
    : letters_(letters) {
  for (std::string& literal : literals) {
    if (letters == AsciiCase::ignore) std::ranges::transform(literal, literal.begin(), to_lower);
    longest_ = std::max(longest_, literal.size());
    needles_.push_back(needle_for(std::move(literal)));
  }
}

LiteralSearch::Needle LiteralSearch::needle_for(std::string text) const {
  std::vector<std::size_t> offsets(text.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = i;
  std::ranges::sort(offsets, {}, [&](std::size_t i) { return std::pair(frequency(text[i]), i); });
  const auto probe = [&](std::size_t offset) {
    const char c = text[offset];
    const bool is_folded = letters_ == AsciiCase::ignore && is_letter(c);
    return Probe{offset, static_cast<std::uint8_t>(is_folded ? 0x20 : 0),
                 static_cast<std::uint8_t>(c)};
  };
  const std::array probes{probe(offsets.front()), probe(offsets[offsets.size() > 1 ? 1 : 0])};
  return Needle{std::move(text), probes};
}

bool LiteralSearch::is_at(const Needle& needle, std::string_view text, std::size_t start) const {
  const std::string_view place = text.substr(start, needle.text.size());
  if (letters_ == AsciiCase::distinguish) return place == needle.text;
  return std::ranges::equal(place, needle.text, {}, to_lower);
}

std::optional<LiteralSearch::Found> LiteralSearch::first_at(std::string_view text,
                                                            std::size_t start) const {
  for (std::size_t i = 0; i < needles_.size(); ++i) {
    if (is_at(needles_[i], text, start)) return Found{start, i};
  }
  return std::nullopt;
}

std::optional<LiteralSearch::Found> LiteralSearch::find(std::string_view text,
                                                        std::size_t from) const {
  std::size_t at = from;
  // Marks where both probes of a text fit, for `kStep` places from `start` on.
  const auto candidates = [&](const Needle& needle, std::size_t start) {
    const auto& [first, second] = needle.probes;
    const char* place = text.data() + start;
    return ((load(place + first.offset) | filled_with(first.ignored_bits)) ==
            filled_with(first.byte)) &
           ((load(place + second.offset) | filled_with(second.ignored_bits)) ==
            filled_with(second.byte));
  };
  while (at + kStride + longest_ <= text.size()) {
    std::array<Bytes, kStride / kStep> marks{};
    for (const Needle& needle : needles_) {
      for (std::size_t i = 0; i < marks.size(); ++i) {
        marks[i] |= std::bit_cast<Bytes>(candidates(needle, at + i * kStep));
      }
    }
    if (is_any_set(marks[0] | marks[1] | marks[2] | marks[3])) {
      std::array<std::uint8_t, kStride> places;
      std::memcpy(places.data(), marks.data(), sizeof places);
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] == 0) continue;
        if (const auto found = first_at(text, at + i)) return found;
      }
    }
    at += kStride;
  }
  for (; at < text.size(); ++at) {
    if (const auto found = first_at(text, at)) return found;
  }
  return std::nullopt;
}

}  // namespace wright::tools
