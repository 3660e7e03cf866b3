#include "core/text.h"
#include "wright/model.h"

#include <algorithm>

namespace wright {
namespace {}  // namespace

std::string_view find_header(const std::vector<HttpHeader>& headers, std::string_view name) {
  const auto found = std::ranges::find_if(headers, [&](const HttpHeader& header) {
    return std::ranges::equal(header.name, name, {}, to_lower, to_lower);
  });
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

}  // namespace wright
