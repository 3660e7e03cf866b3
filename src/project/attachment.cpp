#include "project/attachment.h"

#include <fmt/format.h>

#include "core/base64.h"
#include "core/media_type.h"
#include "core/try.h"
#include "core/user_message.h"
#include "project/text_file.h"
#include "tools/workspace/workspace.h"

namespace wright::project {

Result<Image> read_attachment(const std::filesystem::path& file,
                              const std::filesystem::path& inside) {
  const auto bytes = TRY(read_bytes(file, kLargestAttachment / 4 * 3, inside));
  const std::string_view type = shown_type(bytes);
  if (type.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is no image (PNG, JPEG, GIF, WebP), PDF, WAV or MP3 file",
                            tools::shown_path(file.string())));
  }
  return Image{std::string(type), base64_of(bytes)};
}

std::string described(const Image& image) {
  const std::size_t bytes = image.base64.size() / 4 * 3;
  return bytes < 10'000 ? fmt::format("{}, {} bytes", image.media_type, bytes)
                        : fmt::format("{}, {} kB", image.media_type, bytes / 1'000);
}

}  // namespace wright::project
