// Unpacks a gzip file (RFC 1952) piece by piece, for servers that compress what they were told not
// to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace wright::http {

class GzipReader {
 public:
  enum class State : std::uint8_t { reading, done, broken, refused };
  // False: nothing more is wanted.
  using OnBytes = std::function<bool(std::string_view)>;

  explicit GzipReader(OnBytes on_bytes);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // What follows the end of the file is ignored.
  State feed(std::string_view bytes);
  State state() const { return state_; }

 private:
  struct Parts;
  enum class Place : std::uint8_t { start, extra, name, comment, checksum, data, end };

  void read_head(std::string_view& bytes);
  void read_data(std::string_view& bytes);
  void read_end(std::string_view& bytes);
  bool gather(std::string_view& bytes, std::size_t count);
  void go_on_from(Place place);

  OnBytes on_bytes_;
  std::unique_ptr<Parts> parts_;
  State state_ = State::reading;
  Place place_ = Place::start;
};

}  // namespace wright::http
