#include "core/line_splitter.h"

#include <fmt/format.h>

namespace wright {

std::unexpected<Error> LineSplitter::too_long() const {
  return fail(ErrorCode::protocol,
              fmt::format("The server sent a line of more than {} bytes, which "
                          "is more than any answer needs",
                          longest_line_));
}

}  // namespace wright
