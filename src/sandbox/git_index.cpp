#include "sandbox/git_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/regular_file.h"

namespace wright::sandbox {
namespace {

constexpr std::size_t kMostOfIndex = 1U << 30;
constexpr std::size_t kBeforeMode = 24;  // times and numbers of the file system
constexpr std::size_t kBeforeHash = 40;
constexpr std::uint32_t kSubmodule = 0160000;
constexpr std::uint32_t kTypeMask = 0170000;
constexpr std::uint16_t kIsExtended = 0x4000;

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t length) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < length; ++i) {
    number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

// How many bytes of the name before do not count, in version 4.
std::optional<std::size_t> take_length(std::string_view& bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 5; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    length = (i == 0 ? 0 : (length + 1) << 7U) | (byte & 0x7FU);
    if ((byte & 0x80U) == 0) {
      bytes.remove_prefix(i + 1);
      return length;
    }
  }
  return std::nullopt;
}

// Takes the entries from the text one by one.
class IndexReader {
 public:
  IndexReader(std::string_view bytes, std::uint32_t version, std::size_t hash)
      : bytes_(bytes), version_(version), hash_(hash) {}

  bool next() {
    const std::size_t flags_at = kBeforeHash + hash_;
    if (bytes_.size() < flags_at + 4) return false;
    mode_ = number_at(bytes_, kBeforeMode, 4);
    const bool is_extended = (number_at(bytes_, flags_at, 2) & kIsExtended) != 0;
    const std::size_t name_at = flags_at + (is_extended ? 4 : 2);
    std::string_view rest = bytes_.substr(name_at);
    if (version_ == 4) {
      const auto dropped = take_length(rest);
      if (!dropped || *dropped > name_.size()) return false;
      name_.resize(name_.size() - *dropped);
    } else {
      name_.clear();
    }
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return false;
    name_.append(rest.substr(0, end));
    // Filled up with at least one zero to a multiple of eight bytes, up to version 3.
    const std::size_t length = name_at + end + 1;
    const std::size_t filled = (length + 7) / 8 * 8;
    bytes_ = version_ == 4 ? rest.substr(end + 1) : bytes_.substr(std::min(filled, bytes_.size()));
    return true;
  }

  bool is_submodule() const { return (mode_ & kTypeMask) == kSubmodule; }
  bool is_known() const {
    const std::uint32_t type = mode_ & kTypeMask;
    return type == 0100000 || type == 0120000 || type == 0040000 || type == kSubmodule;
  }
  const std::string& name() const { return name_; }

 private:
  std::string_view bytes_;
  std::uint32_t version_;
  std::size_t hash_;
  std::uint32_t mode_ = 0;
  std::string name_ = {};
};

// Nothing where the hashes have another length.
std::optional<std::vector<std::string>> submodules_in(std::string_view entries,
                                                      std::uint32_t version, std::uint32_t count,
                                                      std::size_t hash) {
  std::vector<std::string> found;
  IndexReader reader(entries, version, hash);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!reader.next() || !reader.is_known()) return std::nullopt;
    if (reader.is_submodule()) found.push_back(reader.name());
  }
  return found;
}

}  // namespace

std::vector<std::string> submodules_in_index(const std::filesystem::path& index) {
  constexpr std::size_t kHeader = 12;
  const std::string bytes = start_of_regular_file(index, kMostOfIndex);
  if (bytes.size() < kHeader || !bytes.starts_with("DIRC")) return {};
  const std::uint32_t version = number_at(bytes, 4, 4);
  const std::uint32_t count = number_at(bytes, 8, 4);
  const std::string_view entries = std::string_view(bytes).substr(kHeader);
  for (const std::size_t hash : {20U, 32U}) {
    if (auto found = submodules_in(entries, version, count, hash)) return std::move(*found);
  }
  return {};
}

}  // namespace wright::sandbox
