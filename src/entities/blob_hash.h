// The name that git gives to the content of a file (SHA-1 over "blob <size>\0" and the bytes). It
// tells whether a file changed, and whether it is the one that was committed. No protection against
// anybody who wants two files to have one name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace wright::entities {

class Sha1 {
 public:
  void add(std::string_view bytes);
  std::string hex() &&;

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 5> state_{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U,
                                      0xC3D2E1F0U};
  std::array<unsigned char, 64> open_{};  // the start of a block that is not full yet
  std::size_t open_size_ = 0;
  std::uint64_t total_ = 0;
};

std::string blob_hash(std::string_view content);

}  // namespace wright::entities
