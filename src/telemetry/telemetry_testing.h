// For tests: protobuf as it comes over the wire, read without knowing its schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wright::telemetry::testing {

struct WireField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  // of numbers of any width
  std::string bytes = {};
};

// Absent where it is no protobuf.
inline std::optional<std::vector<WireField>> read_wire(std::string_view text) {
  std::size_t at = 0;
  const auto varint = [&]() -> std::optional<std::uint64_t> {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64 && at < text.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(text[at++]);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
    return std::nullopt;
  };
  std::vector<WireField> fields;
  while (at < text.size()) {
    const auto tag = varint();
    if (!tag) return std::nullopt;
    WireField field{.number = *tag >> 3};
    if ((*tag & 7) == 0) {
      const auto value = varint();
      if (!value) return std::nullopt;
      field.value = *value;
    } else if ((*tag & 7) == 2) {
      const auto length = varint();
      if (!length || *length > text.size() - at) return std::nullopt;
      field.bytes = text.substr(at, *length);
      at += *length;
    } else {
      const std::size_t width = (*tag & 7) == 1 ? 8 : (*tag & 7) == 5 ? 4 : 0;
      if (width == 0 || width > text.size() - at) return std::nullopt;
      for (std::size_t i = 0; i < width; ++i) {
        field.value |= std::uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
      }
      at += width;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

// The fields of that number, one after the other along the path.
inline std::vector<WireField> at_path(std::string_view text, std::vector<std::uint64_t> path) {
  std::vector<WireField> found;
  const auto fields = read_wire(text);
  if (!fields || path.empty()) return found;
  for (const WireField& field : *fields) {
    if (field.number != path.front()) continue;
    if (path.size() == 1) {
      found.push_back(field);
      continue;
    }
    for (WireField& deeper : at_path(field.bytes, {path.begin() + 1, path.end()})) {
      found.push_back(std::move(deeper));
    }
  }
  return found;
}

}  // namespace wright::telemetry::testing
