// Reads a body that comes in chunks (RFC 9112, 7.1), the same however its bytes come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wright::http {

class ChunkedBody {
 public:
  enum class State : std::uint8_t { size, data, end_of_data, trailers, done, refused };

  // `most_bytes` of the body; `most_beside` of what chunks and their end say beside it: extensions,
  // zeros before a size, trailers. All of that is left out.
  ChunkedBody(std::size_t most_bytes, std::size_t most_beside)
      : most_bytes_(most_bytes), most_beside_(most_beside) {}

  // Takes what belongs to it, adds the data to `body`, and says how many bytes it took. What it has
  // not taken must come again, with more behind it.
  std::size_t feed(std::string_view bytes, std::string& body);
  State state() const { return state_; }
  int refused_status() const { return refused_status_; }  // of State::refused

 private:
  std::size_t take_line(std::string_view bytes, std::size_t allowed);
  void take_size(std::string_view line, std::size_t so_far);
  void take_trailer(std::string_view line);
  std::size_t take_end_of_data(std::string_view bytes);
  void refuse(int status);

  std::size_t most_bytes_;
  std::size_t most_beside_;
  std::size_t left_ = 0;  // of the chunk
  State state_ = State::size;
  int refused_status_ = 0;
};

}  // namespace wright::http
