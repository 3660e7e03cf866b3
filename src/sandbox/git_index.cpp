#include "sandbox/git_index.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/file_descriptor.h"
#include "core/regular_file.h"

namespace wright::sandbox {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kPiece = 256U << 10;       // that is read at once
constexpr std::size_t kLongestEntry = 8U << 10;  // no path is as long
constexpr int kMostShared = 100;
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

// Takes the entries from the file one by one.
class IndexReader {
 public:
  IndexReader(int file, std::uint32_t version, std::size_t hash, GitAllowance& allowance)
      : file_(file), version_(version), hash_(hash), allowance_(allowance) {}

  bool next() {
    if (bytes_.size() < kLongestEntry && !has_ended_ && !read_more()) return false;
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
  const std::string& name() const { return name_; }
  bool is_too_much() const { return is_too_much_; }

 private:
  bool read_more() {
    std::string piece(bytes_);
    const std::size_t kept = piece.size();
    piece.resize(kept + kPiece);
    const ssize_t count =
        ::pread(file_, piece.data() + kept, kPiece, static_cast<off_t>(kHeader + taken_));
    if (count < 0) return false;
    is_too_much_ = !allowance_.covers_bytes(static_cast<std::size_t>(count));
    if (is_too_much_) return false;
    piece.resize(kept + static_cast<std::size_t>(count));
    taken_ += static_cast<std::size_t>(count);
    has_ended_ = count == 0;
    text_ = std::move(piece);
    bytes_ = text_;
    return true;
  }

  int file_;
  std::uint32_t version_;
  std::size_t hash_;
  GitAllowance& allowance_;
  std::string text_ = {};
  std::string_view bytes_ = {};  // of it, what is not read yet
  std::size_t taken_ = 0;        // from the file, behind its header
  bool has_ended_ = false;
  bool is_too_much_ = false;
  std::uint32_t mode_ = 0;
  std::string name_ = {};
};

// As git itself wants names to be. In a split index, those that are in the shared one are empty.
bool stays_inside(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && path.is_relative() &&
         std::ranges::none_of(path, [](const std::filesystem::path& part) {
           return part.empty() || part == "." || part == ".." || part == ".git";
         });
}

using KnownNames = std::set<std::string>;

// False where there is too much to look through.
bool add_submodules_in(const std::filesystem::path& index, HashLength hash, GitAllowance& allowance,
                       KnownNames& names) {
  const FileDescriptor file = open_regular_file(index);
  std::array<char, kHeader> start{};
  if (!file.is_open() || ::pread(file.get(), start.data(), kHeader, 0) != kHeader) return true;
  const std::string_view header(start.data(), start.size());
  if (!header.starts_with("DIRC")) return true;
  const std::uint32_t version = number_at(header, 4, 4);
  const std::uint32_t count = number_at(header, 8, 4);
  IndexReader reader(file.get(), version, static_cast<std::size_t>(hash), allowance);
  for (std::uint32_t i = 0; i < count && reader.next(); ++i) {
    if (!reader.is_submodule() || !stays_inside(reader.name())) continue;
    if (!allowance.covers_name(reader.name().size())) return false;
    names.insert(reader.name());
  }
  return !reader.is_too_much();
}

}  // namespace

std::optional<std::vector<std::string>> submodules_in_index(const std::filesystem::path& index,
                                                            HashLength hash,
                                                            GitAllowance& allowance) {
  KnownNames names;
  if (!add_submodules_in(index, hash, allowance, names)) return std::nullopt;
  std::error_code problem;
  int shared = 0;
  for (std::filesystem::directory_iterator entries(index.parent_path(), problem);
       !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem)) {
    if (!entries->path().filename().native().starts_with("sharedindex.")) continue;
    if (++shared > kMostShared || !add_submodules_in(entries->path(), hash, allowance, names)) {
      return std::nullopt;
    }
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace wright::sandbox
