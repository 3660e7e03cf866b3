#include "core/server_sent_events.h"

namespace wright {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<void> ServerSentEvents::take_field(std::string_view line) {
  if (is_first_line_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  is_first_line_ = false;
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    type_ = value;
  } else if (field == "data") {
    if (data_.size() + value.size() > largest_event_) {
      return fail(ErrorCode::protocol, "The server sent an event that is larger than any answer");
    }
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
  return {};
}

}  // namespace wright
